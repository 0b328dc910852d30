"""Events, predicates and subscriptions as data; what implies what; sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.attribute_strategies import SCHEMA, VALUES

import gtopss.attributes
from gtopss.attributes import AttributeCounters, AttributeSubscription, Comparison, Event, Operator, Predicate
from gtopss.attributes.binding import satisfies
from gtopss.attributes.matchers.implication import implies
from gtopss.attributes.size import size_of
from gtopss.errors import InvalidSubscription


def test_an_event_has_sets_of_values() -> None:
    event = Event({"n": 1, "s": ["a", "b", "a"], "m": []})
    assert event.values == {"n": {1}, "s": {"a", "b"}}
    assert not event.single
    assert Event({"n": 1, "s": "ab"}).single


def test_a_test_written_twice_is_one() -> None:
    made = AttributeSubscription("s", [Predicate("x", "=", 2), Predicate("x", "=", 2.0), Comparison("n", "<", "m")])
    assert len(made.tests) == 2
    assert made.attributes == ("x", "n", "m")


@pytest.mark.parametrize(("id", "tests"), [("", [Predicate("n", "=", 1)]), ("s", [])])
def test_a_subscription_needs_an_id_and_a_predicate(id: str, tests: list[Predicate]) -> None:
    with pytest.raises(InvalidSubscription):
        AttributeSubscription(id, tests)


def test_an_operator_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="~"):
        Predicate("n", "~", 1)


def test_a_chain_of_comparisons_is_bound_together() -> None:
    chain = AttributeSubscription("s", [Comparison("n", "<", "m"), Comparison("m", "<", "x")])
    counters = AttributeCounters()
    assert satisfies(Event({"n": [0, 3], "m": [1, 4], "x": [0, 2]}), chain, SCHEMA, counters)
    assert not satisfies(Event({"n": [0, 3], "m": [4], "x": [0, 2]}), chain, SCHEMA, counters)


PREDICATES = st.one_of(
    *(
        st.builds(
            Predicate,
            st.just(name),
            st.sampled_from(sorted(SCHEMA.domain(name).operators)),
            st.sampled_from(VALUES[name]),
        )
        for name in ("n", "s", "kind")
    )
)


@given(PREDICATES, PREDICATES)
def test_what_is_implied_is_never_false(known: Predicate, asked: Predicate) -> None:
    domain = SCHEMA.domain(known.attribute)
    if known.attribute != asked.attribute or not implies(known, asked, domain):
        return
    for value in VALUES[known.attribute]:
        if known.operator is not Operator.CONTAINS and domain.holds(value, known.operator, known.value):
            assert domain.holds(value, asked.operator, asked.value)


def test_shared_parts_are_counted_once_and_others_not_at_all() -> None:
    part = ["x" * 1_000]
    assert size_of([part, part]) - size_of([part]) < 100
    assert size_of([part], without=(part,)) < 1_000


def test_public_names() -> None:
    assert all(hasattr(gtopss.attributes, name) for name in gtopss.attributes.__all__)
