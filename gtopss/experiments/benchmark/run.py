"""One run of `gtopss bench`: what is measured at which sizes, kept on disk as it is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark.churn import churn
from gtopss.experiments.benchmark.end_to_end import end_to_end
from gtopss.experiments.benchmark.feeds import measure_feeds
from gtopss.experiments.benchmark.language import compare_readers
from gtopss.experiments.benchmark.measure import Point, compare
from gtopss.experiments.benchmark.memory import memory
from gtopss.experiments.benchmark.results import environment, save
from gtopss.experiments.benchmark.targets import verdicts
from gtopss.experiments.peers import PEERS
from gtopss.experiments.workloads import SEED, WORKLOADS

CHURN = "h"


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes by workload, `h` being churn; how many items, and how long each engine may take for its share of them."""

    sizes: Mapping[str, Sequence[int]]
    items: int
    seconds: float
    memory: Sequence[int]
    end_to_end: Sequence[int]


FULL = Plan(
    {
        "a": (10_000, 100_000, 1_000_000),
        "b": (10_000, 100_000),
        "c": (3_000, 30_000),
        "d": (10_000, 100_000),
        "e": (10_000, 100_000),
        "f": (10_000, 100_000),
        "g": (10_000, 100_000),
        CHURN: (100_000, 1_000_000),
    },
    items=1_000,
    seconds=2.0,
    memory=(100_000, 1_000_000),
    end_to_end=(100_000,),
)
QUICK = Plan(
    {**dict.fromkeys(WORKLOADS, (1_000,)), "a": (1_000, 10_000), CHURN: (10_000,)},
    items=100,
    seconds=0.1,
    memory=(10_000,),
    end_to_end=(10_000,),
)


def run(
    plan: Plan, *, matcher: str, peers: Iterable[str], feeds: Path, out: Path | None, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Everything in the plan; what is finished is in `out` even if the rest never is."""
    result: dict[str, Any] = {"seed": SEED, "matcher": matcher, **environment()}
    result |= {"points": [], "churn": [], "memory": [], "end_to_end": [], "language": None, "feeds": None}

    def keep(part: str, rows: Any) -> None:
        result[part] = rows
        result["targets"] = [asdict(each) for each in verdicts(result)]
        if out is not None:
            save(out, result)

    chosen = list(peers)
    for letter, sizes in plan.sizes.items():
        before: dict[str, Point] = {}
        for size in sizes:
            if letter == CHURN:
                progress(f"{letter}, {size:,}: matching while subscriptions change")
                keep("churn", [*result["churn"], asdict(churn(matcher, size, items=2 * plan.items))])
                continue
            points = compare(
                WORKLOADS[letter](size),
                matcher,
                [PEERS[name]() for name in chosen],
                before,
                items=plan.items,
                seconds=plan.seconds,
                progress=progress,
            )
            before = {point.engine: point for point in points}
            keep("points", [*result["points"], *map(asdict, points)])
    for size in plan.end_to_end:
        progress(f"bytes to matches, {size:,}")
        keep("end_to_end", [*result["end_to_end"], asdict(end_to_end(matcher, size, items=plan.items))])
    for size in plan.memory:
        progress(f"memory, {size:,}")
        keep("memory", [*result["memory"], asdict(memory(matcher, size))])
    progress("reading subscriptions")
    keep("language", compare_readers())
    progress("reading feeds")
    keep("feeds", measure_feeds(feeds) if feeds.is_dir() else None)
    return result
