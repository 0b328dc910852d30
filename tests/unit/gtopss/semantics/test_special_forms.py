"""Special forms: which arguments they evaluate, and which errors they survive (SPARQL 1.1, section 17.4.1)."""

from __future__ import annotations

import itertools

import pytest
from support.evaluation import (
    ALL,
    CONTEXT,
    assert_agrees_with_oxigraph,
    evaluate_text,
    examples,
    expected_term,
    parse_expression,
)

from gtopss.errors import InvalidSubscription
from gtopss.model import Branch, Call
from gtopss.model.expressions import impossible_constraint
from gtopss.model.terms import Term, iri
from gtopss.semantics import compile_expressions
from gtopss.semantics.values import FALSE, TypeMismatch

EXAMPLES = r"""
IF("x" = "x", "yes", "no")                  -> "yes"
IF(1/0, "yes", "no")                        -> error
IF(true, "yes", 1/0)                        -> "yes"
IF("a" = "b", 1/0, "no")                    -> "no"
COALESCE(?x, 3)                             -> 3
COALESCE(1/0, ?x, 5, 6)                     -> 5
COALESCE(1/0)                               -> error
COALESCE()                                  -> error
2 IN (1, 2, 3)                              -> true
2 IN ()                                     -> false
2 IN (<http://example/iri>, "str", 2.0)     -> true
2 IN (1/0, 2)                               -> true
2 IN (2, 1/0)                               -> true
2 IN (3, 1/0)                               -> error
2 NOT IN ()                                 -> true
2 NOT IN (1, 2)                             -> false
2 NOT IN (3, 1/0)                           -> error
BOUND(?x)                                   -> false
"""


@pytest.mark.parametrize(("text", "expected"), examples(EXAMPLES))
def test_by_the_specification(text: str, expected: str) -> None:
    assert evaluate_text(text) == expected_term(expected)


def test_if_and_coalesce_are_oxigraphs() -> None:
    for one, two in itertools.product(ALL, ["1", '"a"@en', "1/0"]):
        assert_agrees_with_oxigraph([f"IF({one}, {two}, <urn:no>)", f"COALESCE({two}, {one})", f"{one} IN ({two}, 1)"])


def test_unbound_is_always_an_error() -> None:
    tree = Call("UNBOUND", ())
    (test,) = compile_expressions("s", Branch([("?x", "<urn:p>", "?y")], [tree])).tests
    with pytest.raises(TypeMismatch):
        test.evaluate({Term("?x"): iri("urn:a")}, CONTEXT)


def test_an_impossible_constraint_is_false() -> None:
    (test,) = compile_expressions(
        "s", Branch([("?x", "<urn:p>", "?y")], [impossible_constraint("there is no such thing")])
    ).tests
    assert test.evaluate({}, CONTEXT) is FALSE


@pytest.mark.parametrize("text", ['REPLACE(?x, "(", "a")', r'REPLACE(?x, "(a)\\1", "a")', 'REPLACE(?x, "a", "b", "z")'])
def test_a_constant_pattern_that_cannot_run_is_refused_at_registration(text: str) -> None:
    tree = parse_expression(text)
    assert isinstance(tree, Call)
    with pytest.raises(InvalidSubscription):
        compile_expressions("s", Branch([("?x", "<urn:p>", "?y")], [tree]))
