"""The generator of Table 1's workload: sizes, shares, variables, constraints and determinism."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gtopss.experiments.workloads import Workload
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, synthetic_table1
from gtopss.experiments.workloads.gtopss_table1_real import real_table1
from gtopss.matching.table import MATCHERS
from gtopss.model import Subscription

SMALL = replace(GtopssTable1(), subscriptions=600, matching=0.05)


@pytest.fixture(scope="module", params=[synthetic_table1, real_table1], ids=["synthetic", "real"])
def workload(request: pytest.FixtureRequest) -> Workload:
    made: Workload = request.param(SMALL)
    return made


def nodes(subscription: Subscription) -> set[str]:
    return {end for s, _, o in subscription.branches[0].edges() for end in (s, o)}


def matched(workload: Workload) -> set[str]:
    matcher = MATCHERS["reference"](workload.taxonomy)
    for subscription in workload.subscriptions():
        matcher.add(subscription)
    return set(matcher.match(workload.first_publication).subscription_ids)


def test_a_publication_has_the_size_of_table_1() -> None:
    triples = synthetic_table1(SMALL).first_publication.triples
    assert len(triples) == 90
    assert len({end for s, _, o in triples for end in (s, o)}) == 35


def test_subscriptions_have_the_requested_size(workload: Workload) -> None:
    assert len(list(workload.subscriptions())) == workload.size == 600
    for subscription in workload.subscriptions():
        assert len(subscription.branches[0].edges()) == 5
        assert 3 <= len(nodes(subscription)) <= 6


@pytest.mark.parametrize(("size", "edges"), [(4, 4), (5, 8), (13, 12)])
def test_random_subscriptions_have_exactly_the_requested_nodes(size: int, edges: int) -> None:
    table = replace(SMALL, subscription_nodes=size, subscription_edges=edges, overlap=0.0, matching=0.0)
    for subscription in list(synthetic_table1(table).subscriptions())[:50]:
        assert (len(nodes(subscription)), len(subscription.branches[0].edges())) == (size, edges)


def test_every_pattern_is_connected(workload: Workload) -> None:
    for subscription in workload.subscriptions():
        edges = list(subscription.branches[0].edges())
        reached = {edges[0][0]}
        for _ in edges:
            reached |= {end for s, _, o in edges if s in reached or o in reached for end in (s, o)}
        assert reached == nodes(subscription)


def test_the_requested_share_of_subscriptions_matches(workload: Workload) -> None:
    found = matched(workload)
    assert found >= {f"s{number}" for number in range(30)}
    assert len(found) <= 60


def test_constrained_subscriptions_that_were_made_to_match_still_match() -> None:
    for make in (synthetic_table1, real_table1):
        workload = make(replace(SMALL, constrained=1.0))
        tests = [test for each in workload.subscriptions() for test in each.branches[0].where]
        assert len(tests) > 900
        assert {test.function for test in tests} >= {"<=", ">="}
        assert matched(workload) >= {f"s{number}" for number in range(30)}


def test_constraints_use_the_taxonomy_and_reject_some_matches() -> None:
    constrained = synthetic_table1(replace(SMALL, constrained=1.0, matching=0.0, overlap=1.0, labels=2))
    plain = synthetic_table1(replace(SMALL, matching=0.0, overlap=1.0, labels=2))
    assert any(test.function == "isA" for each in constrained.subscriptions() for test in each.branches[0].where)
    assert len(matched(constrained)) <= len(matched(plain))


def test_nine_in_ten_have_two_stars() -> None:
    counts = [len(each.branches[0].variables()) for each in synthetic_table1(SMALL).subscriptions()]
    assert set(counts) == {0, 2}
    assert 0.85 < counts.count(2) / len(counts) < 0.95


def test_more_overlap_means_fewer_distinct_edges() -> None:
    def distinct(overlap: float) -> int:
        made = synthetic_table1(replace(SMALL, overlap=overlap, stars=0)).subscriptions()
        return len({edge for each in made for edge in each.branches[0].edges()})

    assert distinct(0.0) > 2 * distinct(0.6) > 2 * distinct(0.95)
    assert distinct(0.95) <= 180  # the two graphs that subscriptions are drawn from


def test_the_same_seed_gives_the_same_workload(workload: Workload) -> None:
    again = (synthetic_table1 if workload.first_publication.id == "p" else real_table1)(SMALL)
    assert again.first_publication == workload.first_publication
    assert list(again.subscriptions()) == list(workload.subscriptions())
    assert synthetic_table1(replace(SMALL, seed=1)).first_publication != synthetic_table1(SMALL).first_publication


def test_sizes_that_no_connected_graph_can_have_are_refused() -> None:
    with pytest.raises(ValueError, match="35 nodes cannot have 20 edges"):
        GtopssTable1(publication_edges=20)
    with pytest.raises(ValueError, match="with 1 labels, at most 25"):
        GtopssTable1(labels=1, subscription_nodes=5, subscription_edges=35)
