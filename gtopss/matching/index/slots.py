"""Assign a number, the slot, to each subscription; entries of segments refer to subscriptions by slot.

A slot passes through these states:

    free ──> alive ──(remove)──> dead: still in a segment or the buffer ──(merge)──> released ──> free
                                                                            until no match reads an older view
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gtopss.errors import SubscriptionNotFound
from gtopss.matching.index.kernels.array_types import Int32Array, UInt8Array
from gtopss.model.codec import EncodedSubscription

MIN_DEAD_TO_MERGE = 10_000
"""Removed subscriptions that stay in segments before a merge is worth it; more of them in a larger index."""


class SlotTable:
    """Map ids to slots and slots to subscriptions. Not thread-safe: the index's lock protects it.

    Matches read `encoded` and `alive` without the lock: a slot is not reused while a match may see it.
    """

    def __init__(self) -> None:
        self.encoded: list[EncodedSubscription | None] = []
        """Slot -> subscription; None where there is none. Only grows; replaced where terms get new numbers."""
        self.alive: UInt8Array = np.zeros(64, np.uint8)
        """Slot -> 1 while its subscription is registered. Replaced by a larger array when it is full."""
        self._by_id: dict[str, int] = {}
        self._free: list[int] = []
        self._released: list[int] = []
        self._dead = 0
        self._readers = 0

    def __len__(self) -> int:
        """Return the number of registered subscriptions."""
        return len(self._by_id)

    def __contains__(self, subscription_id: str) -> bool:
        return subscription_id in self._by_id

    def ids(self) -> tuple[str, ...]:
        return tuple(self._by_id)

    def get(self, subscription_id: str) -> EncodedSubscription:
        """Return the subscription with this id. Raises SubscriptionNotFound."""
        if subscription_id not in self._by_id:
            raise SubscriptionNotFound(subscription_id)
        encoded = self.encoded[self._by_id[subscription_id]]
        assert encoded is not None
        return encoded

    def allocate(self) -> int:
        """Return a free slot; it stays empty until `put`."""
        if not self._readers:
            self._recycle()
        slot = self._free.pop() if self._free else len(self.encoded)
        if slot == len(self.encoded):
            self.encoded.append(None)
            if slot == len(self.alive):
                self.alive = np.concatenate([self.alive, np.zeros_like(self.alive)])
        return slot

    def put(self, slot: int, encoded: EncodedSubscription) -> None:
        """Make a slot alive."""
        self.encoded[slot] = encoded
        self.alive[slot] = 1
        self._by_id[encoded.id] = slot

    def remove(self, subscription_id: str, *, in_segments: bool) -> int:
        """Empty the slot of a subscription and return it. `in_segments`: entries of it remain somewhere."""
        slot = self._by_id.pop(subscription_id)
        self.alive[slot] = 0
        self.encoded[slot] = None
        if in_segments:
            self._dead += 1
        else:
            self._released.append(slot)
        return slot

    def dropped(self, slots: set[int]) -> None:
        """Note that a merge dropped all entries of these dead slots."""
        self._dead -= len(slots)
        self._released += slots

    @property
    def mostly_dead(self) -> bool:
        """Whether so many entries are of removed subscriptions that a merge is worth it."""
        return self._dead > max(MIN_DEAD_TO_MERGE, len(self._by_id))

    def enter_reader(self) -> None:
        """Note that a match begins: released slots are not reused until no match runs."""
        self._readers += 1

    def leave_reader(self) -> None:
        self._readers -= 1
        if not self._readers:
            self._recycle()

    def _recycle(self) -> None:
        if self._released:
            self._free += self._released
            self._released.clear()

    def restore(self, encoded: Sequence[EncodedSubscription | None]) -> None:
        """Fill an empty table with loaded subscriptions, and make them alive."""
        self.encoded += encoded
        self.alive = np.zeros(2 * max(len(self.encoded), 32), np.uint8)
        self.alive[: len(encoded)] = [each is not None for each in encoded]
        self._by_id = {each.id: slot for slot, each in enumerate(encoded) if each is not None}

    def restore_free(self, listed: Iterable[Int32Array]) -> None:
        """Find the free and dead slots after loading. `listed` are the slots of each segment's entries."""
        self._released.clear()
        self._free, self._dead = self._unlisted(listed)

    def replace(self, encoded: list[EncodedSubscription | None], listed: Iterable[Int32Array]) -> None:
        """Put equal subscriptions in the place of all, and find the free and dead slots as after loading."""
        self.encoded = encoded
        self._released, self._dead = self._unlisted(listed)  # matches may still see entries of older segments
        self._free = []

    def _unlisted(self, listed: Iterable[Int32Array]) -> tuple[list[int], int]:
        """Return the empty slots that no segment lists, and how many empty ones are listed."""
        is_listed = np.zeros(len(self.alive), np.bool_)
        for slots in listed:
            is_listed[slots] = True
        is_empty = self.alive[: len(self.encoded)] == 0
        is_listed = is_listed[: len(self.encoded)]
        return np.flatnonzero(is_empty & ~is_listed).tolist(), int(np.count_nonzero(is_empty & is_listed))
