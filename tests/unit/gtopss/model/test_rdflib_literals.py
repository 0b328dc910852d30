"""Literals for rdflib that are converted only when somebody asks: equal to rdflib's own in every other way."""

from __future__ import annotations

import logging
import pickle

import pytest
import rdflib
from rdflib import RDF, XSD

from gtopss import Engine
from gtopss.matching.table import MATCHERS
from gtopss.model.rdflib_literals import UnconvertedLiteral
from gtopss.model.terms import Term, literal, to_rdflib

pytestmark = pytest.mark.filterwarnings("ignore:Parsing weird boolean")  # as UnconvertedLiteral's module says

TEXTS = [
    ("1", XSD.integer), ("01", XSD.integer), ("abc", XSD.integer), ("1.50", XSD.decimal), ("1e0", XSD.double),
    ("true", XSD.boolean), ("maybe", XSD.boolean), ("2001-05-21", XSD.date), ("12001-05-21", XSD.date),
    ("2001-13-41T00:00:00", XSD.dateTime), ("P1Y", XSD.duration), ("<a/>", RDF.XMLLiteral), ("<a>", RDF.XMLLiteral),
    ("x  y", XSD.string), ("zz", XSD.hexBinary), ("x", rdflib.URIRef("urn:unknown")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "datatype"), TEXTS)
def test_it_is_rdflibs_literal_in_every_way(text: str, datatype: rdflib.URIRef) -> None:
    logging.getLogger("rdflib.term").disabled = True
    try:
        theirs = rdflib.Literal(text, datatype=datatype, normalize=False)
    finally:
        logging.getLogger("rdflib.term").disabled = False
    ours = UnconvertedLiteral(text, str(datatype))
    assert (ours, theirs) == (theirs, ours)
    assert hash(ours) == hash(theirs)
    assert (repr(ours), ours.n3(), ours.ill_typed) == (repr(theirs), theirs.n3(), theirs.ill_typed)
    assert type(ours.value) is type(theirs.value)
    if not isinstance(theirs.value, rdflib.term.xml.dom.minidom.Node):  # type: ignore[attr-defined]
        assert (ours.value, ours.toPython()) == (theirs.value, theirs.toPython())
    for other in (rdflib.Literal("0"), rdflib.Literal(0), rdflib.URIRef("urn:a"), rdflib.BNode("b")):
        assert (ours < other, other < ours, ours > other) == (theirs < other, other < theirs, theirs > other)
    graph = rdflib.Graph().add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), ours))
    assert (rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), theirs) in graph


def test_it_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(UnconvertedLiteral("1", str(XSD.integer)))) == rdflib.Literal(1)


@pytest.mark.parametrize("matcher", MATCHERS)
def test_what_strangers_send_is_not_logged(matcher: str, caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(matcher=matcher)
    engine.add("SELECT ?o { ?s <urn:p> ?o FILTER(?o != 5 || ?o = 5 || isLiteral(?o)) }", id="s")
    engine.add("SELECT ?o { ?s <urn:p> ?o FILTER(<http://www.w3.org/2001/XMLSchema#integer>(STR(?o)) > 1) }", id="cast")
    engine.add('SELECT ?s { ?s <urn:p> "abc"^^<http://www.w3.org/2001/XMLSchema#date> }', id="constant")
    terms = [literal(text, str(datatype)) for text, datatype in TEXTS]
    report = engine.match([("<urn:a>", "<urn:p>", term) for term in terms])
    for match in report:
        for row in match.bindings:
            for value in row.values():
                assert isinstance(value, rdflib.term.Identifier)
                value.toPython()  # type: ignore[attr-defined]
    assert "s" in report.subscription_ids
    assert [record for record in caplog.records if record.name.startswith("rdflib")] == []


def test_reading_bindings_converts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(lexical: str) -> None:
        raise AssertionError("the literal was converted")

    monkeypatch.setitem(rdflib.term._toPythonMapping, RDF.XMLLiteral, refuse)
    monkeypatch.setitem(rdflib.term._toPythonMapping, RDF.HTML, refuse)
    engine = Engine()
    engine.add("SELECT ?o { ?s <urn:p> ?o }", id="s")
    markup = [literal("<a/>" * 1000, str(datatype)) for datatype in (RDF.XMLLiteral, RDF.HTML)]
    report = engine.match([("<urn:a>", "<urn:p>", Term(each)) for each in markup])
    assert {str(row["o"]) for row in report[0].bindings} == {"<a/>" * 1000}
    assert {row["o"] for row in report[0].bindings} == set(map(to_rdflib, markup))


def test_rdflibs_own_literals_are_logged_as_before(caplog: pytest.LogCaptureFixture) -> None:
    rdflib.Literal("abc", datatype=XSD.integer)
    assert len(caplog.records) == 1
