"""Answers compared first, then times taken: in turns, so that a noisy neighbour troubles all alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gtopss.errors import GtopssError


class Disagreement(GtopssError):
    """Two systems give different answers to the same question: no time of theirs is worth showing."""


ENOUGH = 0.3
"""Seconds: a task that is done sooner gets more rounds than were asked for, until it has taken this long in all."""
MOST_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of one task over all rounds: the processor's, in all threads, so that waiting for other programs does not
    count. What else the machine does only ever adds, so the least is shown."""

    least: float
    median: float
    rounds: int


def agree(answers: Mapping[str, object], where: str) -> None:
    """Refuse to go on unless all answers equal the first."""
    names = list(answers)
    for name in names[1:]:
        if answers[name] != answers[names[0]]:
            raise Disagreement(f"{name} and {names[0]} give different answers at {where}: nothing was timed")


def take_turns(tasks: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Times]:
    """The time of each task, without the garbage collector; a first round, which is not counted, warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for turn in range(max(rounds, MOST_ROUNDS)):
            for name, task in tasks.items():
                if turn < rounds or sum(seconds[name]) < ENOUGH:
                    started = time.process_time()
                    task()
                    seconds[name].append(time.process_time() - started)
    finally:
        if was_enabled:
            gc.enable()
    return {name: Times(min(each), statistics.median(each), len(each)) for name, each in seconds.items()}
