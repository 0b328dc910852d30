from __future__ import annotations

import pytest

from gtopss.algebra.shape import CountTest, count_test, is_never_empty
from gtopss.language import subscription_from_text
from gtopss.language.row_source import find_row_source
from gtopss.model import Call, Term


def marked(text: str) -> Call:
    query = subscription_from_text(text, "q").query
    assert query is not None
    source = find_row_source(query)
    assert source is not None
    return source.query


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }", True),
        (
            "SELECT DISTINCT ?x { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } BIND(?n + 1 AS ?m) } ORDER BY ?n LIMIT 3",
            True,
        ),
        ("SELECT ?x { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } } OFFSET 1", False),
        ("SELECT ?x { ?x <urn:p> ?y } LIMIT 1 OFFSET 2", False),
        ("SELECT ?x (COUNT(*) AS ?n) { ?x <urn:p> ?y } GROUP BY ?x", True),
        ("SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(*) > 1)", False),
        ("SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:d> ?z } }", True),
        ("SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:d> ?y } }", False),
        ("SELECT ?x { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } FILTER(BOUND(?n)) }", False),
        ("ASK { ?x <urn:p> ?y MINUS { ?x <urn:d> 1 } }", True),
        ("ASK { ?x <urn:p> ?y MINUS { ?y <urn:d> ?x } }", False),
    ],
)
def test_which_queries_match_wherever_their_rows_are(text: str, expected: bool) -> None:
    assert is_never_empty(marked(text)) is expected


def test_a_comparison_of_one_count_is_recognised() -> None:
    one = Term('"1"^^<http://www.w3.org/2001/XMLSchema#integer>')
    text = "SELECT ?x {{ ?x <urn:p> ?y }} GROUP BY ?x HAVING ({})"
    x, y = Term("?x"), Term("?y")
    assert count_test(marked(text.format("COUNT(*) > 1"))) == CountTest((x,), None, False, ">", one)
    assert count_test(marked(text.format("1 < COUNT(?y)"))) == CountTest((x,), y, False, ">", one)
    assert count_test(marked(text.format("COUNT(DISTINCT *) > 1"))) == CountTest((x,), None, False, ">", one)
    assert count_test(marked(text.format("COUNT(DISTINCT ?y) = 1"))) == CountTest((x,), y, True, "=", one)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (SUM(?y) > 1)",
        "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y) > 1 && COUNT(*) < 9)",
        "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y + 1) > 1)",
        "SELECT ?x { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } } GROUP BY ?x HAVING (COUNT(?n) > 1)",
        "SELECT ?z { ?x <urn:p> ?y } GROUP BY (?y + 1 AS ?z) HAVING (COUNT(*) > 1)",
        "SELECT ?x { ?x <urn:p> [] } GROUP BY ?x HAVING (COUNT(DISTINCT *) > 1)",
    ],
)
def test_other_conditions_are_evaluated(text: str) -> None:
    assert count_test(marked(text)) is None
