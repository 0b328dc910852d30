"""The value that came closest to the limit of a comparison."""

from __future__ import annotations

from typing import Any

import pytest
from support.explanations import A, B, C, P, Q, X, Y, Z, explain_branch, integer

from gtopss.explain import (
    ClosestValue,
    ConstraintFailure,
)
from gtopss.model.expressions import call, compare, starts_with
from gtopss.model.terms import XSD, term


def test_false_comparison_shows_the_closest_value() -> None:
    triples = [(A, P, 7), (B, P, 9), (C, P, 8)]
    branch = explain_branch([(X, P, Y, [], [compare("y", ">", 10)])], triples)
    assert isinstance(branch.failure, ConstraintFailure)
    assert branch.failure.closest == ClosestValue(integer(9), integer(10), only_failure=True)
    assert branch.failure.check.substituted == call(">", integer(9), integer(10))
    assert dict(branch.bindings) == {X: B, Y: integer(9)}
    assert branch.failure.rows == 3


@pytest.mark.parametrize(
    ("operator", "limit", "values", "nearest"),
    [
        ("<", 5, [9, 7, 8], 7),
        ("<=", 5, [9, 6], 6),
        (">=", 5, [1, 4, 2], 4),
        (">", '"m"', ['"a"', '"k"', '"b"'], '"k"'),
        *[
            (">", f'"2001-05-2{day}"^^<{XSD}date>', [f'"2001-05-1{d}"^^<{XSD}date>' for d in (3, 8, 5)],
             f'"2001-05-18"^^<{XSD}date>')
            for day in (1, 2)
        ],
    ],
)  # fmt: skip
def test_closest_value_of_each_ordered_type(operator: str, limit: Any, values: list[Any], nearest: Any) -> None:
    branch = explain_branch([(A, P, Y, [], [compare("y", operator, limit)])], [(A, P, value) for value in values])
    assert isinstance(branch.failure, ConstraintFailure)
    assert branch.failure.closest == ClosestValue(term(nearest), term(limit), only_failure=True)


def test_limit_may_be_on_the_left_or_another_value() -> None:
    left = explain_branch([(A, P, Y)], [(A, P, 3), (A, P, 4)], where=[call("<", integer(5), Y)])
    both = explain_branch([(X, P, Y), (X, Q, Z)], [(A, P, 3), (A, Q, 9), (B, P, 4), (B, Q, 5)], where=[call(">", Y, Z)])
    assert isinstance(left.failure, ConstraintFailure)
    assert isinstance(both.failure, ConstraintFailure)
    assert left.failure.closest == ClosestValue(integer(4), integer(5), only_failure=True)
    assert both.failure.closest == ClosestValue(integer(4), integer(5), only_failure=True)


def test_rows_in_which_all_other_constraints_hold_come_first() -> None:
    """9 is closer to 10, but only in a row that fails the other constraint as well."""
    triples = [(A, P, 9), (A, Q, '"no"'), (B, P, 3), (B, Q, '"yes"')]
    branch = explain_branch([(X, P, Y, [], [compare("y", ">", 10)]), (X, Q, Z, [], [starts_with("z", "y")])], triples)
    assert isinstance(branch.failure, ConstraintFailure)
    assert branch.failure.closest == ClosestValue(integer(3), integer(10), only_failure=True)
    assert [check.holds for check in branch.failure.checks] == [False, True]
