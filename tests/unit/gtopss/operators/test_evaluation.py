"""Limits of one publication: timeouts of one operator, and the deadline."""

from __future__ import annotations

import threading

from support.operator_stages import all_survivors

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term
from gtopss.operators import OperatorLimits, OperatorStage, Registry

NOTHING = Publication("p", [])


def test_an_operator_that_timed_out_too_often_is_not_called_again(
    registry: Registry, released: threading.Event
) -> None:
    called = []
    registry.operator("bad", timeout=0.05)(lambda publication, value: called.append(value) or released.wait(30))
    stage = OperatorStage(registry)
    for number in range(20):
        stage.add((f"s{number}", 0), [call("bad", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert len(called) == OperatorLimits().failures
    assert len(report.undecided) == 20
    assert report.unanswered_by_operator == {"bad": 20}


def test_the_deadline_leaves_the_rest_undecided(registry: Registry) -> None:
    now = [0.0]

    def tick(publication: Publication, value: Term) -> bool:
        now[0] += 1.0
        return False

    registry.operator("tick", timeout=None)(tick)
    stage = OperatorStage(registry, limits=OperatorLimits(seconds=2.5), clock=lambda: now[0])
    for number in range(6):
        stage.add((f"s{number}", 0), [call("tick", number)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert report.calls == 3
    assert len(report.undecided) == 3
    assert {each.reason for each in report.unanswered} == {"deadline"}
