"""Measure the latency of matching while subscriptions are added and removed, and the cost of these changes."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from gtopss.engine import Engine
from gtopss.experiments.workloads import SEED, Workload, few_shapes
from gtopss.model import Publication, Subscription

ITEMS_PER_SECOND = 1_000  # assumed rate of the stream, to convert changes per second to changes per item
CHANGED_SHARE_PER_SECOND = 0.01  # of all subscriptions


@dataclass(frozen=True, slots=True)
class ChurnLatencies:
    """Latencies of one `match` call in milliseconds, and of one addition or removal in microseconds, with merging.

    `steady` is without changes, `churn` with as many additions as removals between items.
    """

    size: int
    items: int
    changes_per_item: float
    steady_p50_ms: float
    steady_p99_ms: float
    churn_p50_ms: float
    churn_p99_ms: float
    add_us: float
    remove_us: float


def measure_churn(
    matcher: str, size: int, *, items: int, make_workload: Callable[[int], Workload] = few_shapes
) -> ChurnLatencies:
    """Match items one at a time, first without changes, then with as many additions as removals between them."""
    workload = make_workload(size)
    rate = size * CHANGED_SHARE_PER_SECOND / ITEMS_PER_SECOND
    engine = Engine(matcher=matcher)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    publications = workload.publications(items)
    added_subscriptions = islice(_renamed(workload.subscriptions()), int(rate * items) + 1)
    removed_numbers = random.Random(SEED).sample(range(size), min(size, int(rate * items) + 1))
    changes = list(zip(added_subscriptions, (f"s{number}" for number in removed_numbers), strict=False))
    gc.collect()
    gc.freeze()  # otherwise collections that traverse a million subscriptions would dominate the tail latencies
    try:
        for publication in publications:
            engine.match(publication, bindings=False)
        steady, _, _ = _latencies(engine, publications, [], 0)
        churning, added, removed = _latencies(engine, publications, changes, rate)
    finally:
        gc.unfreeze()
    done = max(1, len(added))
    return ChurnLatencies(
        size,
        items,
        rate,
        *_percentiles(steady),
        *_percentiles(churning),
        1e6 * sum(added) / done,
        1e6 * sum(removed) / done,
    )


def _renamed(subscriptions: Iterator[Subscription]) -> Iterator[Subscription]:
    return (Subscription(f"new-{each.id}", branches=each.branches) for each in subscriptions)


def _latencies(
    engine: Engine, publications: Sequence[Publication], changes: list[tuple[Subscription, str]], rate: float
) -> tuple[list[float], list[float], list[float]]:
    """Return the seconds of each match, addition and removal."""
    clock, matched, added, removed, due = time.perf_counter, [], list[float](), list[float](), 0.0
    for publication in publications:
        due += rate
        while due >= 1 and changes:
            due -= 1
            subscription, removed_id = changes.pop()
            started = clock()
            engine.add(subscription)
            between = clock()
            engine.remove(removed_id)
            added.append(between - started)
            removed.append(clock() - between)
        started = clock()
        engine.match(publication, bindings=False)
        matched.append(clock() - started)
    return matched, added, removed


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    ordered = sorted(seconds)
    return 1e3 * ordered[len(ordered) // 2], 1e3 * ordered[int(len(ordered) * 0.99)]
