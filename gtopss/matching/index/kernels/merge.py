"""Segments taken apart and put together again: one of what is alive in several, and of what is in none yet.

In one call, for Python's lock must not be asked for in between: whoever matches would wait.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.index.kernels.build import build
from gtopss.matching.index.kernels.layout import (
    EDGE_COUNT,
    LOOP,
    MEMBER_BRANCH,
    MEMBER_FIRST_BOUND,
    MEMBER_FIRST_STAR,
    MEMBER_FLAGS,
    MEMBER_SLOT,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    PATTERN_SHAPE,
    Entries,
)
from gtopss.matching.index.kernels.segment_handle import address, held, held_at

FORMER = 20
"""Sampled publications (one in sixteen) that earlier knowledge weighs as much as."""


@compiled
def edge_rates(level):
    """How often each edge fires, a publication; what an earlier segment knew counts as FORMER publications."""
    before, edges = level.segment.graph.rate, level.segment.graph.sizes[EDGE_COUNT]
    seen = level.fires[edges]
    made = np.empty(edges, np.float64)
    for e in range(edges):
        weight = 0 if before[e] < 0 else FORMER
        made[e] = before[e] if seen == 0 else (level.fires[e] + weight * before[e]) / (seen + weight)
    return made


@inner
def _count(segment, alive, total):
    """Adds up what is alive: entries, edges, stars and bounds; and the entries that are dead."""
    patterns, members = segment.patterns, segment.members
    for p in range(patterns.about.shape[0] - 1):
        size = patterns.about[p + 1, PATTERN_FIRST_EDGE] - patterns.about[p, PATTERN_FIRST_EDGE]
        for entry in range(patterns.about[p, PATTERN_FIRST_MEMBER], patterns.about[p + 1, PATTERN_FIRST_MEMBER]):
            if alive[members.about[entry, MEMBER_SLOT]]:
                total[0] += 1
                total[1] += size
                total[2] += members.about[entry + 1, MEMBER_FIRST_STAR] - members.about[entry, MEMBER_FIRST_STAR]
                total[3] += members.about[entry + 1, MEMBER_FIRST_BOUND] - members.about[entry, MEMBER_FIRST_BOUND]
            else:
                total[4] += 1


@inner
def _take_apart(level, alive, made, dead, at):
    """Adds a segment's living entries, as they were before it was built, and the slots of the dead ones. `at` says how
    many there are already, as `_count` counts them."""
    graph, _, patterns, members = level.segment
    rate = edge_rates(level)
    n, m, stars, bounds, gone = at
    for p in range(patterns.about.shape[0] - 1):
        first, last = patterns.about[p, PATTERN_FIRST_EDGE], patterns.about[p + 1, PATTERN_FIRST_EDGE]
        shape = patterns.shape_starts[patterns.about[p, PATTERN_SHAPE]]
        for entry in range(patterns.about[p, PATTERN_FIRST_MEMBER], patterns.about[p + 1, PATTERN_FIRST_MEMBER]):
            if not alive[members.about[entry, MEMBER_SLOT]]:
                dead[gone] = members.about[entry, MEMBER_SLOT]
                gone += 1
                continue
            for i in range(first, last):
                edge = patterns.edges[i]
                pair, place = graph.edge_pair[edge], shape + i - first
                tail, head, label = graph.pairs[pair, 0], graph.pairs[pair, 1], graph.labels[edge]
                s, q, o = patterns.shape_stars[place, 0], patterns.shape_stars[place, 1], patterns.shape_stars[place, 2]
                made.edges[m, 0] = -1 - s if tail < 0 else tail
                made.edges[m, 1] = -1 - q if label < 0 else label
                made.edges[m, 2] = -1 - o if head < 0 else head
                if tail == LOOP:
                    made.edges[m, 2] = -1 - s
                made.rate[m] = rate[edge]
                m += 1
            for i in range(members.about[entry, MEMBER_FIRST_STAR], members.about[entry + 1, MEMBER_FIRST_STAR]):
                made.stars[stars] = members.stars[i]
                stars += 1
            for b in range(members.about[entry, MEMBER_FIRST_BOUND], members.about[entry + 1, MEMBER_FIRST_BOUND]):
                made.bound_star[bounds] = members.bound_star[b]
                for part in range(4):
                    made.bound_kinds[bounds, part] = members.bound_kinds[b, part]
                    made.bounds[bounds, part] = members.bounds[b, part]
                bounds += 1
            made.slot[n], made.branch[n], made.flags[n] = (
                members.about[entry, MEMBER_SLOT],
                members.about[entry, MEMBER_BRANCH],
                members.about[entry, MEMBER_FLAGS],
            )
            n += 1
            made.starts[n], made.star_starts[n], made.bound_starts[n] = m, stars, bounds
    at[:] = np.array([n, m, stars, bounds, gone])


@inner
def _add(entries, made, at):
    """Adds entries that are in no segment."""
    n, m, stars, bounds = at[0], at[1], at[2], at[3]
    for e in range(entries.edges.shape[0]):
        made.edges[m + e] = entries.edges[e]
        made.rate[m + e] = entries.rate[e]
    for i in range(entries.stars.shape[0]):
        made.stars[stars + i] = entries.stars[i]
    for b in range(entries.bounds.shape[0]):
        made.bound_star[bounds + b] = entries.bound_star[b]
        made.bound_kinds[bounds + b] = entries.bound_kinds[b]
        made.bounds[bounds + b] = entries.bounds[b]
    for i in range(entries.slot.shape[0]):
        made.slot[n + i], made.branch[n + i], made.flags[n + i] = entries.slot[i], entries.branch[i], entries.flags[i]
        made.starts[n + i + 1] = m + entries.starts[i + 1]
        made.star_starts[n + i + 1] = stars + entries.star_starts[i + 1]
        made.bound_starts[n + i + 1] = bounds + entries.bound_starts[i + 1]


@compiled
def merge_segments(addresses, like, alive, entries):
    """A segment of what is alive in those that are `held_at` these addresses, its access edges chosen anew by what they
    learned, and of further entries: held, with its address and the number of its entries; and the slots of what is
    dead, one for each entry. `like` is held too.

    Nobody may die meanwhile: `alive` is read more than once, and a subscription has several entries.
    """
    total, at = np.zeros(5, np.int64), np.zeros(5, np.int64)
    for place in addresses:
        _count(held_at(place, like).segment, alive, total)
    n, m, stars, bounds, gone = total
    n, m = n + entries.slot.shape[0], m + entries.edges.shape[0]
    stars, bounds = stars + entries.stars.shape[0], bounds + entries.bounds.shape[0]
    made = Entries(
        np.zeros(n + 1, np.int64),
        np.empty((m, 3), np.int32),
        np.empty(m, np.float64),
        np.empty(n, np.int32),
        np.empty(n, np.int16),
        np.empty(n, np.uint8),
        np.zeros(n + 1, np.int64),
        np.empty(stars, np.int16),
        np.zeros(n + 1, np.int64),
        np.empty(bounds, np.int16),
        np.empty((bounds, 4), np.int8),
        np.empty((bounds, 4), np.float64),
    )
    dead = np.empty(gone, np.int32)
    for place in addresses:
        _take_apart(held_at(place, like), alive, made, dead, at)
    _add(entries, made, at)
    new = like if n < 0 else held(build(made))  # never `like`; but were they not of one kind, this would not compile
    return new, address(new), n, dead
