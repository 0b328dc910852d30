"""Text to subscriptions: where things go and what is refused."""

from __future__ import annotations

import re
import warnings
from datetime import UTC, datetime
from typing import Literal as LiteralType

import pytest
from rdflib import RDF, XSD, Literal, URIRef
from support.language import EX, PREFIX, read, solutions

from gtopss import MATCHERS, Engine, GtopssError, Publication
from gtopss.errors import CartesianSubscription, InvalidQuery, NeverBound, NeverMatches
from gtopss.language.lower import MAX_BRANCHES, subscription_from_text

# --- where things go ---------------------------------------------------------------------------------------------


def test_union_values_and_nesting_become_branches() -> None:
    assert len(read("ASK { { ?x :p 1 } UNION { ?x :p 2 } UNION { ?x :p 3 } }").branches) == 3
    assert len(read("ASK { { ?x :p 1 } UNION { ?x :p 2 } { ?x :q 1 } UNION { ?x :q 2 } }").branches) == 4
    assert len(read("ASK { ?x :p ?y VALUES ?y { 1 2 3 } }").branches) == 3
    assert len(read("ASK { ?x :p ?y { ?y :q ?z { ?z :r ?w } } }").branches) == 1


def test_a_filter_sees_only_its_own_group() -> None:
    inner = "SELECT * { ?x :p ?y { ?y :q ?z FILTER(?x = :a) } }"
    with pytest.warns(NeverMatches, match=r"because \?x has no value"):
        assert solutions(inner, (EX.a, EX.p, EX.b), (EX.b, EX.q, 1)) == []
    assert solutions("SELECT * { ?x :p ?y { ?y :q ?z } FILTER(?x = :a) }", (EX.a, EX.p, EX.b), (EX.b, EX.q, 1))


def test_select_distinct_ask_and_star() -> None:
    graph = [(EX.a, EX.p, 1), (EX.a, EX.p, 2)]
    assert solutions("SELECT ?x { ?x :p ?y }", *graph) == [{"x": EX.a}, {"x": EX.a}]
    assert solutions("SELECT DISTINCT ?x { ?x :p ?y }", *graph) == [{"x": EX.a}]
    assert solutions("ASK { ?x :p ?y }", *graph) == [{}]
    assert solutions("SELECT ?x ?nowhere { ?x :p 1 }", *graph) == [{"x": EX.a}]
    assert solutions("SELECT * { ?x :p [] }", *graph) == [{"x": EX.a}, {"x": EX.a}]


@pytest.mark.parametrize("matcher", MATCHERS)
def test_values_and_bind(matcher: str) -> None:
    graph = [(EX.a, EX.p, Literal("one")), (EX.b, EX.p, Literal("two"))]
    text = "SELECT * { ?x :p ?y VALUES (?x ?z) { (:a 'A') (:c 'C') (UNDEF 'U') } }"
    a, b, one, two = EX.a, EX.b, Literal("one"), Literal("two")
    assert solutions(text, *graph, matcher=matcher) == [
        {"x": a, "y": one, "z": Literal("A")},
        {"x": a, "y": one, "z": Literal("U")},
        {"x": b, "y": two, "z": Literal("U")},
    ]
    bound = "SELECT * { ?x :p ?y BIND(UCASE(?y) AS ?loud) FILTER(?loud = 'ONE') }"
    assert solutions(bound, *graph, matcher=matcher) == [{"x": a, "y": one, "loud": Literal("ONE")}]
    then_used = "SELECT ?x { BIND(:a AS ?x) ?x :p ?y }"
    assert solutions(then_used, *graph, matcher=matcher) == [{"x": a}]


@pytest.mark.parametrize("matcher", MATCHERS)
def test_the_path_of_instances(matcher: str) -> None:
    text = "SELECT ?x { ?x :likes :fish ; a/rdfs:subClassOf* :Animal }"
    assert solutions(text, (EX.tom, EX.likes, EX.fish), matcher=matcher) == [{"x": EX.tom}]
    assert solutions(text, (EX.rex, EX.likes, EX.fish), matcher=matcher) == []
    alone = "SELECT ?x { ?x a/rdfs:subClassOf* :Animal }"
    assert solutions(alone, (EX.kit, RDF.type, EX.Cat), (EX.kit, RDF.type, EX.Pet), matcher=matcher) == [{"x": EX.kit}]


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"),
    [
        ("SELECT ?x {\n  ?x :p ?y .\n  SERVICE :s { ?y :q ?z }\n}", 3, 3, "SERVICE is not supported"),
        ("SELECT ?x FROM :g { ?x :p ?y }", 1, 11, "FROM is not supported"),
        ("SELECT ?x { ?x :p ?y FILTER(RAND() > 0.5) }", 1, 29, "chance"),
        ("SELECT ?x { ?x nope:p ?y }", 1, 16, "nope:"),
        ("SELECT ?x { ?x :p ?y FILTER(locIn(?x, 'Toronto')) }", 1, 29, "locIn"),
        ("SELECT ?x { ?x :p ", 1, 18, "expected"),
        ("", 1, 1, "expected"),
    ],
)
def test_what_is_not_a_query_is_refused_by_name_and_place(text: str, line: int, column: int, problem: str) -> None:
    engine = Engine()
    offset = 0 if not text else len(PREFIX) if line == 1 else 0
    with pytest.raises(InvalidQuery, match=problem) as caught:
        engine.add(PREFIX + text if text else text, id="mine")
    assert isinstance(caught.value, GtopssError)
    assert (caught.value.line, caught.value.column) == (line, column + offset)
    assert "'mine'" in str(caught.value)
    assert "^" in str(caught.value)
    assert len(engine) == 0


def test_a_query_with_too_many_branches_is_refused() -> None:
    arms = " UNION ".join(["{ ?x :p 1 }"] * 20)
    with pytest.raises(InvalidQuery, match=f"more than {MAX_BRANCHES} branches") as caught:
        read(f"ASK {{ {arms} {arms} }}")
    assert caught.value.subscription_id == "s"
    rows = " ".join(map(str, range(MAX_BRANCHES + 1)))
    with pytest.raises(InvalidQuery, match="IN") as caught:
        read(f"ASK {{ ?x :p ?y VALUES ?y {{ {rows} }} }}")
    assert caught.value.line == 1


def test_a_class_variable_that_nothing_binds_is_refused() -> None:
    with pytest.raises(InvalidQuery, match=r"\?c is bound nowhere"):
        read("ASK { ?x :p ?y ; a/rdfs:subClassOf* ?c }")


def test_a_product_is_refused_unless_a_filter_joins_its_parts() -> None:
    with pytest.raises(CartesianSubscription):
        Engine().add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d }")
    Engine().add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d FILTER(?b = ?d) }")
    Engine().add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d FILTER(sameTerm(?b, ?d)) }")
    Engine(allow_cartesian=True).add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d }")


def test_texts_without_ids_get_their_own() -> None:
    engine = Engine()
    one, other = engine.add(PREFIX + "ASK { ?x :p 1 }"), engine.add(PREFIX + "ASK { ?x :p 1 }")
    assert one.id != other.id
    assert set(engine.match([(EX.a, EX.p, 1)]).subscription_ids) == {one.id, other.id}


# --- places and time -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("ASK { ?x :p ?y FILTER(:nofun(?y)) }", 16, "no function"),
        ("ASK { ?x :p ?y FILTER(REGEX(?y, '(')) }", 16, "malformed"),
        ("ASK { ?x :p ?y BIND(REGEX(?y, 'a', 'x') AS ?z) }", 16, "flag 'x'"),
    ],
)
def test_expressions_refused_later_are_refused_with_their_place(text: str, column: int, problem: str) -> None:
    with pytest.raises(InvalidQuery, match=problem) as caught:
        Engine().add(PREFIX + text)
    assert (caught.value.line, caught.value.column) == (1, len(PREFIX) + column)
    assert "^" in str(caught.value)


def test_too_large_an_expression() -> None:
    values = ", ".join(map(str, range(12_000)))
    with pytest.raises(InvalidQuery, match="more than 10000 terms"):
        Engine().add(f"ASK {{ ?x <urn:p> ?y FILTER(?y IN ({values})) }}")


def test_filters_that_union_multiplies_too_often_are_refused() -> None:
    arms = " UNION ".join(f"{{ ?x <urn:p{number}> ?y }}" for number in range(200))
    members = ", ".join(map(str, range(600)))
    for part in (f"FILTER(?y IN ({members}))", f"BIND(CONCAT({members}) AS ?z)"):
        with pytest.raises(InvalidQuery, match="more than 100,000 terms"):
            Engine().add(f"SELECT * {{ {arms} {part} }}")


@pytest.mark.parametrize("entailment", [None, "rdfs"])
def test_now_is_the_time_of_arrival(entailment: LiteralType["rdfs"] | None) -> None:
    noon = datetime(2001, 5, 21, 12, tzinfo=UTC)
    engine = Engine(clock=lambda: noon, entailment=entailment)
    engine.add(PREFIX + "SELECT ?n { ?x :p ?y BIND(STR(NOW()) AS ?n) FILTER(YEAR(NOW()) > 2000) }", id="now")
    dated = Publication("p", [(EX.a, EX.p, 1)], published_at=noon.replace(year=1999))
    for each in ([(EX.a, EX.p, 1)], dated):
        (match,) = engine.match(each)
        assert str(match.bindings[0]["n"]).startswith("2001-05-21T12:00:00")
        assert engine.explain(each, "now").matched
    later = dated.replace(received_at=noon.replace(year=2026))
    (report,) = engine.match_many([later])
    assert str(report[0].bindings[0]["n"]).startswith("2026-05-21T12:00:00")
    assert not engine.match(dated.replace(received_at=noon.replace(year=1999)))


def test_dates_that_may_be_the_same_day_are_neither_equal_nor_unequal() -> None:
    day = "'2006-08-23'^^xsd:date"
    # normalize=False: rdflib would drop the time zone
    zoned, other = (Literal(text, datatype=XSD.date, normalize=False) for text in ("2006-08-23Z", "2001-01-01Z"))
    assert solutions(f"SELECT ?y {{ ?x :p ?y FILTER(?y != {day}) }}", (EX.a, EX.p, zoned), (EX.a, EX.p, other)) == [
        {"y": other}
    ]
    assert solutions(f"SELECT ?y {{ ?x :p ?y FILTER(?y = {day}) }}", (EX.a, EX.p, zoned)) == []


def test_iri_is_resolved_against_the_base() -> None:
    assert solutions("BASE <http://b/c/> SELECT ?u { ?x :p ?y BIND(IRI('d') AS ?u) }", (EX.a, EX.p, 1)) == [
        {"u": URIRef("http://b/c/d")}
    ]


def test_too_many_patterns_in_all_branches() -> None:
    edges = " . ".join(f"?x :p{n} ?y" for n in range(60))
    rows = " ".join(map(str, range(200)))
    with pytest.raises(InvalidQuery, match="or 10000 patterns in them"):
        read(f"ASK {{ {edges} VALUES ?y {{ {rows} }} }}")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT ?titel { ?x rss:title ?title }", "?titel is never bound: did you mean ?title?"),
        ('ASK { ?x rss:title ?title FILTER(?zzz = "a") }', "?zzz is never bound"),
        ('ASK { ?x rss:title ?t { ?x rss:link ?l FILTER(?t = "a") } }', "?t has no value inside this group"),
    ],
)
def test_a_variable_that_nothing_binds_is_a_warning(query: str, message: str) -> None:
    with pytest.warns(NeverBound, match=re.escape(message)):
        subscription_from_text(query, "s")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?x rss:title ?t }",
        "SELECT ?y { ?x rss:title ?t BIND(?t AS ?y) }",
        "ASK { ?x a ?t OPTIONAL { ?x rss:link ?z } FILTER(!BOUND(?z)) }",
    ],
)
def test_a_variable_with_a_value_is_no_warning(query: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        subscription_from_text(query, "s")
