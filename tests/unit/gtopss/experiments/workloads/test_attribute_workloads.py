"""The workloads of the attribute-value papers."""

from __future__ import annotations

import random

import pytest

from gtopss.experiments.workloads.attribute_workloads import W4, GryphonWorkload, LeSubscribeWorkload


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
