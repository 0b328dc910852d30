"""Merge segments: build one from the live entries of several, and from entries that are in none yet.

One call does it all without Python's lock. A call that took the lock in between would make searching threads wait.
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
    NO_EDGE,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    PATTERN_SHAPE,
    Entries,
)
from gtopss.matching.index.kernels.segment_handle import address_of, handle_at, new_handle

PRIOR_WEIGHT_SAMPLES = 20
"""Sampled publications that the rate of an earlier segment weighs as much as."""

_ENTRIES, _EDGES, _STARS, _BOUNDS, _DEAD = range(5)
_COUNTS = 5
"""What is counted while entries are copied; _DEAD are entries of removed subscriptions."""


@compiled
def edge_rates(handle):
    """Return how often each edge of a segment fires, per publication; -1 if unknown.

    The rate that an earlier segment knew counts as PRIOR_WEIGHT_SAMPLES samples.
    """
    before, edges = handle.segment.graph.rate, handle.segment.graph.sizes[EDGE_COUNT]
    sampled = handle.fires[edges]
    made = np.empty(edges, np.float64)
    for e in range(edges):
        weight = 0 if before[e] < 0 else PRIOR_WEIGHT_SAMPLES
        made[e] = before[e] if sampled == 0 else (handle.fires[e] + weight * before[e]) / (sampled + weight)
    return made


@inner
def _count_live(segment, alive, counts):
    """Add the live entries of a segment, their edges, stars and bounds, and the dead entries, to `counts`."""
    patterns, members = segment.patterns, segment.members
    for p in range(patterns.about.shape[0] - 1):
        edges = patterns.about[p + 1, PATTERN_FIRST_EDGE] - patterns.about[p, PATTERN_FIRST_EDGE]
        for entry in range(patterns.about[p, PATTERN_FIRST_MEMBER], patterns.about[p + 1, PATTERN_FIRST_MEMBER]):
            if alive[members.about[entry, MEMBER_SLOT]]:
                counts[_ENTRIES] += 1
                counts[_EDGES] += edges
                counts[_STARS] += members.about[entry + 1, MEMBER_FIRST_STAR] - members.about[entry, MEMBER_FIRST_STAR]
                counts[_BOUNDS] += (
                    members.about[entry + 1, MEMBER_FIRST_BOUND] - members.about[entry, MEMBER_FIRST_BOUND]
                )
            else:
                counts[_DEAD] += 1


@inner
def _append_edges(segment, rate, pattern, entries, written):
    """Append the edges of a pattern, as its entries had them."""
    graph, patterns = segment.graph, segment.patterns
    first, last = patterns.about[pattern, PATTERN_FIRST_EDGE], patterns.about[pattern + 1, PATTERN_FIRST_EDGE]
    shape = patterns.shape_starts[patterns.about[pattern, PATTERN_SHAPE]]
    for i in range(first, last):
        edge, place, at = patterns.edges[i], shape + i - first, written[_EDGES]
        pair, label = graph.edge_pair[edge], graph.labels[edge]
        tail, head = graph.pairs[pair, 0], graph.pairs[pair, 1]
        s, p, o = patterns.shape_stars[place, 0], patterns.shape_stars[place, 1], patterns.shape_stars[place, 2]
        entries.edges[at, 0] = -1 - s if tail < 0 else tail
        entries.edges[at, 1] = -1 - p if label < 0 else label
        entries.edges[at, 2] = -1 - o if head < 0 else head
        if tail == LOOP:
            entries.edges[at, 2] = -1 - s
        entries.rate[at] = rate[edge]
        written[_EDGES] += 1


@inner
def _append_member(members, entry, entries, written):
    """Append an entry, whose edges are appended already, with its stars and bounds."""
    for i in range(members.about[entry, MEMBER_FIRST_STAR], members.about[entry + 1, MEMBER_FIRST_STAR]):
        entries.stars[written[_STARS]] = members.stars[i]
        written[_STARS] += 1
    for b in range(members.about[entry, MEMBER_FIRST_BOUND], members.about[entry + 1, MEMBER_FIRST_BOUND]):
        at = written[_BOUNDS]
        entries.bound_star[at] = members.bound_star[b]
        for part in range(4):
            entries.bound_kinds[at, part] = members.bound_kinds[b, part]
            entries.bounds[at, part] = members.bounds[b, part]
        written[_BOUNDS] += 1
    n = written[_ENTRIES]
    entries.slot[n], entries.branch[n] = members.about[entry, MEMBER_SLOT], members.about[entry, MEMBER_BRANCH]
    entries.flags[n] = members.about[entry, MEMBER_FLAGS]
    entries.starts[n + 1], entries.star_starts[n + 1] = written[_EDGES], written[_STARS]
    entries.bound_starts[n + 1] = written[_BOUNDS]
    written[_ENTRIES] += 1


@inner
def _append_live(handle, alive, entries, dead, written):
    """Append a segment's live entries to `entries`, as they were before it was built, and the slots of its dead ones to
    `dead`. `written` counts what is there already."""
    segment, rate = handle.segment, edge_rates(handle)
    patterns, members = segment.patterns, segment.members
    for p in range(patterns.about.shape[0] - 1):
        for entry in range(patterns.about[p, PATTERN_FIRST_MEMBER], patterns.about[p + 1, PATTERN_FIRST_MEMBER]):
            slot = members.about[entry, MEMBER_SLOT]
            if alive[slot]:
                _append_edges(segment, rate, p, entries, written)
                _append_member(members, entry, entries, written)
            else:
                dead[written[_DEAD]] = slot
                written[_DEAD] += 1


@inner
def _append_new(new, entries, written):
    """Append entries that are in no segment."""
    n, edges, stars, bounds = written[_ENTRIES], written[_EDGES], written[_STARS], written[_BOUNDS]
    for e in range(new.edges.shape[0]):
        entries.edges[edges + e] = new.edges[e]
        entries.rate[edges + e] = new.rate[e]
    for i in range(new.stars.shape[0]):
        entries.stars[stars + i] = new.stars[i]
    for b in range(new.bounds.shape[0]):
        entries.bound_star[bounds + b] = new.bound_star[b]
        entries.bound_kinds[bounds + b] = new.bound_kinds[b]
        entries.bounds[bounds + b] = new.bounds[b]
    for i in range(new.slot.shape[0]):
        entries.slot[n + i], entries.branch[n + i], entries.flags[n + i] = new.slot[i], new.branch[i], new.flags[i]
        entries.starts[n + i + 1] = edges + new.starts[i + 1]
        entries.star_starts[n + i + 1] = stars + new.star_starts[i + 1]
        entries.bound_starts[n + i + 1] = bounds + new.bound_starts[i + 1]


@inner
def _allocate_entries(n, edges, stars, bounds):
    """Return room for so many entries, with so many edges, stars and bounds in all."""
    return Entries(
        np.zeros(n + 1, np.int64),
        np.empty((edges, 3), np.int32),
        np.empty(edges, np.float64),
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


@inner
def _renumber(entries, edges, bounds, numbers):
    """Replace the term numbers in the first so many edges and bounds."""
    for e in range(edges):
        for part in range(3):
            if entries.edges[e, part] >= 0:
                entries.edges[e, part] = numbers[entries.edges[e, part]]
    for b in range(bounds):
        if entries.bound_kinds[b, 0] == NO_EDGE:
            entries.bounds[b, 0] = numbers[np.int64(entries.bounds[b, 0])]
            if entries.bounds[b, 1] >= 0:
                entries.bounds[b, 1] = numbers[np.int64(entries.bounds[b, 1])]


@compiled
def merge_segments(addresses, like, alive, new, numbers):
    """Build a segment of the live entries in the segments at these addresses, and of the `new` entries.

    If `numbers` is not empty, it has the new number of each term in the old segments.

    Its access edges are chosen by what the old segments learned from traffic. Return its handle, its address, the
    number of its entries, and the slots of the dead entries that were left out, one for each entry. The caller keeps
    the old handles alive; `like` is any handle, as an example of their type.

    `alive` must not change meanwhile: it is read more than once, and a subscription may have several entries.
    """
    counts, written = np.zeros(_COUNTS, np.int64), np.zeros(_COUNTS, np.int64)
    for address in addresses:
        _count_live(handle_at(address, like).segment, alive, counts)
    n = counts[_ENTRIES] + new.slot.shape[0]
    entries = _allocate_entries(
        n,
        counts[_EDGES] + new.edges.shape[0],
        counts[_STARS] + new.stars.shape[0],
        counts[_BOUNDS] + new.bounds.shape[0],
    )
    dead = np.empty(counts[_DEAD], np.int32)
    for address in addresses:
        _append_live(handle_at(address, like), alive, entries, dead, written)
    if numbers.shape[0] > 0:
        _renumber(entries, written[_EDGES], written[_BOUNDS], numbers)
    _append_new(new, entries, written)
    # the result is never `like`; but if the two had different types, this line would not compile
    handle = like if n < 0 else new_handle(build(entries))
    return handle, address_of(handle), n, dead
