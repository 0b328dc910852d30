"""Numbered slots for subscriptions, reused when a subscription is removed (ToPSS, section 3: "re-cycled").

Hit counts are arrays indexed by slot, so reuse keeps the arrays dense.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

CountType: TypeAlias = type[np.uint8] | type[np.int64]
_MAX_BYTE_COUNT = 254
"""Predicates of a subscription that fit in a one-byte counter. Above it, all counters get eight bytes."""


class SubscriptionSlots:
    """Map subscription ids to slots, and store how many satisfied predicates each slot requires to match.

    With `one_byte`, the counters are unsigned bytes (ToPSS, section 3.3: "represented by an unsigned char") until a
    subscription has more than 254 predicates: "this assumption may be easily relaxed". A free slot has the greatest
    number of its type, which no hit count reaches, so that a free slot never matches.
    """

    def __init__(self, *, one_byte: bool = False) -> None:
        self._slot: dict[str, int] = {}
        self._id: list[str] = []
        self._free: list[int] = []
        self._required_hits = array("B" if one_byte else "q")

    def allocate(self, subscription_id: str, required_hits: int) -> int:
        """Return a slot for the subscription, a free one if there is any."""
        if required_hits > _MAX_BYTE_COUNT and self._required_hits.typecode == "B":
            self._widen()
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
        self._id[slot], self._required_hits[slot] = "", self._free_mark()
        return slot

    def required_hits(self) -> NDArray[Any]:
        """Return the required hits by slot, as a view that is valid until the next change."""
        return np.frombuffer(self._required_hits, self.count_type)

    @property
    def count_type(self) -> CountType:
        """The type of the counters. The hits of a slot never exceed its required hits, so that they fit as well."""
        return np.uint8 if self._required_hits.typecode == "B" else np.int64

    def _free_mark(self) -> int:
        return int(np.iinfo(self.count_type).max)

    def _widen(self) -> None:
        self._required_hits = array("q", self._required_hits)
        for slot in self._free:
            self._required_hits[slot] = self._free_mark()

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
