from __future__ import annotations

import pytest

from gtopss.explain.operands import compile_operands, operand_terms, operand_values
from gtopss.model import Expression, Publication, Term
from gtopss.model.expressions import call
from gtopss.model.terms import literal, term
from gtopss.semantics import EvaluationContext
from ontology import Taxonomy

X = Term("?x")
CONTEXT = EvaluationContext(Publication("p", []), Taxonomy())


@pytest.mark.parametrize(
    ("left", "right", "terms"),
    [
        (X, term(5), (literal("abc"), term(5))),
        (call("STRLEN", X), X, (term(3), literal("abc"))),
        (call("+", X, 1), term(5), None),  # a text has no sum
        (Term("?unbound"), X, None),
    ],
)
def test_operands_are_terms_unless_one_has_no_value(
    left: Expression, right: Expression, terms: tuple[Term, Term] | None
) -> None:
    row = {X: literal("abc")}
    operands = compile_operands(left, right)
    assert operand_terms(operands, row, CONTEXT) == terms
    assert (operand_values(operands, row, CONTEXT) is None) is (terms is None)
    assert row == {X: literal("abc")}


def test_operands_have_values_that_compare() -> None:
    values = operand_values(
        compile_operands(X, term(5)), {X: literal("5.0", "http://www.w3.org/2001/XMLSchema#decimal")}, CONTEXT
    )
    assert values is not None
    assert values[0].data == values[1].data
