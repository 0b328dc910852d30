"""Answers of pure operators are cached across publications."""

from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, term
from gtopss.operators import OperatorStage, Registry

NOTHING = Publication("p", [])


X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def numbers(*values: int) -> list[Term]:
    return [term(value) for value in values]


def test_pure_answers_are_cached_across_publications_up_to_a_limit(registry: Registry) -> None:
    called: list[Term] = []

    @registry.operator("square", pure=True, binds=1, timeout=None)
    def square(value: Term) -> list[int]:
        called.append(value)
        return [int(value[1 : value.index('"', 1)]) ** 2]

    stage = OperatorStage(registry, max_cached_answers=2)
    stage.add(("s", 0), [call("square", "?x", "?y")], bound=[X])

    def squares(*values: int) -> list[int]:
        called.clear()
        report = stage.evaluate(NOTHING, {("s", 0): [{X: value} for value in numbers(*values)]})
        assert len(report.matched["s", 0]) == len(values)
        return len(called)

    assert squares(1, 2) == 2
    assert squares(2, 1) == 0
    assert squares(3) == 1  # which forgets 2: it was used longest ago
    assert squares(1, 3) == 0
    assert squares(2) == 1
