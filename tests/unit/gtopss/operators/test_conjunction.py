"""Values of conjunctions."""

from __future__ import annotations

import pytest
from support.operator_stages import all_survivors

from gtopss.errors import InvalidSubscription
from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import OperatorStage, Registry

NOTHING = Publication("p", [])


def test_values_add_up_exactly(registry: Registry) -> None:
    """Ten times 0.1 minus ten times 0.1 must be exactly 0, or an unnecessary call would be made."""
    called = []
    for name in ("first", "second"):
        registry.operator(name, timeout=None, selectivity=0.1)(
            lambda publication, name=name: called.append(name) or False
        )
    stage = OperatorStage(registry)
    for number in range(10):
        stage.add((f"s{number}", 0), [call("first"), call("second")], value=0.1)
    stage.evaluate(NOTHING, all_survivors(stage))
    assert len(called) == 1
    with pytest.raises(InvalidSubscription, match="value"):
        stage.add(("s", 0), [call("first")], value=0)
