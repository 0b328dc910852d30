"""The conjunctions of one publication: calls are made only for them, once per distinct input."""

from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.expressions import call, contains
from gtopss.model.terms import Term, literal, term
from gtopss.operators import STRATEGIES, OperatorStage, Registry

NOTHING = Publication("p", [])


X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def numbers(*values: int) -> list[Term]:
    return [term(value) for value in values]


def test_a_call_is_made_per_distinct_input_and_filters_rows(registry: Registry) -> None:
    seen: list[Term] = []

    @registry.operator("small", timeout=None)
    def small(publication: Publication, value: Term) -> bool:
        seen.append(value)
        return value in numbers(1, 2)

    stage = OperatorStage(registry)
    stage.add(("a", 0), [call("small", "?x")], bound=[X, Y])
    stage.add(("b", 0), [call("small", "?z")], bound=[Z])
    one, two, three = numbers(1, 2, 3)
    rows = [{X: one, Y: three}, {X: one, Y: two}, {X: three, Y: one}, {X: two, Y: one}]
    report = stage.evaluate(NOTHING, {("a", 0): rows, ("b", 0): [{Z: one}]})
    assert list(report.matched["a", 0]) == [rows[0], rows[1], rows[3]]
    assert report.matched["b", 0] == ({Z: one},)
    assert sorted(seen) == sorted([one, two, three])


def test_a_constant_and_an_equal_input_are_one_call(registry: Registry) -> None:
    called: list[Term] = []
    registry.operator("q", timeout=None)(lambda publication, value: called.append(value) or True)
    for strategy in STRATEGIES:
        stage = OperatorStage(registry, strategy=strategy)
        stage.add(("constant", 0), [call("q", 1)])
        stage.add(("input", 0), [call("q", "?x")], bound=[X])
        stage.add(("both", 0), [call("q", "?x"), call("q", 1)], bound=[X])
        called.clear()
        rows = [{X: term(1)}, {X: term(2)}]
        report = stage.evaluate(NOTHING, {("constant", 0): [{}], ("input", 0): rows, ("both", 0): rows})
        assert sorted(called) == numbers(1, 2)
        assert {key[0]: len(rows) for key, rows in report.matched.items()} == {"constant": 1, "input": 2, "both": 2}


def test_calls_are_made_only_for_survivors(registry: Registry) -> None:
    called: list[Term] = []
    registry.operator("q", timeout=None)(lambda publication, value: called.append(value) or True)
    for strategy in STRATEGIES:
        stage = OperatorStage(registry, strategy=strategy)
        for number in range(20):
            stage.add((f"s{number}", 0), [call("q", number), call("q", number + 1)])
        stage.add(("text", 0), [call("q", literal("a"))], where=[contains("x", "b")], bound=[X])
        called.clear()
        report = stage.evaluate(NOTHING, {("s3", 0): [{}], ("s4", 0): [{}]})
        assert set(report.matched) == {("s3", 0), ("s4", 0)}
        assert sorted(called) == numbers(3, 4, 5)
