"""Evaluate the two operands of a comparison or of an is-a constraint on a row."""

from __future__ import annotations

from gtopss.explain.triple_index import Row
from gtopss.model import Bind, Branch, Expression, Term
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from gtopss.semantics.values import Value, value_of

_LEFT, _RIGHT = Term("?_:left"), Term("?_:right")  # names that no subscription can use


def compile_operands(left: Expression, right: Expression) -> BranchExpressions:
    """Compile two expressions, as two binds."""
    return compile_expressions("explain", Branch((), binds=[Bind(_LEFT, left), Bind(_RIGHT, right)]))


def operand_terms(operands: BranchExpressions, row: Row, context: EvaluationContext) -> tuple[Term, Term] | None:
    """Return the operands' terms on this row, or None if one of them has no value."""
    values = dict(row)
    operands.bind(values, context)
    if _LEFT not in values or _RIGHT not in values:
        return None
    return values[_LEFT], values[_RIGHT]


def operand_values(operands: BranchExpressions, row: Row, context: EvaluationContext) -> tuple[Value, Value] | None:
    """Return the operands' values on this row, or None if one of them has no value."""
    terms = operand_terms(operands, row, context)
    return None if terms is None else (context.operand(value_of(terms[0])), context.operand(value_of(terms[1])))
