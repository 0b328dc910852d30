"""A segment's living entries, as they were before it was built: what merging starts from."""

from __future__ import annotations

import numpy as np

from gtopss.gm.kernels.compiled import compiled
from gtopss.gm.kernels.layout import (
    BRANCH,
    FIRST_BOUND,
    FIRST_EDGE,
    FIRST_MEMBER,
    FIRST_STAR,
    FLAGS,
    LOOP,
    SHAPE,
    SLOT,
    Entries,
)


@compiled
def take_apart(segment, rates, alive):
    graph, _, patterns, members = segment
    count = patterns.about.shape[0] - 1
    n, m, stars, bounds = 0, np.int64(0), np.int64(0), np.int64(0)
    for p in range(count):
        for entry in range(patterns.about[p, FIRST_MEMBER], patterns.about[p + 1, FIRST_MEMBER]):
            if alive[members.about[entry, SLOT]]:
                n += 1
                m += patterns.about[p + 1, FIRST_EDGE] - patterns.about[p, FIRST_EDGE]
                stars += members.about[entry + 1, FIRST_STAR] - members.about[entry, FIRST_STAR]
                bounds += members.about[entry + 1, FIRST_BOUND] - members.about[entry, FIRST_BOUND]
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
    n, m, stars, bounds = 0, np.int64(0), np.int64(0), np.int64(0)
    for p in range(count):
        first, last = patterns.about[p, FIRST_EDGE], patterns.about[p + 1, FIRST_EDGE]
        shape = patterns.shape_starts[patterns.about[p, SHAPE]]
        for entry in range(patterns.about[p, FIRST_MEMBER], patterns.about[p + 1, FIRST_MEMBER]):
            if not alive[members.about[entry, SLOT]]:
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
                made.rate[m] = rates[edge]
                m += 1
            for i in range(members.about[entry, FIRST_STAR], members.about[entry + 1, FIRST_STAR]):
                made.stars[stars] = members.stars[i]
                stars += 1
            for b in range(members.about[entry, FIRST_BOUND], members.about[entry + 1, FIRST_BOUND]):
                made.bound_star[bounds] = members.bound_star[b]
                for part in range(4):
                    made.bound_kinds[bounds, part] = members.bound_kinds[b, part]
                    made.bounds[bounds, part] = members.bounds[b, part]
                bounds += 1
            made.slot[n], made.branch[n], made.flags[n] = (
                members.about[entry, SLOT],
                members.about[entry, BRANCH],
                members.about[entry, FLAGS],
            )
            n += 1
            made.starts[n], made.star_starts[n], made.bound_starts[n] = m, stars, bounds
    return made
