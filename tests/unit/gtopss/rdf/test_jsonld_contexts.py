from __future__ import annotations

import json

from gtopss.rdf.jsonld_contexts import CONTEXTS, inline_contexts


def test_a_named_context_is_replaced_wherever_it_is_named() -> None:
    document = {"@context": ["https://schema.org", {"e": "urn:e"}], "a": [{"@context": "http://schema.org/"}]}
    made = json.loads(inline_contexts(json.dumps(document).encode()))
    assert made["@context"] == [CONTEXTS["https://schema.org"], {"e": "urn:e"}]
    assert made["a"][0]["@context"] == CONTEXTS["http://schema.org/"]


def test_a_document_without_a_shipped_context_stays_byte_for_byte() -> None:
    for data in (b'{"@context": "urn:x", "http://schema.org/n": 1e999, "a":1.0}', b'{"schema.org": ', b'"schema.org"'):
        assert inline_contexts(data) == data
