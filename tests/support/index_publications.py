"""Small publications for tests of the index."""

from __future__ import annotations

from gtopss import Publication
from gtopss.model.terms import iri

P, Q = iri("urn:p"), iri("urn:q")


def node(number: int) -> str:
    return iri(f"urn:n{number}")


def ring(size: int) -> Publication:
    """Every node has an edge to the next and to itself."""
    triples = [(node(i), P, node((i + 1) % size)) for i in range(size)] + [(node(i), Q, node(i)) for i in range(size)]
    return Publication.trusted("ring", triples)


def clique(size: int) -> Publication:
    return Publication.trusted("clique", [(node(i), P, node(j)) for i in range(size) for j in range(size)])
