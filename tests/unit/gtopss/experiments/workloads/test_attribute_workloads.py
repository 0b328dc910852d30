"""The workloads of the attribute-value papers."""

from __future__ import annotations

import random

import pytest

from gtopss.experiments.papers.attribute_matcher_runs import fixed_events
from gtopss.experiments.workloads.attribute_workloads import (
    W0,
    W1,
    W2,
    W3,
    W4,
    GryphonWorkload,
    LeSubscribeWorkload,
    TopssWorkload,
)


@pytest.mark.parametrize(
    "workload", [LeSubscribeWorkload(), GryphonWorkload(), W4], ids=lambda each: type(each).__name__
)
def test_the_same_seed_gives_the_same_attribute_workload(workload: LeSubscribeWorkload | GryphonWorkload) -> None:
    one, other = (list(workload.subscriptions(20, random.Random(7))) for _ in range(2))
    assert one == other
    schema = workload.schema()
    for each in one:
        schema.check_subscription(each)
    for event in workload.events(20, random.Random(7)):
        schema.check_published(event)


def test_the_workloads_of_topss_have_the_papers_parameters() -> None:
    """Section 5.1: n_t attributes, n_P predicates for each subscription, n_A pairs for each event, and the domains."""
    printed = {
        W0: (120, 20, {(1, 250)}),
        W1: (120, 20, {(250, 10_000)}),
        W2: (120, 20, {(10_000, 100_000)}),
        W3: (120, 20, {(1, 250), (250, 10_000), (10_000, 100_000)}),
        W4: (10, 5, {(1, 10)}),
    }
    for workload, (attributes, most, ranges) in printed.items():
        assert isinstance(workload, TopssWorkload)
        made = list(workload.subscriptions(300, random.Random(1)))
        assert {len(each.predicates) for each in made} == set(range(1, most + 1))
        (event,) = workload.events(1, random.Random(1))
        assert len(event.values) == attributes
        assert set(workload.ranges) == ranges


def test_distinct_predicates_are_drawn_until_there_are_no_more() -> None:
    assert W0.distinct_predicates() == 120 * 4 * 250
    small = TopssWorkload(2, ((1, 3),), 1)
    assert len(small.predicates(24, random.Random(1))) == small.distinct_predicates() == 2 * 4 * 3
    with pytest.raises(ValueError, match="only 24 different predicates, not 25"):
        small.predicates(25, random.Random(1))


def test_events_do_not_depend_on_the_subscriptions() -> None:
    assert fixed_events(LeSubscribeWorkload(equality=0), 5, 1) == fixed_events(LeSubscribeWorkload(equality=1), 5, 1)
    assert fixed_events(W4, 5, 1) != fixed_events(W4, 5, 2)


def test_the_workload_of_le_subscribe_has_the_papers_parameters() -> None:
    """Section 4: three strings with 200 values and equalities only, three numbers with 5,000, each with chance 0.5."""
    workload = LeSubscribeWorkload()
    made = list(workload.subscriptions(2_000, random.Random(1)))
    tests = [test for each in made for test in each.predicates]
    attributes = {test.attribute for test in tests}
    assert len(attributes) == 6
    strings = {test.attribute for test in tests if isinstance(test.value, str)}
    assert len(strings) == 3
    assert {str(test.operator) for test in tests if test.attribute in strings} == {"="}
    assert all(len({test.value for test in tests if test.attribute == name}) <= 200 for name in strings)
    assert max(test.value for test in tests if test.attribute not in strings) < 5_001
    assert 2.8 < len(tests) / len(made) < 3.2
