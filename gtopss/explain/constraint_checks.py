"""Explain why a constraint holds or fails on a row, and how bound values were computed."""

from __future__ import annotations

from gtopss.explain import limits
from gtopss.explain.closest_value import ORDERED_COMPARISONS
from gtopss.explain.explanation import Check, ComputedValue
from gtopss.explain.isa_checks import isa_checks
from gtopss.explain.operands import compile_operands, operand_values
from gtopss.explain.triple_index import Row
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.expressions import COMPARISONS, variables
from gtopss.model.terms import is_literal, literal, literal_parts
from gtopss.semantics import BranchExpressions, CompiledTest, EvaluationContext, compile_expressions
from gtopss.semantics.values import TypeMismatch, ValueKind, effective_boolean, term_of

_KIND_NAMES = {
    ValueKind.STRING: "a plain string",
    ValueKind.LANGUAGE_STRING: "a string in a language",
    ValueKind.BOOLEAN: "a boolean",
    ValueKind.DATE_TIME: "a dateTime",
    ValueKind.DATE: "a date",
    ValueKind.TIME: "a time",
    ValueKind.DURATION: "a duration",
    ValueKind.OTHER: "a literal of an unknown datatype",
    ValueKind.IRI: "an IRI",
    ValueKind.BLANK: "a blank node",
}


def check_constraint(test: CompiledTest, values: Row, context: EvaluationContext) -> Check:
    """Evaluate a constraint on one row, and find the part of it that decided."""
    holds, error = _evaluate(test, values, context)
    deciding = test
    while not holds and (clause := _first_failing_clause(deciding.call, values, context)) is not None:
        deciding = clause
        _, error = _evaluate(clause, values, context)
    substituted = substitute(deciding.call, values)
    assert isinstance(substituted, Call)
    if error is not None:
        error = _type_error(deciding.call, values, context) or error
    return Check(test.call, deciding.call, substituted, holds, error, tuple(isa_checks(deciding.call, values, context)))


def compute_binds(
    branch: Branch, expressions: BranchExpressions, row: Row, context: EvaluationContext
) -> tuple[Row, tuple[ComputedValue, ...]]:
    """Return the row extended by the values of the branch's binds, and how each was computed."""
    values, computed = dict(row), []
    for bind, (name, evaluate) in zip(branch.binds, expressions.binds, strict=True):
        value, error = None, None
        try:
            value = term_of(evaluate(values, context))
        except TypeMismatch as mismatch:
            error = str(mismatch)
        computed.append(ComputedValue(name, substitute(bind.expression, values), value, error))
        if value is not None:
            values[name] = value
    return values, tuple(computed)


def substitute(expression: Expression, values: Row) -> Expression:
    """Replace the variables of an expression by the row's values, long ones shortened. One without a value stays."""
    if isinstance(expression, Call):
        return Call(expression.function, tuple(substitute(argument, values) for argument in expression.arguments))
    value = values.get(expression)
    return expression if value is None else _shortened(value)


def _shortened(value: Term) -> Term:
    """Shorten a long literal: an expression may name it thousands of times."""
    if len(value) <= limits.MAX_SUBSTITUTED_CHARACTERS or not is_literal(value):
        return value
    lexical, datatype, language = literal_parts(value)
    return literal(lexical[: limits.MAX_SUBSTITUTED_CHARACTERS] + "…", None if language else datatype, language)


def _evaluate(test: CompiledTest, values: Row, context: EvaluationContext) -> tuple[bool, str | None]:
    """Return whether the test holds, and the type error if there was one."""
    try:
        return effective_boolean(test.evaluate(values, context)), None
    except TypeMismatch as mismatch:
        return False, str(mismatch)


def _first_failing_clause(call: Call, values: Row, context: EvaluationContext) -> CompiledTest | None:
    """Return the first member of a conjunction that does not hold; None for anything else."""
    if call.function != "&&":
        return None
    clauses = (argument for argument in call.arguments if isinstance(argument, Call))
    compiled = (compile_expressions("explain", Branch((), [clause])).tests[0] for clause in clauses)
    return next((test for test in compiled if not test.holds(values, context)), None)


def _type_error(call: Call, values: Row, context: EvaluationContext) -> str | None:
    """Say what is wrong with the types of a comparison's operands; None if its failure has another reason."""
    if call.function not in COMPARISONS or len(call.arguments) != 2:
        return None
    if any(name not in values for name in variables(call)):
        return None
    pair = operand_values(compile_operands(*call.arguments), values, context)
    if pair is None:
        return None
    one, other = sorted(pair, key=lambda value: value.numeric)
    if one.kind is ValueKind.STRING and other.numeric:
        return "a plain string never compares as a number"
    if one.kind is other.kind and ValueKind.DATE_TIME <= one.kind <= ValueKind.TIME:
        return "one side has no time zone, and the difference is too small to order them without it"
    names = list(dict.fromkeys(_KIND_NAMES.get(value.kind, "a number") for value in pair))
    if len(names) == 1:
        return f"{names[0]} has no order" if call.function in ORDERED_COMPARISONS else None
    return f"{names[0]} does not compare with {names[1]}"
