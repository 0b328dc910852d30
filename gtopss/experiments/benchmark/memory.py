"""What registered subscriptions take, measured in a process of its own where nothing else has grown before."""

from __future__ import annotations

import gc
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import psutil

from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.experiments.workloads import few_shapes

EDGES = 4


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes a subscription: of the index's arrays, where the matcher tells, and by which the process grew."""

    size: int
    edges: int
    index_bytes: float | None
    process_bytes: float


def memory(matcher: str, size: int) -> Memory:
    """Of four-edge subscriptions that are made, registered and forgotten by whoever made them."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(_grown, matcher, size).result()


def _grown(matcher: str, size: int) -> Memory:
    _registered(matcher, 100)  # compiles what is compiled at first use
    before = _resident()
    engine = _registered(matcher, size)
    grown = _resident() - before
    return Memory(size, EDGES, _in_arrays(engine, size), grown / size)


def _in_arrays(engine: Engine, size: int) -> float | None:
    try:
        return engine.index_bytes() / size
    except GtopssError:  # only the matcher that has arrays can tell
        return None


def _registered(matcher: str, size: int) -> Engine:
    workload = few_shapes(size, edges=EDGES)
    engine = Engine(matcher=matcher)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    for _ in engine.match_many(workload.publications(10), bindings=False):
        pass
    if matcher == "gm":  # else it is measured in the midst of merging
        engine.optimise()
    return engine


def _resident() -> int:
    gc.collect()
    resident: int = psutil.Process().memory_info().rss
    return resident
