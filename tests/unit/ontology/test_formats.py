"""Formats of ontology documents, by name, suffix and content."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ontology_documents import ANIMAL, CAT, JSONLD, NTRIPLES, RDFXML, TURTLE

from ontology import MalformedOntology, load, load_rdfs
from ontology.documents import read_document


@pytest.mark.parametrize(
    ("content", "suffix", "format"),
    [
        (TURTLE, ".ttl", "turtle"),
        (TURTLE, ".n3", "n3"),
        (NTRIPLES, ".nt", "nt"),
        (RDFXML, ".rdf", "xml"),
        (JSONLD.encode(), ".jsonld", "json-ld"),
    ],
)
def test_format_is_found_by_suffix_content_or_name(content: bytes, suffix: str, format: str, tmp_path: Path) -> None:
    path = tmp_path / f"zoo{suffix}"
    path.write_bytes(content)
    for taxonomy in (
        load_rdfs(path),
        load_rdfs(str(path)),
        load_rdfs(content),
        load_rdfs(content, format),
        load_rdfs(b"\xef\xbb\xbf" + content) if format == "xml" else load(content),
    ):
        assert set(taxonomy.asserted_edges()) == {(CAT, ANIMAL, "subclass")}
    assert read_document(path).format == format


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"[] a <http://zoo/Cat> .", "turtle"),
        (b"[ a <http://zoo/Cat> ] .", "turtle"),
        (b'\n [ {"@id": "http://zoo/Cat"} ]', "json-ld"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE Ontology [\n<!ENTITY a "b>" >\n]>\n<Ontology/>', "owl-xml"),
        (b'<?xml version="1.0"?><!DOCTYPE rdf:RDF [ <!ENTITY a "b"> ]><rdf:RDF/>', "xml"),
        (b'<owl:Ontology xmlns:owl="http://www.w3.org/2002/07/owl#"/>', "owl-xml"),
        (b"<http://zoo/Tom> a <http://zoo/Cat> .", "turtle"),
        (b"", "turtle"),
        (b"<?xml", "xml"),
        (b"<!-- ", "xml"),
    ],
)
def test_format_is_detected_by_content(content: bytes, format: str) -> None:
    assert read_document(content).format == format


def test_unknown_format_name_is_refused_with_the_known_names() -> None:
    with pytest.raises(ValueError, match="turtle"):
        load_rdfs(TURTLE, "protobuf")


def test_functional_syntax_is_named_in_the_error() -> None:
    with pytest.raises(MalformedOntology, match="functional"):
        load_rdfs(b"Prefix(:=<http://zoo/>)\nOntology(<http://zoo/>)")
