"""The triples that come nearest to an edge which none matches: another year, a property spelled otherwise."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from difflib import SequenceMatcher

from gtopss.explain.explanation import NearTriple, Position
from gtopss.model import Term, Triple
from gtopss.model.terms import iri_text, is_iri, is_literal, is_variable, literal_parts

_POSITIONS: tuple[Position, ...] = ("subject", "property", "object")
_ALIKE = 0.75  # from this likeness on, two names are taken for spellings of one
_COMPARED = 500  # texts are compared for so many triples at most, of those that differ in the fewest positions
_LENGTH = 200


def nearest(edge: Triple, triples: Iterable[Triple], limit: int) -> tuple[NearTriple, ...]:
    """Those that differ in the fewest positions, first those whose differing terms read most alike.

    One that shares no constant with the edge is near only if what differs could be a slip of spelling.
    """
    constants = {i for i, part in enumerate(edge) if not is_variable(part)}
    counted = ((len(differs := differing(edge, triple)), n, triple, differs) for n, triple in enumerate(triples))
    fewest = heapq.nsmallest(_COMPARED, counted)
    ranked = []
    for count, number, triple, differs in fewest:
        likeness = [_likeness(edge[i], triple[i]) for i in differs]
        slip = min(likeness, default=0.0) >= _ALIKE
        if not constants or constants - {*differs} or slip:
            ranked.append((count, -sum(likeness), number, triple, differs))
    ranked.sort()
    return tuple(
        NearTriple(triple, tuple(_POSITIONS[i] for i in differs))
        for count, _, _, triple, differs in ranked[:limit]
        if count == ranked[0][0]
    )


def differing(edge: Triple, triple: Triple) -> tuple[int, ...]:
    """The positions in which a triple is not what the edge asks; a variable written twice asks for the same value."""
    values: dict[Term, Term] = {}
    return tuple(
        i
        for i, (part, value) in enumerate(zip(edge, triple, strict=True))
        if (values.setdefault(part, value) if is_variable(part) else part) != value
    )


def _likeness(one: Term, other: Term) -> float:
    """How alike two terms read, from 0 to 1; literals of one text and two types are alike."""
    return SequenceMatcher(None, _text(one), _text(other), autojunk=False).ratio()


def _text(term: Term) -> str:
    if is_literal(term):
        return literal_parts(term)[0][:_LENGTH]
    if is_iri(term):
        # the local name: within one vocabulary the namespaces would make everything alike
        text = iri_text(term).rstrip("/#")
        return text[max(text.rfind(sign) for sign in "/#:") + 1 :][-_LENGTH:].lower()
    return term[:_LENGTH]
