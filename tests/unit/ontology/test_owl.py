"""Mistakes in OWL documents."""

from __future__ import annotations

import pytest
from support.ontology_documents import OWL_XML

from ontology import MalformedOntology, load_owl


def test_malformed_owl_xml_is_located_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MalformedOntology) as caught:
        load_owl(OWL_XML.replace("</SubClassOf>", "").encode())
    assert (caught.value.line, caught.value.column) == (8, 3)
    with pytest.raises(MalformedOntology, match="not OWL/XML") as caught:
        load_owl(OWL_XML.replace('<Class IRI="http://zoo/Animal"/></SubClassOf>', "</SubClassOf>").encode())
    assert caught.value.line == 6
    assert capfd.readouterr() == ("", "")


def test_malformed_rdf_is_located() -> None:
    with pytest.raises(MalformedOntology) as caught:
        load_owl(b"@prefix : <http://zoo/> .\n:tom a ;", reasoner="hermit")
    assert caught.value.line == 2


def test_an_unknown_reasoner_is_refused() -> None:
    with pytest.raises(ValueError, match="hermit"):
        load_owl(b"", reasoner="fact++")  # type: ignore[arg-type]
