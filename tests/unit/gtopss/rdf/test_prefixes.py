from __future__ import annotations

from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.prefixes import read_prefixes


def test_declared_prefixes_are_returned_up_to_the_first_error() -> None:
    assert read_prefixes(b"@prefix ex: <urn:ex:> . <> ex:p 1 .", RdfFormat.TURTLE, base="urn:x") == {"ex": "urn:ex:"}
    assert read_prefixes(b"@prefix a: <urn:a:> . a:b a:c .\n@prefix d: <urn:d:> .", RdfFormat.TURTLE)["a"] == "urn:a:"
    assert read_prefixes(b"<urn:a> <urn:p> 1 .", RdfFormat.TURTLE) == {}
