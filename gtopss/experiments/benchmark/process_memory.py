"""Measure the memory of registered subscriptions, in a new process in which nothing else was allocated before."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import psutil

from gtopss.engine import Engine
from gtopss.experiments.workloads import Workload, few_shapes
from gtopss.matching.table import MATCHERS

EDGES_PER_SUBSCRIPTION = 4
_FOUR_EDGES = partial(few_shapes, edges=EDGES_PER_SUBSCRIPTION)


@dataclass(frozen=True, slots=True)
class MemoryPerSubscription:
    """Bytes per subscription: of the index's arrays (None if the matcher has none), and of the process's growth."""

    size: int
    edges: int
    index_bytes: float | None
    process_bytes: float


def measure_memory(
    matcher: str, size: int, make_workload: Callable[[int], Workload] = _FOUR_EDGES
) -> MemoryPerSubscription:
    """Measure subscriptions that only the engine references. The workload's function must be one of a module."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measure, matcher, size, make_workload).result()


def _measure(matcher: str, size: int, make_workload: Callable[[int], Workload]) -> MemoryPerSubscription:
    _registered(matcher, make_workload(100))  # compiles the kernels, which happens at first use
    before = _resident_bytes()
    engine = _registered(matcher, make_workload(size))
    growth = _resident_bytes() - before
    index_bytes = engine.index_bytes() / size if MATCHERS[matcher].capabilities.segments else None
    return MemoryPerSubscription(size, EDGES_PER_SUBSCRIPTION, index_bytes, growth / size)


def _registered(matcher: str, workload: Workload) -> Engine:
    engine = Engine(matcher=matcher)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    for _ in engine.match_many(workload.publications(10), bindings=False):
        pass
    if MATCHERS[matcher].capabilities.segments:  # otherwise it is measured while a merge is running
        engine.optimise()
    return engine


def _resident_bytes() -> int:
    gc.collect()
    resident: int = psutil.Process().memory_info().rss
    return resident
