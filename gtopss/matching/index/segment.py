"""Segments as Python sees them: made of filled branches, merged, and kept by compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate

import numpy as np

from gtopss.matching.index.branch_plan import Filled
from gtopss.matching.index.kernels.array_types import Float64Array, Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.layout import ENTRY_COUNT, MEMBER_SLOT, Entries, Segment, empty_segment
from gtopss.matching.index.kernels.merge import edge_rates, merge_segments
from gtopss.matching.index.kernels.segment_handle import SegmentHandle, handle_contents, own_segment
from gtopss.matching.index.kernels.stars import name_stars


class Level:
    """A segment and what is learned while it is matched; all in compiled code's hands, which shows it when asked."""

    __slots__ = ("_entries", "address", "held")

    def __init__(self, held: SegmentHandle, address: int, entries: int) -> None:
        self.held = held
        self.address = address
        """Where compiled code finds it, as long as this level lives."""
        self._entries = entries

    @classmethod
    def of(cls, segment: Segment) -> Level:
        held, address = own_segment(segment)
        assert len(own_segment.signatures) == 1, "all levels must be of one kind"  # type: ignore[attr-defined]
        return cls(held, address, int(segment.graph.sizes[ENTRY_COUNT]))

    def __len__(self) -> int:
        return self._entries

    @property
    def segment(self) -> Segment:
        made: Segment = handle_contents(self.held)[0]
        return made

    @property
    def work(self) -> Int64Array:
        """The steps that each pattern has taken."""
        made: Int64Array = handle_contents(self.held)[1]
        return made

    def slots(self) -> Int32Array:
        """The slot of each entry."""
        return self.segment.members.about[:-1, MEMBER_SLOT]

    def rates(self) -> Float64Array:
        """How often each edge fires, a publication."""
        made: Float64Array = edge_rates(self.held)
        return made

    def nbytes(self) -> int:
        segment, work, fires = handle_contents(self.held)
        return int(sum(array.nbytes for part in segment for array in part) + work.nbytes + fires.nbytes)


def new_entries(branches: Sequence[tuple[int, int, Filled]]) -> Entries:
    """Entries of (slot, branch, filled branch), their stars named."""
    filled = [each for _, _, each in branches]
    starts, star_starts = _starts(len(each.edges) for each in filled), _starts(each.variables for each in filled)
    edges = np.array([edge for each in filled for edge in each.edges], np.int32).reshape(-1, 3)
    stars = name_stars(starts, edges, star_starts)
    bounds = [(entry, *bound) for entry, each in enumerate(filled) for bound in each.bounds]
    return Entries(
        starts,
        edges,
        np.full(len(edges), -1.0),
        np.array([slot for slot, _, _ in branches], np.int32),
        np.array([branch for _, branch, _ in branches], np.int16),
        np.array([each.flags for each in filled], np.uint8),
        star_starts,
        stars,
        _starts(len(each.bounds) for each in filled),
        np.array([stars[star_starts[entry] + variable] for entry, variable, _, _ in bounds], np.int16),
        np.array([kinds for _, _, kinds, _ in bounds], np.int8).reshape(-1, 4),
        np.array([ends for _, _, _, ends in bounds], np.float64).reshape(-1, 4),
    )


@cache
def empty_level() -> Level:
    """A level of nothing: what the kernels take for an example."""
    return Level.of(empty_segment())


def merged(levels: Sequence[Level], alive: UInt8Array, entries: Entries | None = None) -> tuple[Level, set[int]]:
    """One level of what is alive in several, and of entries that are in none; and the slots of what is dead."""
    held, address, count, dead = merge_segments(
        addresses_of(levels), empty_level().held, alive, entries if entries is not None else _no_entries()
    )
    return Level(held, address, count), set(dead.tolist())


@cache
def _no_entries() -> Entries:
    return new_entries([])


def give_back() -> None:
    """Memory that a large merge has left free goes back to the system; the C library keeps it otherwise, for a million
    subscriptions a third of all."""
    with suppress(OSError, AttributeError):  # what is not Linux, or not glibc, has no such call
        ctypes.CDLL(None).malloc_trim(0)


def addresses_of(levels: Iterable[Level]) -> Int64Array:
    """What the kernels know levels by; the caller keeps them meanwhile."""
    return np.array([level.address for level in levels], np.int64)


def _starts(lengths: Iterable[int]) -> Int64Array:
    return np.fromiter(accumulate(lengths, initial=0), np.int64)
