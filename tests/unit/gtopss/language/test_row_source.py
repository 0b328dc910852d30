from __future__ import annotations

import pytest

from gtopss.language import subscription_from_text
from gtopss.language.row_source import RowSource, find_row_source


def source(text: str) -> RowSource | None:
    query = subscription_from_text(text, "q").query
    assert query is not None
    return find_row_source(query)


def test_the_first_pattern_and_filters_on_it_are_rows() -> None:
    found = source("SELECT ?x ?n { ?x <urn:p> ?y FILTER(?y > 1) OPTIONAL { ?x <urn:n> ?n } FILTER(!BOUND(?n)) }")
    assert found is not None
    (branch,) = found.branches
    assert [str(each) for each in branch.tuples] == ["?x <urn:p> ?y (?y > 1)"]
    group = found.query.arguments[0]
    assert [step.function for step in group.arguments] == ["ROWS", "OPTIONAL", "FILTER"]  # type: ignore[union-attr]
    assert [step.function for step in group.arguments[0].arguments] == ["TRIPLES", "FILTER"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("negation", "expected"),
    [
        ("FILTER NOT EXISTS { ?x <urn:d> ?z }", ["!(STATED(?x, <urn:d>))"]),
        ("MINUS { ?x <urn:d> <urn:z> }", ["!(STATED(?x, <urn:d>, <urn:z>))"]),
        ("FILTER NOT EXISTS { ?x <urn:d> ?y }", []),
        ("FILTER NOT EXISTS { ?z <urn:d> ?x }", []),
        ("FILTER NOT EXISTS { ?x ?p ?z }", []),
        ("FILTER NOT EXISTS { ?x <urn:d> ?z FILTER(?z > 1) }", []),
        ("FILTER NOT EXISTS { ?x <http://www.w3.org/2000/01/rdf-schema#member> ?z }", []),
        ("OPTIONAL { ?x <urn:n> ?z } FILTER NOT EXISTS { ?x <urn:d> ?z }", []),
    ],
)
def test_a_negated_triple_is_a_constraint_if_its_object_is_free(negation: str, expected: list[str]) -> None:
    found = source(f"SELECT ?x {{ ?x <urn:p> ?y {negation} }}")
    assert found is not None
    assert [str(test) for branch in found.branches for test in branch.constraints()] == expected


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { OPTIONAL { ?x <urn:n> ?n } ?x <urn:p> ?y }",
        "SELECT * { { SELECT * { ?x <urn:p> ?y } LIMIT 1 } FILTER(?y > 3) }",
        "SELECT * { { SELECT * { ?x <urn:p> ?y } LIMIT 1 } ?y <urn:q> ?z }",
        "SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y }",
        "SELECT * { { SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y } } ?z <urn:q> ?w }",
        "SELECT * { { SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y MINUS { ?x <urn:d> 1 } } } ?z <urn:p> ?w }",
        "SELECT * { { SELECT (1 AS ?n) { ?x <urn:p> ?y } HAVING (COUNT(*) = 0) } ?z <urn:q> ?w }",
        "SELECT * { <urn:a> <urn:p> 1 OPTIONAL { ?x <urn:n> ?n } }",
        "SELECT * { VALUES ?x { <urn:a> } OPTIONAL { ?x <urn:n> ?n } ?x <urn:p> ?y }",
    ],
)
def test_rows_of_something_else_than_the_first_pattern_are_not_used(text: str) -> None:
    assert source(text) is None
