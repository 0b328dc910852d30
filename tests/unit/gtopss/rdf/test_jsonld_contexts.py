from __future__ import annotations

import json

import pytest

from gtopss.errors import MalformedPublication
from gtopss.rdf.jsonld_contexts import CONTEXTS, inline_contexts, remote_contexts
from gtopss.rdf.parse import read_triples


def test_a_named_context_is_replaced_wherever_it_is_named() -> None:
    document = {"@context": ["https://schema.org", {"e": "urn:e"}], "a": [{"@context": "http://schema.org/"}]}
    made = json.loads(inline_contexts(json.dumps(document).encode()))
    assert made["@context"] == [CONTEXTS["https://schema.org"], {"e": "urn:e"}]
    assert made["a"][0]["@context"] == CONTEXTS["http://schema.org/"]


def test_a_document_without_a_shipped_context_stays_byte_for_byte() -> None:
    for data in (b'{"@context": "urn:x", "http://schema.org/n": 1e999, "a":1.0}', b'{"schema.org": ', b'"schema.org"'):
        assert inline_contexts(data) == data


@pytest.mark.parametrize(
    ("context", "named"),
    [
        ("http://foo.example/ctx", "http://foo.example/ctx"),
        (["https://schema.org", "http://a.example/"], "http://a.example/"),
        ({"@import": "http://a.example/"}, "http://a.example/"),
        ({"x": {"@id": "urn:x", "@context": "http://a.example/"}}, "http://a.example/"),
        ([f"http://a.example/{number}" for number in range(5)], "http://a.example/0 and 4 others"),
        ("ctx", "ctx"),
    ],
)
def test_a_context_that_is_not_fetched_is_named(context: object, named: str) -> None:
    document = json.dumps({"@context": context, "@id": "urn:a", "urn:p": "b"})
    with pytest.raises(MalformedPublication) as error:
        read_triples(document, "json-ld")
    start, _, end = error.value.reason.partition(named)
    assert start == "remote contexts are not fetched ("
    assert end.endswith("): put the context into the document")


def test_a_document_that_is_not_json_names_no_context() -> None:
    assert remote_contexts(b'{"@context": "urn:a"') == []
