"""Entries become a segment. The same loops serve a buffer of three subscriptions and a merge of a million."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.access import give_access
from gtopss.matching.index.kernels.layout import (
    BRANCH,
    EDGES,
    ENTRIES,
    EVERY_ROW,
    FIRST_BOUND,
    FIRST_EDGE,
    FIRST_MEMBER,
    FIRST_STAR,
    FLAGS,
    KINDS,
    LOOP,
    LOOP_PAIR,
    MOST_EDGES,
    MOST_STARS,
    PATTERNS,
    SHAPE,
    SIZES,
    SLOT,
    STAR,
    STAR_PAIR,
    TREE,
    Graph,
    Members,
    Patterns,
    Segment,
)
from gtopss.matching.index.kernels.members import order_members
from gtopss.matching.index.kernels.numbering import number_edges, number_patterns, sort_edges


@inner
def build(entries):
    """One segment of these entries."""
    number, pairs, labels, edge_pair = number_edges(entries.edges)
    edges, n = labels.shape[0], entries.starts.shape[0] - 1
    rate = np.full(edges, -1.0)
    for e in range(number.shape[0]):
        rate[number[e]] = max(rate[number[e]], entries.rate[e])
    by_number = sort_edges(entries.starts, entries.edges, number)
    (
        pattern_of,
        pattern_starts,
        pattern_edges,
        pattern_shape,
        shape_starts,
        shape_stars,
        shape_sizes,
        most_edges,
    ) = number_patterns(entries.starts, entries.edges, number, by_number)
    patterns = pattern_starts.shape[0] - 1
    bare = np.empty(edges, np.bool_)
    for e in range(edges):
        bare[e] = pairs[edge_pair[e], 0] < 0 and pairs[edge_pair[e], 1] < 0
    access = give_access(pattern_starts, pattern_edges, labels, bare, rate)
    member_starts, order, pattern_tree, trees, tree = order_members(patterns, pattern_of, entries)
    about = np.zeros((patterns + 1, 5), np.int32)
    for p in range(patterns + 1):
        about[p, FIRST_EDGE], about[p, FIRST_MEMBER] = pattern_starts[p], member_starts[p]
        if p < patterns:
            about[p, SHAPE], about[p, TREE] = pattern_shape[p], pattern_tree[p]
    members = np.zeros((n + 1, 5), np.int32)
    for i in range(n):
        e = order[i]
        members[i, SLOT], members[i, BRANCH], members[i, FLAGS] = entries.slot[e], entries.branch[e], entries.flags[e]
        members[i + 1, FIRST_STAR] = members[i, FIRST_STAR] + entries.star_starts[e + 1] - entries.star_starts[e]
        members[i + 1, FIRST_BOUND] = members[i, FIRST_BOUND] + entries.bound_starts[e + 1] - entries.bound_starts[e]
    all_stars, all_bounds = members[n, FIRST_STAR], members[n, FIRST_BOUND]
    stars, bound_star = np.empty(all_stars, np.int16), np.empty(all_bounds, np.int16)
    bound_kinds, bounds = np.empty((all_bounds, 4), np.int8), np.empty((all_bounds, 4), np.float64)
    for i in range(n):
        e = order[i]
        for k in range(entries.star_starts[e + 1] - entries.star_starts[e]):
            stars[members[i, FIRST_STAR] + k] = entries.stars[entries.star_starts[e] + k]
        for k in range(entries.bound_starts[e + 1] - entries.bound_starts[e]):
            old, new = entries.bound_starts[e] + k, members[i, FIRST_BOUND] + k
            bound_star[new] = entries.bound_star[old]
            for part in range(4):
                bound_kinds[new, part] = entries.bound_kinds[old, part]
                bounds[new, part] = entries.bounds[old, part]
        if entries.bound_starts[e + 1] > entries.bound_starts[e] or entries.flags[e] != 0:
            about[pattern_of[e], FLAGS] = EVERY_ROW
    sizes = np.zeros(len(SIZES), np.int64)
    sizes[EDGES], sizes[PATTERNS], sizes[ENTRIES] = edges, patterns, n
    sizes[STAR_PAIR] = sizes[LOOP_PAIR] = -1
    for v in range(pairs.shape[0]):
        tail, head = pairs[v, 0], pairs[v, 1]
        if pairs[v, 3] == 0:
            continue
        if tail == LOOP:
            sizes[LOOP_PAIR] = v
        elif tail == STAR and head == STAR:
            sizes[STAR_PAIR] = v
        else:
            sizes[KINDS] |= 1 if tail == STAR else 2 if head == STAR else 4
    sizes[MOST_EDGES] = most_edges
    for s in range(shape_sizes.shape[0]):
        sizes[MOST_STARS] = max(sizes[MOST_STARS], shape_sizes[s])
    return Segment(
        Graph(sizes, pairs, labels, edge_pair, rate),
        access,
        Patterns(about, pattern_edges, shape_starts, shape_stars, shape_sizes),
        Members(members, stars, bound_star, bound_kinds, bounds, trees, tree),
    )
