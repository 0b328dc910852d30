"""Operator stages: survivors, single calls, and a bystander that a failing operator must not affect."""

from __future__ import annotations

import threading
from typing import Any

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, term
from gtopss.operators import OperatorLimits, OperatorStage, Registry
from gtopss.operators.conjunction import Values
from gtopss.operators.conjunction_table import BranchKey


class HangingFunction:
    """A function that hangs until the event is set, and then notes that it returned."""

    def __init__(self, released: threading.Event) -> None:
        self._released = released
        self.returned = threading.Event()

    def __call__(self) -> bool:
        self._released.wait(30)
        self.returned.set()
        return True


def all_survivors(stage: OperatorStage) -> dict[BranchKey, list[Values]]:
    """All registered conjunctions, each with one empty row."""
    return {key: [{}] for key in stage.keys()}  # noqa: SIM118  # a stage is not a dict


def evaluate_call(registry: Registry, name: str, *arguments: Any, publication: Publication | None = None) -> Any:
    """Evaluate one call. Return the rows of its match, or None; an unknown answer is an error."""
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call(name, *arguments)])
    report = stage.evaluate(publication or Publication("p", []), {("s", 0): [{}]})
    assert not report.undecided, report.undecided
    return report.matched.get(("s", 0))


def stage_with_bystander(
    registry: Registry, bad: str, *arguments: object, limits: OperatorLimits | None = None
) -> OperatorStage:
    """A stage with two subscriptions: both call `good`, which binds 1, and the victim also calls `bad`."""
    stage = OperatorStage(registry, limits=limits)
    stage.add(("bystander", 0), [call("good", "?x")])
    stage.add(("victim", 0), [call("good", "?x"), call(bad, *arguments)])  # type: ignore[arg-type]
    return stage


def check_bystander(stage: OperatorStage, reason: str, operator: str) -> str:
    """Check that the bystander matches and the victim is undecided, for this reason. Return the text of the report."""
    report = stage.evaluate(Publication("p", []), {("bystander", 0): [{}], ("victim", 0): [{}]})
    assert report.matched == {("bystander", 0): ({Term("?x"): term(1)},)}
    assert set(report.undecided) == {("victim", 0)}
    assert report.unanswered_by_operator == {operator: 1}
    (unknown,) = report.undecided["victim", 0]
    assert unknown.reason == reason
    return str(unknown)
