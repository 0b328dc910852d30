"""Events as data."""

from __future__ import annotations

from gtopss.attributes import Event


def test_an_event_has_a_set_of_values_per_attribute() -> None:
    event = Event({"n": 1, "s": ["a", "b", "a"], "m": []})
    assert event.values == {"n": {1}, "s": {"a", "b"}}
    assert not event.is_single_valued
    assert Event({"n": 1, "s": "ab"}).is_single_valued
