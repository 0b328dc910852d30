"""Aguilera et al.: the small trees of sections 3 and 4, the optimisations of section 5, and Theorem 1."""

from __future__ import annotations

import math
import random
import statistics
from itertools import product
from typing import Literal

import pytest

from gtopss.attributes import AttributeSubscription, Event, NumericDomain, Predicate, Schema
from gtopss.attributes.matchers.equality_tree import EqualityTree, expected_visits, expected_visits_bound
from gtopss.attributes.matchers.equality_tree_matcher import EqualityTreeMatcher
from gtopss.attributes.matchers.matching_tree import MatchingTreeMatcher
from gtopss.experiments.papers.gryphon_analysis import smallest_subscriptions
from gtopss.experiments.workloads.attribute_workloads import GryphonRangeWorkload, GryphonWorkload


def schema(*attributes: str) -> Schema:
    made = Schema()
    made.create_domain(NumericDomain("value"))
    for name in attributes:
        made.create_attribute(name, "value")
    return made


def visits(matcher: MatchingTreeMatcher | EqualityTreeMatcher, **values: int) -> int:
    return matcher.match(Event(values)).counters.nodes


def test_section_3_subscriptions_that_share_a_test_share_its_node() -> None:
    """sub1 = test1 and test2, sub2 = test1 and test3: where test1 fails, the others are not looked at."""
    tree = MatchingTreeMatcher(schema("a", "b", "c"))
    tree.insert(AttributeSubscription("sub1", [Predicate("a", "=", 1), Predicate("b", "=", 1)]))
    tree.insert(AttributeSubscription("sub2", [Predicate("a", "=", 1), Predicate("c", "=", 1)]))
    assert visits(tree, a=2, b=1, c=1) == 1
    assert tree.match(Event({"a": 1, "b": 1, "c": 1})).subscription_ids == {"sub1", "sub2"}


def test_section_3_an_implied_result_needs_no_test_of_its_own() -> None:
    """Related tests: who asks for more than 20 stands below the test "more than 10", not beside it."""
    tree = MatchingTreeMatcher(schema("price"))
    tree.insert(AttributeSubscription("s10", [Predicate("price", ">", 10)]))
    tree.insert(AttributeSubscription("s20", [Predicate("price", ">", 20)]))
    assert tree.match(Event({"price": 5})).counters.predicates == 1
    assert tree.match(Event({"price": 15})).subscription_ids == {"s10"}
    assert tree.match(Event({"price": 25})).subscription_ids == {"s10", "s20"}


def test_a_removed_subscription_leaves_no_node_behind() -> None:
    tree = MatchingTreeMatcher(schema("a", "b"))
    empty = tree.structure_bytes()
    tree.insert(AttributeSubscription("s", [Predicate("a", "=", 1), Predicate("b", ">", 1)]))
    tree.insert(AttributeSubscription("t", [Predicate("b", ">", 1)]))
    for id in ("s", "t"):
        tree.remove(id)
    assert visits(tree, a=1, b=2) == 1
    assert tree.structure_bytes() <= empty + 300  # what dictionaries keep once they have grown


THREE = {
    "sub1": {"a": 1, "b": 2, "c": 3},
    "sub2": {"a": 1, "c": 3},
    "sub3": {"a": 1, "b": 2},
}
"""Section 4's three subscriptions over three attributes; the values are lost in our text."""


def equality_tree(collapse: bool = False, successors: bool = False, refined: bool = False) -> EqualityTreeMatcher:
    tree = EqualityTreeMatcher(
        schema("a", "b", "c"), collapse=collapse, successors=successors, refined=refined, order=["a", "b", "c"]
    )
    for id, values in THREE.items():
        tree.insert(AttributeSubscription(id, [Predicate(name, "=", value) for name, value in values.items()]))
    return tree


def test_section_4_the_tree_has_a_level_for_each_attribute() -> None:
    tree = equality_tree()
    report = tree.match(Event({"a": 1, "b": 2, "c": 3}))
    assert report.subscription_ids == set(THREE)
    # root, a=1; below it b=2 (c=3 and * leaves) and b=* (c=3 leaf): 1 + 1 + 2 + 3 nodes
    assert report.counters.nodes == 7
    assert visits(tree, a=2, b=2, c=3) == 1


@pytest.mark.parametrize("refined", [False, True])
@pytest.mark.parametrize("collapse", [False, True])
def test_section_5_successor_nodes_visit_fewer_nodes_and_find_the_same(collapse: bool, refined: bool) -> None:
    workload = GryphonWorkload()
    generator = random.Random(1999)
    registered = list(workload.subscriptions(1_000, generator))
    plain = EqualityTreeMatcher(workload.schema(), collapse=collapse, order=workload.names)
    better = EqualityTreeMatcher(
        workload.schema(), collapse=collapse, successors=True, refined=refined, order=workload.names
    )
    for each in registered:
        plain.insert(each)
        better.insert(each)
    before = after = 0
    for event in workload.events(100, generator):
        one, other = plain.match(event), better.match(event)
        assert one.subscription_ids == other.subscription_ids
        before, after = before + one.counters.nodes, after + other.counters.nodes
    assert after < before


def test_each_optimisation_visits_fewer_nodes() -> None:
    workload = GryphonWorkload()
    generator = random.Random(1999)
    registered = list(workload.subscriptions(2_000, generator))
    events = list(workload.events(100, generator))

    def mean(**switches: bool | int) -> float:
        matcher = EqualityTreeMatcher(workload.schema(), order=workload.names, **switches)  # type: ignore[arg-type]
        for each in registered:
            matcher.insert(each)
        return statistics.mean(matcher.match(event).counters.nodes for event in events)

    plain, collapsed = mean(), mean(collapse=True)
    successors, refined = mean(collapse=True, successors=True), mean(collapse=True, refined=True)
    factored = mean(collapse=True, factor=2)
    assert refined <= successors < collapsed < plain
    assert factored < collapsed


def test_visited_nodes_grow_sublinearly_and_stay_below_theorem_1() -> None:
    """Nodes visited stay under the bound, and grow with an exponent below one."""
    workload = GryphonWorkload()
    generator = random.Random(1999)
    sizes, means = (500, 1_000, 2_000, 4_000, 8_000), []
    tree = EqualityTreeMatcher(workload.schema(), order=workload.names)
    registered = list(workload.subscriptions(sizes[-1], generator))
    events = list(workload.events(60, generator))
    for size in sizes:
        for each in registered[len(tree) : size]:
            tree.insert(each)
        means.append(statistics.mean(tree.match(event).counters.nodes for event in events))
        assert means[-1] < expected_visits_bound(workload.attributes, workload.values, size)
    exponent, _ = statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, means)])
    assert exponent < 0.9


def test_theorem_1_holds_for_all_subscriptions_with_a_test() -> None:
    """Every combination of values and stars, except stars only."""
    names, values = "abcd", 3
    tree = EqualityTreeMatcher(schema(*names), order=list(names))
    for number, choice in enumerate(product((None, *range(values)), repeat=len(names))):
        tests = [Predicate(name, "=", value) for name, value in zip(names, choice, strict=True) if value is not None]
        if tests:
            tree.insert(AttributeSubscription(f"s{number}", tests))
    events = product(range(values), repeat=len(names))
    visited = [visits(tree, **dict(zip(names, event, strict=True))) for event in events]
    assert statistics.mean(visited) <= expected_visits_bound(len(names), values, len(tree))


def printed_tree(*attributes: str, collapse: bool = False) -> MatchingTreeMatcher:
    return MatchingTreeMatcher(schema(*attributes), insertion="printed", collapse=collapse)


def test_appendix_a_adds_tests_below_those_that_are_there() -> None:
    """The second subscription's test comes first in the order, and is still added at the end of the *-edge."""
    shapes = {}
    for name, tree in (("printed", printed_tree("a", "b")), ("ordered", MatchingTreeMatcher(schema("a", "b")))):
        tree.insert(AttributeSubscription("sub1", [Predicate("b", "=", 1)]))
        tree.insert(AttributeSubscription("sub2", [Predicate("a", "=", 1)]))
        shapes[name] = tree._root.test
        assert tree.match(Event({"a": 1, "b": 1})).subscription_ids == {"sub1", "sub2"}
    assert shapes == {"printed": "b", "ordered": "a"}


def test_appendix_a_replaces_a_leaf_by_a_test() -> None:
    tree = printed_tree("a", "b")
    tree.insert(AttributeSubscription("sub1", [Predicate("a", "=", 1)]))
    tree.insert(AttributeSubscription("sub2", [Predicate("a", "=", 1), Predicate("b", "=", 2)]))
    test = tree._root.edges[1]
    assert test.test == "b"
    assert test.star is not None
    assert list(test.star.subscriptions) == ["sub1"]
    assert list(test.edges[2].subscriptions) == ["sub2"]
    assert tree.match(Event({"a": 1, "b": 2})).subscription_ids == {"sub1", "sub2"}
    tree.remove("sub1")
    assert tree.match(Event({"a": 1, "b": 2})).subscription_ids == {"sub2"}


def test_section_5_collapse_removes_a_test_that_only_a_star_edge_leaves() -> None:
    nodes = {}
    for collapse in (False, True):
        tree = printed_tree("a", "b", collapse=collapse)
        tree.insert(AttributeSubscription("sub1", [Predicate("a", "=", 1)]))
        tree.insert(AttributeSubscription("sub2", [Predicate("b", "=", 1)]))
        tree.remove("sub1")
        nodes[collapse] = tree.node_count()
        assert tree.match(Event({"a": 1, "b": 1})).subscription_ids == {"sub2"}
    assert nodes == {False: 3, True: 2}


@pytest.mark.parametrize("insertion", ["printed", "ordered"])
def test_the_analysis_of_range_tests_is_the_mean_over_all_events(insertion: Literal["printed", "ordered"]) -> None:
    workload = GryphonRangeWorkload(attributes=3, values=4)
    tree = MatchingTreeMatcher(workload.schema(), insertion=insertion)
    for each in workload.subscriptions(40, random.Random(3)):
        tree.insert(each)
    events = [Event(dict(zip(workload.names, values, strict=True))) for values in product(range(4), repeat=3)]
    mean = statistics.mean(tree.match(event).counters.nodes for event in events)
    assert tree.expected_visits() == pytest.approx(mean)


@pytest.mark.parametrize(
    ("subscriptions", "values", "near"),
    [
        (list(smallest_subscriptions(10, 5, 1)), 5, 3.0),
        (list(smallest_subscriptions(10, 2, 1)), 2, 2.4),
        ([{9: 0}], 5, 1.7),
    ],
    ids=["one test, 5 values", "one test, 2 values", "one subscription"],
)
def test_the_expected_visits_come_near_theorem_1(subscriptions: list[dict[int, int]], values: int, near: float) -> None:
    tree = EqualityTree(10, collapse=False)
    for number, each in enumerate(subscriptions):
        tree.insert(str(number), each)
    visits, bound = expected_visits(tree, values), expected_visits_bound(10, values, len(tree))
    assert visits < bound < near * visits


def test_all_subscriptions_with_one_test_are_not_the_worst_set_of_their_size() -> None:
    """A subscription without a test is reached by every event."""
    with_one_test = list(smallest_subscriptions(2, 5, 1))
    visited = []
    for subscriptions in (with_one_test, [*with_one_test[1:], {}]):
        tree = EqualityTree(2, collapse=False)
        for number, each in enumerate(subscriptions):
            tree.insert(str(number), each)
        visited.append(expected_visits(tree, 5))
    assert visited[0] < visited[1]


def test_section_3_equal_subscriptions_share_a_leaf() -> None:
    tests = [Predicate("a", "=", 1), Predicate("b", ">", 2)]
    for tree in (MatchingTreeMatcher(schema("a", "b")), printed_tree("a", "b")):
        tree.insert(AttributeSubscription("one", tests))
        nodes = tree.node_count()
        tree.insert(AttributeSubscription("other", tests))
        assert tree.node_count() == nodes
        assert tree.match(Event({"a": 1, "b": 3})).subscription_ids == {"one", "other"}


def test_nonequality_tests_make_the_tree_larger_and_its_search_longer() -> None:
    """Le Subscribe, section 3.1: "this algorithm is not so efficient" with them."""
    ranges = GryphonRangeWorkload()
    tests = list(ranges.subscriptions(500, random.Random(3)))
    equalities = [
        AttributeSubscription(each.id, [Predicate(test.attribute, "=", test.value) for test in each.predicates])
        for each in tests
    ]
    events = list(ranges.events(50, random.Random(4)))
    nodes, visited = [], []
    for subscriptions in (equalities, tests):
        tree = MatchingTreeMatcher(ranges.schema(), insertion="printed", collapse=False)
        for each in subscriptions:
            tree.insert(each)
        nodes.append(tree.node_count())
        visited.append(sum(tree.match(event).counters.nodes for event in events))
    assert nodes[0] < nodes[1]
    assert 2 * visited[0] < visited[1]
