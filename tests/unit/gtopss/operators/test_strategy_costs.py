"""The calls and the cost of each strategy, simulated."""

from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import OperatorStage, Registry

NOTHING = Publication("p", [])


def test_explain_simulates_each_strategy(registry: Registry) -> None:
    registry.operator("expensive", timeout=None, cost=50)(lambda publication: True)
    registry.operator("odd", timeout=None, cost=2)(lambda publication: 1 / 0)
    registry.operator("none", timeout=None, binds=0)(lambda publication: [4])
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("expensive"), call("odd"), call("none", 3)])
    _, _, taken = stage.explain(NOTHING, ("s", 0), [{}])
    assert {each.strategy: (each.calls, each.cost) for each in taken} == {
        "naive": (3, 53), "sequential": (3, 53), "sub_order": (3, 53), "linked_gain_order": (1, 1),
        "gain_order": (1, 1), "adaptive": (1, 1)
    }  # fmt: skip
