"""The protocol that every strategy implements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.predicate_graph import PredicateGraph


@dataclass(frozen=True, slots=True)
class PredicateSelector:
    """A strategy's state for one publication: a kernel and its arguments."""

    kernel: Callable[..., int]
    arguments: tuple[Any, ...]

    def next_predicate(self) -> int:
        """Return the predicate to evaluate next, or -1: none, or none before a pending call returns."""
        return self.kernel(*self.arguments)


class Strategy(Protocol):
    """Decides the order of the calls. The matches do not depend on it."""

    description: str
    """What it evaluates next, for users."""
    has_planned_order: bool
    """Whether `plan` returns an order."""
    uses_estimates: bool
    """Whether it uses selectivities and costs. If not, a subscription's predicates are evaluated as written."""
    cost_rule: CostRule
    """How costs enter the order of a chain's predicates, for plans that are shown to users."""

    def plan(self, graph: PredicateGraph) -> Integers | None:
        """Return an order of the registered conjunctions, if the strategy has one. May take seconds."""
        ...

    def start(self, tables: EvaluationTables, order: Integers | None) -> PredicateSelector:
        """Start a publication; `order` is the planned order of the tables' instances."""
        ...
