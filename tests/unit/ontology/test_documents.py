"""Reading and parsing documents: encodings, base IRIs, and errors with their position."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ontology_documents import ANIMAL, NTRIPLES, RDFXML

from ontology import MalformedOntology, UnsafeXML, load_rdfs


def test_owl_xml_error_points_to_load_owl() -> None:
    with pytest.raises(MalformedOntology, match="load_owl"):
        load_rdfs(b'<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>')


def test_missing_file_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        load_rdfs("no such file.ttl")


def test_latin_1_xml_is_read_by_its_encoding_declaration() -> None:
    content = RDFXML.decode().replace('"1.0"?', '"1.0" encoding="ISO-8859-1"?').replace("Cat", "Köter")
    taxonomy = load_rdfs(content.encode("iso-8859-1"))
    assert taxonomy.directly_a("http://zoo/Köter", ANIMAL)


def test_relative_references_resolve_against_the_file(tmp_path: Path) -> None:
    path = tmp_path / "zoo.ttl"
    path.write_text("<#Tom> a <#Cat> .")
    assert load_rdfs(path).directly_a(f"{path.as_uri()}#Tom", f"{path.as_uri()}#Cat")


@pytest.mark.parametrize(
    ("content", "format", "line", "column"),
    [
        (b"@prefix : <http://zoo/> .\n:Cat :is :\xc3\xa9t\xc3\xa9 ; ! .\n", "turtle", 2, 17),
        (b"<http://zoo/Cat> <http://zoo/is> .\n", "turtle", 1, None),
        (NTRIPLES + b"<http://zoo/Cat> nonsense\n", "nt", 2, 18),
        (b'<?xml version="1.0"?>\n<rdf:RDF>\n</rdf:RDF>', "xml", 2, 1),
        (b'{"@id": "http://zoo/Cat",\n  nonsense}', "json-ld", 2, 3),
        (b"@prefix : <http://zoo/> .\n:Cat :is \xff\xfe .", "turtle", 2, None),
        (b"\xff", "json-ld", 1, None),
    ],
)
def test_malformed_documents_report_line_and_column(content: bytes, format: str, line: int, column: int | None) -> None:
    with pytest.raises(MalformedOntology) as caught:
        load_rdfs(content, format)
    assert caught.value.source == "<bytes>"
    assert caught.value.line == line
    if column is not None:
        assert caught.value.column == column
    assert f"line {line}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"[" * 900 + b"]" * 900,
        b'{"http://zoo/a":' * 600 + b"1" + b"}" * 600,
    ],
)
def test_deep_nesting_never_crashes(content: bytes) -> None:
    for format in ("json-ld", None):
        try:
            load_rdfs(content, format)
        except MalformedOntology as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert len(content) < 20_000


def test_number_with_too_many_digits_is_malformed() -> None:
    with pytest.raises(MalformedOntology, match="digits"):
        load_rdfs(b'{"@id": "http://zoo/Cat", "http://zoo/age": ' + b"9" * 5_000 + b"}", "json-ld")


def test_external_xml_entity_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("http://zoo/Secret")
    content = f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [<!ENTITY s SYSTEM "{secret.as_uri()}">]>' + (
        RDFXML.decode()
        .partition("?>")[2]
        .replace("</rdf:RDF>", "<rdfs:Class><rdfs:label>&s;</rdfs:label></rdfs:Class></rdf:RDF>")
    )
    with pytest.raises(UnsafeXML, match="never read"):
        load_rdfs(content.encode())
