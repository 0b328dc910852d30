"""OPS, reconstructed: what it shares, what it forgets, and naive's answers by both its ways of finding triples."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from support.answers import answers, ask_directly
from support.strategies import Case, cases

from gtopss import Publication, Subscription
from gtopss.experiments.workloads import Workload
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, synthetic_table1
from gtopss.matching.ops import IndexedOpsMatcher, OpsMatcher
from ontology import Taxonomy

A, B, C, D = (f"<urn:{name}>" for name in "abcd")
P, Q = "<urn:p>", "<urn:q>"


@pytest.fixture(scope="module")
def workload() -> Workload:
    return synthetic_table1(replace(GtopssTable1(), subscriptions=300, matching=0.1, labels=5))


def ops(*subscriptions: Subscription, indexed: bool = False) -> OpsMatcher:
    matcher = (IndexedOpsMatcher if indexed else OpsMatcher)(Taxonomy())
    for subscription in subscriptions:
        matcher.add(subscription)
    return matcher


def test_patterns_that_differ_in_names_alone_are_one_pattern() -> None:
    one = Subscription("one", [(A, P, B), (B, Q, "?x")])
    other = Subscription("other", [("?y", Q, C), (D, P, "?y")])
    assert ops(one).subpattern_count == ops(one, other).subpattern_count == 2


def test_a_common_prefix_of_patterns_is_stored_once() -> None:
    assert ops(Subscription("s", [(A, P, B)]), Subscription("t", [(A, P, B), (B, Q, C)])).subpattern_count == 2


def test_the_order_of_writing_does_not_matter(workload: Workload) -> None:
    generator = random.Random(1)
    shuffled = []
    for subscription in workload.subscriptions():
        edges = list(subscription.branches[0].edges())
        generator.shuffle(edges)
        shuffled.append(Subscription(subscription.id, edges))
    grown = ops(*workload.subscriptions()).subpattern_count
    assert ops(*workload.subscriptions(), *(Subscription(f"again {s.id}", s.branches[0].edges()) for s in shuffled))
    assert ops(*shuffled).subpattern_count <= 1.1 * grown  # equal labels can be told apart only by order


def test_removing_a_pattern_keeps_the_parts_that_others_share(workload: Workload) -> None:
    matcher = ops(*workload.subscriptions())
    order = list(workload.subscriptions())
    random.Random(7).shuffle(order)
    for subscription in order[:150]:
        matcher.remove(subscription.id)
    assert matcher.subpattern_count == ops(*order[150:]).subpattern_count
    for subscription in order[150:]:
        matcher.remove(subscription.id)
    assert matcher.subpattern_count == len(matcher) == 0


def test_names_are_checked_at_the_end() -> None:
    """All nodes are variables until then: an instance is found whatever its nodes are called."""
    matcher = ops(Subscription("s", [(A, P, B)]))
    report = matcher.match(Publication("p", [(C, P, D), (A, P, C)]))
    assert report.counters.joined == 2
    assert not report.matches


def test_a_property_that_is_a_node_too() -> None:
    graph = Publication("p", [(A, P, B), (P, Q, C), (D, Q, C)])
    for indexed in (False, True):
        matcher = ops(
            Subscription("s", [(A, P, "?x"), (P, Q, "?y")]), Subscription("t", [("?z", Q, C)]), indexed=indexed
        )
        found = answers(matcher.match(graph))
        assert sum(found["s"].values()) == 1
        assert sum(found["t"].values()) == 2


@pytest.mark.parametrize("indexed", [False, True])
def test_answers_on_table_1(workload: Workload, indexed: bool) -> None:
    expected = ask_directly("naive", workload.taxonomy, list(workload.subscriptions()), workload.first_publication)
    found = answers(ops(*workload.subscriptions(), indexed=indexed).match(workload.first_publication))
    assert len(expected) >= 30
    assert found == expected


@settings(max_examples=100)
@given(cases())
def test_the_indexed_variant_agrees_with_naive(case: Case) -> None:
    matcher = IndexedOpsMatcher(case.taxonomy)
    for subscription in case.subscriptions:
        matcher.add(subscription)
    expected = ask_directly("naive", case.taxonomy, case.subscriptions, case.publication)
    assert answers(matcher.match(case.publication)) == expected
