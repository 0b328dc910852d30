"""Numbered slots for subscriptions, reused when a subscription is removed (ToPSS, section 3: "re-cycled").

Hit counts are arrays indexed by slot, so reuse keeps the arrays dense.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

FREE_SLOT = -1
"""Required hits of a free slot. No hit count is ever negative, so a free slot never matches."""


class SubscriptionSlots:
    """Map subscription ids to slots, and store how many satisfied predicates each slot requires to match."""

    def __init__(self) -> None:
        self._slot: dict[str, int] = {}
        self._id: list[str] = []
        self._free: list[int] = []
        self._required_hits = array("q")

    def allocate(self, subscription_id: str, required_hits: int) -> int:
        """Return a slot for the subscription, a free one if there is any."""
        if self._free:
            slot = self._free.pop()
            self._id[slot], self._required_hits[slot] = subscription_id, required_hits
        else:
            slot = len(self._id)
            self._id.append(subscription_id)
            self._required_hits.append(required_hits)
        self._slot[subscription_id] = slot
        return slot

    def release(self, subscription_id: str) -> int:
        """Free the subscription's slot and return it."""
        slot = self._slot.pop(subscription_id)
        self._free.append(slot)
        self._id[slot], self._required_hits[slot] = "", FREE_SLOT
        return slot

    def required_hits(self) -> NDArray[np.int64]:
        """Return the required hits by slot, as a view that is valid until the next change."""
        return np.frombuffer(self._required_hits, np.int64)

    def ids(self, slots: Iterable[int]) -> frozenset[str]:
        """Return the subscription ids in some slots."""
        return frozenset(self._id[slot] for slot in slots)

    def __len__(self) -> int:
        """Return the number of slots, in use or free."""
        return len(self._id)


class SlotSet:
    """A set of slots with an array representation. A removed slot is replaced by the last one."""

    def __init__(self) -> None:
        self._position: dict[int, int] = {}
        self._slots = array("q")

    def add(self, slot: int) -> None:
        self._position[slot] = len(self._slots)
        self._slots.append(slot)

    def discard(self, slot: int) -> None:
        position = self._position.pop(slot, None)
        if position is None:
            return
        last = self._slots.pop()
        if last != slot:
            self._slots[position] = last
            self._position[last] = position

    def as_array(self) -> NDArray[np.int64]:
        """Return a copy of the slots, in no particular order."""
        return np.array(self._slots, np.int64)
