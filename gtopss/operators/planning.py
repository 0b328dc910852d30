"""Plan the order of the registered conjunctions, and plan again when subscriptions or estimates have changed much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from gtopss.operators.conjunction_table import ConjunctionTable
from gtopss.operators.kernels.arrays import Integers, Reals
from gtopss.operators.kernels.evaluation_tables import gather
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.publication_conjunctions import PublicationConjunctions
from gtopss.operators.strategies.protocol import Strategy

REPLAN_CHANGES_FACTOR = 1.1
"""Growth of the table's version since the last plan beyond which a new plan is made."""
REPLAN_OBSERVATIONS_FACTOR = 2
"""Growth of the number of observations since the last plan beyond which a new plan is made.

The first plans follow after 2, 4, 8 and so on answers, so that the order uses what it learns from the start; later
plans, which change little, become rare.
"""


@dataclass(frozen=True, slots=True, eq=False)
class PlannedGraph:
    """All registered conjunctions as one graph, inputs without values, with a strategy's order."""

    graph: PredicateGraph
    predicates: Integers
    """The registered number of each predicate of the graph."""
    conjunctions: Integers
    """The registered number of each instance."""
    order: Integers | None
    """The planned order of the instances, if the strategy has one."""


class Planner:
    """Keeps a strategy's plan."""

    def __init__(self, strategy: Strategy, cost_per_second: float) -> None:
        self._strategy, self._cost_per_second = strategy, cost_per_second
        self._rank = numpy.empty(0, numpy.int64)
        self._planned_version = self._planned_observations = self._planned_drifts = -1
        self._last: tuple[PublicationConjunctions, Integers] | None = None

    def plan(self, table: ConjunctionTable) -> PlannedGraph:
        """Plan the registered conjunctions under the current estimates. `order` may still use an earlier plan."""
        conjunctions = numpy.fromiter(table, numpy.int32, len(table))
        scratch = numpy.full(len(table.predicates), -1, numpy.int32)
        arrays = (table.begin, table.end, table.predicate_numbers)
        start, instance_predicates, predicates = gather(*arrays, conjunctions, scratch)
        cost: Reals = table.statistics.cost(predicates, self._cost_per_second)
        selectivity = table.statistics.selectivity(predicates)
        graph = PredicateGraph.from_arrays(start, instance_predicates, selectivity, cost=cost)
        return PlannedGraph(graph, predicates, conjunctions, self._strategy.plan(graph))

    def order(self, conjunctions: PublicationConjunctions) -> Integers | None:
        """Return the planned order of a publication's instances. What was registered after planning is last."""
        if not self._strategy.has_planned_order:
            return None
        table = conjunctions.table
        if self._is_outdated(table):
            self._plan_again(table)
        if self._last is not None and self._last[0] is conjunctions:
            return self._last[1]
        rank = numpy.full(len(table.conjunctions), len(self._rank), numpy.int64)
        rank[: len(self._rank)] = self._rank
        order = numpy.argsort(rank[conjunctions.conjunctions], kind="stable").astype(numpy.int32)
        self._last = conjunctions, order
        return order

    def _is_outdated(self, table: ConjunctionTable) -> bool:
        return (
            self._planned_version < 0
            or table.version > REPLAN_CHANGES_FACTOR * self._planned_version
            or table.statistics.observations >= REPLAN_OBSERVATIONS_FACTOR * self._planned_observations
            or table.statistics.drift_count != self._planned_drifts
        )

    def _plan_again(self, table: ConjunctionTable) -> None:
        planned = self.plan(table)
        assert planned.order is not None
        self._rank = numpy.full(len(table.conjunctions), len(planned.order), numpy.int64)
        self._rank[planned.conjunctions[planned.order]] = numpy.arange(len(planned.order))
        self._planned_version = table.version
        self._planned_observations = max(table.statistics.observations, 1)
        self._planned_drifts = table.statistics.drift_count
        self._last = None
