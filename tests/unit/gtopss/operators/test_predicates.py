"""When two predicates are the same, and which rows of a shared call each of them takes."""

from __future__ import annotations

from typing import Any

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.operators import (
    OperatorStage,
    Registry,
)
from gtopss.operators.predicates import resolve_call

NOTHING = Publication("p", [])


def key(pq_registry: Registry, *arguments: Any, name: str = "p", bound: tuple[str, ...] = ()) -> object:
    return resolve_call("s", call(name, *arguments), pq_registry, bound).predicate  # type: ignore[arg-type]


def test_predicates_are_equal_up_to_renaming(pq_registry: Registry) -> None:
    assert key(pq_registry, "?x1", "?y1") == key(pq_registry, "?x3", "?y4")
    assert key(pq_registry, "?x1", "?y1") != key(pq_registry, "?x7", "?x7")
    assert key(pq_registry, "?x", 2) != key(pq_registry, "?x", 3)
    assert key(pq_registry, "?a", name="q", bound=("?a",)) == key(pq_registry, "?b", name="q", bound=("?b",))


def test_a_repeated_variable_and_a_constant_select_rows_of_one_call(pq_registry: Registry) -> None:
    stage = OperatorStage(pq_registry)
    for name, arguments in {"any": ("?x", "?y"), "same": ("?x", "?x"), "two": ("?x", 2), "three": ("?x", 3)}.items():
        stage.add((name, 0), [call("p", *arguments)])
    report = stage.evaluate(NOTHING, {(name, 0): [{}] for name in ("any", "same", "two", "three")})
    assert {key[0]: len(rows) for key, rows in report.matched.items()} == {"any": 2, "same": 1, "two": 1}
    assert report.calls == 1
