"""Branches cut in two, and put together again by evaluation."""

from __future__ import annotations

import pytest

from gtopss.model import Branch, Publication
from gtopss.model.expressions import call, compare
from gtopss.model.terms import Term, literal, term
from gtopss.operators import InvalidPredicate, OperatorStage, Registry, WrongArity, split_branch

X, Y = Term("?x"), Term("?y")


@pytest.fixture
def registry() -> Registry:
    made = Registry()
    made.operator("near", timeout=None)(lambda publication, place: place == term(1))
    made.operator("size", arity=2, binds=1, timeout=None)(lambda publication, place: [10])
    return made


def test_a_branch_without_operators_is_left_alone(registry: Registry) -> None:
    branch = Branch([("?a", "<urn:p>", "?x", [], [compare("x", ">", 1)])], [compare("x", "<", "?a")])
    assert split_branch("s", branch, registry) == (branch, (), (), ())


def test_what_reads_an_output_waits_and_the_rest_does_not(registry: Registry) -> None:
    near, size = call("near", "?x"), call("size", "?x", "?y")
    early, late = compare("x", ">", 0), compare("y", ">", 5)
    branch = Branch(
        [("?a", "<urn:p>", "?x", [], [near, early])],
        [size, late, compare("double", ">", 1), compare("half", ">", 0)],
        [("?half", call("/", "?x", 2)), ("?double", call("*", "?y", 2)), ("?more", call("+", "?double", 1))],
    )
    parts = split_branch("s", branch, registry)
    assert parts.calls == (near, size)
    assert parts.pattern.constraints() == (early, compare("half", ">", 0))
    assert [bind.variable for bind in parts.pattern.binds] == ["?half"]
    assert parts.where == (late, compare("double", ">", 1))
    assert [bind.variable for bind in parts.binds] == ["?double", "?more"]


def test_a_bind_of_an_operator_is_its_call_with_the_variable(registry: Registry) -> None:
    branch = Branch([("?a", "<urn:p>", "?x")], [compare("y", "=", 10)], [("?y", call("size", "?x"))])
    parts = split_branch("s", branch, registry)
    assert parts.calls == (call("size", "?x", "?y"),)
    assert parts.pattern.binds == ()
    stage = OperatorStage(registry)
    stage.add(("s", 0), parts.calls, bound=parts.pattern.columns(), where=parts.where, binds=parts.binds)
    report = stage.evaluate(Publication("p", []), {("s", 0): [{X: literal("here")}]})
    assert report.matched["s", 0] == ({X: literal("here"), Y: term(10)},)


def test_an_output_that_the_pattern_binds_is_joined_and_its_tests_stay(registry: Registry) -> None:
    test = compare("y", ">", 5)
    branch = Branch([("?x", "<urn:p>", "?y")], [call("size", "?x", "?y"), test])
    parts = split_branch("s", branch, registry)
    assert parts.pattern.where == (test,)
    assert parts.where == ()


@pytest.mark.parametrize(
    "branch",
    [
        Branch([], [call("!", call("near", 1))]),
        Branch([], [call("||", call("near", 1), call("near", 2))]),
        Branch([], [], [("?z", call("+", call("size", 1, "?y"), 1))]),
        Branch([], [], [("?z", call("near", 1))]),
        Branch([], [call("near", 1), call("!", call("near", 2))]),
    ],
)
def test_an_operator_inside_an_expression_is_refused(registry: Registry, branch: Branch) -> None:
    with pytest.raises(InvalidPredicate):
        split_branch("s", branch, registry)


def test_a_bind_with_too_few_arguments(registry: Registry) -> None:
    with pytest.raises(WrongArity):
        split_branch("s", Branch([], [], [("?z", call("size"))]), registry)
