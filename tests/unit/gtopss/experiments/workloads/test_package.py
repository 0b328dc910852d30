"""Each workload is deterministic and has the properties that it claims."""

from __future__ import annotations

from statistics import mean

import pytest

from gtopss.experiments.peers import PEERS
from gtopss.experiments.peers.subscription_shapes import split_shape
from gtopss.experiments.workloads import WORKLOADS, Workload, few_shapes


def matches(workload: Workload, items: int) -> list[int]:
    peer = PEERS["sqlite"]()
    peer.prepare(workload.subscriptions(), workload.taxonomy)
    return [len(set(ids)) for ids in peer.match_many(workload.publications(items))]


@pytest.mark.parametrize("letter", WORKLOADS)
def test_a_workload_is_deterministic(letter: str) -> None:
    one, other = WORKLOADS[letter](200), WORKLOADS[letter](200)
    assert list(one.subscriptions()) == list(one.subscriptions()) == list(other.subscriptions())
    assert one.publications(5) == other.publications(5)
    assert one.publications(5)[:3] == one.publications(3)
    assert len({each.id for each in one.subscriptions()}) == one.size == 200


@pytest.mark.parametrize("letter", WORKLOADS)
def test_a_workload_has_matches(letter: str) -> None:
    assert sum(matches(WORKLOADS[letter](1_000), 10)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("letter", "adef")
def test_matches_do_not_grow_with_the_number_of_subscriptions(letter: str) -> None:
    for size in (500, 5_000):
        assert 0.5 <= mean(matches(WORKLOADS[letter](size), 30)) <= 20


def test_about_one_in_ten_subscriptions_of_workload_g_matches() -> None:
    assert 50 <= mean(matches(WORKLOADS["g"](1_000), 20)) <= 150


def test_workload_a_has_few_shapes_and_workload_b_many() -> None:
    def shapes(workload: Workload) -> int:
        return len({split_shape(each)[0] for each in workload.subscriptions()})

    assert shapes(few_shapes(1_000)) == 10
    assert shapes(WORKLOADS["b"](1_000)) > 950
