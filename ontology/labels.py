"""The labels of an ontology's terms: what people call them, in any language.

`skos:prefLabel`, `skos:altLabel`, `skos:hiddenLabel` and `rdfs:label` count, and `schema:name`.

Labels are compared in two ways. Whoever looks for a term types its label freely (`fold_label`): hyphens and underscores
are blanks, and compatible characters are the same. A text in a publication must be the label (`label_key`) but for
case and white space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import NamedTuple

from ontology.axioms import LabelStatement

__all__ = ["LABEL_PROPERTIES", "MAX_LABEL_CHARACTERS", "Label", "Labels", "fold_label", "label_key"]

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

_RANKS = {name: rank for rank, name in enumerate(LABEL_PROPERTIES)}
MAX_LABEL_CHARACTERS = 1_000
"""Characters of a label, and of a text that `labelled` compares with labels; what is longer is no label."""
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


def label_key(text: str) -> str:
    """Return the form in which `labelled` compares a text with labels; "" if the text can be no label.

    Surrounding white space is removed, runs of white space are one space, and case is folded. Equivalent forms of
    Unicode are the same (canonical caseless matching, Unicode 3.13). An empty text, and one of more than
    MAX_LABEL_CHARACTERS, is no label.

    >>> label_key("  Public\\n HEALTH "), label_key("STRASSE") == label_key("Straße"), label_key("open-source")
    ('public health', True, 'open-source')
    """
    text = " ".join(text.split())
    if len(text) > MAX_LABEL_CHARACTERS:
        return ""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


class Labels:
    """The labels of many terms, which are found by label and by term.

    >>> labels = Labels([("urn:health", LABEL_PROPERTIES[0], "Health", "en"),
    ...                  ("urn:health", LABEL_PROPERTIES[0], "Gesundheit", "de")])
    >>> labels.named("HEALTH"), labels.preferred("urn:health"), labels.search("gesund")
    (('urn:health',), 'Health', ['urn:health'])

    The labels of a taxonomy are edited by `Taxonomy.add_label` and `remove_label`, which count the edit. Queries from
    several threads are safe while nobody edits.
    """

    __slots__ = ("_labels", "_terms", "_terms_by_key")

    def __init__(self, statements: Iterable[tuple[str, str, str, str | None]] = ()) -> None:
        """`statements` are triples as (term, property, text, language); those of other properties are ignored."""
        self._labels: dict[str, dict[Label, None]] = {}
        # Both are made when they are first needed: many taxonomies are never asked for a label.
        self._terms: dict[str, list[str]] | None = None
        self._terms_by_key: dict[str, list[str]] | None = None
        for term, property, text, language in statements:
            self.add(term, text, language, property)

    def add(self, term: str, text: str, language: str | None = None, property: str = LABEL_PROPERTIES[0]) -> bool:
        """Add a label. Return False if the term has it already, or if values of the property are no labels."""
        rank = _RANKS.get(property)
        label = Label(text, language or None, rank or 0)
        if rank is None or label in self._labels.get(term, ()):
            return False
        self._labels.setdefault(term, {})[label] = None
        self._terms = self._terms_by_key = None
        return True

    def remove(self, term: str, text: str, language: str | None = None) -> bool:
        """Remove a label, whatever property gave it. Return False if there was none."""
        labels = self._labels.get(term, {})
        removed = [label for label in labels if (label.text, label.language) == (text, language or None)]
        if not removed:
            return False
        for label in removed:
            del labels[label]
        if not labels:
            del self._labels[term]
        self._terms = self._terms_by_key = None
        return True

    def statements(self) -> Iterator[LabelStatement]:
        """Yield all labels, as they are given to a new object."""
        for term, labels in self._labels.items():
            for text, language, rank in labels:
                yield term, LABEL_PROPERTIES[rank], text, language or ""

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
        return tuple(self._by_folded().get(fold_label(text), ()))

    def with_label(self, text: str) -> tuple[str, ...]:
        """Return the terms that have a label with the same `label_key` as this text."""
        table = self._terms_by_key
        if table is None:
            table = self._terms_by_key = self._table(label_key)
        key = label_key(text)
        return tuple(table.get(key, ())) if key else ()

    def search(self, text: str) -> list[str]:
        """Return the terms with a label like this text, best first: equal, then with its words, then similar ones."""
        wanted = fold_label(text)
        if not wanted:
            return []
        words = wanted.split()
        found: dict[str, None] = dict.fromkeys(self._by_folded().get(wanted, ()))
        for matches in (self._starting_with(wanted), self._containing(words)):
            found.update(dict.fromkeys(matches))
        return [*found] or self.similar(text)

    def similar(self, text: str, limit: int = 3) -> list[str]:
        """Return terms whose labels are spelled like this text."""
        close = get_close_matches(
            fold_label(text)[:_MAX_COMPARED_CHARACTERS], [*self._by_folded()], n=limit, cutoff=0.75
        )
        return [*dict.fromkeys(term for label in close for term in self._by_folded()[label])]

    def _starting_with(self, wanted: str) -> Iterator[str]:
        return self._by_length(label for label in self._by_folded() if label.startswith(wanted))

    def _containing(self, words: list[str]) -> Iterator[str]:
        return self._by_length(label for label in self._by_folded() if all(word in label for word in words))

    def _by_length(self, labels: Iterable[str]) -> Iterator[str]:
        return (
            term for label in sorted(labels, key=lambda each: (len(each), each)) for term in self._by_folded()[label]
        )

    def _by_folded(self) -> dict[str, list[str]]:
        if self._terms is None:
            self._terms = self._table(fold_label)
        return self._terms

    def _table(self, fold: Callable[[str], str]) -> dict[str, list[str]]:
        """Return the terms by their labels, in a form in which they are compared."""
        table: dict[str, dict[str, None]] = {}
        for term, labels in self._labels.items():
            for label in labels:
                table.setdefault(fold(label.text), {})[term] = None
        return {text: list(terms) for text, terms in table.items()}
