"""The performance targets of the default engine, and whether the results of a run meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Results: TypeAlias = Mapping[str, Any]
"""A run's JSON: the measured `matcher`, and `points`, `churn`, `memory` and `end_to_end`, each a list of rows."""


@dataclass(frozen=True, slots=True)
class TargetVerdict:
    """A target and its measured value; `measured` and `met` are None if the run did not measure it."""

    target: str
    required: str
    measured: float | None
    met: bool | None


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
    ):
        ratios = [ratio for name, ratio in _ratios(results, workload, size) if name == peer]
        yield _at_least(f"{workload}, {size:,}: {peer}", times, ratios)
    for workload in "def":
        ratios = [ratio for _, ratio in _ratios(results, workload, 100_000)]
        yield _at_least(f"{workload}, 100,000: the fastest peer", 10, [min(ratios)] if ratios else [])


def _growth(results: Results) -> Iterator[TargetVerdict]:
    ours = results["matcher"]
    times = {row["size"]: row["ms"] for row in results["points"] if row["workload"] == "a" and row["engine"] == ours}
    grown = [times[1_000_000] / times[10_000]] if {10_000, 1_000_000} <= set(times) else []
    yield _at_most("a: growth of the time per item, 10,000 to 1,000,000", 4, grown)


def _other_targets(results: Results) -> Iterator[TargetVerdict]:
    def of(part: str, size: int, measured: Callable[[Mapping[str, Any]], float | None]) -> list[float]:
        found = (measured(row) for row in results[part] if row["size"] == size)
        return [each for each in found if each is not None]

    largest = 1_000_000
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


def _ratios(results: Results, workload: str, size: int) -> Iterator[tuple[str, float]]:
    for row in results["points"]:
        ours = row["engine"].startswith(results["matcher"])
        if (row["workload"], row["size"]) == (workload, size) and not ours and row["ms"] is not None:
            yield row["engine"], row["ms"] / row["ours_ms"]


def _at_least(target: str, times: float, measured: Sequence[float]) -> TargetVerdict:
    found = measured[0] if measured else None
    return TargetVerdict(target, f"at least {times:g}", found, None if found is None else found >= times)


def _at_most(target: str, limit: float, measured: Sequence[float]) -> TargetVerdict:
    found = measured[0] if measured else None
    return TargetVerdict(target, f"at most {limit:g}", found, None if found is None else found <= limit)
