"""The deletion table of the list-based association (ToPSS, sections 3.3 and 5.1.2).

"Subscription deletion operations require an additional data structure that record subscription predicate association,
so that for a given subscription all predicate lists in the data structure can be updated." It maps a subscription slot
to the numbers of its predicates. The matrices need none: a column has the predicates of its subscription.
"""

from __future__ import annotations

from array import array
from collections import defaultdict


class DeletionTable:
    """The predicate numbers of each slot, in one array of 4-byte numbers.

    A slot has a place in the array and a length. The place of a removed slot is used again for one of the same length.
    """

    def __init__(self) -> None:
        self._numbers = array("i")
        self._place = array("q")
        self._length = array("i")
        self._free: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, slot: int, numbers: list[int]) -> None:
        """Store the predicate numbers of a slot, which has none."""
        free = self._free[len(numbers)]
        if free:
            place = free.pop()
            self._numbers[place : place + len(numbers)] = array("i", numbers)
        else:
            place = len(self._numbers)
            self._numbers.extend(numbers)
        while len(self._place) <= slot:
            self._place.append(0)
            self._length.append(0)
        self._place[slot], self._length[slot] = place, len(numbers)

    def pop(self, slot: int) -> list[int]:
        """Remove a slot and return its predicate numbers."""
        place, length = self._place[slot], self._length[slot]
        self._free[length].append(place)
        self._length[slot] = 0
        return self._numbers[place : place + length].tolist()
