"""Slow calls: they delay only calls of their own operator."""

from __future__ import annotations

import threading

import pytest
from support.operator_stages import HangingFunction, all_survivors

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import STRATEGIES, OperatorLimits, OperatorStage, Registry

NOTHING = Publication("p", [])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_slow_call_does_not_use_up_the_time_of_others(
    strategy: str, registry: Registry, released: threading.Event
) -> None:
    """It is called first, one call at a time, and the deadline comes before its own timeout."""
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
    assert report.calls == 2, "the pending call counts"


def test_a_slow_call_that_is_not_needed_is_not_waited_for(registry: Registry, released: threading.Event) -> None:
    hang = HangingFunction(released)
    registry.operator("bad", timeout=30, selectivity=0.01)(lambda publication: hang())
    registry.operator("no", selectivity=0.99)(lambda publication: False)
    stage = OperatorStage(registry, limits=OperatorLimits(patience=0.05))
    stage.add(("s", 0), [call("bad"), call("no")])
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert not hang.returned.is_set(), "the evaluation did not wait for the call"
    assert (report.matched, report.undecided, report.unanswered, report.calls) == ({}, {}, (), 2)


@pytest.mark.parametrize("batch", [None, 3])
def test_deferred_calls_of_a_slow_operator_are_made_later(registry: Registry, batch: int | None) -> None:
    """Its calls are made one after the other, beside those of other operators, and none is lost."""
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
