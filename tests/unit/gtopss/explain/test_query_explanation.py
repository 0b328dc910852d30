"""Explanations of whole queries: what was not there, and what was in the way."""

from __future__ import annotations

from gtopss import Engine
from gtopss.explain.query_explanation import evaluated_parts

TEXT = "SELECT ?x ?y ?n { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } FILTER NOT EXISTS { ?x <urn:q> ?z } }"


def explained(*triples: tuple[object, object, object], text: str = TEXT) -> str:
    engine = Engine(matcher="naive")
    engine.add(text, id="s")
    explanation = engine.explain(triples, "s")  # type: ignore[arg-type]
    assert explanation.matched is bool(engine.match(triples).matches)  # type: ignore[arg-type]
    assert explanation.to_json()["matched"] is explanation.matched
    return str(explanation)


def test_the_triple_that_made_not_exists_fail() -> None:
    text = explained(("<urn:a>", "<urn:p>", 1), ("<urn:a>", "<urn:q>", 2))
    assert "does not match" in text
    assert "NOT EXISTS fails, because of <urn:a> <urn:q>" in text


def test_the_optional_part_that_was_not_there() -> None:
    text = explained(("<urn:a>", "<urn:p>", 1))
    assert "s matches" in text
    assert "OPTIONAL { ?x <urn:n> ?n . }: is not there" in text
    assert "found by the index: ?x <urn:p>" in text


def test_the_part_that_must_hold_is_missing() -> None:
    text = explained(("<urn:a>", "<urn:n>", 1))
    assert "0 of 1 edges match" in text


def test_groups_that_are_too_small() -> None:
    having = "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y) > 1)"
    text = explained(("<urn:a>", "<urn:p>", 1), text=having)
    assert "1 group: { GROUP BY ?x }" in text
    assert "FILTER (COUNT(?y) > 1): keeps 0 of 1 solution" in text
    assert 'it is not true for ?x = <urn:a>, COUNT(?y) = "1"' in text


def test_the_plan_names_aggregates_order_and_limits() -> None:
    engine = Engine(matcher="naive")
    engine.add(
        "SELECT DISTINCT ?x (COUNT(DISTINCT ?y) / 2 AS ?n) { ?x <urn:p> ?y } GROUP BY ?x"
        " HAVING (COUNT(*) > 1) ORDER BY DESC(?n) LIMIT 3 OFFSET 1",
        id="s",
    )
    (subscription,) = engine.subscriptions()
    assert list(evaluated_parts(subscription)) == [
        "{ GROUP BY ?x }",
        "FILTER (COUNT(*) > 1)",
        "BIND ((COUNT(DISTINCT ?y) / 2) AS ?n)",
        "ORDER BY DESC(?n)",
        "DISTINCT",
        "LIMIT 3 OFFSET 1",
    ]


def test_minus() -> None:
    text = explained(("<urn:a>", "<urn:p>", 1), text="SELECT ?x { ?x <urn:p> ?y MINUS { ?x <urn:p> 1 } }")
    assert "MINUS finds <urn:a> <urn:p>" in text
