"""Measure `gtopss filter` as a user runs it: with keyword subscriptions, on one processor and on two.

The command starts for some seconds: it loads compiled code and subscriptions. So each figure is the difference between
a run over all feeds and a run over a tenth of them, per item, of the best of two runs each.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gtopss.experiments.workloads.generated_feeds import WORDS

KEYWORD_SUBSCRIPTIONS = 1_000
MIN_DOCUMENTS = 500  # with fewer, the start of the command hides what is measured
_RUNS = 2
_WORDS_PER_SUBSCRIPTION = 3  # about every fifth generated item has one of 1,000 such phrases
_SUMMARY = re.compile(r"documents, (\d+) items, (\d+) of them matched")


@dataclass(frozen=True, slots=True)
class FilterTimes:
    """Seconds per item: CPU time of the command without its workers, and wall-clock time with one worker and two."""

    items: int
    matched: float
    process_seconds: float
    one_worker_seconds: float
    two_workers_seconds: float | None
    """None if there is only one processor."""


@dataclass(frozen=True, slots=True)
class _Run:
    items: int
    matched: int
    cpu_seconds: float
    wall_seconds: float


def measure_filter(documents: Sequence[tuple[str, bytes]]) -> FilterTimes:
    """Measure the command over these feeds."""
    processors = sorted(os.sched_getaffinity(0))[:2]
    with tempfile.TemporaryDirectory(prefix="gtopss-") as folder:
        subscriptions, some, all_ = (Path(folder) / name for name in ("subscriptions", "some", "all"))
        _write_subscriptions(subscriptions)
        for place, written in ((some, documents[::10]), (all_, documents)):
            place.mkdir()
            for number, (_, data) in enumerate(written):
                (place / f"{number:06}.xml").write_bytes(data)
        one = [_best(each, subscriptions, processors[:1]) for each in (some, all_)]
        two = [_best(each, subscriptions, processors) for each in (some, all_)] if len(processors) > 1 else None
    items = one[1].items - one[0].items
    return FilterTimes(
        one[1].items,
        one[1].matched / one[1].items,
        (one[1].cpu_seconds - one[0].cpu_seconds) / items,
        (one[1].wall_seconds - one[0].wall_seconds) / items,
        (two[1].wall_seconds - two[0].wall_seconds) / items if two else None,
    )


def _write_subscriptions(folder: Path) -> None:
    folder.mkdir()
    chance = random.Random(2005)
    words = sorted({each for each in WORDS if each.isalpha()})
    for number in range(KEYWORD_SUBSCRIPTIONS):
        phrase = " ".join(chance.choices(words, k=_WORDS_PER_SUBSCRIPTION))
        texts = "{ ?item rss:title ?text } UNION { ?item rss:description ?text }"
        query = f'SELECT ?item ?text WHERE {{ {texts} FILTER words(?text, "{phrase}") }}'
        (folder / f"keywords-{number:04}.rq").write_text(query)


def _best(feeds: Path, subscriptions: Path, processors: Sequence[int]) -> _Run:
    runs = [_filter(feeds, subscriptions, processors) for _ in range(_RUNS)]
    return _Run(
        runs[0].items,
        runs[0].matched,
        min(each.cpu_seconds for each in runs),
        min(each.wall_seconds for each in runs),
    )


def _filter(feeds: Path, subscriptions: Path, processors: Sequence[int]) -> _Run:
    """Run the command with as many workers as processors."""
    command = [sys.executable, "-m", "gtopss", "filter", str(feeds), "-s", str(subscriptions), "--output", "jsonl"]
    before = os.sched_getaffinity(0)
    started = time.perf_counter()
    with tempfile.TemporaryFile() as messages:
        os.sched_setaffinity(0, processors)  # the command and its workers inherit this
        try:
            process = subprocess.Popen(
                [*command, "--workers", str(len(processors))], stdout=subprocess.DEVNULL, stderr=messages
            )
        finally:
            os.sched_setaffinity(0, before)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        messages.seek(0)
        found = _SUMMARY.search(messages.read().decode())
    if process.returncode != 0 or found is None:
        raise RuntimeError(f"gtopss filter ended with exit code {process.returncode}")
    return _Run(int(found[1]), int(found[2]), usage.ru_utime + usage.ru_stime, wall)
