"""Segments as Python handles them: built from encoded branches, merged, and owned by compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate

import numpy as np

from gtopss.matching.index.buffer import BufferedEntry
from gtopss.matching.index.kernels.array_types import Float64Array, Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.layout import (
    ENTRY_COUNT,
    MEMBER_SLOT,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    Entries,
    Segment,
    empty_segment,
)
from gtopss.matching.index.kernels.merge import edge_rates, merge_segments
from gtopss.matching.index.kernels.relations import FIRST_TEXT_RELATION, RELATION_COUNT
from gtopss.matching.index.kernels.segment_handle import SegmentHandle, handle_contents, own_segment
from gtopss.matching.index.kernels.stars import name_stars

_SAME_NUMBERS: Int32Array = np.zeros(0, np.int32)


class IndexSegment:
    """A handle to an immutable segment and the counters that matching increments.

    Compiled code owns the arrays. They are freed with the handle.
    """

    __slots__ = ("_entries", "address", "handle")

    def __init__(self, handle: SegmentHandle, address: int, entries: int) -> None:
        self.handle = handle
        self.address = address
        """For compiled code. Valid only while this object is alive."""
        self._entries = entries

    @classmethod
    def from_arrays(cls, segment: Segment) -> IndexSegment:
        """Hand the arrays of a segment over to compiled code."""
        handle, address = own_segment(segment)
        assert len(own_segment.signatures) == 1, "all segments must have one type"  # type: ignore[attr-defined]
        return cls(handle, address, int(segment.graph.sizes[ENTRY_COUNT]))

    def __len__(self) -> int:
        """Return the number of entries: branches of subscriptions, removed ones included."""
        return self._entries

    @property
    def arrays(self) -> Segment:
        arrays: Segment = handle_contents(self.handle)[0]
        return arrays

    @property
    def work(self) -> Int64Array:
        """The steps spent on each pattern since the segment was built."""
        work: Int64Array = handle_contents(self.handle)[1]
        return work

    def slots(self) -> Int32Array:
        """Return the slot of each entry."""
        return self.arrays.members.about[:-1, MEMBER_SLOT]

    def rates(self) -> Float64Array:
        """Return how often each edge fires per publication."""
        rates: Float64Array = edge_rates(self.handle)
        return rates

    def nbytes(self) -> int:
        """Return the size of the arrays in bytes."""
        segment, work, fires = handle_contents(self.handle)
        return int(sum(array.nbytes for part in segment for array in part) + work.nbytes + fires.nbytes)

    def work_by_slot(self) -> Iterator[tuple[int, int]]:
        """Yield (slot, steps) for the entries that took steps; the steps of a shared pattern count for each.

        A needle that was found is a step too, in the publications that were sampled for how often edges fire.
        """
        arrays, about = self.arrays, self.arrays.patterns.about
        by_pattern = self.work[: len(about) - 1] + self._needles_found()
        work = np.repeat(by_pattern, np.diff(about[:, PATTERN_FIRST_MEMBER]))
        spent = np.flatnonzero(work)
        return zip(arrays.members.about[spent, MEMBER_SLOT].tolist(), work[spent].tolist(), strict=True)

    def _needles_found(self) -> Int64Array:
        """Return how often the text edges of each pattern fired in the sampled publications."""
        graph, _, patterns, _ = self.arrays
        is_text = (graph.labels >= FIRST_TEXT_RELATION) & (graph.labels < RELATION_COUNT)
        fires: Int64Array = handle_contents(self.handle)[2]
        fired = np.where(is_text, fires[: len(is_text)], 0)[patterns.edges]
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(fired)])
        first_edges = patterns.about[:, PATTERN_FIRST_EDGE]
        found: Int64Array = sums[first_edges[1:]] - sums[first_edges[:-1]]
        return found

    def slots_with_is_a_edges(self, targets: Iterable[tuple[int, int]]) -> list[int]:
        """Return the slots whose entries have an edge to one of these (relation, class) pairs."""
        graph, _, patterns, _ = self.arrays
        edges = [
            np.flatnonzero((graph.labels == relation) & (graph.pairs[graph.edge_pair, 1] == cls))
            for relation, cls in targets
        ]
        if not edges:
            return []
        is_target = np.isin(patterns.edges, np.concatenate(edges))
        pattern_of_edge = np.repeat(np.arange(len(patterns.about) - 1), np.diff(patterns.about[:, PATTERN_FIRST_EDGE]))
        chosen = np.zeros(len(patterns.about) - 1, np.bool_)
        chosen[pattern_of_edge[is_target]] = True
        return self.slots()[np.repeat(chosen, np.diff(patterns.about[:, PATTERN_FIRST_MEMBER]))].tolist()  # type: ignore[no-any-return]


def entries_from_branches(branches: Sequence[BufferedEntry]) -> Entries:
    """Return the arrays of encoded branches, with canonical numbers for their variables."""
    encoded = [each.encoded for each in branches]
    starts, star_starts = _starts(len(each.edges) for each in encoded), _starts(each.variables for each in encoded)
    edges = np.array([edge for each in encoded for edge in each.edges], np.int32).reshape(-1, 3)
    stars = name_stars(starts, edges, star_starts)
    bounds = [(entry, *bound) for entry, each in enumerate(encoded) for bound in each.bounds]
    return Entries(
        starts,
        edges,
        np.full(len(edges), -1.0),
        np.array([each.slot for each in branches], np.int32),
        np.array([each.branch for each in branches], np.int16),
        np.array([each.flags for each in encoded], np.uint8),
        star_starts,
        stars,
        _starts(len(each.bounds) for each in encoded),
        np.array([stars[star_starts[entry] + variable] for entry, variable, _, _ in bounds], np.int16),
        np.array([kinds for _, _, kinds, _ in bounds], np.int8).reshape(-1, 4),
        np.array([ends for _, _, _, ends in bounds], np.float64).reshape(-1, 4),
    )


@cache
def example_segment() -> IndexSegment:
    """Return an empty segment: from its handle the kernels know the type of all others."""
    return IndexSegment.from_arrays(empty_segment())


def merge_index_segments(
    segments: Sequence[IndexSegment],
    alive: UInt8Array,
    entries: Entries | None = None,
    numbers: Int32Array = _SAME_NUMBERS,
) -> tuple[IndexSegment, set[int]]:
    """Return one segment of the live entries of several and of new entries; and the slots of the dropped ones.

    `numbers` has the new number of each term in the old segments, if they get new ones.
    """
    handle, address, count, dropped = merge_segments(
        segment_addresses(segments),
        example_segment().handle,
        alive,
        entries if entries is not None else _no_entries(),
        numbers,
    )
    return IndexSegment(handle, address, count), set(dropped.tolist())


@cache
def _no_entries() -> Entries:
    return entries_from_branches([])


def release_free_memory() -> None:
    """Return memory that a large merge freed to the operating system.

    The C library keeps it otherwise: for a million subscriptions a third of all memory.
    """
    with suppress(OSError, AttributeError):  # only glibc has this function
        ctypes.CDLL(None).malloc_trim(0)


def segment_addresses(segments: Iterable[IndexSegment]) -> Int64Array:
    """Return the addresses for the kernels. The caller keeps the segments alive."""
    return np.array([segment.address for segment in segments], np.int64)


def _starts(lengths: Iterable[int]) -> Int64Array:
    return np.fromiter(accumulate(lengths, initial=0), np.int64)
