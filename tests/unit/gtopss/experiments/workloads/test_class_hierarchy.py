"""Subscriptions to classes."""

from __future__ import annotations

from itertools import islice

from gtopss.experiments.workloads.class_hierarchy import class_hierarchy
from gtopss.model.expressions import IS_A


def test_all_constraints_are_is_a_tests() -> None:
    for each in islice(class_hierarchy(1_000).subscriptions(), 100):
        assert {test.function for test in each.branches[0].constraints()} <= IS_A
