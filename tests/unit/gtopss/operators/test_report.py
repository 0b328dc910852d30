from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import OperatorStage, Registry
from gtopss.operators.report import OperatorReport

NOTHING = Publication("p", [])


def evaluate(registry: Registry, **subscriptions: list[str]) -> OperatorReport:
    stage = OperatorStage(registry)
    for name, operators in subscriptions.items():
        stage.add((name, 0), [call(each) for each in operators])
    return stage.evaluate(NOTHING, {(name, 0): [{}] for name in subscriptions})


def test_calls_that_were_shared_or_unnecessary_are_saved() -> None:
    registry = Registry()
    registry.operator("no", cost=3, timeout=None)(lambda publication: False)
    registry.operator("yes", cost=50, timeout=None)(lambda publication: True)
    report = evaluate(registry, a=["no", "yes"], b=["no"], c=["no", "yes"])
    assert (report.calls, report.unshared_calls, report.saved, report.cost) == (1, 5, 4, 3)
    assert report.matched == {}


def test_answers_from_the_cache_are_not_calls() -> None:
    registry = Registry()
    registry.operator("same", pure=True, timeout=None)(lambda value: True)
    stage = OperatorStage(registry)
    stage.add(("a", 0), [call("same", 1)])
    first, second = (stage.evaluate(NOTHING, {("a", 0): [{}]}) for _ in range(2))
    assert (first.calls, second.calls, second.saved) == (1, 0, 1)
    assert set(second.matched) == {("a", 0)}


def test_unanswered_calls_are_counted_by_operator_and_say_why() -> None:
    registry = Registry()

    @registry.operator("broken", timeout=None)
    def broken(publication: Publication) -> bool:
        raise RuntimeError("no camera")

    report = evaluate(registry, a=["broken"], b=["broken"])
    assert report.unanswered_by_operator == {"broken": 1}
    assert set(report.undecided) == {("a", 0), ("b", 0)}
    (unanswered,) = report.unanswered
    assert unanswered.reason == "failed"
    assert str(unanswered).startswith("broken(): failed: ")
    assert "no camera" in str(unanswered)
