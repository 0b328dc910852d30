"""SELECT expressions, aggregates, and the clauses behind a pattern."""

import pytest
from support.parsing import parse

from sparqlish import (
    Aggregate,
    Call,
    Group,
    GroupKey,
    Literal,
    OrderKey,
    SparqlishError,
    SubSelect,
    Variable,
    is_grouped,
    print_query,
)

X, Y, N = Variable("x"), Variable("y"), Variable("n")

TEXTS = [
    "SELECT (?x + 1 AS ?y) ?x { ?x ?p ?o }",
    "SELECT (COUNT(*) AS ?n) { ?x ?p ?o }",
    "SELECT ?x (GROUP_CONCAT(DISTINCT ?o; SEPARATOR=', ') AS ?n) { ?x ?p ?o } GROUP BY ?x HAVING (COUNT(?o) > 1) (1)",
    "SELECT (SUM(?o) / COUNT(?o) AS ?n) { ?x ?p ?o } GROUP BY (STR(?x) AS ?y) ?x STRLEN(?z) ORDER BY DESC(SUM(?o)) ?x",
    "SELECT ?x { ?x ?p ?o } ORDER BY ASC(?x) (?o + 1) STR(?p) LIMIT 3 OFFSET 2",
    "SELECT ?x { ?x ?p ?o } OFFSET 2 LIMIT 0",
    "SELECT REDUCED ?x { { SELECT ?x (MAX(?o) AS ?m) { ?x ?p ?o } GROUP BY ?x } OPTIONAL { ?x ?p ?m } }",
    "SELECT ?x { ?x ?p ?o FILTER NOT EXISTS { ?x ?p ?z FILTER EXISTS { ?z ?p ?x } } MINUS { ?x ?o ?x } }",
    "SELECT ?x (COUNT(?o) AS ?n) { ?x ?p ?o } GROUP BY ?x VALUES ?x { 1 2 }",
    "CONSTRUCT { ?x ?p [ ?p ?o ] } { ?x ?p ?o } LIMIT 1",
    "CONSTRUCT WHERE { ?x ?p ?o }",
    "DESCRIBE ?x <urn:a> { ?x ?p ?o }",
    "DESCRIBE <urn:a>",
    "DESCRIBE * { ?x ?p ?o }",
    "ASK { GRAPH ?g { ?x ?p ?o } GRAPH <urn:g> { } }",
]


@pytest.mark.parametrize("text", TEXTS)
def test_queries_are_printed_as_they_were_read(text):
    query = parse(text)
    assert parse(print_query(query)) == query


def test_select_expressions():
    query = parse("SELECT ?x (?x + 1 AS ?y) { ?x ?p ?o }")
    one = Literal("1", "http://www.w3.org/2001/XMLSchema#integer")
    assert (query.variables, query.computed) == ((X, Y), ((Y, Call("+", (X, one))),))
    assert not is_grouped(query)


def test_groups_and_aggregates():
    query = parse("SELECT ?x (COUNT(DISTINCT ?y) AS ?n) { ?x ?p ?y } GROUP BY ?x ORDER BY DESC(?n) LIMIT 2 OFFSET 1")
    assert query.group_by == (GroupKey(X),)
    assert query.computed == ((N, Aggregate("COUNT", Y, distinct=True)),)
    assert (query.order_by, query.limit, query.offset) == ((OrderKey(N, descending=True),), 2, 1)
    assert is_grouped(query)
    assert is_grouped(parse("SELECT (COUNT(*) AS ?n) {}"))


def test_a_subquery_is_the_whole_of_its_group():
    where = parse("SELECT * { { SELECT ?x { ?x ?p ?y } } }").where
    assert isinstance(where.elements[0], Group)
    assert isinstance(where.elements[0].elements[0], SubSelect)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT (?x AS ?y) { ?x ?p ?y }", r"\?y is already used in the pattern"),
        ("SELECT ?y (?x AS ?y) { ?x ?p ?o }", r"\?y is selected already"),
        ("SELECT ?y { ?x ?p ?y } GROUP BY ?x", r"\?y is neither a key of GROUP BY nor inside an aggregate"),
        ("SELECT * { ?x ?p ?y } GROUP BY ?x", "cannot select groups"),
        ("SELECT (SUM(COUNT(?x)) AS ?n) { ?x ?p ?y }", "not inside another aggregate"),
        ("SELECT ?x { ?x ?p ?y } GROUP BY (COUNT(?y))", "COUNT stands only in"),
        ("SELECT ?x { ?x ?p ?y } LIMIT -1", "expected `INTEGER`"),
        (f"SELECT ?x {{ ?x ?p ?y }} LIMIT {'9' * 30}", "at most 18 digits"),
        ("SELECT ?x { ?x ?p ?y } OFFSET 0 OFFSET 2", "found `OFFSET`"),
        ("SELECT ?x { ?x ?p ?y } LIMIT 0 LIMIT 2", "found `LIMIT`"),
        ("SELECT (1 AS ?k) { ?x ?p ?y } GROUP BY (?y AS ?k)", r"\?k is already used in this query"),
        ("SELECT ?x { ?x ?p ?y } GROUP BY (?y AS ?x)", r"\?x is already used in this query"),
        ("SELECT ?k { ?x ?p ?y } GROUP BY (?y AS ?k) (?x AS ?k)", r"\?k is already used in this query"),
        ("SELECT * { VALUES (?x ?x) { (1 2) } }", r"`\?x` stands twice"),
        ("SELECT ?x { ?x ?p ?y } ORDER ?x", "expected BY"),
        ("CONSTRUCT { ?x ?p ?y FILTER (?y) } { ?x ?p ?y }", "only triples"),
        ("CONSTRUCT WHERE { ?x ?p ?y FILTER (?y) }", "only triples"),
        ("SELECT ?x { OPTIONAL ?x }", "expected `{`"),
        ("SELECT ?x { _:a ?p ?x OPTIONAL { _:a ?p ?y } }", "two basic graph patterns"),
    ],
)
def test_refused(text, reason):
    with pytest.raises(SparqlishError, match=reason):
        parse(text)


def test_a_filter_with_exists_does_not_end_the_basic_graph_pattern():
    assert parse("SELECT ?x { _:a ?p ?x FILTER EXISTS { ?x ?p ?y } _:a ?q ?x }")
