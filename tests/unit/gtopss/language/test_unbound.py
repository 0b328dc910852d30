"""Variables that a query uses and nothing binds."""

from __future__ import annotations

import warnings

import pytest

from gtopss import Engine
from gtopss.errors import NeverBound, NeverMatches
from gtopss.language import subscription_from_text


def messages(query: str) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        subscription_from_text(query, "s")
    assert all(each.category is NeverBound and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ('ASK {\n ?x rss:title ?title\n FILTER CONTAINS(?tittle, "a") }', "(line 3, column 18)"),
        ("ASK { ?x rss:title ?title OPTIONAL { ?x rss:link ?l } FILTER(?tittle = 1) }", "(line 1, column 62)"),
        ("ASK { ?x rss:title ?title BIND(STR(?tittle) AS ?y) }", "(line 1, column 36)"),
        ("SELECT * { ?x rss:title ?title } ORDER BY ?tittle", "(line 1, column 43)"),
        ("SELECT (STR(?tittle) AS ?y) { ?x rss:title ?title }", "(line 1, column 13)"),
        (
            "ASK { ?x rss:title ?title FILTER NOT EXISTS { ?x rss:link ?l FILTER(?tittle = ?l) } }",
            "(line 1, column 69)",
        ),
        ("ASK { ?x rss:title ?title FILTER(!BOUND(?tittle)) }", "(line 1, column 41)"),
        ("ASK { ?x rss:link ?l OPTIONAL { ?x rss:title ?title } FILTER(BOUND(?tittle)) }", "(line 1, column 68)"),
        ("ASK { ?x rss:title ?title FILTER(COALESCE(?tittle, 1) = 1) }", "(line 1, column 43)"),
        ("CONSTRUCT { ?x rss:link ?tittle } { ?x rss:title ?title }", "(line 1, column 25)"),
        ("DESCRIBE ?tittle { ?x rss:title ?title }", "(line 1, column 10)"),
    ],
)
def test_the_warning_has_a_guess_and_the_place(query: str, place: str) -> None:
    (message,) = messages(query)
    assert message.startswith(f"subscription 's': ?tittle is never bound: did you mean ?title? {place}\n")
    assert message.endswith("^")


@pytest.mark.parametrize(
    "query",
    [
        "ASK { ?x rss:title ?t OPTIONAL { ?x rss:link ?z } FILTER(!BOUND(?z)) }",
        "ASK { ?x rss:title ?t OPTIONAL { ?x rss:link ?z } FILTER(COALESCE(?z, ?t) = 1) }",
        "ASK { ?x rss:title ?t FILTER NOT EXISTS { ?x rss:link ?z } FILTER(!BOUND(?z)) }",
        "CONSTRUCT { ?x rss:link ?z } { ?x rss:title ?t OPTIONAL { ?x rss:link ?z } }",
        "CONSTRUCT { ?x rss:link ?z, ?v, _:b } { ?x rss:title ?t BIND(1 AS ?z) } VALUES ?v { 1 }",
        "CONSTRUCT { ?x rss:link ?z } { { SELECT ?x (STR(?t) AS ?z) { ?x rss:title ?t } } }",
        "CONSTRUCT { ?x rss:link 1 } { ?x a/rdfs:subClassOf* <urn:Animal> }",
        "DESCRIBE * { ?x rss:title ?t }",
        "SELECT ?x { ?x a/rdfs:subClassOf* <urn:Animal> FILTER(?x != <urn:a>) } LIMIT 1",
        "ASK { ?x rss:title ?t OPTIONAL { ?x rss:link ?z } FILTER(?z = 1) }",
        "SELECT (COUNT(?x) AS ?n) { ?x rss:title ?t } GROUP BY ?t HAVING(?n > 1)",
        "SELECT * { ?x rss:title ?t { SELECT (STR(?l) AS ?z) { ?x rss:link ?l } } FILTER(?z = ?t) }",
        "SELECT ?x { ?x a/rdfs:subClassOf* <urn:Animal> FILTER(?x != <urn:a>) }",
        "SELECT * { ?x rss:title+ ?t FILTER(?t = 1) VALUES ?v { 1 2 } FILTER(?v = 1) }",
    ],
)
def test_a_variable_that_some_part_may_bind_is_no_warning(query: str) -> None:
    assert messages(query) == []


def test_a_template_cannot_use_what_only_a_negated_pattern_has() -> None:
    (message,) = messages("CONSTRUCT { ?x rss:link ?z } { ?x rss:title ?t FILTER NOT EXISTS { ?x rss:link ?z } }")
    assert "?z is never bound" in message


def test_the_engine_warns_at_the_line_of_its_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Engine(matcher="naive").add('ASK { ?x rss:title ?title FILTER CONTAINS(?tittle, "a") }', id="s")
    assert [each.filename for each in caught] == [__file__, __file__]
    bound, never = caught
    assert bound.category is NeverBound
    assert never.category is NeverMatches
    assert str(never.message).endswith('CONTAINS(?tittle, "a") is never true, because ?tittle has no value')


def test_the_explanation_of_a_query_names_the_variable() -> None:
    engine = Engine(matcher="naive")
    with pytest.warns(NeverBound):
        engine.add("ASK { ?x rss:title ?title OPTIONAL { ?x rss:link ?l } FILTER(?tittle = 1) }", id="s")
    item = [("<urn:a>", "<http://purl.org/rss/1.0/title>", '"x"')]
    assert "?tittle has no value" in str(engine.explain(item, "s"))
