"""Every peer gives the same answers as the naive matcher on every workload."""

from __future__ import annotations

from functools import cache

import pytest

from gtopss.experiments.peers import PEERS, GtopssPeer
from gtopss.experiments.workloads import WORKLOADS, Workload
from gtopss.model import FiveTuple, Publication, Subscription
from gtopss.model.expressions import instance_of, is_a
from ontology import Taxonomy

SIZE, ITEMS = 100, 8


@cache
def workload(letter: str) -> Workload:
    return WORKLOADS[letter](SIZE)


def answers(name: str, letter: str) -> list[set[str]]:
    peer = PEERS[name]() if name in PEERS else GtopssPeer(name)
    peer.prepare(workload(letter).subscriptions(), workload(letter).taxonomy)
    publications = workload(letter).publications(ITEMS)
    list(peer.match_many(publications[:2]))  # nothing of an item may be left behind
    return [set(ids) for ids in peer.match_many(publications)]


@cache
def expected(letter: str) -> list[set[str]]:
    return answers("naive", letter)


@pytest.mark.parametrize("letter", WORKLOADS)
@pytest.mark.parametrize("name", [*(name for name in PEERS if name != "naive"), "gm"])
def test_a_peer_agrees_with_the_naive_matcher(name: str, letter: str) -> None:
    assert answers(name, letter) == expected(letter)


@pytest.mark.parametrize("name", PEERS)
def test_a_class_may_also_be_an_instance_of_another_class(name: str) -> None:
    """As schema.org's Time is: a subclass of one class and an instance of another."""
    taxonomy = Taxonomy([("urn:Time", "urn:Thing"), ("urn:Type", "urn:Class")], [("urn:Time", "urn:Type")])
    edge = "?x", "<urn:about>", "?y"
    subscriptions = [
        Subscription(f"{test.function} {test.arguments[1]}", [FiveTuple(*edge, (), [test])])
        for cls in ("<urn:Time>", "<urn:Thing>", "<urn:Type>", "<urn:Class>")
        for test in (is_a("y", cls), instance_of("y", cls))
    ]
    peer = PEERS[name]()
    peer.prepare(subscriptions, taxonomy)
    (found,) = peer.match_many([Publication("p", [("<urn:item>", "<urn:about>", "<urn:Time>")])])
    assert set(found) == {
        "isA <urn:Time>", "isA <urn:Thing>", "isA <urn:Type>", "isA <urn:Class>", "instanceOf <urn:Type>",
        "instanceOf <urn:Class>",
    }  # fmt: skip


def test_peers_have_a_name_and_describe_their_tuning() -> None:
    for make in PEERS.values():
        assert make().name
        assert make().tuning


def test_peers_that_work_by_shape_decline_workloads_with_many_shapes() -> None:
    reason = PEERS["sqlite"]().declines(WORKLOADS["b"](100_000))
    assert reason is not None
    assert "not run above 10,000" in reason
    assert PEERS["sqlite"]().declines(WORKLOADS["a"](100_000)) is None
