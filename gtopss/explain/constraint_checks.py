"""Explain why a constraint holds or fails on a row, and how bound values were computed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gtopss.explain import limits
from gtopss.explain.class_labels import class_labels
from gtopss.explain.closest_value import ORDERED_COMPARISONS
from gtopss.explain.explanation import Check, ComputedValue
from gtopss.explain.isa_checks import isa_checks
from gtopss.explain.label_checks import label_checks
from gtopss.explain.operands import compile_operands, operand_values
from gtopss.explain.text_checks import text_check, text_tests
from gtopss.explain.triple_index import Row
from gtopss.model import Branch, Call, Expression, Term
from gtopss.model.expressions import COMPARISONS, variables
from gtopss.model.terms import is_literal, literal, literal_start
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


def check_constraint(
    test: CompiledTest, values: Row, context: EvaluationContext, text_context: EvaluationContext
) -> Check:
    """Evaluate a constraint on one row, and find the part of it that decided.

    `text_context` is that of the texts which are shown: its budget is another one, because what is shown of a text must
    not change what is found.
    """
    holds, error = _evaluate(test, values, context)
    deciding = test
    if (part := _deciding_part(test.call, holds, values, context)) is not None:
        deciding = part
        if not holds:
            _, error = _evaluate(part, values, context)
    substituted = substitute(deciding.call, values)
    assert isinstance(substituted, Call)
    if error is not None:
        error = _type_error(deciding.call, values, context) or error
    checks_of_isa = tuple(isa_checks(deciding.call, values, context))
    tests = list(dict.fromkeys([*text_tests(deciding.call), *(() if holds else text_tests(test.call))]))
    shown = [text_check(each, values, text_context) for each in tests[: limits.MAX_NEEDLES_SHOWN]]
    checks_of_labels = tuple(islice(label_checks(deciding.call, values, context), limits.MAX_NEEDLES_SHOWN))
    return Check(
        test.call, deciding.call, substituted, holds, error, checks_of_isa,
        tuple(each for each in shown if each is not None), len(tests) - len(shown),
        checks_of_labels, class_labels(checks_of_isa, checks_of_labels, context.taxonomy),
    )  # fmt: skip


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
    """Shorten a long literal: an expression may name it thousands of times, so not all of it is read here."""
    if len(value) <= limits.MAX_SUBSTITUTED_CHARACTERS or not is_literal(value):
        return value
    suffix = value[value.rindex('"') + 1 :]
    return Term(literal(literal_start(value, limits.MAX_SUBSTITUTED_CHARACTERS) + "…") + suffix)


def _evaluate(test: CompiledTest, values: Row, context: EvaluationContext) -> tuple[bool, str | None]:
    """Return whether the test holds, and the type error if there was one."""
    try:
        return effective_boolean(test.evaluate(values, context)), None
    except TypeMismatch as mismatch:
        return False, str(mismatch)


def _deciding_part(call: Call, holds: bool, values: Row, context: EvaluationContext) -> CompiledTest | None:
    """Return the first member of a conjunction that fails, or the first alternative that holds; otherwise None."""
    if call.function in ("&&", "||") and holds == (call.function == "||"):
        parts = _members(call, call.function)
    elif call.function == "in" and holds:
        tested, *members = call.arguments
        parts = (Call("=", (tested, member)) for member in members)
    else:
        return None
    compiled = (
        compile_expressions("explain", Branch((), [part])).tests[0] for part in islice(parts, limits.MAX_PARTS_COMPARED)
    )
    return next((test for test in compiled if test.holds(values, context) == holds), None)


def _members(call: Call, function: str) -> Iterator[Call]:
    """Yield the members of a conjunction or disjunction, and of those directly inside it."""
    for argument in call.arguments:
        if isinstance(argument, Call):
            yield from _members(argument, function) if argument.function == function else (argument,)


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
