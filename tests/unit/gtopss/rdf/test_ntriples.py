from __future__ import annotations

import pyoxigraph as ox
import pytest

from gtopss.rdf.ntriples import serialize_ntriples, split_ntriples
from gtopss.rdf.output import OutputBudget

S, P = ox.NamedNode("urn:s"), ox.NamedNode("urn:p")


@pytest.mark.parametrize(
    ("object_", "text"),
    [
        (ox.NamedNode("urn:o"), "<urn:o>"),
        (ox.Literal("a b . \n c"), '"a b . \\n c"'),
        (ox.Literal("é", language="fr"), '"é"@fr'),
        (ox.Literal(1), '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ],
)
def test_a_line_is_split_into_the_terms_of_the_model(object_: ox.NamedNode | ox.Literal, text: str) -> None:
    lines = serialize_ntriples([ox.Quad(S, P, object_), ox.Quad(S, P, S)], OutputBudget(1))
    assert lines is not None
    assert split_ntriples(lines) == [("<urn:s>", "<urn:p>", text), ("<urn:s>", "<urn:p>", "<urn:s>")]


@pytest.mark.parametrize(
    "object_",
    [
        ox.Triple(S, P, S),
        ox.Literal("a", language="en", direction=ox.BaseDirection.LTR),
        ox.Literal("x> <<(y"),  # it only looks like a triple term: somebody must look closer
    ],
    ids=["triple term", "direction", "looks like one"],
)
def test_features_of_rdf_1_2_are_left_to_the_caller(object_: ox.Triple | ox.Literal) -> None:
    assert serialize_ntriples([ox.Quad(S, P, object_)], OutputBudget(1)) is None


def test_nothing_is_no_triples() -> None:
    assert split_ntriples(b"") == []
