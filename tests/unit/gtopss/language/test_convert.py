from __future__ import annotations

import pytest
from support.evaluation import parse_expression
from support.parsing import parse

from gtopss.language.convert import operator_outputs, to_constraints, to_scoped_expression, to_term
from gtopss.model import Call, Expression, Term
from gtopss.model.expressions import call
from sparqlish import ast

X, Y = Term("?x"), Term("?y")
XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("term", "converted"),
    [
        (ast.IRI("urn:a"), "<urn:a>"),
        (ast.Variable("x"), "?x"),
        (ast.BlankNode("b"), "?_:b"),
        (ast.Literal("a", language="en"), '"a"@en'),
        (ast.Literal("1", XSD + "integer"), f'"1"^^<{XSD}integer>'),
    ],
)
def test_terms_become_those_of_the_model_and_blank_nodes_hidden_variables(term: ast.Term, converted: str) -> None:
    assert to_term(term) == converted


def scoped(text: str, *bound: Term) -> Expression:
    (element,) = parse(f"ASK {{ FILTER ({text}) }}").where.elements
    assert isinstance(element, ast.Filter)
    return to_scoped_expression(element.expression, set(bound))


def test_a_variable_that_the_group_does_not_bind_is_unbound_in_it() -> None:
    assert scoped("?x = ?y", X) == call("=", X, Call("UNBOUND", (Term('"?y"'),)))
    assert str(scoped("?x = ?y", X)) == "(?x = ?y)"
    assert scoped("?x = ?y", X, Y) == call("=", X, Y)


def test_bound_of_a_variable_that_the_group_does_not_bind_is_false() -> None:
    assert scoped("BOUND(?x)") == Term(f'"false"^^<{XSD}boolean>')
    assert scoped("BOUND(?x)", X) == call("BOUND", X)


def test_a_filter_is_split_at_and() -> None:
    split = to_constraints(parse_expression("?x > 1 && (?y && (?x < 5 || ?y = 2)) && !?x"))
    assert [str(each) for each in split] == ["(?x > 1)", "(?y)", "((?x < 5) || (?y = 2))", "!(?x)"]


def test_operators_bind_their_variables_alone_or_within_and() -> None:
    near = call("near", X, Y)
    assert operator_outputs(near) == {X, Y}
    assert operator_outputs(Call("&&", (near, call("=", "?z", 1)))) == {X, Y}
    assert operator_outputs(Call("||", (near, near))) == set()
    assert operator_outputs(X) == set()
