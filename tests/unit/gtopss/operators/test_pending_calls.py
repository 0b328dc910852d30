"""Abandoned calls: counted by operator, limited, and forgotten once they return."""

from __future__ import annotations

import threading

import pytest
from support.operator_stages import all_survivors, check_bystander, stage_with_bystander

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import OperatorLimits, OperatorStage, Registry, limits
from gtopss.operators.pending_calls import ABANDONED_CALLS

NOTHING = Publication("p", [])


def test_abandoned_calls_are_limited(
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


def test_an_operator_that_hangs_disables_only_itself(registry: Registry, released: threading.Event) -> None:
    """However many publications it hung for."""
    registry.operator("bad", timeout=0.01)(lambda publication: released.wait(30))
    stage = stage_with_bystander(registry, "bad")
    for _ in range(limits.MAX_ABANDONED_CALLS):
        check_bystander(stage, "timeout", "bad")
    assert "of bad that did not return in time still run" in check_bystander(stage, "overloaded", "bad")
    released.set()
    for thread in threading.enumerate():
        if thread.name == "gtopss-operator":
            thread.join(30)
    assert not len(ABANDONED_CALLS), "a call that returned is no longer counted"


def test_pending_calls_do_not_count_as_abandoned(registry: Registry) -> None:
    many = 4 * limits.MAX_ABANDONED_CALLS
    together = threading.Barrier(many)
    registry.operator("slow", timeout=30)(lambda publication, value: together.wait() >= 0)
    stage = OperatorStage(registry, limits=OperatorLimits(concurrency=many))
    for number in range(many):
        stage.add((f"s{number}", 0), [call("slow", number)])
    assert len(stage.evaluate(NOTHING, all_survivors(stage)).matched) == many
