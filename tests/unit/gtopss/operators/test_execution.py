"""Calls that hang, run at once or return late: other calls are answered, and the report names the operator."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence

from support.operator_stages import HangingFunction, all_survivors, check_bystander, stage_with_bystander

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, term
from gtopss.operators import OperatorLimits, OperatorStage, Registry

NOTHING = Publication("p", [])


def test_a_call_that_hangs_times_out(registry: Registry, released: threading.Event) -> None:
    hang = HangingFunction(released)
    registry.operator("bad", timeout=0.1)(lambda publication: hang())
    stage = stage_with_bystander(registry, "bad")
    assert "no answer within 0.1 s" in check_bystander(stage, "timeout", "bad")
    assert not hang.returned.is_set(), "the evaluation did not wait for the call"


def test_a_call_that_hangs_ends_with_the_deadline(registry: Registry, released: threading.Event) -> None:
    hang = HangingFunction(released)
    registry.operator("bad", timeout=20)(lambda publication: hang())
    stage = stage_with_bystander(registry, "bad", limits=OperatorLimits(concurrency=2, seconds=0.3))
    check_bystander(stage, "deadline", "bad")
    assert not hang.returned.is_set(), "the evaluation did not wait for the call"


def test_rows_that_hang_time_out(registry: Registry, released: threading.Event) -> None:
    def rows(publication: Publication) -> Iterator[int]:
        yield 1
        released.wait(30)

    registry.operator("bad", binds=0, timeout=0.1)(rows)
    check_bystander(stage_with_bystander(registry, "bad", "?y"), "timeout", "bad")


def test_async_calls_run_at_once_up_to_the_concurrency(registry: Registry) -> None:
    running, most = [0], [0]
    together = asyncio.Barrier(3)  # no call returns before three run at once

    @registry.operator("slow", timeout=5)
    async def slow(publication: Publication, value: Term) -> bool:
        running[0] += 1
        most[0] = max(most[0], running[0])
        await together.wait()
        running[0] -= 1
        return True

    stage = OperatorStage(registry, limits=OperatorLimits(concurrency=3))
    for number in range(9):
        stage.add((f"s{number}", 0), [call("slow", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert len(report.matched) == 9
    assert most[0] == 3


def test_async_calls_that_fail_or_hang_are_unanswered(registry: Registry) -> None:
    @registry.operator("bad")
    async def bad(publication: Publication) -> bool:
        raise RuntimeError("no")

    @registry.operator("late", timeout=0.05)
    async def late(publication: Publication) -> bool:
        await asyncio.Event().wait()
        return True

    check_bystander(stage_with_bystander(registry, "bad"), "failed", "bad")
    assert check_bystander(stage_with_bystander(registry, "late"), "timeout", "late").endswith(
        "no answer within 0.05 s"
    )


def test_calls_of_a_batched_operator_are_made_in_batches(registry: Registry) -> None:
    batches: list[int] = []

    @registry.operator("batched", arity=1, batch=4)
    def batched(publication: Publication, calls: Sequence[tuple[Term, ...]]) -> list[bool]:
        batches.append(len(calls))
        return [value == term(0) for (value,) in calls]

    stage = OperatorStage(registry)
    for number in range(10):
        stage.add((f"s{number}", 0), [call("batched", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert set(report.matched) == {("s0", 0)}
    assert batches == [4, 4, 2]
    assert report.calls == 10


def test_a_late_answer_is_not_taken_for_another_call(registry: Registry) -> None:
    """It returns after its timeout, but before the publication is decided."""
    overdue, returned = threading.Event(), threading.Event()

    def late(publication: Publication) -> bool:
        overdue.wait(30)
        returned.set()
        return True

    def steady(publication: Publication) -> bool:
        overdue.set()
        return returned.wait(30)

    registry.operator("late", timeout=0.05)(late)
    registry.operator("steady", timeout=30, cost=1000)(steady)
    stage = OperatorStage(registry)
    stage.add(("late", 0), [call("late")])
    stage.add(("steady", 0), [call("steady")])
    report = stage.evaluate(NOTHING, {("late", 0): [{}], ("steady", 0): [{}]})
    assert set(report.matched) == {("steady", 0)}
    assert set(report.undecided) == {("late", 0)}
