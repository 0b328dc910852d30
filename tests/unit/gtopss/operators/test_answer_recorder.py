"""Joins, rows, and unknown answers."""

from __future__ import annotations

from support.operator_stages import all_survivors

from gtopss.model import Publication
from gtopss.model.expressions import call, compare
from gtopss.model.terms import Term, term
from gtopss.operators import OperatorStage, Registry
from gtopss.operators.limits import MAX_JOINED_ROWS
from gtopss.semantics import EvaluationLimits

NOTHING = Publication("p", [])


X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def numbers(*values: int) -> list[Term]:
    return [term(value) for value in values]


def test_bindings_join_with_each_other_and_with_the_row(registry: Registry) -> None:
    registry.operator("left", binds=(0, 1), arity=2, timeout=None)(lambda publication: [(1, 10), (2, 20)])
    registry.operator("right", binds=(0, 1), arity=2, timeout=None)(lambda publication: [(10, 5), (20, 6), (30, 7)])
    stage = OperatorStage(registry)
    calls = [call("left", "?x", "?y"), call("right", "?y", "?z")]
    stage.add(("all", 0), calls)
    stage.add(("row", 0), calls, bound=[X])
    stage.add(("test", 0), calls, where=[compare(call("*", 4, "?z"), ">", "?y")])
    stage.add(("bind", 0), calls, binds=[(Term("?sum"), call("+", "?y", "?z"))], where=[compare("sum", ">", 20)])
    report = stage.evaluate(
        NOTHING, {("all", 0): [{}], ("row", 0): [{X: term(2)}, {X: term(9)}], ("test", 0): [{}], ("bind", 0): [{}]}
    )
    every = [dict(zip((X, Y, Z), numbers(*values), strict=True)) for values in [(1, 10, 5), (2, 20, 6)]]
    assert list(report.matched["all", 0]) == every
    assert list(report.matched["row", 0]) == every[1:]
    assert list(report.matched["test", 0]) == every
    assert list(report.matched["bind", 0]) == [{**every[1], Term("?sum"): term(26)}]
    assert report.calls == 2


def test_two_names_for_one_predicate_in_one_subscription(registry: Registry) -> None:
    registry.operator("n", binds=0, timeout=None)(lambda publication: [1, 2])
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("n", "?x"), call("n", "?y")], where=[compare("x", "<", "?y")])
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert report.matched["s", 0] == ({X: term(1), Y: term(2)},)
    assert report.calls == 1


def test_an_input_without_value_fails_its_row(registry: Registry) -> None:
    registry.operator("yes", timeout=None)(lambda publication, value: True)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("yes", "?x")], bound=[X])
    report = stage.evaluate(NOTHING, {("s", 0): [{}, {X: term(1)}]})
    assert report.matched["s", 0] == ({X: term(1)},)


def test_value_constraints_alone(registry: Registry) -> None:
    stage = OperatorStage(registry)
    stage.add(("s", 0), [], bound=[X], where=[compare("x", ">", 1)])
    report = stage.evaluate(NOTHING, {("s", 0): [{X: term(1)}, {X: term(2)}]})
    assert report.matched == {("s", 0): ({X: term(2)},)}


def test_without_rows_one_match_is_enough(registry: Registry) -> None:
    """With row_limit=0 no call is made for a further row of a match."""
    registry.operator("yes", timeout=None)(lambda publication, value: True)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("yes", "?x")], bound=[X])
    rows = [{X: value} for value in numbers(*range(50))]
    report = stage.evaluate(NOTHING, {("s", 0): rows}, row_limit=0)
    assert (report.matched, report.calls) == ({("s", 0): ()}, 1)
    limited = stage.evaluate(NOTHING, {("s", 0): rows}, row_limit=3)
    assert len(limited.matched["s", 0]) == 3
    assert limited.truncated == {("s", 0)}
    whole = stage.evaluate(NOTHING, {("s", 0): rows}, row_limit=50)
    assert not whole.truncated


def test_value_constraints_that_reach_a_limit_of_evaluation_are_undecided(registry: Registry) -> None:
    registry.operator("c", binds=0, timeout=None)(lambda publication: list(range(100)))
    stage = OperatorStage(registry, evaluation_limits=EvaluationLimits(work=1_000))
    stage.add(("s", 0), [call("c", "?x")], where=[compare(call("+", "?x", 1), "<", -1)])
    (unanswered,) = stage.evaluate(NOTHING, {("s", 0): [{}]}).undecided["s", 0]
    assert unanswered.reason == "evaluation"
    assert "work_limit is reached" in unanswered.detail


def test_a_join_that_is_too_large_is_undecided(registry: Registry) -> None:
    many = list(range(400))
    registry.operator("c", binds=0, timeout=None)(lambda publication: many)
    registry.operator("b", binds=0, timeout=None)(lambda publication: many)
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("c", "?x"), call("b", "?y")], where=[compare(call("+", "?x", "?y"), "<", -1)])
    assert len(many) ** 2 > MAX_JOINED_ROWS
    report = stage.evaluate(NOTHING, {("s", 0): [{}]})
    assert [each.reason for each in report.undecided["s", 0]] == ["join"]


def test_an_unknown_answer_is_not_false_but_a_false_one_decides(registry: Registry) -> None:
    registry.operator("bad")(lambda publication: 1 / 0)
    registry.operator("no")(lambda publication: False)
    stage = OperatorStage(registry)
    stage.add(("undecided", 0), [call("bad")])
    stage.add(("refused", 0), [call("bad"), call("no")])
    stage.add(("refused by value", 0), [call("bad"), call("good", 2)])
    report = stage.evaluate(NOTHING, all_survivors(stage))
    assert set(report.undecided) == {("undecided", 0)}
    assert not report.matched
