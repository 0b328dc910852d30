"""The taxonomy as the kernels see it: above each term, the classes that subscriptions ask for.

Only classes that some is-a constraint names count, and only terms below one of them: a taxonomy of a million names
costs what the subscriptions make of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from gtopss.errors import InvalidTerm
from gtopss.gm.dictionary import Dictionary
from gtopss.gm.kernels.is_a import DIRECTLY_A, INSTANCE_OF, IS_A, SUBCLASS_OF, Closure
from gtopss.model.terms import iri, iri_text
from ontology import Taxonomy


class Classes:
    """Which classes are asked for, and what lies below them."""

    def __init__(self, taxonomy: Taxonomy, dictionary: Dictionary) -> None:
        self._taxonomy, self._dictionary = taxonomy, dictionary
        self._targets: Counter[tuple[int, int]] = Counter()
        self._below: dict[tuple[int, int], frozenset[int]] = {}
        self._version = taxonomy.version
        self._closure: Closure | None = None

    def __bool__(self) -> bool:
        """Whether any class is asked for."""
        return bool(self._targets)

    def ask(self, targets: Iterable[tuple[int, int]]) -> None:
        for target in targets:
            self._targets[target] += 1
            if self._targets[target] == 1:
                self._closure = None

    def forget(self, targets: Iterable[tuple[int, int]]) -> None:
        """What is asked for no longer stays in the closure until that is made anew: it does no harm."""
        for target in targets:
            self._targets[target] -= 1
            if not self._targets[target]:
                del self._targets[target]
                self._below.pop(target, None)

    def changed(self) -> frozenset[tuple[int, int]]:
        """The (relation, class) pairs that a taxonomy edit gave other members since this was last asked."""
        if self._version == self._taxonomy.version:
            return frozenset()
        before, self._below = self._below, {}
        self._closure = None
        self.closure()
        return frozenset(
            (relation, cls)
            for (relation, cls), below in self._below.items()
            if before.get((relation, cls), below) != below and relation != SUBCLASS_OF
        ) | frozenset(
            (relation, cls)
            for (subclass, cls), below in self._below.items()
            if subclass == SUBCLASS_OF and before.get((subclass, cls), below) != below
            for relation in (IS_A, INSTANCE_OF)
            if (relation, cls) in self._targets
        )

    def closure(self) -> Closure:
        if self._version != self._taxonomy.version:
            self._below.clear()
            self._closure = None
        if self._closure is None:
            self._version = self._taxonomy.version
            self._closure = self._made()
        return self._closure

    def _made(self) -> Closure:
        rows: dict[int, tuple[list[int], list[int], list[int], list[int]]] = {}
        for relation, cls in self._targets:
            wanted = (relation, SUBCLASS_OF) if relation in (IS_A, INSTANCE_OF) else (relation,)
            for each in wanted:
                if (each, cls) not in self._below:
                    self._below[each, cls] = self._members(each, cls)
        for (relation, cls), below in self._below.items():
            for number in below:
                rows.setdefault(number, ([], [], [], []))[relation].append(cls)
        row = np.full(len(self._dictionary), -1, np.int32)
        row[list(rows)] = np.arange(len(rows))
        lists = [each for of_term in rows.values() for each in of_term]
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(each) for each in lists], out=starts[1:])
        return Closure(row, starts, np.array([cls for each in lists for cls in each], np.int32))

    def _members(self, relation: int, cls: int) -> frozenset[int]:
        """The terms that stand in the relation to the class, by the taxonomy alone."""
        name = iri_text(self._dictionary.text(cls))
        match relation:
            case _ if relation == IS_A:
                names = self._taxonomy.descendants(name) | {name}
            case _ if relation == INSTANCE_OF:
                names = self._taxonomy.instances(name)
            case _ if relation == DIRECTLY_A:
                names = self._taxonomy.children(name)
            case _:
                names = self._taxonomy.subclasses(name) | {name}
        numbers = set()
        for each in names:
            if each.startswith("_:"):
                continue  # a blank node is another one in each document
            try:
                numbers.add(self._dictionary.number(iri(each)))
            except InvalidTerm:
                continue  # no publication can have it
        return frozenset(numbers)
