"""Ordered linked lists of predicates (ToPSS, section 3.1): the baseline of the table-based index.

"Keep all predicates over the same attribute and same operator in an ordered linked list"; the lists of an attribute are
found by hashing, and searched from their head: O(n x number of operators). Lists are in ascending order here; a search
ends as soon as no later constant can be satisfied.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.predicate_numbers import PredicateNumbers
from gtopss.attributes.predicates import Predicate


class _Cell:
    """A constant, the number of its predicate, and the next cell."""

    __slots__ = ("constant", "next", "number")

    def __init__(self, constant: Any, number: int, next: _Cell | None) -> None:
        self.constant, self.number, self.next = constant, number, next


class _List:
    """The predicates of one attribute and operator, by constant."""

    __slots__ = ("_head", "_length")

    def __init__(self) -> None:
        self._head: _Cell | None = None
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def find(self, constant: Any) -> tuple[_Cell | None, _Cell | None]:
        """Return the last cell below the constant, and the first that is not below it."""
        before, cell = None, self._head
        while cell is not None and cell.constant < constant:
            before, cell = cell, cell.next
        return before, cell

    def insert(self, predicate: Predicate, numbers: PredicateNumbers) -> int:
        before, cell = self.find(predicate.value)
        if cell is not None and cell.constant == predicate.value:
            numbers.retain(cell.number)
            return cell.number
        inserted = _Cell(predicate.value, numbers.allocate(predicate), cell)
        self._link(before, inserted)
        self._length += 1
        return inserted.number

    def remove(self, constant: Any, numbers: PredicateNumbers) -> int:
        before, cell = self.find(constant)
        assert cell is not None
        if numbers.release(cell.number):
            self._link(before, cell.next)
            self._length -= 1
        return cell.number

    def _link(self, before: _Cell | None, cell: _Cell | None) -> None:
        if before is None:
            self._head = cell
        else:
            before.next = cell

    def satisfied(self, sign: Operator, value: Any, counters: AttributeCounters) -> list[int]:
        """Return the numbers of the predicates that a value satisfies; `sign` is the operator of this list."""
        holds, ends_early = _HOLDS[sign], sign in _ENDS_EARLY
        found: list[int] = []
        cell = self._head
        while cell is not None:
            counters.nodes += 1
            if holds(cell.constant, value):
                found.append(cell.number)
            elif ends_early and cell.constant > value:
                break
            cell = cell.next
        return found


_HOLDS: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.CONTAINS: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.BELOW: operator.gt,
    Operator.AT_MOST: operator.ge,
    Operator.ABOVE: operator.lt,
    Operator.AT_LEAST: operator.le,
}
"""The test of each operator on (constant, value). The constant is on the left here."""
_ENDS_EARLY = frozenset({Operator.EQUAL, Operator.CONTAINS, Operator.ABOVE, Operator.AT_LEAST})
"""The operators that no constant greater than the value satisfies, so a search can stop there."""


class PredicateLists:
    """The linked lists of each attribute, by operator."""

    def __init__(self) -> None:
        self._lists: dict[str, dict[Operator, _List]] = {}
        self._numbers = PredicateNumbers()

    def insert(self, predicate: Predicate) -> int:
        lists = self._lists.setdefault(predicate.attribute, {})
        return lists.setdefault(predicate.operator, _List()).insert(predicate, self._numbers)

    def remove(self, predicate: Predicate) -> int:
        lists = self._lists[predicate.attribute]
        number = lists[predicate.operator].remove(predicate.value, self._numbers)
        if not len(lists[predicate.operator]):
            del lists[predicate.operator]
        return number

    def release(self, number: int) -> None:
        """Remove the predicate with this number once."""
        self.remove(self._numbers.predicate(number))

    def __len__(self) -> int:
        """Return the number of predicate numbers, in use or free."""
        return len(self._numbers)

    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied:
        groups: Satisfied = []
        for attribute, values in event.values.items():
            lists = self._lists.get(attribute, {})
            contains = lists.get(Operator.CONTAINS)
            if contains is not None:
                found = (contains.satisfied(Operator.CONTAINS, value, counters) for value in values)
                groups.append([[number for numbers in found for number in numbers]])
            bound = [(sign, each) for sign, each in lists.items() if sign is not Operator.CONTAINS]
            if bound:
                groups.append([_all(bound, value, counters) for value in values])
        return groups


def _all(lists: Sequence[tuple[Operator, _List]], value: Value, counters: AttributeCounters) -> list[int]:
    return [number for sign, each in lists for number in each.satisfied(sign, value, counters)]
