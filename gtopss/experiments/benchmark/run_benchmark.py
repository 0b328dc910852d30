"""Run `gtopss bench`: measure the engine and its peers at planned sizes, and save each part when it is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark.broker_benchmark import BROKER_WORKLOADS, measure_broker
from gtopss.experiments.benchmark.churn import measure_churn
from gtopss.experiments.benchmark.end_to_end import measure_end_to_end
from gtopss.experiments.benchmark.feed_reading import measure_feeds
from gtopss.experiments.benchmark.peer_comparison import ComparisonLimits, PeerTiming, compare_with_peers
from gtopss.experiments.benchmark.performance_targets import make_table
from gtopss.experiments.benchmark.process_memory import measure_memory
from gtopss.experiments.benchmark.query_parsing import measure_query_parsing
from gtopss.experiments.benchmark.reading_speed import measure_reading
from gtopss.experiments.benchmark.whole_queries import measure_whole_queries
from gtopss.experiments.peers import PEERS, TEXT_PEERS
from gtopss.experiments.result_files import environment, save
from gtopss.experiments.workloads import SEED, TEXT_WORKLOADS, WORKLOADS
from gtopss.experiments.workloads.news_words import keywords, titles_without_words
from gtopss.experiments.workloads.whole_queries import half_whole_queries

CHURN_LETTER = "h"  # not another workload, but another measurement of workload `a`
QUERY_LETTER = "j"  # without peers: the same subscriptions with and without OPTIONAL, NOT EXISTS and HAVING
READING_LETTER = "r"


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """Numbers of subscriptions by workload letter, items per point, and seconds per engine and point.

    An engine that is too slow for the time gets fewer items. `memory`, `end_to_end` and `words` (changes and memory
    of keyword subscriptions) are numbers of subscriptions, `generated_feeds` is the number of feeds to read.
    """

    sizes: Mapping[str, Sequence[int]]
    items: int
    seconds: float
    memory: Sequence[int]
    end_to_end: Sequence[int]
    words: Sequence[int] = ()
    generated_feeds: int = 0
    broker: Sequence[str] = ()
    """Workloads of the broker."""
    broker_subscriptions: int = 100_000


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
        "i": (1_000, 10_000, 100_000),
        "i-contains": (10_000,),
        "i-regex": (10_000,),
        "i-mixed": (100_000,),
        "i-graph": (100_000,),
        QUERY_LETTER: (100_000,),
    },
    items=1_000,
    seconds=2.0,
    memory=(100_000, 1_000_000),
    end_to_end=(100_000,),
    words=(100_000,),
    generated_feeds=2_000,
)
QUICK_BENCHMARK = BenchmarkPlan(
    {
        **dict.fromkeys([*WORKLOADS, *TEXT_WORKLOADS, QUERY_LETTER], (1_000,)),
        "a": (1_000, 10_000),
        CHURN_LETTER: (10_000,),
    },
    items=100,
    seconds=0.1,
    memory=(10_000,),
    end_to_end=(10_000,),
    words=(1_000,),
    generated_feeds=60,
    broker_subscriptions=1_000,
)


def workload_descriptions() -> dict[str, str]:
    """Return what each workload is about, by its name."""
    made = WORKLOADS | TEXT_WORKLOADS | {QUERY_LETTER: half_whole_queries}
    described = {name: make(1).title for name, make in made.items()}
    described |= {
        CHURN_LETTER: "workload a, while subscriptions are added and removed",
        READING_LETTER: "reading feeds",
    }
    return dict(sorted(described.items())) | BROKER_WORKLOADS


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
    result |= {"points": [], "churn": [], "memory": [], "end_to_end": [], "words_churn": [], "words_memory": []}
    result |= {"whole_queries": []}
    result |= {"language": None, "feeds": None, "reading": [], "broker": []}

    def record(part: str, rows: Any) -> None:
        result[part] = rows
        result["table"] = [asdict(each) for each in make_table(result)]
        if out is not None:
            save(out, result)

    peer_names = list(peers)
    limits = ComparisonLimits(plan.items, plan.seconds)
    for letter, sizes in plan.sizes.items():
        smaller: dict[str, PeerTiming] = {}
        for size in sizes:
            if letter in (CHURN_LETTER, QUERY_LETTER):
                progress(f"{letter}, {size:,}: without peers")
                part, measured = _measure_without_peers(letter, matcher, size, items=2 * plan.items)
                record(part, [*result[part], measured])
                continue
            workload = (WORKLOADS | TEXT_WORKLOADS)[letter](size)
            table = TEXT_PEERS if workload.has_text else PEERS
            chosen = [table[name]() for name in peer_names if name in table]
            timings = compare_with_peers(workload, matcher, chosen, smaller, limits, progress)
            smaller = {timing.engine: timing for timing in timings}
            record("points", [*result["points"], *map(asdict, timings)])
    for size in plan.end_to_end:
        progress(f"bytes to ids, {size:,}")
        record("end_to_end", [*result["end_to_end"], asdict(measure_end_to_end(matcher, size, items=4 * plan.items))])
    for size in plan.memory:
        progress(f"memory, {size:,}")
        record("memory", [*result["memory"], asdict(measure_memory(matcher, size))])
    for size in plan.words if "i" in plan.sizes else ():
        progress(f"i, {size:,}: memory, and matching while subscriptions change")
        churn = measure_churn(matcher, size, items=2 * plan.items, make_workload=keywords)
        record("words_churn", [*result["words_churn"], asdict(churn)])
        record("words_memory", [*result["words_memory"], _words_memory(matcher, size)])
    if plan.broker:
        count, items = plan.broker_subscriptions, 3 * plan.items
        for lines in measure_broker(plan.broker, subscriptions=count, items=items, progress=progress):
            record("broker", [*result["broker"], *lines])
    progress("reading subscriptions")
    record("language", measure_query_parsing())
    if plan.sizes:  # matching is measured
        progress("filtering feeds")
        record("feeds", measure_feeds(feeds) if feeds.is_dir() else None)
    if plan.generated_feeds:
        progress("reading feeds beside feedparser and fastfeedparser")
        record("reading", [asdict(row) for row in measure_reading(feeds, generated=plan.generated_feeds, seed=SEED)])
    return result


def _measure_without_peers(letter: str, matcher: str, size: int, *, items: int) -> tuple[str, dict[str, Any]]:
    """Return a part of the result, and its next row."""
    if letter == CHURN_LETTER:
        return "churn", asdict(measure_churn(matcher, size, items=items))
    return "whole_queries", asdict(measure_whole_queries(matcher, size, items=items))


def _words_memory(matcher: str, size: int) -> dict[str, Any]:
    with_words, without = (measure_memory(matcher, size, each) for each in (keywords, titles_without_words))
    return {"size": size, "with_words": asdict(with_words), "without": asdict(without)}
