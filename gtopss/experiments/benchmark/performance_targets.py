"""The table of a benchmark run: what was measured, of us and of a peer on the same items, and the targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gtopss.experiments.benchmark.peer_comparison import AS_ARRAYS

Results: TypeAlias = Mapping[str, Any]
"""A run's JSON: the measured `matcher`, and `points`, `churn`, `memory` and `end_to_end`, each a list of rows."""

BEST_PEER = "the best peer"
TIMES_FASTER: dict[tuple[str, int, str], float] = {
    ("a", 100_000, "SQLite by shape"): 6,
    ("a", 1_000_000, "SQLite by shape"): 4,
    ("b", 100_000, BEST_PEER): 12,
    ("c", 30_000, BEST_PEER): 50,
    ("d", 100_000, BEST_PEER): 10,
    ("e", 100_000, "DuckDB by shape"): 7,
    ("f", 100_000, BEST_PEER): 10,
    ("g", 10_000, "DuckDB by shape" + AS_ARRAYS): 4,
    ("i", 100_000, "Lucene Monitor"): 10,
    ("i", 100_000, "Aho-Corasick with a dict"): 1,
}
"""How many times as long as ours a peer must take, by workload, number of subscriptions and peer."""

GROWTH = (
    ("a: 1,000,000 subscriptions, and 10,000", 2.5, ("a", 1_000_000), ("a", 10_000)),
    ("i: 100,000 subscriptions, and 1,000", 6, ("i", 100_000), ("i", 1_000)),
    ("i: REGEX with a literal, and CONTAINS, 10,000", 3, ("i-regex", 10_000), ("i-contains", 10_000)),
    ("i: words beside graph and is-a, and without, 100,000", 2.5, ("i-mixed", 100_000), ("i-graph", 100_000)),
)
"""At most how many times as long as another time of ours one may be: its row, the limit, both workloads."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A measurement: ours, the other one, and their ratio; `met` is None if there is no target.

    `peer` is None where only one value is measured, which is then compared with the target itself.
    """

    what: str
    unit: str
    ours: float
    peer: float | None
    ratio: float | None
    target: str = ""
    met: bool | None = None


def make_table(results: Results) -> list[TableRow]:
    """Return a row for everything that was measured, and no row for what was not."""
    parts = (_end_to_end, _peers, _growth, _whole_queries, _other_targets)
    return [row for part in parts for row in part(results)]


def _end_to_end(results: Results) -> Iterator[TableRow]:
    """Yield bytes to ids in Oxigraph's parse times, and two threads against one beside a plain loop's."""
    for row in results["end_to_end"]:
        size, has_targets = f"{row['size']:,}", row["size"] == 100_000
        what = f"a, {size}: bytes to ids, and Oxigraph only parsing the bytes"
        yield _at_most(what, "µs per item", 1e3 * row["match_ms"], 1e3 * row["parse_ms"], 0.9 if has_targets else None)
        ours, loop = row["match_ms"] / row["two_threads_ms"], row["probes_ms"] / row["two_threads_probes_ms"]
        what = f"a, {size}: throughput of two threads, and of a plain compiled loop"
        ratio, target = ours / loop, 0.85 if has_targets else None
        yield TableRow(what, "times one thread", ours, loop, ratio, *_judged("at least", target, ratio))


def _peers(results: Results) -> Iterator[TableRow]:
    """Yield the peers' times beside ours on the same items."""
    points = [row for row in results["points"] if row["ms"] is not None]
    for workload, size in dict.fromkeys((row["workload"], row["size"]) for row in points):
        here = [row for row in points if (row["workload"], row["size"]) == (workload, size)]
        peers = [row for row in here if not row["engine"].startswith(results["matcher"])]
        comparable = [row for row in peers if not row["engine"].endswith(AS_ARRAYS)]
        best = min(comparable, key=lambda row: row["ms"] / row["ours_ms"], default=None)
        for row in here:
            ours, ms = 1e3 * row["ours_ms"], 1e3 * row["ms"]
            what = f"{workload}, {size:,}: {row['engine']}"
            if row not in peers:
                if row["engine"] != results["matcher"] or not peers:
                    yield TableRow(what, "µs per item", ms, None, None)
                continue
            target = TIMES_FASTER.get((workload, size, row["engine"]))
            if target is None and row is best:
                target = TIMES_FASTER.get((workload, size, BEST_PEER))
            yield TableRow(what, "µs per item", ours, ms, ms / ours, *_judged("at least", target, ms / ours))


def _growth(results: Results) -> Iterator[TableRow]:
    """Yield ratios of two of our own times."""
    ours = results["matcher"]
    times = {(row["workload"], row["size"]): row["ms"] for row in results["points"] if row["engine"] == ours}
    for what, limit, one, other in GROWTH:
        if {one, other} <= set(times):
            yield _at_most(what, "µs per item", 1e3 * times[one], 1e3 * times[other], limit)


def _whole_queries(results: Results) -> Iterator[TableRow]:
    """Yield half whole queries beside the same subscriptions without."""
    for row in results.get("whole_queries", ()):
        limit = 3 if row["size"] == 100_000 else None
        for part, of in (("ids", "ids"), ("rows", "bindings")):
            what = f"j, {row['size']:,}: half with OPTIONAL, NOT EXISTS or HAVING, and without: {of}"
            yield _at_most(what, "µs per item", row[f"{part}_us"], row[f"plain_{part}_us"], limit)


def _other_targets(results: Results) -> Iterator[TableRow]:
    def single(what: str, unit: str, part: str, size: int, limit: float, measured: Measure) -> Iterator[TableRow]:
        for row in results.get(part, ()):
            if row["size"] == size and (value := measured(row)) is not None:
                yield TableRow(what, unit, value, None, None, *_judged("at most", limit, value))

    largest = 1_000_000
    for part, size, limit, name in (("words_churn", 100_000, 150, "i"), ("churn", largest, 100, "h")):
        yield from single(f"{name}, {size:,}: one addition amid matching", "µs", part, size, limit,
                          lambda row: row["add_us"])  # fmt: skip
    yield from single(f"h, {largest:,}: one removal amid matching", "µs", "churn", largest, 20,
                      lambda row: row["remove_us"])  # fmt: skip
    yield from single("i, 100,000: a subscription more than without words, in arrays", "bytes", "words_memory", 100_000,
                      250, _more_bytes)  # fmt: skip
    yield from single(f"a four-edge subscription of {largest:,}, in arrays", "bytes", "memory", largest, 250,
                      lambda row: row["index_bytes"])  # fmt: skip
    yield from single(f"a four-edge subscription of {largest:,}, in the process", "bytes", "memory", largest, 500,
                      lambda row: row["process_bytes"])  # fmt: skip
    for row in results.get("churn", ()):
        most = 2 if row["size"] in (100_000, largest) else None
        what = f"h, {row['size']:,}: p99 with changes, and without"
        yield _at_most(what, "µs", 1e3 * row["churn_p99_ms"], 1e3 * row["steady_p99_ms"], most)


Measure: TypeAlias = Callable[[Mapping[str, Any]], float | None]


def _more_bytes(row: Mapping[str, Any]) -> float | None:
    with_words, without = row["with_words"]["index_bytes"], row["without"]["index_bytes"]
    return None if with_words is None or without is None else with_words - without


def _at_most(what: str, unit: str, ours: float, peer: float, limit: float | None) -> TableRow:
    """Return a row whose ratio, ours to the other, has an upper limit."""
    return TableRow(what, unit, ours, peer, ours / peer, *_judged("at most", limit, ours / peer))


def _judged(bound: str, limit: float | None, measured: float) -> tuple[str, bool | None]:
    """Return the text of a target, and whether it is met."""
    if limit is None:
        return "", None
    return f"{bound} {limit:g}", measured >= limit if bound == "at least" else measured <= limit
