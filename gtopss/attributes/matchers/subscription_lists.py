"""The list-based association (ToPSS, section 3.3): the subscriptions of each predicate, in re-allocatable arrays.

"The re-allocation size is set to a constant amount, a dynamic scheme would be possible that chooses the size according
to the popularity of the predicate, thus minimizing expensive re-allocation steps." Both are here: `growth` is the
number of entries by which a full array grows, or "double". The paper does not give its constant. In its Table 2, a
million subscriptions with three predicates each load in 98 s, 33 µs for each entry of a list, which suggests that
lists of several thousand entries were copied for nearly every entry: a constant near 1.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.matchers.deletion_table import DeletionTable
from gtopss.attributes.matchers.hit_counting import best_hit_counts
from gtopss.attributes.matchers.predicate_clusters import Satisfied

Growth: TypeAlias = int | Literal["double"]
_FIRST_CAPACITY = 4


class SubscriptionLists:
    """The slots of the subscriptions of each predicate number, unordered.

    Without a deletion table, a removal searches the lists of all predicates.
    """

    def __init__(self, *, growth: Growth = "double", deletion_table: bool = True) -> None:
        self._growth = growth
        self._slots: list[NDArray[np.int32]] = []
        self._lengths: list[int] = []
        self._deletion_table = DeletionTable() if deletion_table else None

    def add(self, predicates: list[int], slot: int) -> None:
        for predicate in predicates:
            self._append(predicate, slot)
        if self._deletion_table is not None:
            self._deletion_table.add(slot, predicates)

    def _append(self, predicate: int, slot: int) -> None:
        while len(self._slots) <= predicate:
            self._slots.append(np.empty(_FIRST_CAPACITY if self._growth == "double" else self._growth, np.int32))
            self._lengths.append(0)
        slots, length = self._slots[predicate], self._lengths[predicate]
        if length == len(slots):
            grown = np.empty(2 * length if self._growth == "double" else length + self._growth, np.int32)
            grown[:length] = slots
            self._slots[predicate] = slots = grown
        slots[length] = slot
        self._lengths[predicate] = length + 1

    def clear(self, slot: int) -> list[int]:
        candidates = range(len(self._slots)) if self._deletion_table is None else self._deletion_table.pop(slot)
        return [predicate for predicate in candidates if self._discard(predicate, slot)]

    def _discard(self, predicate: int, slot: int) -> bool:
        """Remove a slot from a list and return whether it was there. The last entry takes its place."""
        slots, length = self._slots[predicate], self._lengths[predicate]
        places = np.flatnonzero(slots[:length] == slot)
        if not len(places):
            return False
        slots[places[0]] = slots[length - 1]
        self._lengths[predicate] = length - 1
        return True

    def count(self, satisfied: Satisfied, slots: int, dtype: DTypeLike, counters: AttributeCounters) -> NDArray[Any]:
        def sum_up(numbers: list[int]) -> NDArray[Any]:
            hits = np.zeros(slots, dtype)
            if numbers:
                listed = np.concatenate([self._slots[number][: self._lengths[number]] for number in numbers])
                np.add.at(hits, listed, hits.dtype.type(1))
                counters.additions += len(listed)
            return hits

        return best_hit_counts(satisfied, sum_up)
