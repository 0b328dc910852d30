"""Names of classes, instances and properties: plain strings, also where rdflib's terms are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rdflib.term import BNode

from ontology.axioms import Pair

__all__ = ["plain_name", "plain_pairs"]


def plain_name(term: str) -> str:
    """Return the plain string of a term: an IRI's text, or `_:label` for a blank node.

    rdflib's terms are strings that are not equal to their own text, and a blank node's text lacks the `_:`.
    """
    if type(term) is str:
        return term
    return f"_:{term}" if isinstance(term, BNode) else str(term)


def plain_pairs(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Apply :func:`plain_name` to both names of each pair."""
    return ((plain_name(child), plain_name(parent)) for child, parent in pairs)
