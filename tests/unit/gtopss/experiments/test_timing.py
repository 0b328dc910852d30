"""Tasks are timed in turns. No test looks at how long anything took."""

from __future__ import annotations

from gtopss.experiments.timing import time_interleaved


def test_tasks_take_turns_after_an_uncounted_round() -> None:
    turns: list[str] = []
    times = time_interleaved({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 2)
    assert turns == ["a", "b"] * (times["a"].rounds + 1)
    assert times["a"].rounds >= 2
    assert 0 <= times["a"].minimum <= times["a"].median
