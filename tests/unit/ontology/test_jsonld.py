"""JSON-LD contexts outside the document are refused and never fetched."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rdflib import Graph
from support.ontology_documents import ANIMAL, CAT, JSONLD

from ontology import MalformedOntology, RemoteContextRefused, jsonld, load, load_rdfs
from ontology.documents import parse_document, read_document


@pytest.mark.parametrize("content", [b"1", b'"http://zoo/Cat"', b"null", b"true", b"1.5"])
def test_json_that_is_neither_object_nor_array_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedOntology, match="object or an array"):
        load_rdfs(content, "json-ld")


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
def test_remote_context_is_refused_and_not_fetched(document: object) -> None:
    with pytest.raises(RemoteContextRefused) as caught:
        load(json.dumps(document).encode(), "json-ld")
    assert caught.value.context == REMOTE
    assert REMOTE in str(caught.value)


@pytest.mark.usefixtures("no_network")
def test_context_hidden_by_a_duplicate_key_is_refused() -> None:
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
def test_context_on_a_real_server_is_refused_and_not_fetched(way: int, server: tuple[str, list[str]]) -> None:
    address, requests = server
    content = json.dumps(naming(address)[way]).encode()
    with pytest.raises(RemoteContextRefused) as caught:
        load_rdfs(content, "json-ld")
    assert caught.value.context == address
    assert requests == []


@pytest.mark.parametrize("way", range(len(naming(""))))
def test_rdflib_cannot_load_a_context_that_the_check_missed(
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


def test_other_threads_can_still_load_contexts_with_rdflib(server: tuple[str, list[str]]) -> None:
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
def test_context_in_a_local_file_is_refused(reference: str, depth: int, tmp_path: Path) -> None:
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
