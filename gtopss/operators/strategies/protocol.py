"""The one protocol that every strategy obeys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from gtopss.operators.arrays import Integers
from gtopss.operators.board import Board, Problem


@dataclass(frozen=True, slots=True)
class Run:
    """A strategy at work on one publication: a compiled loop and the arrays that it reads."""

    kernel: Callable[..., int]
    arguments: tuple[Any, ...]

    def next(self) -> int:
        """The predicate to ask next, or -1: none, or none before a call that is on its way is answered."""
        return self.kernel(*self.arguments)


class Strategy(Protocol):
    """Decides the order of the calls, and nothing else: the answers are the same whatever it decides."""

    asks: str
    """What it asks next, for people."""
    plans: bool
    """Whether it has an order beforehand."""
    sorts: bool
    """Whether it looks at selectivities and costs; else a subscription's predicates are asked as they are written."""

    def plan(self, problem: Problem) -> Integers | None:
        """Before any publication: the registered subscriptions' order, if the strategy has one. May take long."""
        ...

    def begin(self, board: Board, order: Integers | None) -> Run:
        """Start on a publication; `order` is the plan's, over the board's units."""
        ...
