"""Axioms as Oxigraph's triples give them, beside those of an rdflib graph of the same document."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

from ontology import Axioms
from ontology.axiom_collector import AxiomCollector
from ontology.documents import collect_axioms, parse_document, read_document
from ontology.rdfs import asserted_axioms, read_axioms

SHIPPED = [
    path
    for path in sorted((ROOT / "data" / "ontologies").glob("*.*"))
    if path.suffix in (".ttl", ".owl", ".rdf", ".n3", ".nt")
]


def as_sets(axioms: Axioms) -> dict[str, frozenset[object]]:
    made = {name: frozenset(getattr(axioms, name)) for name in axioms.__slots__}
    made["labels"] = frozenset((*label[:3], label[3].lower()) for label in axioms.labels)  # tags have no case
    return made


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_oxigraph_gives_the_axioms_of_rdflib(path: Path) -> None:
    document = read_document(path)
    collector = collect_axioms(document)
    assert collector is not None
    expected = asserted_axioms(parse_document(document))
    assert as_sets(collector.axioms()) == as_sets(expected.axioms)
    assert tuple(sorted(collector.imports)) == expected.imports


def test_a_name_is_kept_once_and_repeated_triples_count_once() -> None:
    collector = AxiomCollector()
    for _ in range(2):
        collector.add("urn:" + "a", "http://www.w3.org/2000/01/rdf-schema#subClassOf", "urn:" + "b")
    assert collector.axioms().subclasses == (("urn:a", "urn:b"),)


def test_what_oxigraph_refuses_is_left_to_rdflib() -> None:
    document = read_document(b"<#Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <#Animal> .")
    assert collect_axioms(document) is None  # relative IRIs without a base
    assert len(read_axioms(document).axioms.subclasses) == 1


def test_n3_is_read_as_turtle_where_it_is_and_by_rdflib_where_not() -> None:
    prefix = b"@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <urn:> . "
    turtle = read_document(prefix + b":Cat rdfs:subClassOf :Animal .", "n3")
    assert collect_axioms(turtle) is not None
    formula = read_document(prefix + b":Cat rdfs:subClassOf :Animal . { :a :b :c } => { :d :e :f } .", "n3")
    assert collect_axioms(formula) is None
    assert (
        read_axioms(formula).axioms.subclasses == read_axioms(turtle).axioms.subclasses == (("urn:Cat", "urn:Animal"),)
    )


def test_odd_dates_are_not_logged(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    document = read_document(
        b"""{"@id": "urn:Cat", "@type": "http://www.w3.org/2002/07/owl#Class", "http://purl.org/dc/terms/issued":
        {"@value": "2001-99-99", "@type": "http://www.w3.org/2001/XMLSchema#date"}}""",
        "json-ld",
    )
    assert read_axioms(document).axioms.classes == ("urn:Cat",)
    assert caplog.text == ""
    assert "Traceback" not in capfd.readouterr().err
