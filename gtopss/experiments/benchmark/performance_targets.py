"""The performance targets of the default engine, and whether the results of a run meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

Results: TypeAlias = Mapping[str, Any]
"""A run's JSON: the measured `matcher`, and `points`, `churn`, `memory` and `end_to_end`, each a list of rows."""


@dataclass(frozen=True, slots=True)
class TargetVerdict:
    """A target and its measured value; `measured` and `met` are None if the run did not measure it.

    Where the value is a ratio of two times, `ours` and `other` are these times, in milliseconds per item.
    """

    target: str
    required: str
    measured: float | None
    met: bool | None
    ours: float | None = None
    other: float | None = None


def judge_targets(results: Results) -> list[TargetVerdict]:
    """Return a verdict for every target."""
    return [*_speed(results), *_growth(results), *_other_targets(results)]


def _speed(results: Results) -> Iterator[TargetVerdict]:
    """Yield targets for the ratio of a peer's time to ours on the same items, without bindings."""
    for workload, size, peer, times in (
        ("a", 100_000, "SQLite by shape", 40),
        ("a", 1_000_000, "SQLite by shape", 25),
        ("a", 10_000, "CLIPS", 300),
        ("b", 100_000, "rarest constant, Python", 25),
        ("c", 30_000, "reference", 300),
        ("i", 100_000, "Lucene Monitor", 10),
        ("i", 100_000, "Aho-Corasick with a dict", 1),
    ):
        found = [pair for name, pair in _times(results, workload, size) if name == peer]
        yield _times_faster(f"{workload}, {size:,}: {peer}", times, found)
    for workload in "def":
        found = [pair for _, pair in _times(results, workload, 100_000)]
        fastest = min(found, key=lambda pair: pair[1] / pair[0], default=None)
        yield _times_faster(f"{workload}, 100,000: the fastest peer", 10, [fastest] if fastest else [])


def _growth(results: Results) -> Iterator[TargetVerdict]:
    """Yield targets for the ratio of two of our own times."""
    ours = results["matcher"]
    times = {(row["workload"], row["size"]): row["ms"] for row in results["points"] if row["engine"] == ours}
    for target, limit, one, other in (
        ("a: growth of the time per item, 10,000 to 1,000,000", 4, ("a", 1_000_000), ("a", 10_000)),
        ("i: growth of the time per item, 1,000 to 100,000", 6, ("i", 100_000), ("i", 1_000)),
        ("i: REGEX with a literal, in multiples of CONTAINS, 10,000", 3, ("i-regex", 10_000), ("i-contains", 10_000)),
        (
            "i: words beside graph and is-a, in multiples, 100,000",
            2.5,
            ("i-mixed", 100_000),
            ("i-graph", 100_000),
        ),
    ):
        known = {one, other} <= set(times)
        verdict = _at_most(target, limit, [times[one] / times[other]] if known else [])
        yield replace(verdict, ours=times[one], other=times[other]) if known else verdict


def _other_targets(results: Results) -> Iterator[TargetVerdict]:
    def of(part: str, size: int, measured: Callable[[Mapping[str, Any]], float | None]) -> list[float]:
        found = (measured(row) for row in results.get(part, ()) if row["size"] == size)
        return [each for each in found if each is not None]

    largest = 1_000_000
    yield _at_most("i: one addition amid matching, 100,000, µs", 150,
                   of("words_churn", 100_000, lambda row: row["add_us"]))  # fmt: skip
    yield _at_most("i: bytes per subscription more than without words, arrays, 100,000", 250,
                   of("words_memory", 100_000, _more_bytes))  # fmt: skip
    yield _at_most("bytes to matches, in multiples of parsing, 100,000", 3,
                   of("end_to_end", 100_000, lambda row: row["match_ms"] / row["parse_ms"]))  # fmt: skip
    yield _at_most(
        "bytes per four-edge subscription, arrays", 250, of("memory", largest, lambda row: row["index_bytes"])
    )
    yield _at_most(
        "bytes per four-edge subscription, process", 700, of("memory", largest, lambda row: row["process_bytes"])
    )
    yield _at_most("one addition at 1,000,000, µs", 100, of("churn", largest, lambda row: row["add_us"]))
    yield _at_most("one removal at 1,000,000, µs", 20, of("churn", largest, lambda row: row["remove_us"]))
    for size in (100_000, largest):
        slower = of("churn", size, lambda row: row["churn_p99_ms"] / row["steady_p99_ms"])
        yield _at_most(f"p99 with churn, in multiples of p99 without, {size:,}", 2, slower)


def _more_bytes(row: Mapping[str, Any]) -> float | None:
    with_words, without = row["with_words"]["index_bytes"], row["without"]["index_bytes"]
    return None if with_words is None or without is None else with_words - without


def _times(results: Results, workload: str, size: int) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield the peers at a point, with our time and theirs."""
    for row in results["points"]:
        ours = row["engine"].startswith(results["matcher"])
        if (row["workload"], row["size"]) == (workload, size) and not ours and row["ms"] is not None:
            yield row["engine"], (row["ours_ms"], row["ms"])


def _times_faster(target: str, times: float, measured: Sequence[tuple[float, float]]) -> TargetVerdict:
    """Return the verdict on how many times as long as ours a peer takes."""
    verdict = _at_least(target, times, [other / ours for ours, other in measured])
    return replace(verdict, ours=measured[0][0], other=measured[0][1]) if measured else verdict


def _at_least(target: str, times: float, measured: Sequence[float]) -> TargetVerdict:
    found = measured[0] if measured else None
    return TargetVerdict(target, f"at least {times:g}", found, None if found is None else found >= times)


def _at_most(target: str, limit: float, measured: Sequence[float]) -> TargetVerdict:
    found = measured[0] if measured else None
    return TargetVerdict(target, f"at most {limit:g}", found, None if found is None else found <= limit)
