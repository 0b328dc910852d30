"""The taxonomy as the kernels see it: above each term, the classes that subscriptions ask for.

Only classes that some is-a constraint names count, and only terms below one of them: a taxonomy of a million names
costs what the subscriptions make of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from gtopss.errors import InvalidTerm
from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.is_a_edges import (
    DIRECTLY_A,
    FIRST_STATED_LIST,
    INSTANCE_OF,
    IS_A,
    LISTS_PER_TERM,
    Closure,
)
from gtopss.model.terms import iri, iri_text
from ontology import Taxonomy

Target = tuple[int, int]
"""A relation, and a class's number."""


class Classes:
    """Which classes are asked for, and what lies below them."""

    def __init__(self, taxonomy: Taxonomy, dictionary: Dictionary) -> None:
        self._taxonomy, self._dictionary = taxonomy, dictionary
        self._asked: Counter[Target] = Counter()
        self._members: dict[Target, tuple[Int32Array, Int32Array]] = {}  # by the taxonomy; where stated as a type
        self._version = taxonomy.version
        self._changed: set[Target] = set()
        self._closure: Closure | None = None

    def __bool__(self) -> bool:
        """Whether any class is asked for."""
        return bool(self._asked)

    def ask(self, targets: Iterable[Target]) -> None:
        for target in targets:
            self._asked[target] += 1
            if self._asked[target] == 1:
                self._refresh()
                self._members[target] = self._found(*target)
                self._closure = None

    def forget(self, targets: Iterable[Target]) -> None:
        """What is asked for no longer stays in the closure until that is made anew: it does no harm."""
        for target in targets:
            self._asked[target] -= 1
            if not self._asked[target]:
                del self._asked[target]
                del self._members[target]
                self._changed.discard(target)

    def take_changed(self) -> frozenset[Target]:
        """The targets that taxonomy edits gave other members since this was last asked."""
        self._refresh()
        taken, self._changed = frozenset(self._changed), set()
        return taken

    def closure(self) -> Closure:
        self._refresh()
        if self._closure is None:
            self._closure = self._made()
        return self._closure

    def _refresh(self) -> None:
        """Follow the taxonomy's edits."""
        if self._version == self._taxonomy.version:
            return
        self._version = self._taxonomy.version
        for target, before in self._members.items():
            now = self._members[target] = self._found(*target)
            if not all(np.array_equal(one, other) for one, other in zip(before, now, strict=True)):
                self._changed.add(target)
                self._closure = None

    def _made(self) -> Closure:
        parts = [
            (members, cls, relation + offset)
            for (relation, cls), both in self._members.items()
            for members, offset in zip(both, (0, FIRST_STATED_LIST), strict=True)
        ]
        sizes = [len(members) for members, _, _ in parts]
        terms = np.concatenate([members for members, _, _ in parts]) if parts else np.zeros(0, np.int32)
        classes = np.repeat(np.array([cls for _, cls, _ in parts], np.int32), sizes)
        lists = np.repeat(np.array([which for _, _, which in parts], np.int64), sizes)
        rows, row_of = np.unique(terms, return_inverse=True)
        keys = LISTS_PER_TERM * row_of + lists
        order = np.argsort(keys, kind="stable")
        row = np.full(len(self._dictionary), -1, np.int32)
        row[rows] = np.arange(len(rows))
        starts = np.searchsorted(keys[order], np.arange(LISTS_PER_TERM * len(rows) + 1)).astype(np.int64)
        return Closure(row, starts, classes[order])

    def _found(self, relation: int, cls: int) -> tuple[Int32Array, Int32Array]:
        """The terms that stand in the relation to the class by the taxonomy, and the types that put a term there."""
        name = iri_text(self._dictionary.text(cls))
        if relation == DIRECTLY_A:
            return self._numbers(self._taxonomy.children(name)), self._numbers({name})
        below = self._taxonomy.subclasses(name) | {name}
        if relation == INSTANCE_OF:
            return self._numbers(self._taxonomy.instances(name)), self._numbers(below)
        assert relation == IS_A
        return self._numbers(self._taxonomy.descendants(name) | {name}), self._numbers(below)

    def _numbers(self, names: Iterable[str]) -> Int32Array:
        numbers = []
        for name in names:
            if name.startswith("_:"):
                continue  # a blank node is another one in each document
            try:
                numbers.append(self._dictionary.number(iri(name)))
            except InvalidTerm:
                continue  # no publication can have it
        return np.array(sorted(numbers), np.int32)
