"""Subscriptions by ranges of values."""

from __future__ import annotations

from itertools import islice

from gtopss.experiments.workloads.value_ranges import value_ranges
from gtopss.model.terms import is_variable


def test_range_subscriptions_have_no_constants_except_properties_and_bounds() -> None:
    for each in islice(value_ranges(1_000).subscriptions(), 100):
        assert all(is_variable(s) and is_variable(o) for s, _, o in each.branches[0].edges())
        assert each.branches[0].constraints()
