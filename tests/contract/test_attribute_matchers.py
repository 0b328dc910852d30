"""What every attribute matcher must do. A new line in `MATCHERS` is tested here without a change.

A behaviour that needs an operator which a matcher does not declare is checked to be refused instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pytest
from support.attribute_strategies import schema

from gtopss.attributes import (
    MATCHERS,
    AttributeMatcher,
    AttributeSubscription,
    Comparison,
    Event,
    InvalidEvent,
    NumericDomain,
    Predicate,
    Schema,
)
from gtopss.attributes.predicates import AttributeTest
from gtopss.errors import DuplicateSubscription, InvalidSubscription, SubscriptionNotFound, UnsupportedSubscription


@pytest.fixture
def shared() -> Schema:
    return schema()


@pytest.fixture(params=MATCHERS)
def matcher(request: pytest.FixtureRequest, shared: Schema) -> AttributeMatcher:
    return MATCHERS[request.param](shared)


def subscribe(matcher: AttributeMatcher, id: str, *tests: AttributeTest) -> bool:
    """Whether it was registered; if it was not, then for the right reason, and without a trace."""
    before, refused = len(matcher), False
    try:
        matcher.insert(AttributeSubscription(id, tests))
    except UnsupportedSubscription:
        refused = True
    assert len(matcher) == before + (not refused)
    return not refused


def found(matcher: AttributeMatcher, **values: object) -> Iterable[str]:
    return sorted(matcher.match(Event(values)).subscription_ids)  # type: ignore[arg-type]


def test_an_equality_matches_its_value_only(matcher: AttributeMatcher) -> None:
    assert subscribe(matcher, "s", Predicate("n", "=", 3))
    assert found(matcher, n=3) == ["s"]
    assert found(matcher, n=4) == []


def test_all_predicates_must_hold(matcher: AttributeMatcher) -> None:
    assert subscribe(matcher, "s", Predicate("n", "=", 3), Predicate("colour", "=", "red"))
    assert found(matcher, n=3, colour="red") == ["s"]
    assert found(matcher, n=3, colour="green") == []
    assert found(matcher, colour="red") == []


def test_a_missing_attribute_satisfies_nothing_not_even_unequal(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("n", "!=", 3)):
        assert found(matcher, m=3) == []
        assert found(matcher, n=4) == ["s"]


def test_other_attributes_do_not_matter(matcher: AttributeMatcher) -> None:
    assert subscribe(matcher, "s", Predicate("n", "=", 3))
    assert found(matcher, n=3, m=1, s="a", kind="table", event_type=["toys", "antiques"]) == ["s"]


def test_one_value_must_satisfy_all_predicates_on_an_attribute(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("n", ">", 1), Predicate("n", "<", 3)):
        assert found(matcher, n=[0, 4]) == []
        assert found(matcher, n=[0, 2]) == ["s"]


def test_an_equality_is_satisfied_by_one_of_several_values(matcher: AttributeMatcher) -> None:
    assert subscribe(matcher, "s", Predicate("n", "=", 3), Predicate("m", "=", 1))
    assert found(matcher, n=[1, 3], m=[1, 2]) == ["s"]
    assert found(matcher, n=[1, 2], m=[1, 2]) == []


def test_two_equalities_on_an_attribute_never_hold(matcher: AttributeMatcher) -> None:
    assert subscribe(matcher, "s", Predicate("n", "=", 3), Predicate("n", "=", 2))
    assert found(matcher, n=[2, 3]) == []
    matcher.remove("s")
    assert len(matcher) == 0


def test_contains_tests_the_whole_set_of_values(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("n", "contains", 1), Predicate("n", "contains", 3), Predicate("n", "!=", 1)):
        assert found(matcher, n=[1, 3]) == ["s"]
        assert found(matcher, n=[1, 2]) == []
        assert found(matcher, n=1) == []


def test_the_six_comparisons(matcher: AttributeMatcher) -> None:
    signs = {"=": [2], "!=": [1, 3], "<": [1], "<=": [1, 2], ">": [3], ">=": [2, 3]}
    known = {sign for sign in signs if subscribe(matcher, sign, Predicate("n", sign, 2))}
    for value in (1, 2, 3):
        assert found(matcher, n=value) == sorted(sign for sign in known if value in signs[sign])


def test_strings_compare_by_code_point(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("s", "<", "ab")):
        assert found(matcher, s="a") == ["s"]
        assert found(matcher, s="b") == []


def test_an_enumerated_domain_has_its_own_order(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("size", "<", "L")):
        assert found(matcher, size="S") == ["s"]
        assert found(matcher, size="L") == []
        assert found(matcher, size="one-size") == []


def test_is_a_holds_of_what_is_below_and_of_itself(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("kind", "is-a", "chair")):
        for kind in ("chair", "armchair", "sofa bed", "my chair"):
            assert found(matcher, kind=kind) == ["s"]
        assert found(matcher, kind="table") == []


def test_instances_do_not_chain(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("kind", "<", "product line")):
        assert found(matcher, kind="armchair") == ["s"]
        assert found(matcher, kind="my chair") == []


def test_attributes_compare_within_one_binding(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Comparison("n", "<", "m"), Predicate("m", "<", 3), Predicate("n", ">", 1)):
        assert found(matcher, n=[0, 3], m=[1, 4]) == []
        assert found(matcher, n=[1, 2, 3], m=[0, 2, 4]) == []
        assert found(matcher, n=1, m=2) == []
    if subscribe(matcher, "t", Comparison("n", "<", "m")):
        assert found(matcher, n=[3], m=[1, 4]) == ["t"]
        assert found(matcher, n=3) == []


def test_equal_numbers_are_equal_however_they_are_written(matcher: AttributeMatcher) -> None:
    if subscribe(matcher, "s", Predicate("x", "=", 2.0)):
        assert found(matcher, x=2) == ["s"]
        assert found(matcher, x=2.5) == []


def test_subscriptions_that_say_the_same_all_match(matcher: AttributeMatcher) -> None:
    for id in ("a", "b", "c"):
        assert subscribe(matcher, id, Predicate("n", "=", 3), Predicate("n", "=", 3))
    assert found(matcher, n=3) == ["a", "b", "c"]
    matcher.remove("b")
    assert found(matcher, n=3) == ["a", "c"]


def test_a_removed_subscription_never_matches_again(matcher: AttributeMatcher) -> None:
    left = [0, 1, 2, 3]
    for number in left:
        subscribe(matcher, f"s{number}", Predicate("n", "=", number))
    for number in (2, 0, 3, 1):
        matcher.remove(f"s{number}")
        left.remove(number)
        assert found(matcher, n=[0, 1, 2, 3]) == [f"s{each}" for each in left]
    assert len(matcher) == 0


def test_an_id_may_be_reused_for_another_subscription(matcher: AttributeMatcher) -> None:
    subscribe(matcher, "s", Predicate("n", "=", 1))
    matcher.remove("s")
    subscribe(matcher, "s", Predicate("m", "=", 1))
    assert found(matcher, n=1) == []
    assert found(matcher, m=1) == ["s"]


def test_an_id_is_taken_once(matcher: AttributeMatcher) -> None:
    subscribe(matcher, "s", Predicate("n", "=", 1))
    with pytest.raises(DuplicateSubscription):
        matcher.insert(AttributeSubscription("s", [Predicate("n", "=", 2)]))
    assert found(matcher, n=1) == ["s"]
    assert found(matcher, n=2) == []


def test_what_is_not_there_cannot_be_removed(matcher: AttributeMatcher) -> None:
    with pytest.raises(SubscriptionNotFound):
        matcher.remove("s")


@pytest.mark.parametrize(
    "test",
    [
        Predicate("nothing", "=", 1),
        Predicate("n", "=", 9),
        Predicate("n", "=", "a"),
        Predicate("n", "=", True),
        Predicate("colour", "<", "red"),
        Predicate("n", "is-a", 3),
        Comparison("n", "<", "s"),
        Comparison("n", "contains", "m"),
        Comparison("size", "=", "colour"),
    ],
    ids=str,
)
def test_what_the_schema_does_not_allow_is_refused(matcher: AttributeMatcher, test: AttributeTest) -> None:
    with pytest.raises(InvalidSubscription) as caught:
        matcher.insert(AttributeSubscription("s", [test]))
    assert not isinstance(caught.value, UnsupportedSubscription)
    assert len(matcher) == 0


@pytest.mark.parametrize("values", [{"nothing": 1}, {"n": 9}, {"n": "a"}, {"n": [1, 2.5]}, {"kind": "lamp"}], ids=str)
def test_an_event_must_fit_the_schema(matcher: AttributeMatcher, values: dict[str, object]) -> None:
    with pytest.raises(InvalidEvent):
        matcher.match(Event(values))  # type: ignore[arg-type]


def test_an_attribute_that_came_later(matcher: AttributeMatcher, shared: Schema) -> None:
    subscribe(matcher, "s", Predicate("n", "=", 1))
    shared.create_domain(NumericDomain("later", 0, 3, whole=True))
    shared.create_attribute("new", "later")
    assert subscribe(matcher, "t", Predicate("n", "=", 1), Predicate("new", "=", 2))
    assert found(matcher, n=1) == ["s"]
    assert found(matcher, n=1, new=2) == ["s", "t"]
    matcher.remove("t")
    assert found(matcher, n=1, new=2) == ["s"]


def test_an_event_type_that_came_later(matcher: AttributeMatcher, shared: Schema) -> None:
    subscribe(matcher, "s", Predicate("event_type", "=", "toys"))
    unlike = subscribe(matcher, "t", Predicate("event_type", "!=", "toys"))
    shared.create_event_type("books", [])
    assert found(matcher, event_type="books") == (["t"] if unlike else [])
    assert subscribe(matcher, "u", Predicate("event_type", "=", "books"))
    assert "u" in found(matcher, event_type=["books", "toys"])


def test_no_subscription_no_match(matcher: AttributeMatcher) -> None:
    assert found(matcher, n=1) == []
    assert found(matcher) == []


def test_work_is_counted_anew_for_each_event(matcher: AttributeMatcher) -> None:
    subscribe(matcher, "s", Predicate("n", "=", 1))
    first, second = (matcher.match(Event({"n": 1})).counters for _ in range(2))
    assert asdict(first) == asdict(second)
    assert first.work > 0


def test_bytes_grow_with_subscriptions(matcher: AttributeMatcher) -> None:
    subscribe(matcher, "s", Predicate("n", "=", 1))
    small = matcher.structure_bytes()
    for number in range(200):
        subscribe(matcher, f"s{number}", Predicate("n", "=", number % 5), Predicate("m", "=", number // 5 % 5))
    assert 0 < small <= matcher.structure_bytes()
