"""Predicates and subscriptions as data."""

from __future__ import annotations

import pytest

from gtopss.attributes import AttributeSubscription, Comparison, Predicate
from gtopss.errors import InvalidSubscription


def test_repeated_tests_are_dropped() -> None:
    made = AttributeSubscription("s", [Predicate("x", "=", 2), Predicate("x", "=", 2.0), Comparison("n", "<", "m")])
    assert len(made.tests) == 2
    assert made.attributes == ("x", "n", "m")


@pytest.mark.parametrize(("id", "tests"), [("", [Predicate("n", "=", 1)]), ("s", [])])
def test_a_subscription_needs_an_id_and_a_predicate(id: str, tests: list[Predicate]) -> None:
    with pytest.raises(InvalidSubscription):
        AttributeSubscription(id, tests)


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ValueError, match="~"):
        Predicate("n", "~", 1)
