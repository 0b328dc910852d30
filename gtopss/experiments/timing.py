"""Time tasks with the garbage collector disabled, as `timeit` does."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

MIN_TIMED_SECONDS = 0.3
"""A task that takes less than this over the requested rounds gets more rounds, until it has taken this long."""
MAX_ROUNDS = 50
"""Rounds after which a short task is not repeated any more."""
WARMED_UP_SECONDS = 0.1
"""A task shorter than this runs once, untimed, before each timed run. The tasks between two of its runs empty the
processor's caches, which a longer task fills again in a small part of its time."""


@dataclass(frozen=True, slots=True)
class TaskTimes:
    """Processor seconds of one task in all threads, over all rounds.

    Processor time does not include waiting for other programs. Disturbances only ever add to it, so experiments report
    the minimum.
    """

    minimum: float
    median: float
    rounds: int


def wall_seconds(task: Callable[[], object]) -> float:
    """Return the wall-clock seconds of one run. Objects of other systems must not cause collections meanwhile."""
    with garbage_collector_disabled():
        started = time.perf_counter()
        task()
        return time.perf_counter() - started


def processor_seconds(task: Callable[[], object]) -> float:
    """Return the processor seconds of one run in all threads. There are no collections meanwhile."""
    with garbage_collector_disabled():
        started = time.process_time()
        task()
        return time.process_time() - started


def time_interleaved(tasks: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, TaskTimes]:
    """Run the tasks in turns, so that other load on the machine affects all alike, and return their times.

    A first round is not counted. Every timed run has warm caches (`WARMED_UP_SECONDS`), as in a stream of publications.
    """
    first = {name: processor_seconds(task) for name, task in tasks.items()}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    gc.collect()
    with garbage_collector_disabled():
        for number in range(max(rounds, MAX_ROUNDS)):
            for name, task in tasks.items():
                if number < rounds or sum(seconds[name]) < MIN_TIMED_SECONDS:
                    if min(seconds[name], default=first[name]) < WARMED_UP_SECONDS:
                        task()
                    seconds[name].append(processor_seconds(task))
    return {name: TaskTimes(min(each), statistics.median(each), len(each)) for name, each in seconds.items()}


@contextmanager
def garbage_collector_disabled() -> Iterator[None]:
    """Disable the garbage collector, and enable it afterwards if it was enabled."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
