"""Reading documents: formats, encodings, what is malformed, and what must never be opened."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rdflib import Graph

from ontology import MalformedOntology, RemoteContextRefused, UnsafeXML, jsonld, load, load_rdfs
from ontology.documents import parse_document, read_document

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
def test_format_by_content(content: bytes, format: str) -> None:
    assert read_document(content).format == format


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
def test_deep_nesting_is_malformed_or_read_and_not_a_crash(content: bytes) -> None:
    for format in ("json-ld", None):
        try:
            load_rdfs(content, format)
        except MalformedOntology as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert len(content) < 20_000


@pytest.mark.parametrize("content", [b"1", b'"http://zoo/Cat"', b"null", b"true", b"1.5"])
def test_json_that_is_no_object_and_no_array_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedOntology, match="object or an array"):
        load_rdfs(content, "json-ld")


def test_a_number_too_long_to_read_is_malformed() -> None:
    with pytest.raises(MalformedOntology, match="digits"):
        load_rdfs(b'{"@id": "http://zoo/Cat", "http://zoo/age": ' + b"9" * 5_000 + b"}", "json-ld")


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


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A real web server on this machine that would serve a context: its address, and the requests it got."""
    requests: list[str] = []

    class Context(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            body = JSONLD.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/ld+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Context) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/context", requests
        http.shutdown()
        thread.join()


def naming(address: str) -> list[object]:
    """The ways to name a context by its address."""
    return [
        {"@context": address, "@id": CAT, "sub": ANIMAL},
        {"@context": [[address]], "@id": CAT, "sub": ANIMAL},
        {"@context": [{}, [None, [[{}, address]]]], "@id": CAT, "sub": ANIMAL},
        {"@context": {"@context": [[address]]}, "@id": CAT, "sub": ANIMAL},
        {"@context": {"@import": address}, "@id": CAT, "sub": ANIMAL},
        {"@context": [[{"@import": address}]], "@id": CAT, "sub": ANIMAL},
        {"@context": {"p": {"@id": "http://zoo/p", "@context": [[address]]}}, "@id": CAT, "p": {"sub": ANIMAL}},
        {"@context": {"T": {"@id": "http://zoo/T", "@context": [[address]]}}, "@type": "T", "sub": ANIMAL},
        {
            "@context": {"p": {"@id": "http://zoo/p", "@context": {"q": {"@id": "http://zoo/q", "@context": address}}}},
            "p": {"q": {"sub": ANIMAL}},
        },
        {"@id": CAT, "http://zoo/p": [[{"@context": [[address]], "sub": ANIMAL}]]},
    ]


@pytest.mark.parametrize("way", range(len(naming(""))))
def test_a_context_on_a_real_server_is_refused_and_not_fetched(way: int, server: tuple[str, list[str]]) -> None:
    address, requests = server
    content = json.dumps(naming(address)[way]).encode()
    with pytest.raises(RemoteContextRefused) as caught:
        load_rdfs(content, "json-ld")
    assert caught.value.context == address
    assert requests == []


@pytest.mark.parametrize("way", range(len(naming(""))))
def test_rdflib_cannot_load_a_context_even_if_none_was_noticed(
    way: int, server: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, requests = server
    monkeypatch.setattr(jsonld, "refuse_remote_contexts", lambda content, source: content)
    document = read_document(json.dumps(naming(address)[way]).encode(), "json-ld")
    try:
        parse_document(document)
    except RemoteContextRefused as error:
        assert error.context == address  # noqa: PT017
    assert requests == []


def test_others_may_still_load_contexts_with_rdflib(server: tuple[str, list[str]]) -> None:
    address, requests = server
    document = json.dumps({"@context": address, "@id": CAT, "sub": ANIMAL})
    with jsonld.context_loading_blocked("zoo.jsonld"):
        elsewhere = threading.Thread(target=lambda: Graph().parse(data=document, format="json-ld"))
        elsewhere.start()
        elsewhere.join()
    assert requests == ["/context"]
    assert len(Graph().parse(data=document, format="json-ld")) == 1
    assert requests == ["/context"] * 2


@pytest.mark.parametrize("reference", ["context.jsonld", "file://{}"])
@pytest.mark.parametrize("depth", [0, 1, 2, 5])
def test_a_context_in_a_local_file_is_refused(reference: str, depth: int, tmp_path: Path) -> None:
    context = tmp_path / "context.jsonld"
    context.write_text(JSONLD)
    document = tmp_path / "zoo.jsonld"
    nested: object = reference.format(context)
    for _ in range(depth):
        nested = [nested]
    document.write_text(json.dumps({"@context": nested, "@id": CAT, "sub": ANIMAL}))
    with pytest.raises(RemoteContextRefused):
        load_rdfs(document)


def test_contexts_in_nested_lists_are_read() -> None:
    value = json.loads(JSONLD)
    taxonomy = load_rdfs(
        json.dumps({**value, "@context": [[], [[value["@context"]]], None, value["@context"]]}).encode()
    )
    assert set(taxonomy.asserted_edges()) == {(CAT, ANIMAL, "subclass")}


def test_an_external_xml_entity_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("http://zoo/Secret")
    content = f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [<!ENTITY s SYSTEM "{secret.as_uri()}">]>' + (
        RDFXML.decode()
        .partition("?>")[2]
        .replace("</rdf:RDF>", "<rdfs:Class><rdfs:label>&s;</rdfs:label></rdfs:Class></rdf:RDF>")
    )
    with pytest.raises(UnsafeXML, match="never read"):
        load_rdfs(content.encode())
