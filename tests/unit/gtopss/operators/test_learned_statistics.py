"""Learning selectivity and cost; drift and dependence."""

from __future__ import annotations

import random

import pytest
from support.operator_stages import all_survivors

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import AnswerWithCost, OperatorStage, Registry

NOTHING = Publication("p", [])


def test_the_reported_cost_of_a_call_is_learned_and_counted(registry: Registry) -> None:
    registry.operator("model", timeout=None, cost=1)(lambda publication: AnswerWithCost(True, 9.0))
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("model")])
    for _ in range(20):
        report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert report.cost == 9.0
    assert 8.0 < stage.plan().predicates[0].cost < 9.0


def test_seconds_count_as_cost_if_they_have_a_price(registry: Registry) -> None:
    now = [0.0]

    def slow(publication: Publication) -> bool:
        now[0] += 2.0
        return True

    registry.operator("slow", timeout=None)(slow)
    stage = OperatorStage(registry, cost_per_second=10.0, clock=lambda: now[0])
    stage.add(("s", 0), [call("slow")])
    stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert stage.plan().predicates[0].cost == pytest.approx(21.0)


def test_selectivity_is_learned_and_changes_the_order(registry: Registry) -> None:
    called: list[str] = []
    for name, answer in (("usual", True), ("unusual", False)):
        registry.operator(name, timeout=None)(
            lambda publication, name=name, answer=answer: called.append(name) or answer
        )
    for strategy in ("adaptive", "sub_order"):
        stage = OperatorStage(registry, strategy=strategy)
        stage.add(("s", 0), [call("usual"), call("unusual")])
        stage.add(("t", 0), [call("usual")])
        for _ in range(3):
            stage.evaluate(NOTHING, {("s", 0): [{}], ("t", 0): [{}]})
        plan = {each.predicate: each.selectivity for each in stage.plan().predicates}
        assert plan["usual()"] > 0.75
        called.clear()
        stage.evaluate(NOTHING, {("s", 0): [{}]})
        assert called == ["unusual"]


def test_drift_is_reported_and_followed(registry: Registry) -> None:
    answer = [True]
    registry.operator("fickle", timeout=None)(lambda publication, value: answer[0])
    stage = OperatorStage(registry)
    for number in range(8):
        stage.add((f"s{number}", 0), [call("fickle", number)])
    everything = all_survivors(stage)
    for _ in range(400):
        stage.evaluate(NOTHING, everything)
    answer[0] = False
    for _ in range(256):
        stage.evaluate(NOTHING, everything)
    plan = stage.plan()
    assert all(each.selectivity < 0.3 for each in plan.predicates)
    assert all(each.drifted_from is not None and each.drifted_from > 0.6 for each in plan.predicates)


def test_dependent_predicates_are_reported(registry: Registry) -> None:
    """Both hold or neither: four times as many matches as independence allows, at one in four."""
    generator = random.Random(7)
    holds = [True]
    for name in ("rain", "wet", "tuesday", "late"):
        registry.operator(name, timeout=None, selectivity=0.25)(
            lambda publication, name=name: holds[0] if name in ("rain", "wet") else generator.random() < 0.25
        )
    stage = OperatorStage(registry)
    stage.add(("together", 0), [call("rain"), call("wet")])
    stage.add(("apart", 0), [call("tuesday"), call("late")])
    for name in ("rain", "wet", "tuesday", "late"):
        stage.add((name, 0), [call(name)])
    for _ in range(400):
        holds[0] = generator.random() < 0.25
        stage.evaluate(NOTHING, all_survivors(stage))
    odd = {chain.key[0]: chain for chain in stage.plan().chains if chain.matches is not None}
    assert set(odd) == {"together"}
    assert odd["together"].expected_matches is not None
    assert odd["together"].matches is not None
    assert odd["together"].matches > 2.5 * odd["together"].expected_matches
