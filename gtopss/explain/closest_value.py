"""Find the value that came closest to satisfying an ordered comparison such as `?year > 2000`."""

from __future__ import annotations

from collections.abc import Sequence

from gtopss.explain.explanation import ClosestValue
from gtopss.explain.operands import compile_operands, operand_values
from gtopss.explain.triple_index import Row
from gtopss.model import Branch, Call
from gtopss.model.expressions import COMPARISONS, variables
from gtopss.semantics import EvaluationContext, compile_expressions
from gtopss.semantics.values import TypeMismatch, Value, less, promote, term_of

ORDERED_COMPARISONS = COMPARISONS - {"=", "!="}


def closest_value(
    comparison: Call, rows: Sequence[Row], context: EvaluationContext, *, only_failure: bool
) -> tuple[int, ClosestValue] | None:
    """Return the failing row whose value is nearest to the limit, by its number, and that value.

    Against a constant, the order itself says which value is nearest, for numbers, dates and strings. Between two
    values of a row that takes a difference, so there only numbers count. Returns None for other constraints and where
    no values can be ordered.
    """
    if comparison.function not in ORDERED_COMPARISONS or len(comparison.arguments) != 2:
        return None
    left, right = comparison.arguments
    constant_right, constant_left = not variables(right), not variables(left)
    # Failing values lie below the limit of ">", so the largest is nearest.
    upward = (comparison.function in (">", ">=")) is constant_right
    best: tuple[int, Value, Value] | None = None
    for number, one, other in _failing_pairs(comparison, rows, context):
        if best is None:
            nearer = True
        elif constant_right or constant_left:
            old, new = (best[1], one) if constant_right else (best[2], other)
            nearer = _is_less(old, new) if upward else _is_less(new, old)
        else:
            nearer = _distance(one, other) < _distance(best[1], best[2])
        if nearer:
            best = number, one, other
    if best is None:
        return None
    number, value, limit = best
    if constant_left:
        value, limit = limit, value
    return number, ClosestValue(term_of(value), term_of(limit), only_failure)


def _failing_pairs(comparison: Call, rows: Sequence[Row], context: EvaluationContext) -> list[tuple[int, Value, Value]]:
    """Return the row number and both operands for each row that fails the comparison and whose operands are ordered."""
    operands = compile_operands(*comparison.arguments)
    (test,) = compile_expressions("explain", Branch((), [comparison])).tests
    failing = []
    for number, row in enumerate(rows):
        pair = operand_values(operands, row, context)
        if pair is not None and _are_ordered(*pair) and not test.holds(row, context):
            failing.append((number, *pair))
    return failing


def _are_ordered(one: Value, other: Value) -> bool:
    """Return whether two values have an order. NaN has none."""
    if one.data != one.data or other.data != other.data:
        return False
    try:
        less(one, other)
    except TypeMismatch:
        return False
    return True


def _is_less(one: Value, other: Value) -> bool:
    """Compare two values that are each ordered with the limit, but perhaps not with each other (no time zone)."""
    try:
        return less(one, other)
    except TypeMismatch:
        return False


def _distance(one: Value, other: Value) -> float:
    if not (one.numeric and other.numeric):
        return float("inf")
    _, left, right = promote(one, other)
    try:
        return abs(float(left - right))
    except OverflowError:
        return float("inf")
