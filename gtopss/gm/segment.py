"""Segments as Python sees them: made of filled branches, taken apart for merging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate

import numpy as np

from gtopss.gm.kernels.held import Held, address_of, hold
from gtopss.gm.kernels.layout import EDGES, ENTRIES, PATTERNS, SLOT, Entries, Marks, Reals, Segment, empty_segment
from gtopss.gm.kernels.merge import merge, rates
from gtopss.gm.kernels.stars import name_stars
from gtopss.gm.kernels.terms import Ints, Longs
from gtopss.gm.patterns import Filled


class Level:
    """A segment and what is learned while it is matched."""

    __slots__ = ("address", "fires", "held", "segment", "work")

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.fires: Longs = np.zeros(int(segment.graph.sizes[EDGES]) + 1, np.int64)
        """How often each edge fired, in every sixteenth publication; and how many those were."""
        self.work: Longs = np.zeros(max(int(segment.graph.sizes[PATTERNS]), 1), np.int64)
        """The steps that each pattern has taken."""
        self.held: Held = hold(segment, self.work, self.fires)
        self.address: int = address_of(self.held)
        """Where compiled code finds it, as long as this level lives."""
        assert len(address_of.signatures) == 1, "all levels must be of one kind"  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return int(self.segment.graph.sizes[ENTRIES])

    def slots(self) -> Ints:
        """The slot of each entry."""
        return self.segment.members.about[:-1, SLOT]

    def rates(self) -> Reals:
        """How often each edge fires, a publication."""
        made: Reals = rates(self.held)
        return made

    def nbytes(self) -> int:
        return sum(array.nbytes for part in self.segment for array in part) + self.fires.nbytes + self.work.nbytes


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
    return Level(empty_segment())


def merged(levels: Sequence[Level], alive: Marks, entries: Entries) -> tuple[Level, set[int]]:
    """One level of what is alive in several, and of entries that are in none; and the slots of what is dead."""
    segment, dead = merge(addresses_of(levels), empty_level().held, alive, entries)
    return Level(segment), set(dead.tolist())


def addresses_of(levels: Iterable[Level]) -> Longs:
    """What the kernels know levels by; the caller keeps them meanwhile."""
    return np.array([level.address for level in levels], np.int64)


def _starts(lengths: Iterable[int]) -> Longs:
    return np.fromiter(accumulate(lengths, initial=0), np.int64)
