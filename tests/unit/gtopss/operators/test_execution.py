"""Operators that raise, hang, talk nonsense or are slow: the others are answered, in time, and the report names it."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Iterator, Sequence

import pytest
from support.operator_stages import all_survivors

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, term
from gtopss.operators import STRATEGIES, AnswerWithCost, OperatorLimits, OperatorStage, Registry, limits
from gtopss.operators.pending_calls import ABANDONED_CALLS

NOTHING = Publication("p", [])
X = Term("?x")


@pytest.fixture
def registry() -> Registry:
    made = Registry()
    made.operator("good", binds=0)(lambda publication: [1])
    return made


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """What a hanging operator waits for; set in the end, so that no thread outlives the test."""
    event = threading.Event()
    yield event
    event.set()


def stage_with_bystander(
    registry: Registry, bad: str, *arguments: object, limits: OperatorLimits | None = None
) -> OperatorStage:
    stage = OperatorStage(registry, limits=limits)
    stage.add(("bystander", 0), [call("good", "?x")])
    stage.add(("victim", 0), [call("good", "?x"), call(bad, *arguments)])  # type: ignore[arg-type]
    return stage


def check(stage: OperatorStage, reason: str, operator: str) -> str:
    report = stage.evaluate(NOTHING, {("bystander", 0): [{}], ("victim", 0): [{}]})
    assert report.matched == {("bystander", 0): ({X: term(1)},)}
    assert set(report.undecided) == {("victim", 0)}
    assert report.unanswered_by_operator == {operator: 1}
    (unknown,) = report.undecided["victim", 0]
    assert unknown.reason == reason
    return str(unknown)


def test_one_that_raises(registry: Registry) -> None:
    registry.operator("bad")(lambda publication: 1 / 0)
    assert "bad(): failed: ZeroDivisionError" in check(stage_with_bystander(registry, "bad"), "failed", "bad")


def test_one_that_hangs(registry: Registry, released: threading.Event) -> None:
    registry.operator("bad", timeout=0.1)(lambda publication: released.wait(30))
    stage = stage_with_bystander(registry, "bad")
    started = time.monotonic()
    assert "no answer within 0.1 s" in check(stage, "timeout", "bad")
    assert time.monotonic() - started < 5


def test_one_that_hangs_while_others_go_on(registry: Registry, released: threading.Event) -> None:
    registry.operator("bad", timeout=20)(lambda publication: released.wait(30))
    stage = stage_with_bystander(registry, "bad", limits=OperatorLimits(concurrency=2, seconds=0.3))
    started = time.monotonic()
    check(stage, "deadline", "bad")
    assert time.monotonic() - started < 5


def test_one_that_hangs_is_not_asked_forever(registry: Registry, released: threading.Event) -> None:
    asked = []
    registry.operator("bad", timeout=0.05)(lambda publication, value: asked.append(value) or released.wait(30))
    stage = OperatorStage(registry)
    for number in range(20):
        stage.add((f"s{number}", 0), [call("bad", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert len(asked) == OperatorLimits().failures
    assert len(report.undecided) == 20
    assert report.unanswered_by_operator == {"bad": 20}


@pytest.mark.parametrize("value", [None, 1, "yes", [], {}, object(), float("nan")])
def test_one_that_talks_nonsense(registry: Registry, value: object) -> None:
    registry.operator("bad")(lambda publication: value)
    check(stage_with_bystander(registry, "bad"), "invalid", "bad")


@pytest.mark.parametrize(
    "value", [None, True, 5, "text", {"x": 1}, [(1, 2)], [object()], ["not a term"], ["?variable"], range(20_000)]
)
def test_one_whose_rows_are_nonsense(registry: Registry, value: object) -> None:
    registry.operator("bad", binds=0)(lambda publication: value)
    check(stage_with_bystander(registry, "bad", "?y"), "invalid", "bad")


def test_one_whose_rows_fail_halfway(registry: Registry) -> None:
    def rows(publication: Publication) -> Iterator[int]:
        yield 1
        raise RuntimeError("halfway")

    registry.operator("bad", binds=0)(rows)
    assert "halfway" in check(stage_with_bystander(registry, "bad", "?y"), "failed", "bad")


def test_one_whose_rows_hang(registry: Registry, released: threading.Event) -> None:
    def rows(publication: Publication) -> Iterator[int]:
        yield 1
        released.wait(30)

    registry.operator("bad", binds=0, timeout=0.1)(rows)
    check(stage_with_bystander(registry, "bad", "?y"), "timeout", "bad")


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_one_that_raises_a_timeout_of_its_own_has_failed(registry: Registry, timeout: float | None) -> None:
    def bad(publication: Publication) -> bool:
        raise TimeoutError("the camera is off")

    registry.operator("bad", timeout=timeout)(bad)
    assert "the camera is off" in check(stage_with_bystander(registry, "bad"), "failed", "bad")


def test_one_that_charges_nonsense(registry: Registry) -> None:
    registry.operator("bad")(lambda publication: AnswerWithCost(True, float("nan")))
    check(stage_with_bystander(registry, "bad"), "invalid", "bad")


def test_an_unknown_answer_is_no_no_but_a_no_elsewhere_decides(registry: Registry) -> None:
    registry.operator("bad")(lambda publication: 1 / 0)
    registry.operator("no")(lambda publication: False)
    stage = OperatorStage(registry)
    stage.add(("undecided", 0), [call("bad")])
    stage.add(("refused", 0), [call("bad"), call("no")])
    stage.add(("refused by value", 0), [call("bad"), call("good", 2)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert set(report.undecided) == {("undecided", 0)}
    assert not report.matched


def test_async_operators_run_together(registry: Registry) -> None:
    running, most = [0], [0]

    @registry.operator("slow", timeout=5)
    async def slow(publication: Publication, value: Term) -> bool:
        running[0] += 1
        most[0] = max(most[0], running[0])
        await asyncio.sleep(0.02)
        running[0] -= 1
        return True

    stage = OperatorStage(registry, limits=OperatorLimits(concurrency=3))
    for number in range(9):
        stage.add((f"s{number}", 0), [call("slow", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert len(report.matched) == 9
    assert most[0] == 3


def test_async_operators_that_fail_or_hang(registry: Registry) -> None:
    @registry.operator("bad")
    async def bad(publication: Publication) -> bool:
        raise RuntimeError("no")

    @registry.operator("late", timeout=0.05)
    async def late(publication: Publication) -> bool:
        await asyncio.sleep(30)
        return True

    check(stage_with_bystander(registry, "bad"), "failed", "bad")
    assert check(stage_with_bystander(registry, "late"), "timeout", "late").endswith("no answer within 0.05 s")


def test_an_async_operator_that_blocks_the_loop_costs_only_the_loop(
    registry: Registry, released: threading.Event
) -> None:
    @registry.operator("bad", timeout=0.05)
    async def bad(publication: Publication) -> bool:
        released.wait(30)
        return True

    @registry.operator("fine", timeout=5)
    async def fine(publication: Publication) -> bool:
        return True

    stage = stage_with_bystander(registry, "bad")
    check(stage, "timeout", "bad")
    stage.add(("after", 0), [call("fine")])
    assert ("after", 0) in stage.evaluate(NOTHING, {("after", 0): [{}]}).matched


def test_batches(registry: Registry) -> None:
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


def test_a_batch_stays_within_the_budget_and_a_short_one_is_nonsense(registry: Registry) -> None:
    sizes: list[int] = []

    @registry.operator("batched", arity=1, batch=100, timeout=None)
    def batched(publication: Publication, calls: Sequence[tuple[Term, ...]]) -> list[bool]:
        sizes.append(len(calls))
        return [True]

    stage = OperatorStage(registry, limits=OperatorLimits(cost=3))
    for number in range(10):
        stage.add((f"s{number}", 0), [call("batched", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert sizes == [3]
    assert not report.matched
    assert {each.reason for each in report.unanswered} == {"invalid", "budget"}


def test_calls_left_behind_are_bounded(
    registry: Registry, released: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ABANDONED_CALLS", 2)
    registry.operator("bad", timeout=0.05)(lambda publication, value: released.wait(30))
    stage = OperatorStage(registry, limits=OperatorLimits(failures=100))
    for number in range(5):
        stage.add((f"s{number}", 0), [call("bad", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert sorted(each.reason for each in report.unanswered) == ["overloaded"] * 3 + ["timeout"] * 2
    assert (report.calls, report.cost) == (2, 2)


def test_one_that_hangs_shuts_out_nobody_else(registry: Registry, released: threading.Event) -> None:
    """However many publications it has hung for."""
    registry.operator("bad", timeout=0.01)(lambda publication: released.wait(30))
    stage = stage_with_bystander(registry, "bad")
    for _ in range(limits.MAX_ABANDONED_CALLS):
        check(stage, "timeout", "bad")
    assert "of bad that did not return in time still run" in check(stage, "overloaded", "bad")
    released.set()
    for thread in threading.enumerate():
        if thread.name == "gtopss-operator":
            thread.join(30)
    assert not len(ABANDONED_CALLS), "who returns at last is no longer left behind"


def test_calls_on_their_way_are_not_left_behind(registry: Registry) -> None:
    many = 4 * limits.MAX_ABANDONED_CALLS
    together = threading.Barrier(many)
    registry.operator("slow", timeout=30)(lambda publication, value: together.wait() >= 0)
    stage = OperatorStage(registry, limits=OperatorLimits(concurrency=many))
    for number in range(many):
        stage.add((f"s{number}", 0), [call("slow", number)])
    assert len(stage.evaluate(NOTHING, all_survivors(stage)).matched) == many


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_slow_one_does_not_take_the_time_of_the_others(
    strategy: str, registry: Registry, released: threading.Event
) -> None:
    """It is asked first, one call at a time, and the time ends before its own does."""
    registry.operator("bad", timeout=30, selectivity=0.01)(lambda publication, value: released.wait(30))
    stage = OperatorStage(registry, strategy=strategy, limits=OperatorLimits(seconds=0.5))
    for number in range(5):
        stage.add((f"victim-{number}", 0), [call("bad", number)])
    stage.add(("bystander", 0), [call("good", "?x")])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert set(report.matched) == {("bystander", 0)}
    assert len(report.undecided) == 5
    assert report.unanswered_by_operator == {"bad": 5}
    details = sorted(each.detail for each in report.unanswered)
    assert [detail.split(" ")[0:2] for detail in details] == [["no", "answer"]] + [["not", "called:"]] * 4
    assert report.calls == 2, "the one that is on its way is on the bill"


def test_nobody_waits_for_a_slow_one_that_is_no_longer_needed(registry: Registry, released: threading.Event) -> None:
    registry.operator("bad", timeout=30, selectivity=0.01)(lambda publication: released.wait(30))
    registry.operator("no", selectivity=0.99)(lambda publication: False)
    stage = OperatorStage(registry, limits=OperatorLimits(patience=0.05))
    stage.add(("s", 0), [call("bad"), call("no")])
    started = time.monotonic()
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert time.monotonic() - started < 5
    assert (report.matched, report.undecided, report.unanswered, report.calls) == ({}, {}, (), 2)


@pytest.mark.parametrize("batch", [None, 3])
def test_a_slow_one_gets_its_turn_again(registry: Registry, batch: int | None) -> None:
    """Its calls wait for one another, beside those of others, and none is lost."""
    others, running, most = threading.Event(), [0], [0]

    def slow(publication: Publication, *arguments: object) -> object:
        running[0] += 1
        most[0] = max(most[0], running[0])
        others.wait(30)
        running[0] -= 1
        return True if batch is None else [True for _ in arguments[0]]  # type: ignore[attr-defined]

    registry.operator("slow", arity=1, batch=batch, timeout=60, selectivity=0.01)(slow)
    registry.operator("last")(lambda publication: others.set() or True)
    stage = OperatorStage(registry, limits=OperatorLimits(patience=0.05))
    for number in range(7):
        stage.add((f"s{number}", 0), [call("slow", number)])
    stage.add(("last", 0), [call("last")])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert len(report.matched) == 8
    assert (report.calls, most[0]) == (8, 1)


def test_who_blocks_the_loop_is_named_by_those_who_wait_on_it(registry: Registry, released: threading.Event) -> None:
    @registry.operator("bad", timeout=0.1, selectivity=0.01)
    async def bad(publication: Publication) -> bool:
        await asyncio.sleep(0.02)
        released.wait(30)
        return True

    @registry.operator("innocent", timeout=0.2)
    async def innocent(publication: Publication) -> bool:
        await asyncio.sleep(0.05)
        return True

    stage = OperatorStage(registry, limits=OperatorLimits(concurrency=2))
    stage.add(("bad", 0), [call("bad")])
    stage.add(("innocent", 0), [call("innocent")])
    report = stage.evaluate(NOTHING, {("bad", 0): [{}], ("innocent", 0): [{}]})
    assert "bad blocks the event loop" in str(report.undecided["innocent", 0][0])
    assert "blocks" not in str(report.undecided["bad", 0][0])


def test_a_blocked_loop_is_left_before_the_time_is_over(registry: Registry, released: threading.Event) -> None:
    """The operator's own time never ends, since the publications' time is shorter."""

    @registry.operator("bad", timeout=30, selectivity=0.01)
    async def bad(publication: Publication) -> bool:
        released.wait(30)
        return True

    @registry.operator("fine", timeout=30)
    async def fine(publication: Publication) -> bool:
        return True

    stage = OperatorStage(registry, limits=OperatorLimits(seconds=1))
    stage.add(("bad", 0), [call("bad")])
    stage.add(("fine", 0), [call("fine")])
    for _ in range(3):
        report = stage.evaluate(NOTHING, {("bad", 0): [{}], ("fine", 0): [{}]})
        assert set(report.matched) == {("fine", 0)}
        assert set(report.undecided) == {("bad", 0)}


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize("error", [SystemExit(3), Unspeakable(), RecursionError("deep"), MemoryError()])
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_whatever_it_raises(registry: Registry, timeout: float | None, error: BaseException) -> None:
    def bad(publication: Publication) -> bool:
        raise error

    registry.operator("bad", timeout=timeout)(bad)
    assert type(error).__name__ in check(stage_with_bystander(registry, "bad"), "failed", "bad")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), Unspeakable()])
def test_whatever_an_async_one_raises(registry: Registry, error: BaseException) -> None:
    @registry.operator("bad", timeout=5)
    async def bad(publication: Publication) -> bool:
        raise error

    assert type(error).__name__ in check(stage_with_bystander(registry, "bad"), "failed", "bad")
    check(stage_with_bystander(registry, "bad"), "failed", "bad")


def test_rows_that_repeat_forever_are_nonsense(registry: Registry) -> None:
    registry.operator("bad", binds=0)(lambda publication: itertools.repeat(1))
    check(stage_with_bystander(registry, "bad", "?y"), "invalid", "bad")


def test_a_late_answer_of_an_earlier_call_is_not_taken_for_another(registry: Registry) -> None:
    """It is slower than its time, but returns while the publication is still worked on."""
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
