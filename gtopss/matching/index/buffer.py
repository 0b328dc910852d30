"""Hold branches that were added and are in no segment yet.

A publication cannot match a branch unless it has all its constants. So a kernel compares the constants of the buffered
branches with a publication, and only a possible match makes a segment necessary.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.matching.index.branch_plan import EncodedBranch
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.buffered import BufferedConstants

MIN_CAPACITY = 64
"""Entries that any buffer has room for."""
MAX_CAPACITY = 256
"""Entries at most. Comparing them costs little; but a match that needs the segment waits for it to be built, and the
more entries there are the more often that happens."""
SUBSCRIPTIONS_PER_ENTRY = 4_000
"""Registered subscriptions for each entry of capacity, within the limits above."""


class BufferedEntry(NamedTuple):
    """One branch of the subscription in a slot."""

    slot: int
    branch: int
    encoded: EncodedBranch


class Buffer:
    """Entries in the order of addition, and the constants without which none of them matches.

    Not thread-safe: the index's lock protects it. What `constants` returned may be read without the lock.
    """

    def __init__(self, subscriptions: int) -> None:
        """Create an empty buffer for an index with so many subscriptions."""
        self._capacity = min(max(subscriptions // SUBSCRIPTIONS_PER_ENTRY, MIN_CAPACITY), MAX_CAPACITY)
        self.entries: list[BufferedEntry] = []
        self._slots: set[int] = set()
        self._removed: set[int] = set()
        self._ends: Int32Array = np.empty(self._capacity, np.int32)
        self._constants: Int32Array = np.empty(8 * self._capacity, np.int32)
        self._used = 0

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def full(self) -> bool:
        """Whether a segment must be built before the next match: later entries have no constants to compare."""
        return len(self.entries) >= self._capacity

    def add(self, slot: int, branch: int, encoded: EncodedBranch) -> None:
        place = len(self.entries)
        self.entries.append(BufferedEntry(slot, branch, encoded))
        self._slots.add(slot)
        if place >= self._capacity:
            return
        # the ends of edges first: fewer publications have them than have a property
        needed = dict.fromkeys([part for s, _, o in encoded.edges for part in (o, s) if part >= 0])
        needed.update(dict.fromkeys([p for _, p, _ in encoded.edges if p >= 0]))
        end = self._used + len(needed)
        if end > len(self._constants):  # a new array: a match may still read the old one
            self._constants = np.concatenate([self._constants[: self._used], np.empty(2 * end, np.int32)])
        self._constants[self._used : end] = list(needed)
        self._ends[place] = self._used = end

    def note_removed(self, slot: int) -> bool:
        """Note that a subscription was removed. Return whether most entries are of removed ones."""
        if slot in self._slots:
            self._removed.add(slot)
        return len(self._removed) > max(MIN_CAPACITY, len(self._slots) // 2)

    def without_removed(self, subscriptions: int) -> tuple[Buffer, set[int]]:
        """Return a buffer for so many subscriptions without the entries of removed ones, and the slots of these."""
        made = Buffer(subscriptions)
        for slot, branch, encoded in self.entries:
            if slot not in self._removed:
                made.add(slot, branch, encoded)
        return made, self._removed

    def constants(self) -> BufferedConstants:
        """Return the constants for the kernel. Later additions do not change them."""
        return BufferedConstants(self._ends[: len(self.entries)], self._constants)
