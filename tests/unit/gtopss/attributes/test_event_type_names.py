"""Event types by concatenated names, compared with the plain schema."""

from __future__ import annotations

from random import Random

import pytest

from gtopss.attributes import (
    MATCHERS,
    AttributeSubscription,
    Comparison,
    Event,
    Field,
    InconsistentEvent,
    NumericDomain,
    Predicate,
    Schema,
)
from gtopss.attributes.event_type_names import EventTypeMatcher
from gtopss.errors import UnsupportedSubscription

TYPES = {"books": ("price", "pages"), "cars": ("price", "seats"), "boats": ("seats", "price", "pages")}


def shop() -> Schema:
    schema = Schema()
    schema.create_domain(NumericDomain("small", 0, 9, whole=True))
    for attribute in ("price", "pages", "seats"):
        schema.create_attribute(attribute, "small")
    for name, attributes in TYPES.items():
        schema.create_event_type(name, [Field(each, mandatory=False, multiple=True) for each in attributes])
    return schema


@pytest.mark.parametrize("name", ["naive", "fair-predicate", "quarantining", "matching-tree", "topss-table-bits"])
def test_the_answers_are_those_of_the_plain_schema(name: str) -> None:
    random, schema = Random(7), shop()
    plain, concatenated = MATCHERS["naive"](schema), EventTypeMatcher(schema, MATCHERS[name])
    for number in range(60):
        event_type = random.choice(list(TYPES))
        chosen = random.sample(TYPES[event_type], random.randrange(3))
        tests = [Predicate(each, random.choice("<>="), random.randrange(10)) for each in chosen]
        sign = random.choice(["contains", "="])
        for matcher in (plain, concatenated):
            matcher.insert(AttributeSubscription(f"s{number}", [Predicate("event_type", sign, event_type), *tests]))
    for _ in range(60):
        types = random.sample(list(TYPES), random.randrange(1, 3))
        attributes = sorted({each for event_type in types for each in TYPES[event_type]})
        values = {each: random.sample(range(10), random.randrange(3)) for each in attributes}
        event = Event({"event_type": types, **values})
        assert concatenated.match(event).subscription_ids == plain.match(event).subscription_ids
    concatenated.remove("s0")
    assert len(concatenated) == 59


def test_an_event_of_one_type_does_not_touch_the_predicates_of_another() -> None:
    schema = shop()
    work = {}
    for matcher in (MATCHERS["fair-predicate"](schema), EventTypeMatcher(schema, MATCHERS["fair-predicate"])):
        for number in range(50):
            tests = [Predicate("event_type", "contains", "cars"), Predicate("price", ">", number % 10)]
            matcher.insert(AttributeSubscription(f"s{number}", tests))
        counters = matcher.match(Event({"event_type": "books", "price": 9})).counters
        work[type(matcher).__name__] = counters.additions
    assert work == {"FairPredicateMatcher": 45, "EventTypeMatcher": 0}


def dotted(types: dict[str, str]) -> EventTypeMatcher:
    """Return a matcher for event types with one attribute each."""
    schema = Schema()
    schema.create_domain(NumericDomain("small", 0, 9, whole=True))
    for event_type, attribute in types.items():
        schema.create_attribute(attribute, "small")
        schema.create_event_type(event_type, [Field(attribute, mandatory=False)])
    matcher = EventTypeMatcher(schema, MATCHERS["naive"])
    for event_type, attribute in types.items():
        tests = [Predicate("event_type", "contains", event_type), Predicate(attribute, "=", 1)]
        matcher.insert(AttributeSubscription(event_type, tests))
    return matcher


def test_names_with_dots_stay_different_attributes() -> None:
    matcher = dotted({"a": "b.c", "a.b": "c"})
    event = Event({"event_type": ["a", "a.b"], "b.c": 1, "c": 2})
    assert matcher.match(event).subscription_ids == {"a"}


def test_an_event_type_may_be_called_like_a_type_and_its_attribute() -> None:
    matcher = dotted({"a": "b", "a.b": "c"})
    assert matcher.match(Event({"event_type": "a.b", "c": 1})).subscription_ids == {"a.b"}
    assert matcher.match(Event({"event_type": "a", "b": 1})).subscription_ids == {"a"}


def test_comparisons_are_concatenated_as_well() -> None:
    matcher = EventTypeMatcher(shop(), MATCHERS["naive"])
    tests = [Predicate("event_type", "contains", "cars"), Comparison("price", "<", "seats")]
    matcher.insert(AttributeSubscription("s", tests))
    assert matcher.match(Event({"event_type": "cars", "price": 1, "seats": 2})).subscription_ids == {"s"}
    assert matcher.match(Event({"event_type": "boats", "price": 1, "seats": 2})).subscription_ids == set()
    assert matcher.structure_bytes() >= 0
    assert matcher.capabilities.comparisons


def test_what_relates_to_no_event_type_is_refused() -> None:
    matcher = EventTypeMatcher(shop(), MATCHERS["naive"])
    with pytest.raises(UnsupportedSubscription, match="it must name one event type"):
        matcher.insert(AttributeSubscription("s", [Predicate("price", "=", 1)]))
    with pytest.raises(UnsupportedSubscription, match="'cars' has no attribute 'pages'"):
        matcher.insert(AttributeSubscription("s", [Predicate("event_type", "=", "cars"), Predicate("pages", "=", 1)]))
    with pytest.raises(InconsistentEvent):
        matcher.match(Event({"price": 1}))
