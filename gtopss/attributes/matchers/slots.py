"""Small numbers for subscriptions and predicates, re-used when they fall free (ToPSS, section 3: "re-cycled").

Arrays can then be indexed by them, and have no holes that only grow.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

FREE = -1
"""The number of predicates wanted in a slot that nobody has: no hit count is ever equal to it."""


class Numbers:
    """Numbers that several may share; one that nobody uses any more is given out again first."""

    def __init__(self) -> None:
        self._uses: list[int] = []
        self._free: list[int] = []

    def take(self) -> int:
        if self._free:
            number = self._free.pop()
            self._uses[number] = 1
        else:
            number = len(self._uses)
            self._uses.append(1)
        return number

    def share(self, number: int) -> None:
        self._uses[number] += 1

    def give_back(self, number: int) -> bool:
        """Whether that was its last use."""
        self._uses[number] -= 1
        if self._uses[number]:
            return False
        self._free.append(number)
        return True

    def __len__(self) -> int:
        """How many numbers there are, used or free."""
        return len(self._uses)


class Slots:
    """Subscription ids in numbered slots, each with the number of predicates it wants satisfied."""

    def __init__(self) -> None:
        self._slot: dict[str, int] = {}
        self._id: list[str] = []
        self._free: list[int] = []
        self.wanted = array("q")

    def take(self, subscription_id: str, wanted: int) -> int:
        if self._free:
            slot = self._free.pop()
            self._id[slot], self.wanted[slot] = subscription_id, wanted
        else:
            slot = len(self._id)
            self._id.append(subscription_id)
            self.wanted.append(wanted)
        self._slot[subscription_id] = slot
        return slot

    def give_back(self, subscription_id: str) -> int:
        slot = self._slot.pop(subscription_id)
        self._free.append(slot)
        self._id[slot], self.wanted[slot] = "", FREE
        return slot

    def wanted_array(self) -> NDArray[np.int64]:
        return np.frombuffer(self.wanted, np.int64)

    def ids(self, slots: Iterable[int]) -> frozenset[str]:
        return frozenset(self._id[slot] for slot in slots)

    def __len__(self) -> int:
        """How many slots there are, taken or free."""
        return len(self._id)


class SlotSet:
    """A set of slots that is an array at any time: who leaves is replaced by the last."""

    def __init__(self) -> None:
        self._place: dict[int, int] = {}
        self._slots = array("q")

    def add(self, slot: int) -> None:
        self._place[slot] = len(self._slots)
        self._slots.append(slot)

    def discard(self, slot: int) -> None:
        place = self._place.pop(slot, None)
        if place is None:
            return
        last = self._slots.pop()
        if last != slot:
            self._slots[place] = last
            self._place[last] = place

    def as_array(self) -> NDArray[np.int64]:
        return np.array(self._slots, np.int64)

    def __len__(self) -> int:
        return len(self._slots)
