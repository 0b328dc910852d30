"""Functions on numbers (SPARQL 1.1, section 17.4.4) and SPARQL's arithmetic (17.3, by XPath 2.0, section 6).

A number keeps its kind: an integer stays exact, a decimal is rounded to 38 digits, a float to 32 bits. Derived
integers (xsd:short, ...) become integers. A result of more than about `MAX_RESULT_DIGITS` digits exceeds the budget, so
that a subscription cannot use up memory.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DecimalException,
    Overflow,
)
from typing import Any

from gtopss.semantics.budget import EvaluationBudget
from gtopss.semantics.values import TypeMismatch, Value, ValueKind, promote, to_float

MAX_RESULT_DIGITS = 3_900
"""Digits of an integer, or of a decimal before its point. `value_of` can parse all results."""
_DECIMAL_CONTEXT = Context(prec=38, Emax=MAX_RESULT_DIGITS, Emin=-MAX_RESULT_DIGITS)
_MAX_INTEGER_BITS = 13_000  # 3,913 digits
_DECIMAL_OPERATIONS: dict[Callable[[Any, Any], Any], Callable[[Decimal, Decimal], Decimal]] = {
    operator.add: _DECIMAL_CONTEXT.add,
    operator.sub: _DECIMAL_CONTEXT.subtract,
    operator.mul: _DECIMAL_CONTEXT.multiply,
    operator.truediv: _DECIMAL_CONTEXT.divide,
}


def number_of(value: Value) -> Any:
    """Return the number of a numeric value; raise TypeMismatch for other values."""
    if not value.numeric:
        raise TypeMismatch("it is not a number")
    return value.data


def arithmetic(sign: Callable[[Any, Any], Any]) -> Callable[[EvaluationBudget, Value, Value], Value]:
    """Make `+ - * /`, which promote both numbers to the wider kind; integers divide to a decimal."""

    def apply(budget: EvaluationBudget, one: Value, other: Value) -> Value:
        if not (one.numeric and other.numeric):
            raise TypeMismatch("arithmetic needs numbers")
        kind, left, right = promote(one, other)
        if sign is operator.truediv and kind is ValueKind.INTEGER:
            kind, left, right = ValueKind.DECIMAL, Decimal(left), Decimal(right)
        try:
            if kind is ValueKind.DECIMAL:
                return Value(kind, _DECIMAL_OPERATIONS[sign](left, right))
            result = sign(left, right)
        except Overflow:
            budget.exceed("number_limit", MAX_RESULT_DIGITS)
        except (DecimalException, OverflowError) as error:
            raise TypeMismatch(str(error)) from None
        except ZeroDivisionError:
            result = _divided_by_zero(left, right)
        if kind is ValueKind.INTEGER and result.bit_length() > _MAX_INTEGER_BITS:
            budget.exceed("number_limit", MAX_RESULT_DIGITS)
        return Value(kind, to_float(result) if kind is ValueKind.FLOAT else result)

    return apply


def _divided_by_zero(left: float, right: float) -> float:
    """Divide by zero as IEEE 754 does: x / 0.0 is an infinity, 0.0 / 0.0 is NaN."""
    if left != left or left == 0:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def negative(value: Value) -> Value:
    """Unary minus."""
    number = number_of(value)
    # The minus sign of Decimal would round to the 28 digits of the thread's context.
    return Value(value.kind, number.copy_negate() if value.kind is ValueKind.DECIMAL else -number)


def positive(value: Value) -> Value:
    """Unary plus, which only requires a number."""
    return Value(value.kind, number_of(value))


def absolute(value: Value) -> Value:
    """ABS."""
    number = number_of(value)
    return Value(value.kind, number.copy_abs() if value.kind is ValueKind.DECIMAL else abs(number))


def ceiling(value: Value) -> Value:
    """CEIL."""
    return _whole(value, lambda number: number.to_integral_value(ROUND_CEILING), math.ceil)


def floor(value: Value) -> Value:
    """FLOOR."""
    return _whole(value, lambda number: number.to_integral_value(ROUND_FLOOR), math.floor)


def rounded(value: Value) -> Value:
    """ROUND: a half is rounded up, so ROUND(2.5) is 3 and ROUND(-2.5) is -2 (XPath 2.0, 6.4.4)."""
    return _whole(value, _nearest_decimal, _nearest)


def _nearest_decimal(number: Decimal) -> Decimal:
    return number.to_integral_value(ROUND_HALF_UP if number > 0 else ROUND_HALF_DOWN)


def _nearest(number: float) -> int:
    below = math.floor(number)
    return below + (number - below >= 0.5)  # number + 0.5 would itself be rounded


def _whole(value: Value, decimal: Callable[[Decimal], Decimal], real: Callable[[float], int]) -> Value:
    number = number_of(value)
    if value.kind is ValueKind.INTEGER:
        return Value(value.kind, number)
    if value.kind is ValueKind.DECIMAL:
        return Value(value.kind, decimal(number))
    if not math.isfinite(number):
        return Value(value.kind, number)
    return Value(value.kind, math.copysign(float(real(number)), number))  # ROUND(-0.5) is negative zero
