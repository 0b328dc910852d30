"""Find the triples nearest to an edge that no triple matches: another year, a property with another spelling."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from difflib import SequenceMatcher

from gtopss.explain.explanation import NearTriple, Position
from gtopss.model import Term, Triple
from gtopss.model.terms import iri_text, is_iri, is_literal, is_variable, literal_start

_POSITIONS: tuple[Position, ...] = ("subject", "property", "object")
MIN_SPELLING_SIMILARITY = 0.75  # ratio from 0 to 1; from here on, two names count as spellings of one
MAX_TRIPLES_COMPARED = 500  # triples whose texts are compared: those that differ in the fewest positions
MAX_COMPARED_CHARACTERS = 200  # of each term; the rest is ignored


def near_triples(edge: Triple, triples: Iterable[Triple], limit: int) -> tuple[NearTriple, ...]:
    """Return the triples that differ from the edge in the fewest positions, the most similar texts first.

    A triple that shares no constant with the edge is near only if the differing terms could be a spelling mistake.
    """
    constants = {i for i, part in enumerate(edge) if not is_variable(part)}
    counted = ((len(differs := differing(edge, triple)), n, triple, differs) for n, triple in enumerate(triples))
    fewest = heapq.nsmallest(MAX_TRIPLES_COMPARED, counted)
    ranked = []
    for count, number, triple, differs in fewest:
        similarities = [_similarity(edge[i], triple[i]) for i in differs]
        misspelled = min(similarities, default=0.0) >= MIN_SPELLING_SIMILARITY
        if not constants or constants - {*differs} or misspelled:
            ranked.append((count, -sum(similarities), number, triple, differs))
    ranked.sort()
    return tuple(
        NearTriple(triple, tuple(_POSITIONS[i] for i in differs))
        for count, _, _, triple, differs in ranked[:limit]
        if count == ranked[0][0]
    )


def differing(edge: Triple, triple: Triple) -> tuple[int, ...]:
    """Return the positions in which a triple does not match the edge. A repeated variable needs equal values."""
    values: dict[Term, Term] = {}
    return tuple(
        i
        for i, (part, value) in enumerate(zip(edge, triple, strict=True))
        if (values.setdefault(part, value) if is_variable(part) else part) != value
    )


def _similarity(one: Term, other: Term) -> float:
    """Return how similar the texts of two terms are, from 0 to 1. The types of literals are ignored."""
    return SequenceMatcher(None, _compared_text(one), _compared_text(other), autojunk=False).ratio()


def _compared_text(term: Term) -> str:
    if is_literal(term):
        return literal_start(term, MAX_COMPARED_CHARACTERS)
    if is_iri(term):
        # Only the local name: the namespace would make all terms of one vocabulary similar.
        text = iri_text(term).rstrip("/#")
        return text[max(text.rfind(sign) for sign in "/#:") + 1 :][-MAX_COMPARED_CHARACTERS:].lower()
    return term[:MAX_COMPARED_CHARACTERS]
