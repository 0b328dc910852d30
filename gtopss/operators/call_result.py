"""The result of a call: convert what an operator's function returned or raised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gtopss.errors import short_repr
from gtopss.operators.declaration import FALSE_ROWS, TRUE_ROWS, AnswerWithCost, InvalidAnswer, Operator, Rows
from gtopss.operators.predicates import OperatorCall
from gtopss.operators.report import Reason


class CallResult(NamedTuple):
    """Rows, or the reason why the answer is unknown."""

    rows: Rows | None
    reason: Reason | None = None
    detail: str = ""
    cost: float | None = None
    """The cost of the call, if the operator reported it."""


_TRUE, _FALSE = CallResult(TRUE_ROWS), CallResult(FALSE_ROWS)


def result_of_value(operator: Operator, value: Any) -> CallResult:
    """Convert what a function returned for one call."""
    if value is False or (value is True and not operator.binds):
        return _TRUE if value else _FALSE  # by far the most frequent
    cost = None
    if isinstance(value, AnswerWithCost):
        value, cost = value.answer, value.cost
        if not isinstance(cost, (int, float)) or not 0 <= cost < float("inf"):
            return CallResult(None, "invalid", f"returned the cost {short_repr(cost)}, expected a number from 0")
    try:
        return CallResult(operator.to_rows(value), cost=cost)
    except InvalidAnswer as error:
        return CallResult(None, "invalid", str(error), cost)
    except Exception as error:  # rows may come from a generator, which fails only now
        return result_of_error(error)._replace(cost=cost)


def results_of_value(operator: Operator, calls: Sequence[OperatorCall], value: Any) -> list[CallResult]:
    """Convert what a function returned for one call or, if the operator is batched, for several."""
    if operator.batch is None:
        return [result_of_value(operator, value)]
    if not isinstance(value, (list, tuple)) or len(value) != len(calls):
        detail = f"returned {short_repr(value)}, expected a list of {len(calls)} answers"
        return [CallResult(None, "invalid", detail)] * len(calls)
    return [result_of_value(operator, each) for each in value]


def result_of_error(error: BaseException) -> CallResult:
    """Convert what a function raised."""
    try:
        message = str(error)
    except Exception:
        message = "an error that cannot be short_repr"
    return CallResult(None, "failed", f"{type(error).__name__}: {short_repr(message)}")
