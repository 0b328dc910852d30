"""Naive, the paper's baseline (DEBS 2007, section 5.2): one subscription after the other, with shared answers.

"For each subscription [it] evaluates its predicates until either one of them becomes false or all of them are
evaluated", and re-uses old answers. It does not check whether a known answer already decides a later subscription: it
evaluates that one's predicates in their order all the same.
"""

from __future__ import annotations

import numpy

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.kernels.next_predicate import next_naive
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.protocol import PredicateSelector


class Naive:
    """Evaluates subscriptions in the order of registration."""

    description = "the next predicate of the first undecided subscription, as written"
    has_planned_order = False
    uses_estimates = False
    cost_rule: CostRule = "expected"

    def plan(self, graph: PredicateGraph) -> Integers | None:
        return None

    def start(self, tables: EvaluationTables, order: Integers | None) -> PredicateSelector:
        cursor, graph = numpy.zeros(1, numpy.int64), tables.graph
        arrays = (graph.instance_start, graph.instance_predicates, tables.started, tables.truth)
        return PredicateSelector(next_naive, (cursor, *arrays))
