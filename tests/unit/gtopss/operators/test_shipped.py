"""The operators that come with the project, each at its real work."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import rdflib
from rdflib import OWL, RDF, RDFS

from gtopss.errors import GtopssError
from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, literal, term
from gtopss.net import Connector, FetchLimits
from gtopss.operators import REGISTRY, InvalidOperator, InvalidPredicate, MissingLibrary, OperatorStage, Registry
from gtopss.operators.shipped import libraries, text
from gtopss.operators.shipped.http import http
from gtopss.operators.shipped.owl import owl_instance
from gtopss.operators.shipped.rule import rule

GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"
TORONTO = (43.65, -79.38)
BRONX = "POLYGON ((-73.93 40.79, -73.75 40.79, -73.75 40.92, -73.93 40.92, -73.93 40.79))"


def text_of(value: str) -> Term:
    return literal(value)


def ask(registry: Registry, name: str, *arguments: Any, publication: Publication | None = None) -> Any:
    """The one solution's values, or None; unknown is an error."""
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call(name, *arguments)])
    report = stage.evaluate(publication or Publication("p", []), {("s", 0): [{}]})
    assert not report.undecided, report.undecided
    return report.matched.get(("s", 0))


@pytest.mark.parametrize(
    ("name", "arguments", "holds"),
    [
        ("hasWords", ("A storm hit the coast", "storm", "COAST"), True),
        ("hasWords", ("A storm hit the coast", "hit the"), True),
        ("hasWords", ("A storm hit the coast", "hit coast"), False),
        ("hasWords", ("brainstorm", "storm"), False),
        ("matchesText", ("flight LH 403", r"\b[A-Z]{2} ?\d{3}\b"), True),
        ("matchesText", ("flight 403", "^LH"), False),
    ],
)
def test_text(name: str, arguments: tuple[str, ...], holds: bool) -> None:
    assert bool(ask(REGISTRY, name, *map(text_of, arguments))) is holds


def test_mentions_looks_at_all_literals() -> None:
    words = [("<urn:title>", text_of("Flood")), ("<urn:text>", text_of("in Bonn"))]
    news = Publication("p", [("<urn:a>", property, value) for property, value in words])
    assert ask(REGISTRY, "mentions", text_of("flood"), text_of("bonn"), publication=news)
    assert not ask(REGISTRY, "mentions", text_of("flood in"), publication=news)


def test_language() -> None:
    found = ask(REGISTRY, "languageOf", text_of("Die Feuerwehr war die ganze Nacht im Einsatz."), "?language")
    assert found == ({Term("?language"): text_of("de")},)
    assert ask(REGISTRY, "languageOf", text_of("The fire brigade was out all night."), text_of("en"))


def test_what_can_be_told_at_registration_is() -> None:
    stage = OperatorStage(REGISTRY)
    for calls, reason in [
        (call("matchesText", text_of("a"), text_of("(")), "missing"),
        (call("hasWords", text_of("a"), text_of("!")), "no word"),
        (call("locIn", text_of("POLYGON ((")), "not WKT"),
        (call("nearPlace", 1, 1, text_of("Atlantis Nova"), 5), "GeoNames"),
        (call("nearPlace", 1, 1, text_of("Toronto"), text_of("far")), "far"),
    ]:
        with pytest.raises(InvalidPredicate, match=reason):
            stage.add(("s", 0), [calls])


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingLibrary, match="pip install no_such_library"):
        libraries.import_library("someOperator", "no_such_library")
    monkeypatch.setattr(text, "_identifier", lambda: libraries.import_library("languageOf", "no_such_library"))
    stage = OperatorStage(REGISTRY)
    stage.add(("s", 0), [call("languageOf", text_of("un texte"), "?language")])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "pip install" in report.undecided["s", 0][0].detail


def test_places_and_distances() -> None:
    assert ask(REGISTRY, "nearPlace", *TORONTO, text_of("Toronto"), 25)
    assert not ask(REGISTRY, "nearPlace", *TORONTO, text_of("Montréal"), 25)
    assert ask(REGISTRY, "nearPlace", 42.98, -81.23, text_of("London, CA"), 10)
    assert not ask(REGISTRY, "nearPlace", 42.98, -81.23, text_of("London"), 10)
    ((row,),) = (ask(REGISTRY, "distanceFrom", 48.8566, 2.3522, text_of("London"), "?km"),)
    assert 340 < float(row[Term("?km")].split('"')[1]) < 348
    ((nearest,),) = (ask(REGISTRY, "nearestPlace", 64.14, -21.94, "?place", "?km"),)
    assert nearest[Term("?place")] == text_of("Reykjavík")


def test_regions() -> None:
    assert ask(REGISTRY, "inRegion", 40.85, -73.87, text_of(BRONX))
    assert not ask(REGISTRY, "inRegion", 40.70, -74.02, text_of(BRONX))
    place = [(f"<{GEO}lat>", text_of("40.85")), (f"<{GEO}long>", text_of("-73.87"))]
    point = Publication("p", [("<urn:uav>", property, value) for property, value in place])
    assert ask(REGISTRY, "locIn", text_of(BRONX), publication=point)
    wkt = literal("<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT (-73.87 40.85)",
                  "http://www.opengis.net/ont/geosparql#wktLiteral")  # fmt: skip
    assert ask(REGISTRY, "locIn", text_of(BRONX), publication=Publication("p", [("<urn:uav>", "<urn:at>", wkt)]))
    assert not ask(REGISTRY, "locIn", text_of(BRONX))


def test_a_point_off_the_earth_is_unknown() -> None:
    stage = OperatorStage(REGISTRY)
    stage.add(("s", 0), [call("inRegion", 140, 10, text_of(BRONX))])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "no place on earth" in report.undecided["s", 0][0].detail


def test_the_reasoner_is_asked_once_for_a_publication() -> None:
    zoo = rdflib.Namespace("urn:zoo:")
    ontology = rdflib.Graph()
    restriction = rdflib.BNode()
    for triple in [
        (zoo.Parent, OWL.equivalentClass, restriction),
        (restriction, RDF.type, OWL.Restriction),
        (restriction, OWL.onProperty, zoo.hasChild),
        (restriction, OWL.someValuesFrom, zoo.Animal),
        (zoo.hasChild, RDF.type, OWL.ObjectProperty),
        (zoo.Parent, RDF.type, OWL.Class),
        (zoo.Animal, RDF.type, OWL.Class),
        (zoo.Cat, RDF.type, OWL.Class),
        (zoo.Cat, RDFS.subClassOf, zoo.Animal),
    ]:
        ontology.add(triple)
    registry = Registry([owl_instance(ontology)])
    stage = OperatorStage(registry)
    who = Term("?who")
    stage.add(("parents", 0), [call("owlInstance", "?who", zoo.Parent)], bound=[who])
    published = Publication(
        "p", [(zoo.tom, zoo.hasChild, zoo.kit), (zoo.kit, RDF.type, zoo.Cat), (zoo.tom, RDF.type, zoo.Animal)]
    )
    rows = [{who: term(zoo.tom)}, {who: term(zoo.kit)}, {who: literal("urn:zoo:tom")}]
    report = stage.evaluate(published, {("parents", 0): rows})
    assert report.matched == {("parents", 0): (rows[0],)}
    assert report.calls == 3
    assert len({each.seconds for each in report.answers}) == 1, "the three were one batch"


POLICY = """
    police(X)    :- triple(X, "<urn:type>", "<urn:PoliceCar>").
    chases(X, Y) :- police(X), triple(X, "<urn:follows>", Y), not police(Y).
    reaches(X, Y) :- triple(X, "<urn:follows>", Y).
    reaches(X, Y) :- reaches(X, Z), triple(Z, "<urn:follows>", Y).
    busy :- chases(X, Y).
"""


def test_rules() -> None:
    registry = Registry(
        [
            rule("chases", POLICY, predicate="chases", arity=2),
            rule("reaches", POLICY, predicate="reaches", arity=2),
            rule("busy", POLICY, predicate="busy", arity=0),
        ]
    )
    street = Publication(
        "p",
        [
            ("<urn:a>", "<urn:type>", "<urn:PoliceCar>"),
            ("<urn:a>", "<urn:follows>", "<urn:b>"),
            ("<urn:b>", "<urn:follows>", "_:c"),
        ],
    )
    assert ask(registry, "chases", "?x", "?y", publication=street) == ({Term("?x"): "<urn:a>", Term("?y"): "<urn:b>"},)
    assert len(ask(registry, "reaches", "<urn:a>", "?y", publication=street)) == 2
    assert ask(registry, "busy", publication=street) == ({},)
    assert ask(registry, "busy") is None


@pytest.mark.parametrize(
    "program",
    ["p(X + 1) :- p(X).", "p(f(X)) :- q(X).", "{a}.", "a ; b.", "p(1..3).", "#script (python) x #end.", "p(X :- q.",
     "#external a.", ":~ a. [1]", "#program other.", "a :- 1 = #count { X : p(X) }.", "#const n = 5."],
)  # fmt: skip
def test_programs_beyond_datalog_are_refused(program: str) -> None:
    with pytest.raises(InvalidOperator):
        rule("r", program, predicate="p", arity=1)


def test_a_program_without_a_single_model_is_unknown() -> None:
    registry = Registry([rule("r", "a :- not b. b :- not a.", predicate="a", arity=0)])
    stage = OperatorStage(registry)
    stage.add(("s", 0), [call("r")])
    report = stage.evaluate(Publication("p", []), {("s", 0): [{}]})
    assert "2 models" in report.undecided["s", 0][0].detail


@pytest.fixture
def service() -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """A service that keeps what it was sent and answers what it is told to."""
    sent: list[Any] = []
    answers: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps(answers["body"]).encode()
            self.send_response(answers.get("status", 200))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/ask", sent, answers
    server.shutdown()
    server.server_close()
    thread.join()


def test_http(service: tuple[str, list[Any], dict[str, Any]]) -> None:
    url, sent, answers = service
    connector = Connector(allow={"127.0.0.1"}, limits=FetchLimits(total_seconds=5))
    registry = Registry(
        [
            http("looksLike", url, connector=connector, arity=1),
            http("count", url, connector=connector, arity=2, binds=(1,)),
            http("guarded", url, connector=Connector(), arity=0),
        ]
    )
    stage = OperatorStage(registry)
    stage.add(("one", 0), [call("looksLike", text_of("fire"))])
    stage.add(("two", 0), [call("count", text_of("cars"), "?n")])
    stage.add(("three", 0), [call("guarded")])
    picture = Publication("p", [("<urn:a>", "<urn:b>", 5)])
    answers["body"] = {"answer": True, "cost": 0.25}
    report = stage.evaluate(picture, {("one", 0): [{}]})
    assert set(report.matched) == {("one", 0)}
    assert report.cost == 0.25
    assert sent == [{"publication": "p", "triples": [list(picture.triples[0])], "arguments": ['"fire"']}]
    answers["body"] = {"rows": [[7], [8]]}
    assert len(stage.evaluate(picture, {("two", 0): [{}]}).matched["two", 0]) == 2
    for body in (["yes"], {"rows": []}, None, {"answer": "yes"}, {"answer": True, "cost": "much"}):
        answers["body"] = body
        assert stage.evaluate(picture, {("one", 0): [{}]}).unanswered_by_operator == {"looksLike": 1}
    answers.update(body={"answer": True}, status=500)
    report = stage.evaluate(picture, {("one", 0): [{}]})
    assert "500" in report.undecided["one", 0][0].detail
    report = stage.evaluate(picture, {("three", 0): [{}]})
    assert "not public" in report.undecided["three", 0][0].detail


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(GtopssError):
        http("odd", "ftp://example.org/", connector=Connector(), arity=0)
