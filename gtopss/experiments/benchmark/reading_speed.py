"""Measure the reading of feeds in CPU time per item, beside feedparser and fastfeedparser, in one run."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import feedparser

from gtopss.experiments.benchmark.filter_speed import KEYWORD_SUBSCRIPTIONS, MIN_DOCUMENTS, measure_filter
from gtopss.experiments.workloads.generated_feeds import FORMATS, generate_feeds
from gtopss.reading.documents import read_document
from gtopss.reading.isolation import IsolatedReader

_ROUNDS = 3
_FEEDPARSER_SAMPLE = 20  # feedparser reads every 20th of the generated feeds
MIN_TIMES_FEEDPARSER = 10
MIN_SHARE_OF_FASTFEEDPARSER = 0.5
MAX_TIMES_WITH_ISOLATION = 1.15
MAX_TIMES_WITH_MATCHING = 2
MIN_TIMES_WITH_TWO_WORKERS = 1.6

Documents = Sequence[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One comparison: microseconds of CPU time per item. Without a peer, `left_out` says why."""

    what: str
    items: int
    ours_us: float
    peer: str
    peer_us: float | None
    ratio: float | None
    target: str
    met: bool | None
    left_out: str | None = None


def measure_reading(folder: Path, *, generated: int, seed: int) -> list[ReadingRow]:
    """Measure the shipped feeds one by one, and a number of generated ones by format and together."""
    rows: list[ReadingRow] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix in (".rdf", ".atom", ".xml"):
            rows += _beside_feedparser(path.name, [(path.name, path.read_bytes())], sample=1)
    documents = list(generate_feeds(generated, seed=seed))
    for number, name in enumerate(FORMATS):
        rows += _beside_feedparser(f"generated {name}", documents[number :: len(FORMATS)], sample=_FEEDPARSER_SAMPLE)
    if documents:
        rows += _all_generated(documents)
    return rows


def _beside_feedparser(what: str, documents: Documents, *, sample: int) -> Iterator[ReadingRow]:
    if not documents:
        return
    items, ours = _ours(documents)
    sampled = documents[::sample]
    sampled_items, _ = _ours(sampled)
    peer = _cpu_seconds(lambda: [feedparser.parse(io.BytesIO(data)) for _, data in sampled]) / sampled_items
    ratio = peer / ours
    yield ReadingRow(
        what, items, ours * 1e6, "feedparser", peer * 1e6, ratio,
        f"at least {MIN_TIMES_FEEDPARSER} times its rate", ratio >= MIN_TIMES_FEEDPARSER,
    )  # fmt: skip


def _all_generated(documents: Documents) -> Iterator[ReadingRow]:
    what = f"{len(documents):,} generated feeds"
    items, ours = _ours(documents)
    target = f"at least {MIN_SHARE_OF_FASTFEEDPARSER:g} times its rate"
    try:
        parse: Callable[[bytes], Any] = import_module("fastfeedparser").parse
    except ImportError:
        why = "is not installed: pip install gtopss[compare]"
        yield ReadingRow(what, items, ours * 1e6, "fastfeedparser", None, None, target, None, why)
    else:
        peer = _cpu_seconds(lambda: [parse(data) for _, data in documents]) / items
        met = peer / ours >= MIN_SHARE_OF_FASTFEEDPARSER
        yield ReadingRow(what, items, ours * 1e6, "fastfeedparser", peer * 1e6, peer / ours, target, met)
    isolated, in_worker = (seconds / items for seconds in _isolated(documents))
    yield ReadingRow(
        f"{what}, isolated", items, isolated * 1e6, "ours, not isolated", ours * 1e6, isolated / ours,
        f"at most {MAX_TIMES_WITH_ISOLATION:g} times the time", isolated / ours <= MAX_TIMES_WITH_ISOLATION,
    )  # fmt: skip
    yield from _filtered(documents, isolated, in_worker)


def _filtered(documents: Documents, isolated: float, in_worker: float) -> Iterator[ReadingRow]:
    """Compare `gtopss filter` with reading alone, and two workers on two processors with one worker on one."""
    what = f"gtopss filter, {KEYWORD_SUBSCRIPTIONS:,} keyword subscriptions"
    with_matching = f"at most {MAX_TIMES_WITH_MATCHING:g} times the time"
    two_workers = f"at least {MIN_TIMES_WITH_TWO_WORKERS:g} times as fast"
    alone, one_worker = "ours, isolated, no matching", "1 worker, 1 processor"
    if len(documents) < MIN_DOCUMENTS:
        why = f"needs {MIN_DOCUMENTS} feeds: leave out --quick"
        yield ReadingRow(what, 0, 0.0, alone, None, None, with_matching, None, why)
        return
    measured = measure_filter(documents)
    items, ours = measured.items, measured.process_seconds + in_worker
    ratio = ours / isolated
    yield ReadingRow(
        f"{what}, {measured.matched:.0%} of the items match", items, ours * 1e6, alone, isolated * 1e6, ratio,
        with_matching, ratio <= MAX_TIMES_WITH_MATCHING,
    )  # fmt: skip
    two, one = measured.two_workers_seconds, measured.one_worker_seconds
    if two is None:
        why = "needs two processors"
        yield ReadingRow(f"{what}, two workers", items, one * 1e6, one_worker, None, None, two_workers, None, why)
        return
    yield ReadingRow(
        f"{what}, 2 workers, 2 processors, wall clock", items, two * 1e6, one_worker, one * 1e6, one / two,
        two_workers, one / two >= MIN_TIMES_WITH_TWO_WORKERS,
    )  # fmt: skip


def _ours(documents: Documents) -> tuple[int, float]:
    """Return the number of items, and the seconds for one."""
    items = sum(len(read_document(data, source=name).publications) for name, data in documents)
    return items, _cpu_seconds(lambda: [read_document(data, source=name) for name, data in documents]) / items


def _isolated(documents: Documents) -> tuple[float, float]:
    """Return the seconds that this process and the worker need together, and those of the worker."""
    with IsolatedReader() as reader:
        reader.read_document(documents[0][1])  # starts the worker

        def read_all() -> float:
            before = _worker_seconds(reader)
            for name, data in documents:
                reader.read_document(data, source=name)
            return _worker_seconds(reader) - before

        best = float("inf"), float("inf")
        for _ in range(_ROUNDS):
            started = time.process_time()
            in_worker = read_all()
            best = min(best, (time.process_time() - started + in_worker, in_worker))
    return best


def _worker_seconds(reader: IsolatedReader) -> float:
    return int(Path(f"/proc/{reader.pid}/schedstat").read_text().split()[0]) / 1e9


def _cpu_seconds(task: Callable[[], object]) -> float:
    """Return the least CPU time of several rounds: other processes only add to it."""
    best = float("inf")
    for _ in range(_ROUNDS):
        started = time.process_time()
        task()
        best = min(best, time.process_time() - started)
    return best
