"""Tasks are timed in turns. No test looks at how long anything took."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from gtopss.experiments import timing
from gtopss.experiments.timing import time_interleaved


def test_tasks_take_turns_after_an_uncounted_round_and_each_runs_untimed_before_it_is_timed() -> None:
    turns: list[str] = []
    times = time_interleaved({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 2)
    assert turns == ["a", "b"] + ["a", "a", "b", "b"] * times["a"].rounds
    assert times["a"].rounds >= 2
    assert 0 <= times["a"].minimum <= times["a"].median


def test_a_long_task_needs_no_untimed_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    runs: Counter[str] = Counter()

    def task(name: str, seconds: float) -> None:
        nonlocal now
        now += seconds
        runs[name] += 1

    monkeypatch.setattr(time, "process_time", lambda: now)
    long, short = 0.25, 0.0625
    assert short < timing.WARMED_UP_SECONDS < long
    times = time_interleaved({"long": lambda: task("long", long), "short": lambda: task("short", short)}, 3)
    assert (times["long"].rounds, runs["long"]) == (3, 1 + 3)
    assert runs["short"] == 1 + 2 * times["short"].rounds
