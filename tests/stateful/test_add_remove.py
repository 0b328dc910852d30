"""Adding and removing in any order leaves answers as if what was removed had never been."""

from __future__ import annotations

import pytest
from conftest import SOAK
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from support.machines import AddRemoveMatch
from support.matchers import every_matcher


@pytest.mark.parametrize("matcher", every_matcher("stateful"))
def test_add_remove_match(matcher: str) -> None:
    machine = type("Machine", (AddRemoveMatch,), {"matcher": matcher})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=2_000 if SOAK else 40, stateful_step_count=30, deadline=None)
    )
