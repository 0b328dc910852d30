"""The plan as users see it."""

from __future__ import annotations

import pytest

from gtopss.model.expressions import call
from gtopss.operators import OperatorStage, Registry


def test_the_plan_as_json(registry: Registry) -> None:
    registry.operator("cheap", timeout=None)(lambda publication: True)
    registry.operator("expensive", timeout=None, cost=100)(lambda publication: True)
    stage = OperatorStage(registry, strategy="linked_gain_order")
    stage.add(("s", 0), [call("expensive"), call("cheap")])
    made = stage.plan().to_json()
    assert made["strategy"] == "linked_gain_order"
    assert made["chains"][0]["predicates"] == ["cheap()", "expensive()"]
    assert made["chains"][0]["expected_cost"] == pytest.approx(1 + 0.5 * 100)
    assert [each["subscriptions"] for each in made["predicates"]] == [1, 1]


@pytest.mark.parametrize(
    ("strategy", "chain", "first"),
    [("naive", ["expensive()", "cheap()"], "cheap()"), ("sequential", ["expensive()", "cheap()"], "cheap()"),
     ("linked_gain_order", ["cheap()", "expensive()"], "cheap()"),
     ("adaptive", ["cheap()", "expensive()"], "expensive()")],
)  # fmt: skip
def test_the_plan_is_the_strategys_own(strategy: str, chain: list[str], first: str, registry: Registry) -> None:
    """Ten subscriptions use the expensive one: adaptive would start with it, and only two strategies sort a chain."""
    registry.operator("cheap", timeout=None)(lambda publication: True)
    registry.operator("expensive", timeout=None, cost=5)(lambda publication: True)
    stage = OperatorStage(registry, strategy=strategy)
    stage.add(("s", 0), [call("expensive"), call("cheap")])
    for number in range(9):
        stage.add((f"s{number}", 0), [call("expensive")])
    plan = stage.plan()
    assert list(plan.chains[[each.key for each in plan.chains].index(("s", 0))].predicates) == chain
    assert plan.predicates[0].predicate == first
    assert plan.description == stage._strategy.description
