"""Conversion of events and subscriptions to graphs and back; what is no star is refused."""

from __future__ import annotations

import pytest
from support.attribute_strategies import SCHEMA

from gtopss import Engine, Publication, Subscription
from gtopss.attributes import AttributeSubscription, Comparison, Event, InvalidEvent, Predicate
from gtopss.attributes.graph_conversion import GraphConverter
from gtopss.errors import InvalidSubscription
from gtopss.model.expressions import call, compare

CONVERTER = GraphConverter(SCHEMA)
N, M, KIND = (f"<urn:gtopss:attribute:{name}>" for name in ("n", "m", "kind"))


def test_a_bridged_subscription_has_one_variable_for_each_attribute() -> None:
    tests = [Predicate("n", ">", 1), Predicate("n", "<", 3), Predicate("m", "contains", 2), Comparison("n", "<", "m")]
    made = CONVERTER.subscription(AttributeSubscription("s", tests))
    assert [edge[1:] for edge in made.branches[0].edges()] == [
        (N, "?a0"),
        (M, '"2"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (M, "?a1"),
    ]


def test_the_graph_engine_uses_the_taxonomy_of_the_bridge() -> None:
    engine = Engine(taxonomy=CONVERTER.taxonomy)
    engine.add(CONVERTER.subscription(AttributeSubscription("s", [Predicate("kind", "<", "chair")])))
    for kind, matches in (("my chair", True), ("chair", False), ("dining table", False)):
        assert bool(engine.match(CONVERTER.publication(Event({"kind": kind}), "p"))) == matches


def test_a_hand_written_star_becomes_an_attribute_subscription() -> None:
    star = Subscription("s", [("?item", N, "?n", [], [compare("n", ">=", 2)]), ("?item", M, 1)])
    assert CONVERTER.attribute_subscription(star) == AttributeSubscription(
        "s", [Predicate("m", "contains", 1), Predicate("n", ">=", 2)]
    )


@pytest.mark.parametrize(
    "pattern",
    [
        [("?a", N, "?n"), ("?b", M, 1)],
        [("?a", "<urn:other>", 1)],
        [("?a", N, "?n")],
        [("?a", N, "?n"), ("?a", M, "?n", [], [compare("n", ">", 1)])],
        [("?a", N, "?n", [], [compare("n", ">", 1)]), ("?a", N, "?o", [], [compare("o", "<", 1)])],
        [("?a", N, "?n", [], [call("=", call("+", "?n", 1), 2)])],
        [("?a", N, "?n", [], [compare("n", "<", 99)])],
        [("?a", KIND, "<urn:lamp>")],
        [("<urn:a>", N, 1)],
    ],
    ids=str,
)
def test_patterns_that_are_no_star_over_the_schema_are_refused(pattern: list[tuple[object, ...]]) -> None:
    with pytest.raises(InvalidSubscription):
        CONVERTER.attribute_subscription(Subscription("s", pattern))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "triples",
    [
        [("<urn:a>", N, 1), ("<urn:b>", N, 1)],
        [("<urn:a>", "<urn:other>", 1)],
        [("<urn:a>", N, 99)],
        [("<urn:a>", N, '"one"^^<http://www.w3.org/2001/XMLSchema#integer>')],
        [("<urn:a>", KIND, '"chair"')],
        [("<urn:a>", "<urn:gtopss:attribute:s>", '"a"@en')],
    ],
    ids=str,
)
def test_publications_that_are_no_event_of_the_schema_are_refused(triples: list[tuple[str, str, object]]) -> None:
    with pytest.raises(InvalidEvent):
        CONVERTER.event(Publication("p", triples))  # type: ignore[arg-type]


def test_equal_numbers_in_different_datatypes_are_one_value() -> None:
    double = '"2.0E0"^^<http://www.w3.org/2001/XMLSchema#double>'
    x = "<urn:gtopss:attribute:x>"
    assert CONVERTER.event(Publication("p", [("<urn:a>", x, 2), ("<urn:a>", x, double)])) == Event({"x": 2})
