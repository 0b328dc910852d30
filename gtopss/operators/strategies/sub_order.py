"""Sub-Order (DEBS 2007, section 4.2): chains sorted by selectivity, evaluated in an order planned in advance.

`chain_order` explains the plan, what of it is reconstructed, and what is corrected; `chain_costs` has its formulas.
"""

from __future__ import annotations

import numpy

from gtopss.operators.chain_order import COMPARED_NEIGHBOURS, order_chains, rank_predicates
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.kernels.chain_order import sort_chains
from gtopss.operators.kernels.next_predicate import next_in_chains
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.protocol import PredicateSelector


class SubOrder:
    """Evaluates chains in a planned order.

    For each predicate, planning compares a chain with its next `neighbours` chains in P/C order.
    """

    description = "the chain of the next undecided subscription from its top, in the planned order"
    has_planned_order = True
    uses_estimates = True

    def __init__(self, neighbours: int = COMPARED_NEIGHBOURS) -> None:
        self.neighbours = neighbours
        self._sorted: tuple[Integers, Integers] | None = None
        """The `instance_predicates` of the last graph, and the same sorted."""

    def plan(self, graph: PredicateGraph) -> Integers:
        self._sorted = None
        return order_chains(graph, neighbours=self.neighbours)

    def start(self, tables: EvaluationTables, order: Integers | None) -> PredicateSelector:
        if order is None:
            order = self.plan(tables.graph)
        cursor, nodes = numpy.zeros(1, numpy.int64), self._sorted_chains(tables.graph)
        arrays = (order, tables.graph.instance_start, nodes, tables.undecided, tables.started, tables.truth)
        return PredicateSelector(next_in_chains, (cursor, *arrays))

    def _sorted_chains(self, graph: PredicateGraph) -> Integers:
        """Return the sorted chains. Those of the same subscriptions are sorted once per plan."""
        if self._sorted is None or self._sorted[0] is not graph.instance_predicates:
            nodes = sort_chains(graph.instance_start, graph.instance_predicates, rank_predicates(graph))
            self._sorted = graph.instance_predicates, nodes
        return self._sorted[1]
