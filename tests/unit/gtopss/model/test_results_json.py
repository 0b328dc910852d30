from __future__ import annotations

import json

import pytest

from gtopss.model.results_json import rows_to_json, term_from_json, term_to_json
from gtopss.model.terms import XSD, Term, blank, iri, literal

TERMS = {
    iri("http://a.example/é"): {"type": "uri", "value": "http://a.example/é"},
    blank("b0"): {"type": "bnode", "value": "b0"},
    literal('say "hi"\n\\'): {"type": "literal", "value": 'say "hi"\n\\'},
    literal("chat", language="fr-CA"): {"type": "literal", "value": "chat", "xml:lang": "fr-ca"},
    literal("5", XSD + "integer"): {"type": "literal", "value": "5", "datatype": XSD + "integer"},
    literal(""): {"type": "literal", "value": ""},
}


@pytest.mark.parametrize(("term", "data"), TERMS.items(), ids=str)
def test_a_term_is_written_as_sparql_results_write_it_and_read_again(term: Term, data: dict[str, str]) -> None:
    assert term_to_json(term) == data
    assert term_from_json(json.loads(json.dumps(data))) == term


def test_equal_terms_are_one_object() -> None:
    long = literal("a" * 1_000)
    first, second = rows_to_json([{"x": long}, {"x": long, "y": long}])
    assert first["x"] is second["x"] is second["y"]
