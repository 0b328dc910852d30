"""Targets are judged by measured results."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gtopss.experiments.benchmark.peer_comparison import PeerTiming
from gtopss.experiments.benchmark.performance_targets import judge_targets

EMPTY: dict[str, Any] = {"matcher": "gm", "points": [], "churn": [], "memory": [], "end_to_end": []}


def test_targets_are_judged_by_measured_results() -> None:
    assert {each.met for each in judge_targets(EMPTY)} == {None}
    rows = [
        asdict(PeerTiming("a", "", 100_000, name, ms=ms, ours_ms=1.0))
        for name, ms in (("SQLite by shape", 41.0), ("gm", 1.0))
    ]
    slow = {"size": 1_000_000, "add_us": 101.0, "remove_us": 20.0, "churn_p99_ms": 3.0, "steady_p99_ms": 1.0}
    judged = {each.target: each for each in judge_targets({**EMPTY, "points": rows, "churn": [slow]})}
    assert judged["a, 100,000: SQLite by shape"].met is True
    assert judged["i, 100,000: Lucene Monitor"].met is None
    assert judged["one addition at 1,000,000, µs"].met is False
    assert judged["one removal at 1,000,000, µs"].met is True
    assert judged["p99 with churn, in multiples of p99 without, 1,000,000"].measured == 3.0


def test_targets_for_words_compare_our_own_times() -> None:
    times = {("i", 1_000): 0.1, ("i", 100_000): 0.5, ("i-regex", 10_000): 0.4, ("i-contains", 10_000): 0.1}
    rows = [asdict(PeerTiming(name, "", size, "gm", ms=ms, ours_ms=ms)) for (name, size), ms in times.items()]
    judged = {each.target: each for each in judge_targets({**EMPTY, "points": rows})}
    assert judged["i: growth of the time per item, 1,000 to 100,000"].measured == 5
    assert judged["i: growth of the time per item, 1,000 to 100,000"].met is True
    assert judged["i: REGEX with a literal, in multiples of CONTAINS, 10,000"].met is False
    assert judged["i: words beside graph and is-a, in multiples, 100,000"].met is None
