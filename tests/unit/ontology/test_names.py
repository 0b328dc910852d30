from __future__ import annotations

from rdflib import BNode, URIRef

from ontology.names import plain_name, plain_pairs


def test_terms_of_rdflib_become_plain_strings() -> None:
    for given, plain in (("urn:a", "urn:a"), (URIRef("urn:a"), "urn:a"), (BNode("b"), "_:b")):
        assert plain_name(given) == plain
        assert type(plain_name(given)) is str


def test_both_names_of_a_pair_become_plain() -> None:
    assert list(plain_pairs([(URIRef("urn:a"), BNode("b"))])) == [("urn:a", "_:b")]
