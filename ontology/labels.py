"""The labels of an ontology's terms: what people call them, in any language.

`skos:prefLabel`, `skos:altLabel`, `skos:hiddenLabel` and `rdfs:label` count, and `schema:name`. Labels are compared
case folded, and with any run of white space, hyphens and underscores as one space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import NamedTuple

__all__ = ["LABEL_PROPERTIES", "Label", "Labels", "fold_label"]

_SKOS = "http://www.w3.org/2004/02/skos/core#"
LABEL_PROPERTIES = (
    f"{_SKOS}prefLabel",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://schema.org/name",
    "https://schema.org/name",
    f"{_SKOS}altLabel",
    f"{_SKOS}hiddenLabel",
)
"""The properties whose values are labels, the preferred ones first."""

_SEPARATORS = re.compile(r"[\s_\-]+")
_MAX_COMPARED_CHARACTERS = 100  # of a text that is compared with labels for its spelling


class Label(NamedTuple):
    """One label of a term."""

    text: str
    language: str | None
    rank: int
    """The place of its property in LABEL_PROPERTIES."""


def fold_label(text: str) -> str:
    """Return the form in which labels are compared.

    >>> fold_label("  Open-Source  SOFTWARE ")
    'open source software'
    """
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


class Labels:
    """The labels of many terms, which are found by label and by term.

    >>> labels = Labels([("urn:health", LABEL_PROPERTIES[0], "Health", "en"),
    ...                  ("urn:health", LABEL_PROPERTIES[0], "Gesundheit", "de")])
    >>> labels.named("HEALTH"), labels.preferred("urn:health"), labels.search("gesund")
    (('urn:health',), 'Health', ['urn:health'])
    """

    def __init__(self, statements: Iterable[tuple[str, str, str, str | None]] = ()) -> None:
        """`statements` are triples as (term, property, text, language); those of other properties are ignored."""
        ranks = {name: rank for rank, name in enumerate(LABEL_PROPERTIES)}
        self._labels: dict[str, list[Label]] = {}
        self._terms: dict[str, list[str]] = {}
        for term, property, text, language in statements:
            rank = ranks.get(property)
            if rank is None:
                continue
            self._labels.setdefault(term, []).append(Label(text, language, rank))
            named = self._terms.setdefault(fold_label(text), [])
            if term not in named:
                named.append(term)

    def __len__(self) -> int:
        """Return the number of terms with labels."""
        return len(self._labels)

    def of(self, term: str) -> tuple[Label, ...]:
        """Return the labels of a term, the preferred ones first."""
        return tuple(sorted(self._labels.get(term, ()), key=lambda label: label.rank))

    def preferred(self, term: str, language: str = "en") -> str | None:
        """Return the label to show: the best in this language, else without a language, else any; None if none."""

        def order(label: Label) -> tuple[int, int]:
            tag = (label.language or "").lower()
            return (0 if tag.split("-")[0] == language else 1 if not tag else 2), label.rank

        return min(self._labels[term], key=order).text if term in self._labels else None

    def named(self, text: str) -> tuple[str, ...]:
        """Return the terms that have this label."""
        return tuple(self._terms.get(fold_label(text), ()))

    def search(self, text: str) -> list[str]:
        """Return the terms with a label like this text, best first: equal, then with its words, then similar ones."""
        wanted = fold_label(text)
        if not wanted:
            return []
        words = wanted.split()
        found: dict[str, None] = dict.fromkeys(self._terms.get(wanted, ()))
        for matches in (self._starting_with(wanted), self._containing(words)):
            found.update(dict.fromkeys(matches))
        return [*found] or self.similar(text)

    def similar(self, text: str, limit: int = 3) -> list[str]:
        """Return terms whose labels are spelled like this text."""
        close = get_close_matches(fold_label(text)[:_MAX_COMPARED_CHARACTERS], [*self._terms], n=limit, cutoff=0.75)
        return [*dict.fromkeys(term for label in close for term in self._terms[label])]

    def _starting_with(self, wanted: str) -> Iterator[str]:
        return self._by_length(label for label in self._terms if label.startswith(wanted))

    def _containing(self, words: list[str]) -> Iterator[str]:
        return self._by_length(label for label in self._terms if all(word in label for word in words))

    def _by_length(self, labels: Iterable[str]) -> Iterator[str]:
        return (term for label in sorted(labels, key=lambda each: (len(each), each)) for term in self._terms[label])
