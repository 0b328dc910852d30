"""The peers for words give the answers of the naive matcher, and decline what they cannot answer."""

from __future__ import annotations

import pytest

from gtopss.experiments.peers import TEXT_PEERS, GtopssPeer
from gtopss.experiments.workloads import TEXT_WORKLOADS

SIZE, ITEMS = 100, 8


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TEXT_PEERS, "gm"])
@pytest.mark.parametrize("letter", TEXT_WORKLOADS)
def test_a_peer_agrees_with_the_naive_matcher(name: str, letter: str) -> None:
    workload = TEXT_WORKLOADS[letter](SIZE)
    peer = TEXT_PEERS[name]() if name in TEXT_PEERS else GtopssPeer(name)
    if reason := peer.declines(workload):
        assert reason.startswith("not run: ")
        return
    naive, publications = GtopssPeer("naive"), workload.publications(ITEMS)
    for each in (peer, naive):
        each.prepare(workload.subscriptions(), workload.taxonomy)
    list(peer.match_many(publications[:2]))  # nothing of an item may be left behind
    expected = [set(ids) for ids in naive.match_many(publications)]
    assert [set(ids) for ids in peer.match_many(publications)] == expected
    assert any(expected)


def test_peers_have_a_name_and_describe_their_tuning() -> None:
    for make in TEXT_PEERS.values():
        assert make().name
        assert make().tuning


def test_a_peer_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtopss.experiments.peers.aho_corasick.find_spec", lambda name: None)
    monkeypatch.setattr("gtopss.experiments.peers.lucene_monitor.shutil.which", lambda program: None)
    workload = TEXT_WORKLOADS["i"](SIZE)
    assert TEXT_PEERS["ahocorasick"]().declines(workload) == "not run: ahocorasick_rs is not installed"
