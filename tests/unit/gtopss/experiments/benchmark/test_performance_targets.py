"""The table of a run has what was measured, and judges it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from gtopss.experiments.benchmark.end_to_end import EndToEnd
from gtopss.experiments.benchmark.peer_comparison import AS_ARRAYS, PeerTiming
from gtopss.experiments.benchmark.performance_targets import TableRow, make_table

EMPTY: dict[str, Any] = {"matcher": "gm", "points": [], "churn": [], "memory": [], "end_to_end": []}


def table(**parts: Any) -> dict[str, TableRow]:
    return {row.what: row for row in make_table({**EMPTY, **parts})}


def timing(workload: str, size: int, engine: str, ms: float | None, ours_ms: float | None = 1.0) -> dict[str, Any]:
    return asdict(PeerTiming(workload, "", size, engine, ms=ms, ours_ms=ours_ms))


def test_what_was_not_measured_is_not_listed() -> None:
    assert not table()
    left_out = timing("a", 100_000, "CLIPS", None, None)
    assert not table(points=[left_out])


def test_peers_are_compared_with_ours_on_the_same_items() -> None:
    rows = [
        timing("a", 100_000, "gm", 1.0),
        timing("a", 100_000, "gm with bindings", 2.0),
        timing("a", 100_000, "SQLite by shape", 10.0, 2.0),
        timing("a", 100_000, "CLIPS", 30.0),
    ]
    found = table(points=rows)
    assert list(found) == ["a, 100,000: gm with bindings", "a, 100,000: SQLite by shape", "a, 100,000: CLIPS"]
    sqlite = found["a, 100,000: SQLite by shape"]
    assert (sqlite.ours, sqlite.peer, sqlite.ratio) == (2_000, 10_000, 5)
    assert (sqlite.target, sqlite.met) == ("at least 6", False)
    assert found["a, 100,000: CLIPS"].met is None


@pytest.mark.parametrize(("best", "met"), [(11.0, False), (12.0, True)])
def test_the_best_peer_is_judged_and_arrays_are_not_a_peer_of_lists(best: float, met: bool) -> None:
    names = {"DuckDB by shape": best, "CLIPS": 40.0, "DuckDB by shape" + AS_ARRAYS: 2.0}
    found = table(points=[timing("b", 100_000, name, ms) for name, ms in names.items()])
    assert {row.what: row.met for row in found.values() if row.target} == {"b, 100,000: DuckDB by shape": met}


def test_bytes_to_ids_and_threads_are_judged() -> None:
    measured = EndToEnd(100_000, 10, 0.01, 0.02, two_threads_ms=0.008, probes_ms=1.0, two_threads_probes_ms=0.5)
    parsing, threads = make_table({**EMPTY, "end_to_end": [asdict(measured)]})
    assert (parsing.ratio, parsing.met) == (0.5, True)
    assert (threads.ours, threads.peer, threads.ratio, threads.met) == (1.25, 2.0, 0.625, False)


def test_our_own_times_and_single_values_are_judged() -> None:
    times = {("a", 10_000): 0.1, ("a", 1_000_000): 0.3, ("i-regex", 10_000): 0.2, ("i-contains", 10_000): 0.1}
    slow = {"size": 1_000_000, "add_us": 101.0, "remove_us": 20.0, "churn_p99_ms": 3.0, "steady_p99_ms": 1.0}
    points = [timing(name, size, "gm", ms, ms) for (name, size), ms in times.items()]
    found = table(points=points, churn=[slow])
    assert found["a: 1,000,000 subscriptions, and 10,000"].met is False
    assert found["i: REGEX with a literal, and CONTAINS, 10,000"].met is True
    assert "i: 100,000 subscriptions, and 1,000" not in found
    assert found["h, 1,000,000: one addition amid matching"].met is False
    assert found["h, 1,000,000: one removal amid matching"].met is True
    assert found["h, 1,000,000: p99 with changes, and without"].ratio == 3


def test_whole_queries_may_cost_three_times_as_much() -> None:
    row = {"size": 100_000, "ids_us": 60.0, "plain_ids_us": 20.0, "rows_us": 310.0, "plain_rows_us": 100.0}
    found = list(table(whole_queries=[row]).values())
    assert [(each.ratio, each.target, each.met) for each in found] == [
        (3, "at most 3", True),
        (3.1, "at most 3", False),
    ]
