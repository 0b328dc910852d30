"""Adaptive: after every answer, evaluate the predicate that is expected to decide most subscriptions per cost.

The paper plans once. Its introduction names the two properties that matter, selectivity and popularity, and both change
with every answer: a predicate whose subscriptions are all decided is worth nothing. Here the gain of a predicate is

    ((1 - p) x undecided subscriptions that have it  +  p x those that lack no other answer) / cost

in which a subscription counts with its `value`. This is the greedy rule for set cover, of which the problem is a case
(section 3), and so it also suits a budget that ends the evaluation early.

We also tried, on the paper's settings: weighting a subscription by how few predicates it lacks, by the cost of its
other predicates, or by the probability that it needs this one anyway; and evaluating first what must be evaluated in
any case. The first saves 0.1 to 2% of the calls, but needs arrays and updates of its own; the others save as much in
some settings and lose in others. According to `call_bounds.expected_cost_lower_bound` there is little left to gain
where popularity follows Zipf's law.
"""

from __future__ import annotations

import numpy

from gtopss.operators.chain_costs import CostRule
from gtopss.operators.evaluation_tables import EvaluationTables
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.kernels.next_predicate import fill_heap, next_adaptive
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies.protocol import PredicateSelector


class Adaptive:
    """Ranks the predicates again after every answer."""

    description = "the predicate expected to decide most subscriptions per cost, ranked again after every answer"
    has_planned_order = False
    uses_estimates = True
    cost_rule: CostRule = "expected"

    def plan(self, graph: PredicateGraph) -> Integers | None:
        return None

    def start(self, tables: EvaluationTables, order: Integers | None) -> PredicateSelector:
        graph = tables.graph
        keys = numpy.empty(graph.predicate_count + graph.instance_count)
        items = numpy.empty(graph.predicate_count + graph.instance_count, numpy.int32)
        gain_arrays = (graph.selectivity, graph.cost, tables.demand, tables.final_demand)
        size = numpy.array([fill_heap(keys, items, gain_arrays)], numpy.int64)
        raised_list = (tables.raised, tables.list_lengths)
        return PredicateSelector(next_adaptive, ((size, keys, items), raised_list, gain_arrays, tables.started))
