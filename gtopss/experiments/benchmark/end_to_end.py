"""Measure the time from bytes to matches, against the time that Oxigraph takes only to parse the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyoxigraph as ox

from gtopss.engine import Engine
from gtopss.experiments.timing import wall_seconds
from gtopss.experiments.workloads import few_shapes

ROUNDS = 4  # the best round counts


@dataclass(frozen=True, slots=True)
class EndToEnd:
    """Milliseconds per item."""

    size: int
    items: int
    match_ms: float
    parse_ms: float


def measure_end_to_end(matcher: str, size: int, *, items: int) -> EndToEnd:
    """Match N-Triples documents of twenty lines with `match_many`, without bindings."""
    workload = few_shapes(size)
    engine = Engine(matcher=matcher)
    for refused in engine.add_many(workload.subscriptions()):
        raise refused
    documents = [
        "".join(f"{' '.join(triple)} .\n" for triple in each.triples).encode() for each in workload.publications(items)
    ]
    tasks: tuple[Callable[[], object], ...] = (
        lambda: list(engine.match_many(documents, "nt", bindings=False)),
        lambda: [list(ox.parse(document, format=ox.RdfFormat.N_TRIPLES)) for document in documents],
    )
    best = [min(times) for times in zip(*([wall_seconds(task) for task in tasks] for _ in range(ROUNDS)), strict=True)]
    return EndToEnd(size, items, *(1e3 * seconds / items for seconds in best))
