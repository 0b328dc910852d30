"""Find texts that are labels: `labelled(?text, C)` is the edge (?text, labelled, C), matched like any other.

As for is-a, the search begins with the publication. A text is looked up among the labels of the taxonomy, and gets an
edge to each class above the terms with this label, of those that some subscription names. The classes above a text are
kept until the taxonomy is edited, because categories come again and again. So a new subscription costs nothing per
label, and nothing is rebuilt for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
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
"""Texts whose classes are kept; all are forgotten when there are more."""
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
    """Where texts are looked at, and what they get. Several threads may use it while `LabelIndex` changes its edges."""

    def __init__(
        self, taxonomy: Taxonomy, edges: Mapping[str, Mapping[TextEdge, int]], properties: Collection[int]
    ) -> None:
        """`edges` has the edges of each class that some subscription names. The index changes it in place."""
        self._taxonomy, self._labels, self._edges = taxonomy, taxonomy.labels, edges
        self._chosen = ChosenTerms(properties)
        self._classes: dict[bytes, tuple[str, ...]] = {}  # literal -> the classes above the terms with this label

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
        left, view, known = steps.tolist(), memoryview(text), self._classes.get  # numpy is slow for single elements
        for publication, local, start, end in zip(*chosen, strict=True):
            if left[publication] < 0:
                continue
            literal = view[start:end].tobytes()
            classes = known(literal)
            if classes is None:
                classes = self._look_up_new(literal)
            left[publication] -= STEPS_PER_NODE + STEPS_PER_CHARACTER * (end - start)
            for cls in classes:
                edges = tuple(self._edges.get(cls, ()))  # a copy: others add edges meanwhile
                left[publication] -= STEPS_PER_NODE + _STEPS_PER_EDGE * len(edges)
                for relation, target in edges:
                    found.append((publication, -1 if relation == PUBLICATION_HAS else local, relation, target))
        steps[:] = left
        return np.array(found, np.int64).reshape(-1, 4)

    def _look_up_new(self, literal: bytes) -> tuple[str, ...]:
        classes = self._look_up(Term(literal.decode()))
        if len(literal) <= MAX_CACHED_TERM_CHARACTERS:
            if len(self._classes) >= _MAX_CACHED_TEXTS:
                self._classes.clear()
            self._classes[literal] = classes
        return classes

    def _look_up(self, literal: Term) -> tuple[str, ...]:
        """Return the terms that have this label, and the classes above them."""
        if literal_datatype(literal) not in STRING_DATATYPES:
            return ()
        classes: dict[str, None] = {}
        for term in self._labels.with_label(literal_parts(literal)[0]):
            classes[term] = None
            classes.update(dict.fromkeys(self._taxonomy.ancestors(term)))
        return tuple(classes)


class LabelIndex:
    """Count the classes whose labels subscriptions look for. Not thread-safe: the index's lock protects it.

    What `search` returned may be used without the lock.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._version = taxonomy.version
        self._uses: Counter[LabelUse] = Counter()
        self._edges: dict[str, dict[TextEdge, int]] = {}  # class -> edge -> uses
        self._properties: Counter[int] = Counter()
        self._label_sets: dict[str, int] = {}  # class -> a hash of the labels that it and the terms below it have
        self._changed: set[str] = set()
        self._search: LabelSearch | None = None

    def count(self, use: LabelUse, change: int) -> None:
        """Count a use as often as `change` says; a negative number uncounts it."""
        self._refresh()
        cls, edge, property = use
        if cls not in self._edges:
            self._edges[cls], self._label_sets[cls] = {}, self._hash_of_labels(cls)
        edges = self._edges[cls]
        self._uses[use] += change
        edges[edge] = edges.get(edge, 0) + change
        if self._properties[property] in (0, -change):
            self._search = None
        self._properties[property] += change
        if not self._uses[use]:
            del self._uses[use]
        if not edges[edge]:
            del edges[edge]
        if not edges:
            del self._edges[cls], self._label_sets[cls]
        if not self._properties[property]:
            del self._properties[property]

    def uses(self) -> Counter[LabelUse]:
        """Return all uses, with how often each was counted. Not to be changed."""
        return self._uses

    def search(self) -> LabelSearch | None:
        """Return the search for the labels; None if there are no uses. Another one after each edit of the taxonomy."""
        if not self._uses:
            return None
        self._refresh()
        if self._search is None:
            self._search = LabelSearch(self._taxonomy, self._edges, self._properties)
        return self._search

    def take_changed_edges(self) -> frozenset[TextEdge]:
        """Return the edges for whose classes taxonomy edits changed the labels since the previous call."""
        self._refresh()
        taken, self._changed = self._changed, set()
        return frozenset(edge for cls in taken for edge in self._edges.get(cls, ()))

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
        for cls, before in self._label_sets.items():
            now = self._label_sets[cls] = self._hash_of_labels(cls)
            if now != before:
                self._changed.add(cls)

    def _hash_of_labels(self, cls: str) -> int:
        labels = self._taxonomy.labels
        terms = (cls, *self._taxonomy.descendants(cls))
        return hash(frozenset(label_key(label.text) for term in terms for label in labels.of(term)))
