"""Merge small segments into larger ones, in the background, so that matching searches few of them.

A log-structured merge: an entry is moved about as often as there are powers of MERGE_RATIO below the index's size. A
merge reads immutable segments outside the lock and puts the result in their place under the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress

from gtopss.matching.index.buffer import BufferedEntry
from gtopss.matching.index.segment import (
    IndexSegment,
    entries_from_branches,
    merge_index_segments,
    release_free_memory,
)
from gtopss.matching.index.slots import SlotTable

MERGE_RATIO = 8
"""A segment is merged with those after it once they hold an eighth of its entries."""
MAX_FLUSH_ENTRIES = 512
"""Entries that a flush merges itself, those of small segments included; the background thread merges larger ones."""
MAX_SEGMENTS = 24
"""Above this number of segments, whoever adds a subscription merges all of them."""
MIN_ENTRIES_TO_RELEASE_MEMORY = 100_000
"""Entries of a merged segment from which freed memory is returned to the operating system."""


class SegmentMerger:
    """Hold the segments of an index, oldest and largest first, and merge them.

    Every public method needs the index's lock, but for `wait`, which must be called without it.
    """

    def __init__(self, lock: threading.RLock, slots: SlotTable) -> None:
        self._lock, self._slots = lock, slots
        self.segments: tuple[IndexSegment, ...] = ()
        """Replaced and never changed: a match keeps the tuple that it started with."""
        self.postponed = 0
        """Number of blocks in progress that add many subscriptions; background merging waits for their end."""
        self._thread: threading.Thread | None = None

    def merge_last(self, last: Sequence[IndexSegment], buffered: Sequence[BufferedEntry]) -> None:
        """Replace the last segments and the buffered entries by one segment. An error changes nothing."""
        alive = self._slots.alive
        live = [each for each in buffered if alive[each.slot]]
        dead = {each.slot for each in buffered if not alive[each.slot]}
        merged, dropped = merge_index_segments(last, alive, entries_from_branches(live))
        self._replace(last, merged, dead | dropped)

    def merged_by_flush(self, entries: int) -> tuple[IndexSegment, ...]:
        """Return the last, small segments that a flush of so many entries merges; the background leaves them alone."""
        return self.segments[self._first_small() :] if entries <= MAX_FLUSH_ENTRIES else ()

    def after_flush(self) -> None:
        """Start the background thread if there is something to merge; merge here if there are too many segments."""
        if len(self.segments) > MAX_SEGMENTS:
            self.merge_last(self.segments, ())
        elif not self.postponed:
            self.merge_in_background()

    def merge_in_background(self) -> None:
        """Start the background thread if it has something to do and is not running."""
        if self._thread is None and self._first_to_merge() is not None:
            thread = threading.Thread(target=self._merge_while_needed, name="gtopss-merge", daemon=True)
            with suppress(RuntimeError):  # no more threads: the next addition tries again
                thread.start()
                self._thread = thread

    def wait(self) -> None:
        """Wait for the background thread, if it is running."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _first_small(self) -> int:
        first, entries = len(self.segments), 0
        while first and entries + len(self.segments[first - 1]) <= MAX_FLUSH_ENTRIES:
            first -= 1
            entries += len(self.segments[first])
        return first

    def _first_to_merge(self) -> int | None:
        """Return the first segment, small ones aside, to be merged with those after it; None if there is none.

        It is the first one overall if most entries are of removed subscriptions.
        """
        segments = self.segments[: self._first_small()]
        if segments and self._slots.mostly_dead:
            return 0
        entries_after, first = 0, None
        for number in range(len(segments) - 1, -1, -1):
            if entries_after * MERGE_RATIO >= len(segments[number]):
                first = number if entries_after else None
            entries_after += len(segments[number])
        return first

    def _replace(self, old: Sequence[IndexSegment], merged: IndexSegment, dropped: set[int]) -> None:
        """Put a merged segment in the place of adjacent old ones."""
        place = self.segments.index(old[0]) if old else len(self.segments)
        new = (merged,) if len(merged) else ()
        self.segments = self.segments[:place] + new + self.segments[place + len(old) :]
        self._slots.dropped(dropped)

    # --- the background thread --------------------------------------------------------------------------------

    def _merge_while_needed(self) -> None:
        try:
            while self._merge_once():
                pass
        except BaseException:
            with self._lock:
                self._thread = None  # the next addition tries again
            raise

    def _merge_once(self) -> bool:
        """Merge once. Return False, and mark the thread as ended, if there is nothing more to do."""
        with self._lock:
            first = self._first_to_merge()
            if first is None:
                self._thread = None
                return False
            old, alive = self.segments[first : self._first_small()], self._slots.alive
        merged, dropped = merge_index_segments(old, alive.copy())  # a copy: removals must not take effect halfway
        with self._lock:
            place = self.segments.index(old[0]) if old[0] in self.segments else -1
            if place >= 0 and self.segments[place : place + len(old)] == old:
                self._replace(old, merged, dropped)
            if len(old) == 1 and not dropped:  # the dead entries are elsewhere: in the buffer, or in small segments
                self._thread = None
                return False
        is_large = len(merged) > MIN_ENTRIES_TO_RELEASE_MEMORY
        del old, merged
        if is_large:
            release_free_memory()
        return True
