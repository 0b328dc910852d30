"""Bounds on the calls and the cost of any strategy."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod

import numpy
from hypothesis import given, settings
from support.plain_evaluation import evaluate, graphs

from gtopss.operators.call_bounds import call_bounds, expected_cost_lower_bound, minimum_cost
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES


@given(made=graphs(predicates=12))
@settings(max_examples=80, deadline=None)
def test_the_fewest_calls_are_between_the_bounds(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, truth = made
    holds = numpy.array(truth, numpy.int8)
    alike = graph.with_estimates(graph.selectivity, numpy.ones(graph.predicate_count))
    low, high = call_bounds(graph, holds)
    assert low <= minimum_cost(alike, holds) <= high
    for name in STRATEGIES:
        assert low <= len(evaluate(name, graph, truth)[0])


@given(made=graphs(predicates=5))
@settings(max_examples=40, deadline=None)
def test_no_strategy_expects_less_than_the_bound(made: tuple[PredicateGraph, list[int]]) -> None:
    """Compared with the best of all strategies, found by trying every one, and with ours."""
    graph, _ = made
    bound = 0.0
    ours = dict.fromkeys(STRATEGIES, 0.0)
    for truth in product((0, 1), repeat=graph.predicate_count):
        chance = prod(p if holds else 1 - p for p, holds in zip(graph.selectivity, truth, strict=True))
        if chance:
            bound += chance * expected_cost_lower_bound(graph, numpy.array(truth, numpy.int8))
            for name in STRATEGIES:
                ours[name] += chance * float(graph.cost[evaluate(name, graph, list(truth))[0]].sum())
    best = _least_expected(graph)
    assert bound <= best + 1e-9
    assert all(best <= each + 1e-9 for each in ours.values())


def _least_expected(graph: PredicateGraph) -> float:
    instances = [frozenset(graph.predicates_of(instance)) for instance in range(graph.instance_count)]

    @cache
    def least(known: frozenset[tuple[int, int]]) -> float:
        no = {each for each, holds in known if not holds}
        called = {each for each, _ in known}
        needed = set().union(*(instance for instance in instances if not instance & no)) - called
        return min(
            (
                graph.cost[each]
                + graph.selectivity[each] * least(known | {(each, 1)})
                + (1 - graph.selectivity[each]) * least(known | {(each, 0)})
                for each in needed
            ),
            default=0.0,
        )

    return least(frozenset())
