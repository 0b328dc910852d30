"""When two predicates are the same, and which rows of a shared call each of them takes."""

from __future__ import annotations

from typing import Any

import pytest

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import (
    OperatorStage,
    Registry,
)
from gtopss.operators.predicates import resolve_call

NOTHING = Publication("p", [])


@pytest.fixture
def registry() -> Registry:
    made = Registry()
    made.operator("p", arity=2, binds=(0, 1), timeout=None)(lambda publication: [(1, 1), (1, 2)])
    made.operator("q", timeout=None)(lambda publication, value: True)
    return made


def key(registry: Registry, *arguments: Any, name: str = "p", bound: tuple[str, ...] = ()) -> object:
    return resolve_call("s", call(name, *arguments), registry, bound).predicate  # type: ignore[arg-type]


def test_predicates_are_equal_up_to_renaming(registry: Registry) -> None:
    assert key(registry, "?x1", "?y1") == key(registry, "?x3", "?y4")
    assert key(registry, "?x1", "?y1") != key(registry, "?x7", "?x7")
    assert key(registry, "?x", 2) != key(registry, "?x", 3)
    assert key(registry, "?a", name="q", bound=("?a",)) == key(registry, "?b", name="q", bound=("?b",))


def test_a_repeated_variable_and_a_constant_select_rows_of_one_call(registry: Registry) -> None:
    stage = OperatorStage(registry)
    for name, arguments in {"any": ("?x", "?y"), "same": ("?x", "?x"), "two": ("?x", 2), "three": ("?x", 3)}.items():
        stage.add((name, 0), [call("p", *arguments)])
    report = stage.evaluate(NOTHING, {(name, 0): [{}] for name in ("any", "same", "two", "three")})
    assert {key[0]: len(rows) for key, rows in report.matched.items()} == {"any": 2, "same": 1, "two": 1}
    assert report.calls == 1
