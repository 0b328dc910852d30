"""Values that somebody, somewhere, will publish: none of them may stop the stream, in any matcher."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import pytest
import rdflib
from rdflib import BNode, Literal, Namespace, URIRef, Variable
from support.matchers import every_matcher

from gtopss import Engine, GtopssError, Publication, Subscription, errors
from gtopss.model.expressions import call, compare, directly_a, is_a, regex
from gtopss.model.results_json import term_from_json
from gtopss.model.terms import XSD, literal, term
from ontology import Taxonomy

EX = Namespace("urn:ex:")
X, Y = Variable("x"), Variable("y")
HUGE = "9" * 5_000

ODD = [
    literal(HUGE, XSD + "integer"),
    literal(HUGE, XSD + "decimal"),
    literal("0." + HUGE, XSD + "decimal"),
    literal("9" * 1_000_000, XSD + "decimal"),
    literal("1e999999999", XSD + "double"),
    literal("-0", XSD + "double"),
    literal("NaN", XSD + "float"),
    literal(HUGE + "-01-01T00:00:00Z", XSD + "dateTime"),
    literal("2001-02-30", XSD + "date"),
    literal("", XSD + "integer"),
    literal("\\u0041", None),
    literal("\x00\x01"),
    literal("x" * 100_000),
    literal("a", "relative"),
    URIRef(""),
    URIRef("relative"),
    URIRef("http://[broken"),
    URIRef("urn:gtopss:iri:abc"),
    BNode("b-1.x"),
]
TESTS = [
    compare("x", ">", 5),
    compare(call("unary-", "?x"), "<", 5),
    compare(call("*", call("*", "?x", "?x"), "?x"), ">", 0),
    compare(call("STR", call(f"<{XSD}integer>", "?x")), "!=", Literal("")),
    regex("x", "a"),
    call("REGEX", "?x", literal("a")),
    is_a("x", EX.C),
    compare(call("STRLEN", call("STR", "?x")), ">", 3),
]


@pytest.mark.parametrize("matcher", every_matcher("odd values"))
def test_odd_values_do_not_stop_the_stream(matcher: str) -> None:
    engine = Engine(matcher=matcher, taxonomy=Taxonomy([("Technical Report", "urn:ex:C")]))
    engine.add(Subscription("all", [(EX.s, EX.p, X)]))
    for number, test in enumerate(TESTS):
        engine.add(Subscription(f"t{number}", [(EX.s, EX.p, X, [], [test])]))
    for value in ODD:
        report = engine.match([(EX.s, EX.p, value)])
        (match,) = (match for match in report if match.subscription_id == "all")
        if matcher != "sparql":  # Oxigraph's store rewrites numbers
            assert match.rows == ({"x": term(value)},)
        assert match.bindings
        (row,) = match.to_json()["bindings"]
        assert {name: term_from_json(each) for name, each in row.items()} == match.rows[0]


@pytest.mark.parametrize(
    "value",
    ["\ud800", URIRef("urn:\ud800"), 10**5_000, Decimal("NaN"), Decimal("1E+100000"), BNode("²"), Literal("\udfff")],
    ids=range(7),
)
def test_what_is_no_term_is_refused_and_the_stream_goes_on(value: Any) -> None:
    engine = Engine()
    engine.add(Subscription("s", [(X, EX.p, Y)]))
    reports = list(engine.match_many([[(EX.s, EX.p, value)], [(EX.s, EX.p, 1)]]))
    assert isinstance(reports[0].error, errors.MalformedPublication)
    assert reports[1].subscription_ids == ("s",)
    with pytest.raises(GtopssError):
        compare("x", ">", value)


def test_rdf_1_2_is_refused_by_name() -> None:
    engine = Engine()
    with pytest.raises(errors.MalformedPublication, match="direction"):
        engine.match('<urn:a> <urn:p> "a"@en--ltr .', "turtle")


def test_infinity_is_xsds() -> None:
    assert term(float("inf")) == f'"INF"^^<{XSD}double>'
    assert term(float("-inf")) == f'"-INF"^^<{XSD}double>'
    assert term(float("nan")) == f'"NaN"^^<{XSD}double>'


@pytest.mark.parametrize("matcher", every_matcher("contract"))
def test_distinct_comes_before_the_limit(matcher: str) -> None:
    engine = Engine(matcher=matcher, row_limit=3)
    engine.add(Subscription("s", [(X, EX.p, Y)], select=["x"], distinct=True))
    (match,) = engine.match([(EX.a, EX.p, i) for i in range(4)] + [(EX.b, EX.p, i) for i in range(3)])
    assert {row["x"] for row in match.bindings} == {EX.a, EX.b}
    assert len(match.solutions) == 2
    assert not match.truncated


@pytest.mark.parametrize("matcher", every_matcher("contract"))
def test_what_entailment_adds_is_not_asserted(matcher: str) -> None:
    taxonomy = Taxonomy([(EX.Bat, EX.Mammal), ("Technical Report", EX.Mammal)])
    engine = Engine(matcher=matcher, taxonomy=taxonomy, entailment="rdfs")
    engine.add(Subscription("direct", [(X, EX.p, EX.o, [directly_a("x", EX.Mammal)], [])]))
    engine.add(Subscription("plain", [(X, rdflib.RDF.type, EX.Mammal)]))
    found = engine.match([(EX.rex, rdflib.RDF.type, EX.Bat), (EX.rex, EX.p, EX.o)])
    assert found.subscription_ids == ("plain",)


def test_other_inputs_and_arguments(tmp_path: Any) -> None:
    engine = Engine()
    engine.add(Subscription("s", [(X, EX.p, Y)]))
    path = tmp_path / "event.ttl"
    path.write_text("<urn:a> <urn:ex:p> 1 .")
    assert engine.match(path).publication_id == str(path)
    assert engine.match(path, id="mine").publication_id == "mine"
    assert engine.match(Publication("p", [(EX.a, EX.p, 1)]), id="mine").publication_id == "mine"
    assert engine.match(bytearray(path.read_bytes()), "turtle").subscription_ids == ("s",)
    dataset = rdflib.Dataset()
    dataset.graph(EX.g).add((EX.a, EX.p, EX.b))
    assert engine.match(dataset).subscription_ids == ("s",)
    dataset.graph(EX.h).add((EX.a, EX.p, EX.b))
    with pytest.raises(errors.MalformedPublication, match="2 graphs"):
        engine.match(dataset)
    for wrong in (b"<urn:a>", 5, "a\0b", tmp_path):
        with pytest.raises(errors.InvalidTaxonomy):
            Engine(taxonomy=wrong)  # type: ignore[arg-type]
    for limit in (0, 2.5, "5", 10**30):
        with pytest.raises(GtopssError, match="row_limit"):
            Engine(row_limit=limit)  # type: ignore[arg-type]
    with pytest.raises(errors.SubscriptionNotFound):
        engine.remove([])  # type: ignore[arg-type]


def test_errors_travel_between_processes() -> None:
    made = [
        errors.InvalidTerm(5, "reason"),
        errors.MalformedPublication("reason", publication_id="p", line=1, column=2, triple=3),
        errors.UnknownVariable("s", "?x", "place", ["?y"]),
        errors.CartesianSubscription("s", ["a", "b"]),
        errors.UnsupportedSubscription("s", "m", "reason"),
        errors.InvalidQuery("s", "reason", line=1, column=2),
        errors.DuplicateSubscription("s"),
        errors.SubscriptionNotFound("s"),
        errors.InvalidTaxonomy("t", "reason", cycle=["a"]),
        errors.UnknownMatcher("m", ["n"]),
    ]
    for error in made:
        back = pickle.loads(pickle.dumps(error))
        assert type(back) is type(error)
        assert str(back) == str(error)
        assert back.__dict__ == error.__dict__
