"""The cost limit: the most valuable subscriptions are decided first."""

from __future__ import annotations

from collections.abc import Sequence

from support.operator_stages import all_survivors

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term
from gtopss.operators import OperatorLimits, OperatorStage, Registry

NOTHING = Publication("p", [])


def test_a_budget_decides_the_most_valuable_first(registry: Registry) -> None:
    called = []
    for name in ("popular", "rare", "expensive"):
        registry.operator(name, timeout=None, cost=50 if name == "expensive" else 1)(
            lambda publication, name=name: called.append(name) or False
        )
    stage = OperatorStage(registry, limits=OperatorLimits(cost=1.5))
    for number in range(5):
        stage.add((f"popular-{number}", 0), [call("popular")])
    stage.add(("rare", 0), [call("rare")])
    stage.add(("expensive", 0), [call("expensive")], value=10)
    everything = all_survivors(stage)
    report = stage.evaluate(NOTHING, everything)
    assert called == ["popular"]
    assert report.cost == 1
    assert set(report.undecided) == {("rare", 0), ("expensive", 0)}
    assert {each.reason for each in report.unanswered} == {"budget"}


def test_the_value_of_a_subscription_counts(registry: Registry) -> None:
    called = []
    for name in ("many", "one"):
        registry.operator(name, timeout=None)(lambda publication, name=name: called.append(name) or False)
    stage = OperatorStage(registry, limits=OperatorLimits(cost=1))
    for number in range(5):
        stage.add((f"many-{number}", 0), [call("many")])
    stage.add(("one", 0), [call("one")], value=100)
    stage.evaluate(NOTHING, all_survivors(stage))
    assert called == ["one"]


def test_a_batch_stays_within_the_budget_and_a_short_answer_is_invalid(registry: Registry) -> None:
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
