"""The printer is the parser's inverse."""

from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from support.parsing import parse
from support.query_strategies import OPERATORS, expressions, queries

from sparqlish import IRI, PREFIXES, Call, Filter, Group, Literal, Query, Triple, Variable, print_query

PRINTED = {"e": "http://e/", "": "http://e/ns#", "deep": "http://e/deep/ns#", "xsd": PREFIXES["xsd"], "none": ""}


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(queries)
def test_parse_after_print_is_the_same_query(query):
    assert parse(print_query(query), operators=OPERATORS) == query
    assert parse(print_query(query, PRINTED), operators=OPERATORS) == query


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(expressions)
def test_parse_after_print_is_the_same_expression(expression):
    query = Query("ASK", None, False, Group((Filter(expression),)))
    assert parse(print_query(query), operators=OPERATORS) == query


def test_a_printed_query():
    text = """
        select distinct ?x ?n { ?x a foaf:Person; foaf:name ?n, "Ann"@en
        filter(?n != "B" && (isA(?x, foaf:A) || !bound(?n)))
        { ?x foaf:age 5 } union { ?x foaf:age -1.5 . bind(?n as ?m) }
        values (?a ?b) { (1 undef) } [] a/rdfs:subClassOf* ?x }
    """
    assert print_query(parse(text), PREFIXES) == dedent("""\
        PREFIX foaf: <http://xmlns.com/foaf/0.1/>
        PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        SELECT DISTINCT ?x ?n WHERE {
          ?x a foaf:Person .
          ?x foaf:name ?n .
          ?x foaf:name "Ann"@en .
          FILTER (?n != "B" && (isA(?x, foaf:A) || !BOUND(?n)))
          {
            ?x foaf:age 5 .
          } UNION {
            ?x foaf:age -1.5 .
            BIND (?n AS ?m)
          }
          VALUES (?a ?b) {
            (1 UNDEF)
          }
          _:b0 a/rdfs:subClassOf* ?x .
        }""")


@pytest.mark.parametrize(
    "text",
    [
        "?a - (?b - ?c)", "?a - ?b - ?c", "(?a + ?b) * ?c", "?a + ?b * ?c", "(?a = ?b) = ?c", "!(?a = ?b)", "- 1", "-1",
        "!?a", "?a / (?b * ?c)", "(?a || ?b) || ?c", "?a || ?b || ?c", "-(?a + ?b)", "--1", "?a - -1", "?a IN (1, 2)",
        "(?a IN (1)) IN (?b)", "isIRI(?a)", "sameTerm(?a, ?b)", "langMatches(LANG(?a), \"*\")", "NOW()", "- .5",
    ],
)  # fmt: skip
def test_brackets_only_where_needed(text):
    inner = print_query(parse(f"ASK {{ FILTER ({text}) }}")).splitlines()[1].strip()
    assert inner.removeprefix("FILTER ") in (text, f"({text})")


def test_prefixes_are_used_where_they_may_be():
    where = Group(tuple(Triple(IRI(value), Variable("p"), Variable("o")) for value in (
        "http://e/ns#a", "http://e/x", "http://e/x/y", "http://e/deep/ns#z", "http://e/1", "http://other/",
    )))  # fmt: skip
    printed = print_query(Query("ASK", None, False, where), PRINTED).splitlines()
    assert printed[:3] == ["PREFIX : <http://e/ns#>", "PREFIX deep: <http://e/deep/ns#>", "PREFIX e: <http://e/>"]
    assert [line.split()[0] for line in printed[4:-1]] == [
        ":a", "e:x", "<http://e/x/y>", "deep:z", "<http://e/1>", "<http://other/>",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["relative", "http://a b", "http://a>", "", "http://\ud800"])
def test_an_iri_that_cannot_be_written_is_an_error(value):
    with pytest.raises(ValueError, match="cannot be written"):
        print_query(Query("ASK", None, False, Group((Triple(IRI(value), Variable("p"), Literal("")),))))


def test_calls_by_iri_use_prefixes():
    query = parse("ASK { FILTER (xsd:integer(?x) > 1) }")
    assert query.where.elements[0].expression.arguments[0] == Call(f"<{PREFIXES['xsd']}integer>", (Variable("x"),))
    assert "xsd:integer(?x) > 1" in print_query(query, PREFIXES)
