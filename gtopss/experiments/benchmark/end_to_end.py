"""Measure the time from bytes to ids: against Oxigraph, which only parses the bytes, and in two threads."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gtopss.engine import Engine
from gtopss.experiments.benchmark.kernels.probe_loop import probe_table
from gtopss.experiments.benchmark.oxigraph_process import OxigraphProcess
from gtopss.experiments.peers.gtopss_matchers import document_of
from gtopss.experiments.timing import wall_seconds
from gtopss.experiments.workloads import few_shapes
from gtopss.matching.threads import MatchThreads

ROUNDS = 9  # the best round counts
PROBED_ELEMENTS = 1 << 22
"""Elements of eight bytes of the table that is probed: 32 MB, more than the caches hold."""
PROBES = 2_000_000


@dataclass(frozen=True, slots=True)
class EndToEnd:
    """Milliseconds per item, and of the probe loop in milliseconds per thousand probes."""

    size: int
    items: int
    match_ms: float
    parse_ms: float
    two_threads_ms: float
    probes_ms: float
    two_threads_probes_ms: float


def measure_end_to_end(matcher: str, size: int, *, items: int) -> EndToEnd:
    """Match N-Triples documents of twenty lines with `match_batch`, without bindings, until their ids are known."""
    workload = few_shapes(size)
    engine = Engine(matcher=matcher, threads=1)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    if engine.config.matcher == "gm":
        engine.optimise()
    documents = [document_of(each) for each in workload.publications(items)]
    table = np.arange(PROBED_ELEMENTS, dtype=np.uint64)
    gc.collect()
    gc.freeze()

    def match(threads: int) -> float:
        engine.use_threads(threads)
        return wall_seconds(lambda: list(engine.match_batch(documents, "nt", bindings=False).ids()))

    def probe(threads: MatchThreads) -> float:
        seeds = range(1, 5)
        return wall_seconds(lambda: threads.map(lambda seed: probe_table(table, PROBES // len(seeds), seed), seeds))

    one, two = MatchThreads(1), MatchThreads(2)
    try:
        with OxigraphProcess(documents) as oxigraph:
            measures: tuple[Callable[[], float], ...] = (
                lambda: match(1), oxigraph.seconds, lambda: match(2), lambda: probe(one), lambda: probe(two),
            )  # fmt: skip
            best = [min(times) for times in zip(*([each() for each in measures] for _ in range(ROUNDS)), strict=True)]
    finally:
        gc.unfreeze()
    per_item, per_probe = 1e3 / items, 1e6 / PROBES
    return EndToEnd(
        size, items, *(seconds * per_item for seconds in best[:3]), *(seconds * per_probe for seconds in best[3:])
    )
