"""The order of linked chains."""

from __future__ import annotations

import numpy
from hypothesis import given, settings
from support.plain_evaluation import graphs, rank_list

from gtopss.operators.chain_costs import Node, sorted_chain
from gtopss.operators.chain_order import affordable_neighbours, order_as_printed, order_by_gain, rank_predicates
from gtopss.operators.kernels.chain_order import count_pairs
from gtopss.operators.predicate_graph import PredicateGraph


@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_chains_are_sorted_by_one_order_so_that_links_never_cross(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, _ = made
    rank = rank_list(graph)
    assert sorted(rank) == list(range(graph.predicate_count))
    for instance in range(graph.instance_count):
        nodes = [Node(rank[each], graph.selectivity[each], graph.cost[each]) for each in graph.predicates_of(instance)]
        assert [node.key for node in sorted_chain(nodes)] == sorted(
            rank[each] for each in graph.predicates_of(instance)
        )


@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_an_order_of_chains_has_each_once(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, _ = made
    orders = [order_by_gain(graph, neighbours=neighbours) for neighbours in (0, 1, 4, 100)]
    orders += [order_as_printed(graph, max_pairs=max_pairs) for max_pairs in (0, 5, 1000)]
    for order in orders:
        assert sorted(order.tolist()) == list(range(graph.instance_count))


@given(made=graphs())
@settings(max_examples=60, deadline=None)
def test_as_many_neighbours_are_compared_as_pairs_are_allowed(made: tuple[PredicateGraph, list[int]]) -> None:
    graph, _ = made
    neighbours = affordable_neighbours(graph, 6)
    assert neighbours == 1 or count_pairs(graph.predicate_start, neighbours) <= 6
    most = max(int(numpy.diff(graph.predicate_start).max()) - 1, 1)
    assert neighbours == most or count_pairs(graph.predicate_start, neighbours + 1) > 6


def test_the_printed_rule_sorts_by_selectivity_whatever_a_call_costs() -> None:
    graph = PredicateGraph.from_lists([[0, 1]], [0.5, 0.4], cost=[1.0, 100.0])
    assert rank_predicates(graph, "printed").tolist() == [1, 0]
    assert rank_predicates(graph, "expected").tolist() == [0, 1]
