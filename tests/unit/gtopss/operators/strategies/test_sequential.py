"""The bound of Sequential on the number and cost of calls."""

from __future__ import annotations

import numpy
from hypothesis import given, settings
from support.plain_evaluation import evaluate, graphs

from gtopss.operators.call_bounds import minimum_cost
from gtopss.operators.predicate_graph import PredicateGraph


@given(made=graphs(predicates=12))
@settings(max_examples=120, deadline=None)
def test_sequential_stays_within_its_bound(made: tuple[PredicateGraph, list[int]]) -> None:
    """Theorem 2, and section 4.3: d times the optimum, times Cmax/Cmin."""
    graph, truth = made
    calls, _ = evaluate("sequential", graph, truth)
    holds = numpy.array(truth, numpy.int8)
    alike = graph.with_estimates(graph.selectivity, numpy.ones(graph.predicate_count))
    assert len(calls) <= graph.max_predicates * minimum_cost(alike, holds)
    spread = graph.cost.max() / graph.cost.min()
    assert graph.cost[calls].sum() <= graph.max_predicates * spread * minimum_cost(graph, holds) + 1e-9
