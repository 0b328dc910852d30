"""The operators that yield solutions by themselves: groups, projection, aggregation, order, DISTINCT and LIMIT."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gtopss.algebra.aggregation import aggregate
from gtopss.algebra.evaluation import Evaluation, PatternEvaluator, Row
from gtopss.algebra.ordering import ReverseKey, order_key
from gtopss.algebra.steps import evaluate_group
from gtopss.model import Call
from gtopss.model.algebra import UNDEFINED, as_call, as_term, text_of


def evaluate_pattern(pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """Yield the solutions of a pattern."""
    return OPERATORS[pattern.function](pattern, evaluation)


def project(pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """SELECT: keep the values of some variables."""
    names = [as_term(name) for name in as_call(pattern.arguments[1]).arguments]
    for row in evaluation.only_given(names).pattern(as_call(pattern.arguments[0])):
        yield {name: row[name] for name in names if name in row}


def keep_distinct(pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """DISTINCT: keep each solution once."""
    seen = set[frozenset[object]]()
    for row in evaluation.pattern(as_call(pattern.arguments[0])):
        key = frozenset(row.items())
        if key not in seen:
            evaluation.spend_solution(row)
            seen.add(key)
            yield row


def order(pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """ORDER: sort the solutions by several keys; equal ones keep their order."""
    rows = list(evaluation.pattern(as_call(pattern.arguments[0])))
    for key in reversed(pattern.arguments[1:]):
        compute = evaluation.computation(as_call(key).arguments[0])
        keyed = [(order_key(compute(row), evaluation.context), row) for row in rows]
        if as_call(key).function == "DESC":
            keyed = [(ReverseKey(each), row) for each, row in keyed]  # type: ignore[misc]
        keyed.sort(key=lambda pair: pair[0])
        rows = [row for _, row in keyed]
    return iter(rows)


def limit(pattern: Call, evaluation: Evaluation) -> Iterator[Row]:
    """SLICE: leave out the first solutions, and those beyond the limit."""
    first = int(text_of(pattern.arguments[1]))
    most = pattern.arguments[2]
    end = None if most == UNDEFINED else first + int(text_of(most))
    return islice(evaluation.pattern(as_call(pattern.arguments[0])), first, end)


OPERATORS: dict[str, PatternEvaluator] = {
    "GROUP": evaluate_group,
    "SELECT": project,
    "AGGREGATES": aggregate,
    "ORDER": order,
    "DISTINCT": keep_distinct,
    "SLICE": limit,
}
"""The operators by name."""
