"""What the strategies that plan an order of linked chains have in common: the evaluation of chains in that order."""

from __future__ import annotations

import numpy

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.chain_order import rank_predicates
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.kernels.chain_order import sort_chains
from gtopss.operators.kernels.next_predicate import next_in_chains
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.protocol import PredicateSelector


class PlannedChains:
    """Evaluates chains in a planned order. A subclass orders them."""

    description = "the chain of the next undecided subscription from its top, in the planned order"
    has_planned_order = True
    uses_estimates = True
    cost_rule: CostRule = "expected"

    def __init__(self) -> None:
        self._sorted: tuple[Integers, Integers] | None = None
        """The `instance_predicates` of the last graph, and the same sorted."""

    def order_chains(self, graph: PredicateGraph) -> Integers:
        """Return the chains (instances of the graph) in the order in which to evaluate them."""
        raise NotImplementedError

    def plan(self, graph: PredicateGraph) -> Integers:
        self._sorted = None
        return self.order_chains(graph)

    def start(self, tables: EvaluationTables, order: Integers | None) -> PredicateSelector:
        if order is None:
            order = self.plan(tables.graph)
        cursor, nodes = numpy.zeros(1, numpy.int64), self._sorted_chains(tables.graph)
        arrays = (order, tables.graph.instance_start, nodes, tables.undecided, tables.started, tables.truth)
        return PredicateSelector(next_in_chains, (cursor, *arrays))

    def _sorted_chains(self, graph: PredicateGraph) -> Integers:
        """Return the sorted chains. Those of the same subscriptions are sorted once per plan."""
        if self._sorted is None or self._sorted[0] is not graph.instance_predicates:
            rank = rank_predicates(graph, self.cost_rule)
            nodes = sort_chains(graph.instance_start, graph.instance_predicates, rank)
            self._sorted = graph.instance_predicates, nodes
        return self._sorted[1]
