"""Guess which IRI was meant by one that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from gtopss.model.iris import local_name

_MIN_SIMILARITY = 0.75  # ratio from 0 to 1
_MAX_NAME_CHARACTERS = 100  # of a local name; IRIs with longer ones are not compared


def guess_iri(iri: str, known: Iterable[str]) -> str | None:
    """Return the known IRI that is spelled like this one; one of the same namespace first.

    >>> guess_iri("http://a.example/titel", ["http://a.example/title", "http://b.example/titel"])
    'http://a.example/title'
    >>> guess_iri("http://a.example/x", ["http://a.example/title"]) is None
    True
    """
    name = local_name(iri).lower()
    namespace = iri[: len(iri) - len(local_name(iri))]
    same_namespace: dict[str, str] = {}
    others: dict[str, str] = {}
    for each in known:
        candidate = local_name(each)
        if 0 < len(candidate) <= _MAX_NAME_CHARACTERS and each != iri:
            group = same_namespace if each.startswith(namespace) else others
            group.setdefault(candidate.lower(), each)
    for names in (same_namespace, others):
        # Numbers are codes: one that differs by a digit means something else.
        close = [] if name.isdigit() else get_close_matches(name[:_MAX_NAME_CHARACTERS], names, 1, _MIN_SIMILARITY)
        if close:
            return names[close[0]]
    return None
