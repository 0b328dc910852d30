"""The part of a query that must hold."""

from __future__ import annotations

import re

import pytest

from gtopss.language import subscription_from_text


def required(text: str) -> list[str]:
    """The edges and constraints of each branch, with one name for all hidden variables."""
    branches = subscription_from_text(text, "s", prefixes={"": "urn:"}).branches
    return [
        re.sub(r"\?_:\w+", "?_", " . ".join([*map(str, branch.tuples), *map(str, branch.where)])) for branch in branches
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?x ?y { ?x :p ?y OPTIONAL { ?x :q ?z } }", ["?x <urn:p> ?y"]),
        ("SELECT ?x { ?x :p 1 FILTER NOT EXISTS { ?x :q ?z } MINUS { ?x :r ?z } }",
         ["?x <urn:p> 1"]),
        ("SELECT ?x { ?x :p ?x FILTER EXISTS { ?x :q ?z } }", ["?x <urn:p> ?x . ?x <urn:q> ?_"]),
        ("SELECT ?x ?y { ?x :p ?y OPTIONAL { } FILTER (?y > 1) }", ["?x <urn:p> ?y (?y > 1)"]),
        ("SELECT ?x { ?x :p ?x OPTIONAL { ?x :q ?z } FILTER (?z > 1) }", ["?x <urn:p> ?x"]),
        ("SELECT ?x { { ?x :p ?x } UNION { ?x :q ?x } } LIMIT 1", ["?x <urn:p> ?x", "?x <urn:q> ?x"]),
        ("SELECT ?x { { SELECT ?x { ?x :p ?y } } ?x :q ?x }", ["?x <urn:p> ?_ . ?x <urn:q> ?x"]),
        ("SELECT ?x { ?x :p+ :a }", ["?x <urn:p> ?_ . ?_ <urn:p> <urn:a>"]),
        ("SELECT ?x { ?x :p* :a }", [""]),
        ("SELECT ?x { ?x (:p/^:q)+ :a }", ["?x <urn:p> ?_ . ?_ <urn:q> ?_ . ?_ <urn:p> ?_ . <urn:a> <urn:q> ?_"]),
        ("SELECT ?x { ?x :p ?y } GROUP BY ?x", ["?x <urn:p> ?_"]),
        ("SELECT (COUNT(*) AS ?n) { ?x :p ?y }", [""]),
        ("SELECT (COUNT(*) AS ?n) { ?x :p ?y } HAVING (COUNT(*) > 2)", ["?_ <urn:p> ?_"]),
        ("SELECT (COUNT(*) AS ?n) { ?x :p ?y } HAVING (COUNT(*) < 2)", [""]),
        ("SELECT (MAX(?y) AS ?n) { ?x :p ?y } HAVING (MAX(?y) > 2)", ["?_ <urn:p> ?_"]),
        ("SELECT ?x { VALUES ?x { :a } ?x :p ?x OPTIONAL { } }", ["?x <urn:p> ?x SAMETERM(?x, <urn:a>)"]),
        ("SELECT ?x { GRAPH ?g { ?x :p ?x } }", [""]),
        ("DESCRIBE :a", ["<urn:a> ?_ ?_"]),
        ("CONSTRUCT { ?x :q ?y } { ?x :p ?y }", ["?x <urn:p> ?y"]),
    ],
)  # fmt: skip
def test_what_must_hold(text: str, expected: list[str]) -> None:
    assert required(text) == expected


def test_no_solution_at_all() -> None:
    (only,) = required("SELECT ?x { ?x :p ?y } LIMIT 0")
    assert only.startswith("NEVER")
