"""Answers are compared before times; slow peers are left out. No test looks at how long anything took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from gtopss.experiments.answer_agreement import Disagreement
from gtopss.experiments.benchmark.peer_comparison import ComparisonLimits, PeerTiming, compare_with_peers
from gtopss.experiments.peers import PEERS, Peer
from gtopss.experiments.peers.gtopss_matchers import GtopssPeer
from gtopss.experiments.workloads import WORKLOADS, few_shapes


def points(peers: Sequence[Peer], smaller: dict[str, PeerTiming] | None = None) -> list[PeerTiming]:
    return compare_with_peers(
        few_shapes(100), "reference", peers, smaller or {}, ComparisonLimits(items=5, seconds=0.01), lambda _: None
    )


class Forgetful(GtopssPeer):
    """Leaves out every answer."""

    def match_documents(self, documents: Sequence[bytes]) -> Iterable[tuple[str, ...]]:  # type: ignore[override]
        return [() for _ in documents]


def test_different_answers_stop_the_comparison_before_timing() -> None:
    with pytest.raises(Disagreement, match=r"workload a, 100 subscriptions, publication p\d+: only ours: \['s"):
        points([Forgetful("naive")])


def test_each_engine_has_a_timing_and_ours_a_second_with_bindings() -> None:
    found = points([PEERS["sqlite"](), PEERS["rarest"]()])
    assert [each.engine for each in found] == [
        "reference", "reference with bindings", "SQLite by shape", "rarest constant, Python",
    ]  # fmt: skip
    assert all(each.ms and each.ours_ms and 3 <= each.items <= 5 and not each.left_out for each in found)


def test_a_peer_that_was_too_slow_is_left_out_with_the_reason() -> None:
    slow = PeerTiming("a", "", 10, "naive", items=3, ms=3_000.0)
    *_, last = points([PEERS["naive"]()], {"naive": slow})
    assert last.ms is None
    assert last.left_out == "not run above 10: 3.0 s per item there"


@pytest.mark.parametrize("letter", WORKLOADS)
def test_every_peer_matches_the_split_documents_of_each_workload_or_declines(letter: str) -> None:
    peers = [make() for make in PEERS.values()]
    limits = ComparisonLimits(items=3, seconds=0.001)
    found = compare_with_peers(WORKLOADS[letter](20), "reference", peers, {}, limits, lambda _: None)
    assert {each.name for each in peers} <= {each.engine for each in found}
    assert all(each.ms or each.left_out for each in found)
