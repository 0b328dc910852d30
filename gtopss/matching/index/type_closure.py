"""Compute the part of the taxonomy that the kernels need: above each term, the classes that subscriptions name.

Only classes that some is-a constraint names are in it, and only terms below one of them: the cost of a large taxonomy
depends on the subscriptions, not on its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from gtopss.errors import GtopssError, InvalidTerm
from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.is_a_edges import (
    FIRST_STATED_LIST,
    LISTS_PER_TERM,
    Closure,
)
from gtopss.model.terms import iri, iri_text
from gtopss.semantics.class_members import RELATIONS, class_members
from ontology import Taxonomy

Target = tuple[int, int]
"""A relation and the term number of a class."""
MAX_MEMBERS = 20_000_000
"""Members of all classes that subscriptions name. Each takes up to 50 bytes while the closure is built."""


class TypeClosure:
    """Count the classes that subscriptions name, and find what is below them. Not thread-safe: the index locks."""

    def __init__(self, taxonomy: Taxonomy, dictionary: Dictionary) -> None:
        self._taxonomy, self._dictionary = taxonomy, dictionary
        self._uses: Counter[Target] = Counter()
        self._members: dict[Target, tuple[Int32Array, Int32Array]] = {}  # by the taxonomy; where stated as a type
        self._member_count = 0
        self._version = taxonomy.version
        self._changed: set[Target] = set()
        self._closure: Closure | None = None

    def __bool__(self) -> bool:
        """Return whether any class is named."""
        return bool(self._uses)

    def add_targets(self, targets: Sequence[Target], *, max_members: int | None = None) -> None:
        """Count targets; new ones become part of the closure.

        Raises GtopssError, and changes nothing, if all classes together get more than `max_members` members.
        """
        if not targets:
            return
        self._refresh()
        new = {target: self._members_of(*target) for target in dict.fromkeys(targets) if target not in self._uses}
        count = self._member_count + sum(map(_count, new.values()))
        if new and max_members is not None and count > max_members:
            raise GtopssError(
                f"the classes that is-a constraints of all subscriptions name have more than {max_members:,} members "
                "in the taxonomy: name classes with fewer members, or use a second engine"
            )
        self._uses.update(targets)
        if new:
            self._members |= new
            self._member_count = count
            self._closure = None

    def remove_targets(self, targets: Iterable[Target]) -> None:
        """Uncount targets. Those that nobody names stay in the closure until it is rebuilt, which does no harm."""
        for target in targets:
            self._uses[target] -= 1
            if not self._uses[target]:
                del self._uses[target]
                self._member_count -= _count(self._members.pop(target))
                self._changed.discard(target)

    def term_numbers(self) -> Int32Array:
        """Return the numbers of all terms that the closure refers to."""
        classes = np.array([cls for _, cls in (*self._members, *self._changed)], np.int32)
        return np.concatenate([classes, *(members for both in self._members.values() for members in both)])

    def renumbered(self, numbers: Callable[[Int32Array], Int32Array], dictionary: Dictionary) -> TypeClosure:
        """Return an equal closure with other term numbers."""
        made = TypeClosure(self._taxonomy, dictionary)
        made._version = self._version

        def target(old: Target) -> Target:
            return old[0], int(numbers(np.array([old[1]], np.int32))[0])

        made._uses = Counter({target(old): count for old, count in self._uses.items()})
        made._changed = {target(old) for old in self._changed}
        made._members = {
            target(old): (np.sort(numbers(names)), np.sort(numbers(types)))
            for old, (names, types) in self._members.items()
        }
        made._member_count = self._member_count
        return made

    def take_changed_targets(self) -> frozenset[Target]:
        """Return the targets whose members changed by taxonomy edits since the previous call."""
        self._refresh()
        taken, self._changed = frozenset(self._changed), set()
        return taken

    def closure(self) -> Closure:
        """Return the closure for the kernels, rebuilt if targets or the taxonomy changed."""
        self._refresh()
        if self._closure is None:
            self._closure = self._build()
        return self._closure

    def _refresh(self) -> None:
        """Recompute the members if the taxonomy was edited."""
        if self._version == self._taxonomy.version:
            return
        self._version = self._taxonomy.version
        for target, before in self._members.items():
            now = self._members[target] = self._members_of(*target)
            self._member_count += _count(now) - _count(before)
            if not all(np.array_equal(one, other) for one, other in zip(before, now, strict=True)):
                self._changed.add(target)
                self._closure = None

    def _build(self) -> Closure:
        parts = [
            (members, cls, relation + offset)
            for (relation, cls), both in self._members.items()
            for members, offset in zip(both, (0, FIRST_STATED_LIST), strict=True)
        ]
        sizes = [len(members) for members, _, _ in parts]
        terms = np.concatenate([members for members, _, _ in parts]) if parts else np.zeros(0, np.int32)
        row = np.full(len(self._dictionary), -1, np.int32)
        row[terms] = 0
        rows = np.flatnonzero(row == 0)
        row[rows] = np.arange(len(rows))
        keys = LISTS_PER_TERM * row[terms].astype(np.int64)
        keys += np.repeat(np.array([which for _, _, which in parts], np.int8), sizes)
        starts = np.zeros(LISTS_PER_TERM * len(rows) + 1, np.int64)
        np.cumsum(np.bincount(keys, minlength=len(starts) - 1), out=starts[1:])
        classes = np.repeat(np.array([cls for _, cls, _ in parts], np.int32), sizes)
        return Closure(row, starts, classes[np.argsort(keys, kind="stable")])

    def _members_of(self, relation: int, cls: int) -> tuple[Int32Array, Int32Array]:
        """Return the terms that stand in the relation to the class by name, and the types that put a term there."""
        members = class_members(self._taxonomy, RELATIONS[relation], iri_text(self._dictionary.text(cls)))
        names = self._numbers(members.names)
        return names, names if members.types == members.names else self._numbers(members.types)

    def _numbers(self, names: Iterable[str]) -> Int32Array:
        numbers = []
        for name in names:
            try:
                numbers.append(self._dictionary.number(iri(name)))
            except InvalidTerm:
                continue  # not an IRI: no publication can have it
        return np.array(sorted(numbers), np.int32)


def _count(members: tuple[Int32Array, Int32Array]) -> int:
    return len(members[0]) + len(members[1])
