"""Segments as Python sees them: made of filled branches, taken apart for merging."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

from gtopss.gm.kernels.build import build
from gtopss.gm.kernels.held import hold
from gtopss.gm.kernels.layout import EDGES, ENTRIES, PATTERNS, SLOT, Entries, Marks, Reals, Segment
from gtopss.gm.kernels.stars import name_stars
from gtopss.gm.kernels.take_apart import take_apart
from gtopss.gm.kernels.terms import Ints, Longs
from gtopss.gm.patterns import Filled

FORMER = 20
"""Sampled publications (one in sixteen) that earlier knowledge weighs as much as."""


class Level:
    """A segment and what is learned while it is matched."""

    __slots__ = ("fires", "held", "seen", "segment", "work")

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.fires: Longs = np.zeros(max(int(segment.graph.sizes[EDGES]), 1), np.int64)
        """How often each edge fired, in every sixteenth publication."""
        self.work: Longs = np.zeros(max(int(segment.graph.sizes[PATTERNS]), 1), np.int64)
        """The steps that each pattern has taken."""
        self.held = hold(segment, self.work, self.fires)
        self.seen = 0
        """Publications matched, every sixteenth."""

    def __len__(self) -> int:
        return int(self.segment.graph.sizes[ENTRIES])

    def slots(self) -> Ints:
        """The slot of each entry."""
        return self.segment.members.about[:-1, SLOT]

    def rates(self) -> Reals:
        """How often each edge fires, a publication; what an earlier segment knew counts as FORMER publications."""
        before = self.segment.graph.rate
        if self.seen == 0:
            return before
        weight = np.where(before < 0, 0, FORMER)
        fires = self.fires[: self.segment.graph.sizes[EDGES]] + np.maximum(before, 0) * weight
        return np.asarray(fires / (self.seen + weight))

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


def merged(levels: Sequence[Level], alive: Marks, extra: Sequence[Entries] = ()) -> Level:
    """One level of what is alive in several, its access edges chosen anew by what they learned."""
    parts = [take_apart(level.segment, level.rates(), alive) for level in levels]
    return Level(build(_joined([*parts, *extra])))


def _joined(parts: Sequence[Entries]) -> Entries:
    if len(parts) == 1:
        return parts[0]
    made = []
    for name, arrays in zip(Entries._fields, zip(*parts, strict=True), strict=True):
        if name.endswith("starts"):
            ends = accumulate((int(array[-1]) for array in arrays), initial=0)
            shifted = [array[:-1] + end for array, end in zip(arrays, ends, strict=False)]
            total = sum(int(array[-1]) for array in arrays)
            made.append(np.concatenate([*shifted, np.array([total], np.int64)]))
        else:
            made.append(np.concatenate(arrays))
    return Entries(*made)


def _starts(lengths: Iterable[int]) -> Longs:
    return np.fromiter(accumulate(lengths, initial=0), np.int64)
