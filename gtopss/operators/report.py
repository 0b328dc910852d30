"""What evaluating the operators of one publication gave: matches, what stayed open and why, and the bill."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from gtopss.model import Term
from gtopss.operators.declaration import Rows
from gtopss.operators.predicates import Request
from gtopss.operators.registered import Key

Reason: TypeAlias = Literal["failed", "timeout", "nonsense", "overloaded", "budget", "deadline", "join"]


class Unknown(NamedTuple):
    """A call without an answer. Nobody may read it as no."""

    request: Request
    reason: Reason
    detail: str

    def __str__(self) -> str:
        return f"{self.request}: {self.reason}: {self.detail}"


class Asked(NamedTuple):
    """A call and its answer: the rows it found, or None if that is unknown."""

    request: Request
    rows: Rows | None
    seconds: float
    cost: float
    cached: bool = False


@dataclass(slots=True)
class OperatorReport:
    """The operators' part of a publication's report.

    A key in `open` was neither matched nor refused by some of its rows: `open[key]` are the calls without an answer
    that would have decided. It may stand in `matched` too, when other rows matched.
    """

    publication_id: str
    matched: dict[Key, tuple[dict[Term, Term], ...]] = field(default_factory=dict)
    open: dict[Key, tuple[Unknown, ...]] = field(default_factory=dict)
    truncated: set[Key] = field(default_factory=set)
    """Matches with more rows than the row limit let through."""
    unknown: tuple[Unknown, ...] = ()
    wanted: int = 0
    """Calls that would have been made if every subscription asked for itself, and for everything."""
    asked: list[Asked] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """Calls made, those answered from the cache not counted."""
        return sum(not each.cached for each in self.asked)

    @property
    def saved(self) -> int:
        """Calls that sharing, the order and the cache made unnecessary."""
        return max(self.wanted - self.calls, 0)

    @property
    def cost(self) -> float:
        return sum(each.cost for each in self.asked)

    @property
    def failing(self) -> dict[str, int]:
        """How many calls of each operator have no answer, by the operator's name."""
        found: dict[str, int] = {}
        for each in self.unknown:
            found[each.request.operator.name] = found.get(each.request.operator.name, 0) + 1
        return found
