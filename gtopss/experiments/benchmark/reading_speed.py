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
_REPETITIONS = 20  # of a shipped feed in a round: reading one takes less than the clock shows
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
            rows += _beside_feedparser(path.name, [(path.name, path.read_bytes())] * _REPETITIONS, sample=5)
    documents = list(generate_feeds(generated, seed=seed))
    for number, name in enumerate(FORMATS):
        rows += _beside_feedparser(f"generated {name}", documents[number :: len(FORMATS)], sample=_FEEDPARSER_SAMPLE)
    if documents:
        rows += _all_generated(documents)
    return rows


def _beside_feedparser(what: str, documents: Documents, *, sample: int) -> Iterator[ReadingRow]:
    if not documents:
        return
    sampled = documents[::sample]
    items = _number_of_items(documents)
    ours_seconds, peer_seconds = _cpu_seconds(
        lambda: _read_all(documents),
        lambda: _for_each(sampled, lambda _, data: feedparser.parse(io.BytesIO(data))),
    )
    ours, peer = ours_seconds / items, peer_seconds / _number_of_items(sampled)
    ratio = peer / ours
    yield ReadingRow(
        what, items, ours * 1e6, "feedparser", peer * 1e6, ratio,
        f"at least {MIN_TIMES_FEEDPARSER} times its rate", ratio >= MIN_TIMES_FEEDPARSER,
    )  # fmt: skip


def _all_generated(documents: Documents) -> Iterator[ReadingRow]:
    what = f"{len(documents):,} generated feeds"
    items = _number_of_items(documents)
    target = f"at least {MIN_SHARE_OF_FASTFEEDPARSER:g} times its rate"
    try:
        parse: Callable[[bytes], Any] = import_module("fastfeedparser").parse
    except ImportError:
        ours = _cpu_seconds(lambda: _read_all(documents))[0] / items
        why = "fastfeedparser is not installed: pip install 'gtopss[compare]'"
        yield ReadingRow(what, items, ours * 1e6, "fastfeedparser", None, None, target, None, why)
    else:
        ours, peer = (
            seconds / items
            for seconds in _cpu_seconds(
                lambda: _read_all(documents), lambda: _for_each(documents, lambda _, data: parse(data))
            )
        )
        met = peer / ours >= MIN_SHARE_OF_FASTFEEDPARSER
        yield ReadingRow(what, items, ours * 1e6, "fastfeedparser", peer * 1e6, peer / ours, target, met)
    isolated, in_worker, ours = (seconds / items for seconds in _isolated(documents))
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
        why = f"the measurement needs {MIN_DOCUMENTS} feeds; --quick makes fewer"
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
        why = "the measurement needs two processors"
        yield ReadingRow(f"{what}, two workers", items, one * 1e6, one_worker, None, None, two_workers, None, why)
        return
    yield ReadingRow(
        f"{what}, 2 workers, 2 processors, wall clock", items, two * 1e6, one_worker, one * 1e6, one / two,
        two_workers, one / two >= MIN_TIMES_WITH_TWO_WORKERS,
    )  # fmt: skip


def _number_of_items(documents: Documents) -> int:
    return sum(len(read_document(data, source=name).publications) for name, data in documents)


def _isolated(documents: Documents) -> tuple[float, float, float]:
    """Return the seconds that this process and the worker need together, those of the worker, and those without it."""
    with IsolatedReader() as reader:
        reader.read_document(documents[0][1])  # starts the worker

        def read_all() -> float:
            before = _worker_seconds(reader)
            for name, data in documents:
                reader.read_document(data, source=name)
            return _worker_seconds(reader) - before

        best, alone = (float("inf"), float("inf")), float("inf")
        for _ in range(_ROUNDS):
            alone = min(alone, *_cpu_seconds(lambda: _read_all(documents), rounds=1))
            started = time.process_time()
            in_worker = read_all()
            best = min(best, (time.process_time() - started + in_worker, in_worker))
    return (*best, alone)


def _worker_seconds(reader: IsolatedReader) -> float:
    return int(Path(f"/proc/{reader.pid}/schedstat").read_text().split()[0]) / 1e9


def _read_all(documents: Documents) -> None:
    _for_each(documents, lambda name, data: read_document(data, source=name))


def _for_each(documents: Documents, read: Callable[[str, bytes], object]) -> None:
    """Read the documents and keep nothing: the garbage collector would examine what is kept again and again."""
    for name, data in documents:
        read(name, data)


def _cpu_seconds(*tasks: Callable[[], object], rounds: int = _ROUNDS) -> list[float]:
    """Return the least CPU time of each task in several rounds: other processes only add to it.

    The tasks take turns, so that other processes disturb all of them alike.
    """
    best = [float("inf")] * len(tasks)
    for _ in range(rounds):
        for number, task in enumerate(tasks):
            started = time.process_time()
            task()
            best[number] = min(best[number], time.process_time() - started)
    return best
