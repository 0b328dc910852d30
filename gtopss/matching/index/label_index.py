"""Find texts that are labels: `labelled(?text, C)` is the edge (?text, labelled, C), matched like any other.

As is-a does, the index asks from the side of the publication. A text is looked up once among the labels of the
taxonomy, and gets an edge to each class above the terms that are called so, of those that some subscription names. What
was found for a text is kept, because categories come again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gtopss.matching.index.chosen_terms import ChosenTerms, TextEdge
from gtopss.matching.index.kernels.array_types import Int64Array
from gtopss.matching.index.kernels.relations import PUBLICATION_HAS
from gtopss.matching.index.kernels.terms import Batch
from gtopss.model.terms import MAX_CACHED_TERM_CHARACTERS, Term, literal_datatype, literal_parts
from gtopss.semantics.budget import STEPS_PER_NODE
from gtopss.semantics.labelled import STEPS_PER_CHARACTER
from gtopss.semantics.text_tests import STRING_DATATYPES
from ontology import Taxonomy
from ontology.labels import label_key

_MAX_CACHED_TEXTS = 20_000
"""Texts whose edges are kept; all are forgotten when there are more."""
_STEPS_PER_EDGE = 100  # as for the hits of needles
_QUOTE = ord('"')
_NO_HITS = np.zeros((0, 4), np.int64)


class LabelUse(NamedTuple):
    """A class whose labels are looked for, the edge that a text gets which is one, and where texts are looked at."""

    cls: str
    edge: TextEdge
    property: int
    """The global number of the property whose objects are looked at; -1 for all terms."""


class LabelSearch:
    """The classes of subscriptions by name. Nothing in it changes but what it remembers; several threads may use it."""

    def __init__(self, taxonomy: Taxonomy, uses: Iterable[LabelUse]) -> None:
        self._taxonomy, self._labels = taxonomy, taxonomy.labels
        edges: dict[str, dict[TextEdge, None]] = {}
        properties = set()
        for cls, edge, property in uses:
            edges.setdefault(cls, {})[edge] = None
            properties.add(property)
        self._edges: Mapping[str, tuple[TextEdge, ...]] = {cls: tuple(each) for cls, each in edges.items()}
        self._chosen = ChosenTerms(properties)
        self._found: dict[bytes, tuple[TextEdge, ...]] = {}

    def hits(self, text: Any, begins: Int64Array, batch: Batch, steps: Int64Array) -> Int64Array:
        """Return the edges of a batch as hits (`kernels.text_edges`). `steps` is what each publication has left."""
        publications, locals_ = self._chosen.places(batch)
        if not len(publications):
            return _NO_HITS
        lines = batch.first[batch.locals[publications] + locals_]
        starts, ends = begins[lines], begins[lines + 1] - 1
        is_literal = text[starts] == _QUOTE
        chosen = (each[is_literal].tolist() for each in (publications, locals_, starts, ends))
        found: list[tuple[int, int, int, int]] = []
        left, view, known = steps.tolist(), memoryview(text), self._found.get  # numpy is slow for single elements
        for publication, local, start, end in zip(*chosen, strict=True):
            if left[publication] < 0:
                continue
            literal = view[start:end].tobytes()
            edges = known(literal)
            if edges is None:
                edges = self._look_up_new(literal)
            left[publication] -= STEPS_PER_NODE + STEPS_PER_CHARACTER * (end - start) + _STEPS_PER_EDGE * len(edges)
            for relation, target in edges:
                found.append((publication, -1 if relation == PUBLICATION_HAS else local, relation, target))
        steps[:] = left
        return np.array(found, np.int64).reshape(-1, 4)

    def _look_up_new(self, literal: bytes) -> tuple[TextEdge, ...]:
        edges = self._look_up(Term(literal.decode()))
        if len(literal) <= MAX_CACHED_TERM_CHARACTERS:
            if len(self._found) >= _MAX_CACHED_TEXTS:
                self._found.clear()
            self._found[literal] = edges
        return edges

    def _look_up(self, literal: Term) -> tuple[TextEdge, ...]:
        """Return the edges to the classes above the terms that have this label."""
        if literal_datatype(literal) not in STRING_DATATYPES:
            return ()
        edges: dict[TextEdge, None] = {}
        for term in self._labels.with_label(literal_parts(literal)[0]):
            for cls in (term, *self._taxonomy.ancestors(term)):
                edges.update(dict.fromkeys(self._edges.get(cls, ())))
        return tuple(edges)


class LabelIndex:
    """Count the classes whose labels subscriptions look for. Not thread-safe: the index's lock protects it.

    What `search` returned may be used without the lock.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._version = taxonomy.version
        self._uses: Counter[LabelUse] = Counter()
        self._label_sets: dict[str, int] = {}  # class -> a hash of the labels that it and the terms below it have
        self._changed: set[str] = set()
        self._search: LabelSearch | None = None

    def count(self, use: LabelUse, change: int) -> None:
        """Count a use (1), or uncount it (-1)."""
        self._refresh()
        before = self._uses[use]
        self._uses[use] += change
        if not self._uses[use]:
            del self._uses[use]
        if not before or before + change == 0:
            self._search = None
        if use.cls not in self._label_sets:
            self._label_sets[use.cls] = self._hash_of_labels(use.cls)

    def uses(self) -> Counter[LabelUse]:
        """Return all uses, with how often each was counted. Not to be changed."""
        return self._uses

    def search(self) -> LabelSearch | None:
        """Return the search for the labels; None if there are no uses. Another one after each edit of the taxonomy."""
        if not self._uses:
            return None
        self._refresh()
        if self._search is None:
            self._search = LabelSearch(self._taxonomy, self._uses)
        return self._search

    def take_changed_edges(self) -> frozenset[TextEdge]:
        """Return the edges for whose classes taxonomy edits changed the labels since the previous call."""
        self._refresh()
        taken, self._changed = self._changed, set()
        return frozenset(use.edge for use in self._uses if use.cls in taken)

    def keep_changes_of(self, other: LabelIndex) -> None:
        """Also take what another index has to report: this one takes its place."""
        other._refresh()
        self._changed |= other._changed

    def _refresh(self) -> None:
        """Forget what was found, and note which classes have other labels, if the taxonomy was edited."""
        if self._version == self._taxonomy.version:
            return
        self._version = self._taxonomy.version
        self._search = None
        used = {use.cls for use in self._uses}
        for cls, before in list(self._label_sets.items()):
            if cls not in used:
                del self._label_sets[cls]
                continue
            now = self._label_sets[cls] = self._hash_of_labels(cls)
            if now != before:
                self._changed.add(cls)

    def _hash_of_labels(self, cls: str) -> int:
        labels = self._taxonomy.labels
        terms = (cls, *self._taxonomy.descendants(cls))
        return hash(frozenset(label_key(label.text) for term in terms for label in labels.of(term)))
