"""Matching while subscriptions come and go: what one item waits, and what a change costs."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from gtopss.engine import Engine
from gtopss.experiments.workloads import SEED, few_shapes
from gtopss.model import Publication, Subscription

ITEMS_A_SECOND = 1_000  # the stream's rate, by which one per cent a second becomes changes an item
SHARE_A_SECOND = 0.01


@dataclass(frozen=True, slots=True)
class Churn:
    """Latencies of one `match` call in milliseconds; additions and removals in microseconds each, merging included."""

    size: int
    items: int
    changes_an_item: float
    still_p50_ms: float
    still_p99_ms: float
    churn_p50_ms: float
    churn_p99_ms: float
    add_us: float
    remove_us: float


def churn(matcher: str, size: int, *, items: int) -> Churn:
    """Items one at a time, first with nothing changing, then with as many additions as removals between them."""
    workload = few_shapes(size)
    rate = size * SHARE_A_SECOND / ITEMS_A_SECOND
    engine = Engine(matcher=matcher)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    publications = workload.publications(items)
    newcomers = islice(_renamed(workload.subscriptions()), int(rate * items) + 1)
    leaving = random.Random(SEED).sample(range(size), min(size, int(rate * items) + 1))
    changes = list(zip(newcomers, (f"s{number}" for number in leaving), strict=False))
    gc.collect()
    gc.freeze()  # the collector must not walk a million subscriptions again and again while we look at tails
    try:
        for publication in publications:
            engine.match(publication, bindings=False)
        still, _, _ = _latencies(engine, publications, [], 0)
        busy, added, removed = _latencies(engine, publications, changes, rate)
    finally:
        gc.unfreeze()
    done = max(1, len(added))
    return Churn(
        size, items, rate, *_percentiles(still), *_percentiles(busy), 1e6 * sum(added) / done, 1e6 * sum(removed) / done
    )


def _renamed(subscriptions: Iterator[Subscription]) -> Iterator[Subscription]:
    return (Subscription(f"new-{each.id}", branches=each.branches) for each in subscriptions)


def _latencies(
    engine: Engine, publications: Sequence[Publication], changes: list[tuple[Subscription, str]], rate: float
) -> tuple[list[float], list[float], list[float]]:
    """Seconds of each match, addition and removal."""
    clock, matched, added, removed, due = time.perf_counter, [], list[float](), list[float](), 0.0
    for publication in publications:
        due += rate
        while due >= 1 and changes:
            due -= 1
            newcomer, leaving = changes.pop()
            started = clock()
            engine.add(newcomer)
            between = clock()
            engine.remove(leaving)
            added.append(between - started)
            removed.append(clock() - between)
        started = clock()
        engine.match(publication, bindings=False)
        matched.append(clock() - started)
    return matched, added, removed


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    ordered = sorted(seconds)
    return 1e3 * ordered[len(ordered) // 2], 1e3 * ordered[int(len(ordered) * 0.99)]
