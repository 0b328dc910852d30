"""What the fast engine is meant to reach, and whether a run's results say that it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Results: TypeAlias = Mapping[str, Any]
"""A run's JSON: the `matcher` that is ours, and `points`, `churn`, `memory` and `end_to_end`, each a list of rows."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target beside what was measured; None where the run did not measure it."""

    target: str
    wanted: str
    measured: float | None
    met: bool | None


def verdicts(results: Results) -> list[Verdict]:
    """Every target, in the order of the table."""
    return [*_speed(results), *_growth(results), *_rest(results)]


def _speed(results: Results) -> Iterator[Verdict]:
    """How many times our time a peer takes on the same items, existence only."""
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
        yield _at_least(f"{workload}, 100,000: the best peer", 10, [min(ratios)] if ratios else [])


def _growth(results: Results) -> Iterator[Verdict]:
    ours = results["matcher"]
    times = {row["size"]: row["ms"] for row in results["points"] if row["workload"] == "a" and row["engine"] == ours}
    grown = [times[1_000_000] / times[10_000]] if {10_000, 1_000_000} <= set(times) else []
    yield _at_most("a: time an item, 10,000 to 1,000,000", 4, grown)


def _rest(results: Results) -> Iterator[Verdict]:
    def of(part: str, size: int, measured: Callable[[Mapping[str, Any]], float | None]) -> list[float]:
        found = (measured(row) for row in results[part] if row["size"] == size)
        return [each for each in found if each is not None]

    most = 1_000_000
    yield _at_most("bytes to matches, in parse times, 100,000", 3,
                   of("end_to_end", 100_000, lambda row: row["match_ms"] / row["parse_ms"]))  # fmt: skip
    yield _at_most("bytes a four-edge subscription, arrays", 250, of("memory", most, lambda row: row["index_bytes"]))
    yield _at_most("bytes a four-edge subscription, process", 700, of("memory", most, lambda row: row["process_bytes"]))
    yield _at_most("one addition at 1,000,000, us", 100, of("churn", most, lambda row: row["add_us"]))
    yield _at_most("one removal at 1,000,000, us", 20, of("churn", most, lambda row: row["remove_us"]))
    for size in (100_000, most):
        slower = of("churn", size, lambda row: row["churn_p99_ms"] / row["still_p99_ms"])
        yield _at_most(f"p99 under churn, in p99s without, {size:,}", 2, slower)


def _ratios(results: Results, workload: str, size: int) -> Iterator[tuple[str, float]]:
    for row in results["points"]:
        ours = row["engine"].startswith(results["matcher"])
        if (row["workload"], row["size"]) == (workload, size) and not ours and row["ms"] is not None:
            yield row["engine"], row["ms"] / row["ours_ms"]


def _at_least(target: str, times: float, measured: Sequence[float]) -> Verdict:
    found = measured[0] if measured else None
    return Verdict(target, f"at least {times:g}", found, None if found is None else found >= times)


def _at_most(target: str, limit: float, measured: Sequence[float]) -> Verdict:
    found = measured[0] if measured else None
    return Verdict(target, f"at most {limit:g}", found, None if found is None else found <= limit)
