"""What was added and is in no segment yet."""

from __future__ import annotations

import numpy as np

from gtopss.matching.index.branch_plan import Filled
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.buffered import BufferedConstants

LEAST, MOST, SHARE = 64, 256, 4_000
"""Room for entries: for one in so many as there are in all, within limits. To look through them costs little, but who
must make a segment of them, because one may match, waits: the more there are, the oftener."""


class Buffer:
    """Entries in the order of their arrival, and the constants without which none of them matches."""

    def __init__(self, subscriptions: int) -> None:
        self._room = min(max(subscriptions // SHARE, LEAST), MOST)
        self.entries: list[tuple[int, int, Filled]] = []  # slot, branch, filled branch
        self._ends: Int32Array = np.empty(self._room, np.int32)
        self._constants: Int32Array = np.empty(8 * self._room, np.int32)
        self._used = 0

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def full(self) -> bool:
        """Whether it must become a segment before the next match."""
        return len(self.entries) >= self._room

    def add(self, slot: int, branch: int, filled: Filled) -> None:
        place = len(self.entries)
        self.entries.append((slot, branch, filled))
        if place >= self._room:
            return
        # ends of edges first: fewer publications have them than have a property
        needed = dict.fromkeys([part for s, _, o in filled.edges for part in (o, s) if part >= 0])
        needed.update(dict.fromkeys([p for _, p, _ in filled.edges if p >= 0]))
        end = self._used + len(needed)
        if end > len(self._constants):  # an array of its own: somebody may still be reading the other
            self._constants = np.concatenate([self._constants[: self._used], np.empty(2 * end, np.int32)])
        self._constants[self._used : end] = list(needed)
        self._ends[place] = self._used = end

    def waiting(self) -> BufferedConstants:
        """What a match looks at; later additions do not change it."""
        return BufferedConstants(self._ends[: len(self.entries)], self._constants)
