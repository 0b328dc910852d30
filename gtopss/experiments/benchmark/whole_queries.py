"""Measure what OPTIONAL, NOT EXISTS and HAVING cost: half of the subscriptions have one, or none has."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass

from gtopss.engine import Engine
from gtopss.experiments.peers.gtopss_matchers import document_of
from gtopss.experiments.workloads.whole_queries import half_whole_queries, only_patterns
from gtopss.experiments.workloads.workload import Workload

ROUNDS = 5  # the best round counts


@dataclass(frozen=True, slots=True)
class WholeQueries:
    """Microseconds of processor time per item, and matches per item, with and without whole queries."""

    size: int
    items: int
    ids_us: float
    plain_ids_us: float
    rows_us: float
    plain_rows_us: float
    matches: float
    plain_matches: float


def measure_whole_queries(matcher: str, size: int, *, items: int) -> WholeQueries:
    """Match N-Triples documents with `match_many`, for ids and for all rows, in turns."""
    workloads = half_whole_queries(size), only_patterns(size)
    engines = [_engine(matcher, workload) for workload in workloads]
    documents = [document_of(each) for each in workloads[0].publications(items)]
    matches = [sum(len(report) for report in each.match_many(documents, "nt")) / items for each in engines]
    gc.collect()
    gc.freeze()
    try:
        rounds = [
            [_seconds(each, documents, bindings=bindings) for bindings in (False, True) for each in engines]
            for _ in range(ROUNDS)
        ]
    finally:
        gc.unfreeze()
    best = [1e6 * min(times) / items for times in zip(*rounds, strict=True)]
    return WholeQueries(size, items, *best, *matches)


def _engine(matcher: str, workload: Workload) -> Engine:
    engine = Engine(matcher=matcher, threads=1)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    if engine.config.matcher == "gm":
        engine.optimise()
    return engine


def _seconds(engine: Engine, documents: list[bytes], *, bindings: bool) -> float:
    start = time.process_time()
    for report in engine.match_many(documents, "nt", bindings=bindings):
        if bindings:
            for match in report:
                assert match.rows
        else:
            assert report.subscription_ids is not None
    return time.process_time() - start
