"""Text to subscriptions: where things go, what is refused, what is normalised."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime
from typing import Any

import pytest
from rdflib import RDF, XSD, BNode, Literal, Namespace, URIRef

from gtopss import MATCHERS, Engine, GtopssError, Publication
from gtopss.errors import CartesianSubscription, InvalidQuery, NeverMatches
from gtopss.language.lower import MAX_BRANCHES, subscription_from_text
from gtopss.language.rewrite import rewrite_subscription
from ontology import Taxonomy

EX = Namespace("urn:ex:")
PREFIX = "PREFIX : <urn:ex:> "
ZOO = Taxonomy([(EX.Cat, EX.Animal)], [(EX.tom, EX.Cat)])


def read(text: str) -> Any:
    return subscription_from_text(PREFIX + text, "s")


def solutions(text: str, *triples: Any, matcher: str = "reference", **options: Any) -> list[dict[str, Any]]:
    engine = Engine(matcher=matcher, taxonomy=ZOO, **options)
    engine.add(PREFIX + text, id="s")
    found = [row for match in engine.match(triples) for row in match.bindings]
    return sorted(found, key=lambda row: sorted((name, value.n3()) for name, value in row.items()))


# --- where things go ---------------------------------------------------------------------------------------------


def test_a_test_of_one_end_is_a_constraint_of_its_5_tuple() -> None:
    (branch,) = read("SELECT * { ?x :p ?y . ?y :q ?z FILTER(isA(?x, :C) && ?y > 5) FILTER(?y < ?z) }").branches
    first, second = branch.tuples
    assert [str(test) for test in first.subject_constraints] == ["isA(?x, <urn:ex:C>)"]
    assert [str(test) for test in first.object_constraints] == ["(?y > 5)"]
    assert second.constraints() == ()
    assert [str(test) for test in branch.where] == ["(?y < ?z)"]


def test_a_test_of_a_property_variable_is_a_value_constraint() -> None:
    (branch,) = read("SELECT * { ?x ?p ?y FILTER(?p != :q) }").branches
    assert branch.tuples[0].constraints() == ()
    assert len(branch.where) == 1


def test_union_values_and_nesting_become_branches() -> None:
    assert len(read("ASK { { ?x :p 1 } UNION { ?x :p 2 } UNION { ?x :p 3 } }").branches) == 3
    assert len(read("ASK { { ?x :p 1 } UNION { ?x :p 2 } { ?x :q 1 } UNION { ?x :q 2 } }").branches) == 4
    assert len(read("ASK { ?x :p ?y VALUES ?y { 1 2 3 } }").branches) == 3
    assert len(read("ASK { ?x :p ?y { ?y :q ?z { ?z :r ?w } } }").branches) == 1


def test_a_filter_sees_only_its_own_group() -> None:
    inner = "SELECT * { ?x :p ?y { ?y :q ?z FILTER(?x = :a) } }"
    with pytest.warns(NeverMatches, match="UNBOUND"):
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
def test_members_of_containers(matcher: str) -> None:
    bag = BNode("bag")
    graph = [(EX.a, EX.authors, bag), (bag, RDF.type, RDF.Seq), (bag, RDF._1, EX.ann), (bag, RDF._2, EX.bob)]
    text = "SELECT ?who { ?x :authors ?list . ?list rdfs:member ?who }"
    assert solutions(text, *graph, matcher=matcher) == [{"who": EX.ann}, {"who": EX.bob}]
    assert solutions("ASK { ?list rdfs:member rdf:Seq }", *graph, matcher=matcher) == []


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
        ("SELECT ?x {\n  ?x :p ?y .\n  OPTIONAL { ?y :q ?z }\n}", 3, 3, "OPTIONAL is not supported"),
        ("SELECT ?x { ?x :p ?y } ORDER BY ?x", 1, 24, "ORDER BY"),
        ("SELECT ?x { ?x :p/:q ?y }", 1, 18, "property paths"),
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


def test_too_many_branches() -> None:
    arms = " UNION ".join(["{ ?x :p 1 }"] * 20)
    with pytest.raises(InvalidQuery, match=f"more than {MAX_BRANCHES} branches") as caught:
        read(f"ASK {{ {arms} {arms} }}")
    assert caught.value.subscription_id == "s"
    rows = " ".join(map(str, range(MAX_BRANCHES + 1)))
    with pytest.raises(InvalidQuery, match="IN") as caught:
        read(f"ASK {{ ?x :p ?y VALUES ?y {{ {rows} }} }}")
    assert caught.value.line == 1


def test_an_open_class() -> None:
    with pytest.raises(InvalidQuery, match=r"\?c is bound nowhere"):
        read("ASK { ?x :p ?y ; a/rdfs:subClassOf* ?c }")


def test_cartesian_products() -> None:
    with pytest.raises(CartesianSubscription):
        Engine().add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d }")
    Engine().add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d FILTER(?b = ?d) }")
    Engine().add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d FILTER(sameTerm(?b, ?d)) }")
    Engine(allow_cartesian=True).add(PREFIX + "SELECT * { ?a :p ?b . ?c :q ?d }")


# --- what is normalised --------------------------------------------------------------------------------------------


def edges(text: str) -> list[str]:
    made, impossible = rewrite_subscription(read(text))
    assert not impossible
    assert made is not None
    (branch,) = made.branches
    return [" ".join(edge) for edge in branch.edges()]


def test_constants_are_pushed_into_the_edges() -> None:
    assert edges("ASK { ?x :p ?y FILTER(?x = :a) }") == ["<urn:ex:a> <urn:ex:p> ?y"]
    assert edges("ASK { ?x :p ?y FILTER('b' = ?y) }") == ['?x <urn:ex:p> "b"']
    assert edges("ASK { ?x :p ?y VALUES ?y { 5 } }") == [
        '?x <urn:ex:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    ]
    assert edges("ASK { ?x :p ?y FILTER(?y = 5) }") == ["?x <urn:ex:p> ?y"]  # 5.0 would do as well


def test_equal_variables_become_one() -> None:
    assert edges("ASK { ?x :p ?y . ?z :q ?w FILTER(?y = ?z) }") == ["?x <urn:ex:p> ?y", "?y <urn:ex:q> ?w"]
    assert edges("ASK { ?x :p ?y . ?x :q ?w FILTER(?y = ?w) }") == ["?x <urn:ex:p> ?y", "?x <urn:ex:q> ?w"]
    assert edges("ASK { ?x :p ?y . ?x :q ?w FILTER(sameTerm(?y, ?w)) }")[1].endswith("?y")


def test_what_was_pushed_in_is_still_reported() -> None:
    graph = [(EX.a, EX.p, EX.b), (EX.b, EX.q, 1)]
    text = "SELECT * { ?x :p ?y . ?z :q ?w FILTER(?y = ?z && ?x = :a) }"
    assert solutions(text, *graph) == [{"x": EX.a, "y": EX.b, "z": EX.b, "w": Literal(1)}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ASK { ?x :p ?y FILTER(?y > 2000 && ?y < 1990) }", r"never matches: \(\?y > 2000\) and \(\?y < 1990\)"),
        ("ASK { ?x :p ?y FILTER(?y > 5) FILTER(5 >= ?y) }", "never matches"),
        ("ASK { ?x :p ?y FILTER(?y = 5 && ?y = 6) }", "never matches"),
        ("ASK { ?x :p ?y FILTER(?y = 5 && ?y > 5) }", "never matches"),
        ("ASK { ?x :p ?y FILTER(?y = 'a' && ?y = 'b') }", "never matches"),
        ("ASK { ?x :p ?y FILTER(false) }", "never matches"),
        ("ASK { ?x :p ?y VALUES ?x { 5 } }", "cannot stand where"),
        ("ASK { 5 :p ?y }", "cannot be a subject"),
        ("ASK { ?x :p ?y VALUES ?y {} }", "leave no row"),
        ("ASK { VALUES ?y { 1 } VALUES ?y { 2 } ?x :p ?y }", "leave no row"),
    ],
)
def test_a_contradiction_is_registered_with_a_warning_and_never_evaluated(text: str, reason: str) -> None:
    engine = Engine()
    with pytest.warns(NeverMatches, match=reason):
        engine.add(PREFIX + text, id="s")
    assert len(engine) == 1
    report = engine.match([(EX.x, EX.p, value) for value in (1, 5, 1995, 2005)])
    assert report.matches == ()
    assert report.counters.candidates == 0
    engine.remove("s")
    assert len(engine) == 0


@pytest.mark.parametrize(
    "text",
    [
        "ASK { ?x :p ?y FILTER(?y > 1990 && ?y < 2000) }",
        "ASK { ?x :p ?y FILTER(?y >= 5 && ?y <= 5) }",
        "ASK { ?x :p ?y FILTER(?y > 5 && ?y < 'a') }",  # no common order: we do not say
        "ASK { ?x :p ?y FILTER(?y = 5 && ?y = 5.0) }",
        "ASK { ?x :p ?y FILTER(?y > 1 || ?y < 0) }",
        "ASK { ?x :p ?y FILTER(isA(:Cat, :Animal)) }",  # a publication may say so
    ],
)
def test_no_contradiction(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NeverMatches)
        Engine().add(PREFIX + text)


def test_a_branch_that_cannot_match_leaves_the_others() -> None:
    engine = Engine()
    with pytest.warns(NeverMatches, match="a branch of subscription 's'"):
        engine.add(PREFIX + "SELECT * { { ?x :p ?y FILTER(?y > 5 && ?y < 5) } UNION { ?x :q ?z } }", id="s")
    assert engine.match([(EX.a, EX.q, 1), (EX.a, EX.p, 5)])[0].bindings == ({"x": EX.a, "z": Literal(1)},)


def test_texts_without_ids_get_their_own() -> None:
    engine = Engine()
    one, other = engine.add(PREFIX + "ASK { ?x :p 1 }"), engine.add(PREFIX + "ASK { ?x :p 1 }")
    assert one.id != other.id
    assert set(engine.match([(EX.a, EX.p, 1)]).subscription_ids) == {one.id, other.id}


# --- places, time, and what explanations show -------------------------------------------------------------------------


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


def test_now_is_the_publications_time_or_its_arrival() -> None:
    noon = datetime(2001, 5, 21, 12, tzinfo=UTC)
    engine = Engine(clock=lambda: noon)
    engine.add(PREFIX + "SELECT ?n { ?x :p ?y BIND(STR(NOW()) AS ?n) }", id="now")
    (match,) = engine.match([(EX.a, EX.p, 1)])
    assert str(match.bindings[0]["n"]).startswith("2001-05-21T12:00:00")
    dated = Publication("p", [(EX.a, EX.p, 1)], published_at=noon.replace(year=1999))
    assert str(engine.match(dated)[0].bindings[0]["n"]).startswith("1999-05-21T12:00:00")
    assert engine.explain(dated, "now").matched


def test_dates_too_near_to_tell() -> None:
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


def test_explanations_speak_of_what_was_written() -> None:
    engine = Engine()
    engine.add(PREFIX + "ASK { ?list rdfs:member ?m . ?m :p ?z }", id="members")
    engine.add(PREFIX + "ASK { ?s :p ?y VALUES ?s { :s9 } }", id="values")
    with pytest.warns(NeverMatches):
        engine.add(PREFIX + "ASK { ?s :p ?y { ?t :q ?y FILTER(?s > 1) } }", id="scope")
    with pytest.warns(NeverMatches):
        engine.add(PREFIX + "ASK { ?s :p ?y FILTER(?y > 2000 && ?y < 1990) }", id="never")
    event = [(EX.a, EX.p, EX.b), (EX.c, EX.q, EX.b)]
    members = engine.explain(event, "members")
    assert "✘ ?list  <http://www.w3.org/2000/01/rdf-schema#member>  ?m" in str(members)
    assert [each.edge[1] for each in members.branches[0].part] == [f"<{EX.p}>"]
    assert engine.explain([*event, (EX.l, RDF._3, EX.a)], "members").matched
    assert "✘ <urn:ex:s9>  <urn:ex:p>  ?y" in str(engine.explain(event, "values"))
    assert "?s (not bound in its group) > 1" in str(engine.explain(event, "scope"))
    assert "no publication can satisfy it" in str(engine.explain([(EX.a, EX.p, 2005)], "never"))
    assert engine.explain(event, "never").to_json()["impossible"]
