"""Whether an event satisfies a subscription."""

from __future__ import annotations

from support.attribute_strategies import SCHEMA

from gtopss.attributes import AttributeCounters, AttributeSubscription, Comparison, Event
from gtopss.attributes.binding import satisfies


def test_a_chain_of_comparisons_needs_one_common_binding() -> None:
    chain = AttributeSubscription("s", [Comparison("n", "<", "m"), Comparison("m", "<", "x")])
    counters = AttributeCounters()
    assert satisfies(Event({"n": [0, 3], "m": [1, 4], "x": [0, 2]}), chain, SCHEMA, counters)
    assert not satisfies(Event({"n": [0, 3], "m": [4], "x": [0, 2]}), chain, SCHEMA, counters)
