"""Reading documents: formats, encodings, what is malformed, and what must never be opened."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from ontology import MalformedOntology, RemoteContextRefused, load, load_rdfs
from ontology.documents import read

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
CAT, ANIMAL = "http://zoo/Cat", "http://zoo/Animal"
TURTLE = f"@prefix rdfs: <{RDFS}> .\n<{CAT}> rdfs:subClassOf <{ANIMAL}> .\n".encode()
NTRIPLES = f"<{CAT}> <{RDFS}subClassOf> <{ANIMAL}> .\n".encode()
RDFXML = f"""<?xml version="1.0"?>
<!-- <Ontology> in a comment is no root -->
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="{RDFS}">
<rdfs:Class rdf:about="{CAT}"><rdfs:subClassOf rdf:resource="{ANIMAL}"/></rdfs:Class>
</rdf:RDF>""".encode()
JSONLD = json.dumps({"@context": {"sub": {"@id": RDFS + "subClassOf", "@type": "@id"}}, "@id": CAT, "sub": ANIMAL})


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
def test_format_by_suffix_by_content_and_by_name(content: bytes, suffix: str, format: str, tmp_path: Path) -> None:
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
    assert read(path).format == format


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
def test_format_by_content(content: bytes, format: str) -> None:
    assert read(content).format == format


def test_an_unknown_format_name_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match="turtle"):
        load_rdfs(TURTLE, "protobuf")


def test_functional_syntax_is_named_for_what_it_is() -> None:
    with pytest.raises(MalformedOntology, match="functional"):
        load_rdfs(b"Prefix(:=<http://zoo/>)\nOntology(<http://zoo/>)")


def test_owl_xml_is_sent_to_the_owl_loader() -> None:
    with pytest.raises(MalformedOntology, match="load_owl"):
        load_rdfs(b'<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>')


def test_a_missing_file_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        load_rdfs("no such file.ttl")


def test_latin_1_xml_is_read_by_its_own_declaration() -> None:
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
def test_malformed_documents_are_located(content: bytes, format: str, line: int, column: int | None) -> None:
    with pytest.raises(MalformedOntology) as caught:
        load_rdfs(content, format)
    assert caught.value.source == "<bytes>"
    assert caught.value.line == line
    if column is not None:
        assert caught.value.column == column
    assert f"line {line}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_deep_nesting_is_malformed_and_not_a_crash() -> None:
    with pytest.raises(MalformedOntology):
        load_rdfs(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "json-ld")


REMOTE = "https://contexts.invalid/zoo.jsonld"


@pytest.mark.parametrize(
    "document",
    [
        {"@context": REMOTE},
        {"@context": [{"a": "http://zoo/a"}, REMOTE]},
        {"@context": {"@import": REMOTE}},
        {"@graph": [{"@id": "http://zoo/x", "http://zoo/p": {"@context": REMOTE}}]},
        {"@context": {"p": {"@id": "http://zoo/p", "@context": REMOTE}}},
        [{"@context": REMOTE}],
    ],
)
@pytest.mark.usefixtures("no_network")
def test_a_remote_context_is_refused_and_not_fetched(document: object) -> None:
    with pytest.raises(RemoteContextRefused) as caught:
        load(json.dumps(document).encode(), "json-ld")
    assert caught.value.context == REMOTE
    assert REMOTE in str(caught.value)


@pytest.mark.usefixtures("no_network")
def test_a_context_that_a_second_key_hides_is_refused() -> None:
    with pytest.raises(RemoteContextRefused):
        load_rdfs(f'{{"@context": "{REMOTE}", "@context": {{}}}}'.encode(), "json-ld")
    with pytest.raises(RemoteContextRefused):
        load_rdfs(f'{{"@\\u0063ontext": "{REMOTE}"}}'.encode("utf-16"), "json-ld")


@pytest.mark.parametrize("reference", ["context.jsonld", "file://{}"])
def test_a_context_in_a_local_file_is_refused(reference: str, tmp_path: Path) -> None:
    context = tmp_path / "context.jsonld"
    context.write_text(JSONLD)
    document = tmp_path / "zoo.jsonld"
    document.write_text(json.dumps({"@context": reference.format(context)}))
    with pytest.raises(RemoteContextRefused):
        load_rdfs(document)


def test_an_external_xml_entity_is_not_opened(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    secret = tmp_path / "secret"
    secret.write_text("http://zoo/Secret")
    content = f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [<!ENTITY s SYSTEM "{secret.as_uri()}">]>' + (
        RDFXML.decode()
        .partition("?>")[2]
        .replace("</rdf:RDF>", "<rdfs:Class><rdfs:label>&s;</rdfs:label></rdfs:Class></rdf:RDF>")
    )
    try:
        taxonomy = load_rdfs(content.encode())
    except MalformedOntology:
        return
    assert taxonomy.classes == {CAT, ANIMAL}
