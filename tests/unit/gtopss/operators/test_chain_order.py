"""The order of linked chains."""

from __future__ import annotations

from hypothesis import given, settings
from support.plain_evaluation import graphs, rank_list

from gtopss.operators.chain_costs import Node, sorted_chain
from gtopss.operators.chain_order import order_chains
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES


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
    for neighbours in (1, 4, 100):
        order = STRATEGIES["sub_order"]().plan(graph) if neighbours == 4 else order_chains(graph, neighbours=neighbours)
        assert order is not None
        assert sorted(order.tolist()) == list(range(graph.instance_count))
