"""Run `gtopss bench`: measure the engine and its peers at planned sizes, and save each part when it is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark.churn import measure_churn
from gtopss.experiments.benchmark.end_to_end import measure_end_to_end
from gtopss.experiments.benchmark.feed_reading import measure_feeds
from gtopss.experiments.benchmark.peer_comparison import ComparisonLimits, PeerTiming, compare_with_peers
from gtopss.experiments.benchmark.performance_targets import judge_targets
from gtopss.experiments.benchmark.process_memory import measure_memory
from gtopss.experiments.benchmark.query_parsing import measure_query_parsing
from gtopss.experiments.peers import PEERS
from gtopss.experiments.result_files import environment, save
from gtopss.experiments.workloads import SEED, WORKLOADS

CHURN_LETTER = "h"  # not another workload, but another measurement of workload `a`


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """Numbers of subscriptions by workload letter, items per point, and seconds per engine and point.

    An engine that is too slow for the time gets fewer items. `memory` and `end_to_end` are numbers of subscriptions.
    """

    sizes: Mapping[str, Sequence[int]]
    items: int
    seconds: float
    memory: Sequence[int]
    end_to_end: Sequence[int]


FULL_BENCHMARK = BenchmarkPlan(
    {
        "a": (10_000, 100_000, 1_000_000),
        "b": (10_000, 100_000),
        "c": (3_000, 30_000),
        "d": (10_000, 100_000),
        "e": (10_000, 100_000),
        "f": (10_000, 100_000),
        "g": (10_000, 100_000),
        CHURN_LETTER: (100_000, 1_000_000),
    },
    items=1_000,
    seconds=2.0,
    memory=(100_000, 1_000_000),
    end_to_end=(100_000,),
)
QUICK_BENCHMARK = BenchmarkPlan(
    {**dict.fromkeys(WORKLOADS, (1_000,)), "a": (1_000, 10_000), CHURN_LETTER: (10_000,)},
    items=100,
    seconds=0.1,
    memory=(10_000,),
    end_to_end=(10_000,),
)


def run_benchmark(
    plan: BenchmarkPlan,
    *,
    matcher: str,
    peers: Iterable[str],
    feeds: Path,
    out: Path | None,
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Measure everything in the plan. Each finished part is saved in `out`, also if the run is interrupted later."""
    result: dict[str, Any] = {"seed": SEED, "matcher": matcher, **environment()}
    result |= {"points": [], "churn": [], "memory": [], "end_to_end": [], "language": None, "feeds": None}

    def record(part: str, rows: Any) -> None:
        result[part] = rows
        result["targets"] = [asdict(each) for each in judge_targets(result)]
        if out is not None:
            save(out, result)

    peer_names = list(peers)
    limits = ComparisonLimits(plan.items, plan.seconds)
    for letter, sizes in plan.sizes.items():
        smaller: dict[str, PeerTiming] = {}
        for size in sizes:
            if letter == CHURN_LETTER:
                progress(f"{letter}, {size:,}: matching while subscriptions change")
                record("churn", [*result["churn"], asdict(measure_churn(matcher, size, items=2 * plan.items))])
                continue
            chosen = [PEERS[name]() for name in peer_names]
            timings = compare_with_peers(WORKLOADS[letter](size), matcher, chosen, smaller, limits, progress)
            smaller = {timing.engine: timing for timing in timings}
            record("points", [*result["points"], *map(asdict, timings)])
    for size in plan.end_to_end:
        progress(f"bytes to matches, {size:,}")
        record("end_to_end", [*result["end_to_end"], asdict(measure_end_to_end(matcher, size, items=plan.items))])
    for size in plan.memory:
        progress(f"memory, {size:,}")
        record("memory", [*result["memory"], asdict(measure_memory(matcher, size))])
    progress("reading subscriptions")
    record("language", measure_query_parsing())
    progress("reading feeds")
    record("feeds", measure_feeds(feeds) if feeds.is_dir() else None)
    return result
