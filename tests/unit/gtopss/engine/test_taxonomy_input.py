"""What an engine takes as its taxonomy, and how it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from rdflib import RDFS, URIRef

from gtopss import Engine
from gtopss.engine.taxonomy_input import read_taxonomy
from gtopss.errors import InvalidTaxonomy
from ontology import Taxonomy


def test_taxonomies_that_cannot_be_used(tmp_path: Path) -> None:
    cyclic = tmp_path / "cyclic.ttl"
    sub_class_of = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    cyclic.write_text("".join(f"<urn:{a}> {sub_class_of} <urn:{b}> .\n" for a, b in ("AB", "BC", "CA")))
    with pytest.raises(InvalidTaxonomy, match=r"cyclic\.ttl") as caught:
        Engine(taxonomy=cyclic)
    assert set(caught.value.cycle) == {"urn:A", "urn:B", "urn:C"}
    assert all(name in str(caught.value) for name in ("urn:A", "urn:B", "urn:C", "condense"))
    malformed = tmp_path / "malformed.ttl"
    malformed.write_text("<urn:a> <urn:b")
    with pytest.raises(InvalidTaxonomy, match=r"malformed\.ttl"):
        Engine(taxonomy=malformed)
    with pytest.raises(InvalidTaxonomy, match="cannot be read"):
        Engine(taxonomy=tmp_path / "missing.ttl")


def test_a_taxonomy_is_taken_as_it_is_and_a_graph_is_read() -> None:
    taxonomy, graph = Taxonomy(), rdflib.Graph()
    assert read_taxonomy(taxonomy) is taxonomy
    graph.add((URIRef("urn:Cat"), RDFS.subClassOf, URIRef("urn:Animal")))
    assert read_taxonomy(graph).is_subclass(URIRef("urn:Cat"), URIRef("urn:Animal"))
    with pytest.raises(InvalidTaxonomy, match="give a Taxonomy"):
        read_taxonomy(5)  # type: ignore[arg-type]
