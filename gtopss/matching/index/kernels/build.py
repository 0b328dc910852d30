"""Entries become a segment. The same loops serve a buffer of three subscriptions and a merge of a million."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.access import give_access
from gtopss.matching.index.kernels.layout import (
    EDGE_COUNT,
    ENTRY_COUNT,
    GRAPH_SIZES,
    LOOP,
    LOOP_PAIR,
    MAX_PATTERN_EDGES,
    MAX_PATTERN_STARS,
    MEMBER_BRANCH,
    MEMBER_FIRST_BOUND,
    MEMBER_FIRST_STAR,
    MEMBER_FLAGS,
    MEMBER_SLOT,
    NEEDS_EVERY_ROW,
    PAIR_KINDS,
    PATTERN_COUNT,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    PATTERN_FLAGS,
    PATTERN_SHAPE,
    PATTERN_TREE,
    STAR,
    STAR_PAIR,
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
        about[p, PATTERN_FIRST_EDGE], about[p, PATTERN_FIRST_MEMBER] = pattern_starts[p], member_starts[p]
        if p < patterns:
            about[p, PATTERN_SHAPE], about[p, PATTERN_TREE] = pattern_shape[p], pattern_tree[p]
    members = np.zeros((n + 1, 5), np.int32)
    for i in range(n):
        e = order[i]
        members[i, MEMBER_SLOT], members[i, MEMBER_BRANCH], members[i, MEMBER_FLAGS] = (
            entries.slot[e],
            entries.branch[e],
            entries.flags[e],
        )
        star_count = entries.star_starts[e + 1] - entries.star_starts[e]
        bound_count = entries.bound_starts[e + 1] - entries.bound_starts[e]
        members[i + 1, MEMBER_FIRST_STAR] = members[i, MEMBER_FIRST_STAR] + star_count
        members[i + 1, MEMBER_FIRST_BOUND] = members[i, MEMBER_FIRST_BOUND] + bound_count
    all_stars, all_bounds = members[n, MEMBER_FIRST_STAR], members[n, MEMBER_FIRST_BOUND]
    stars, bound_star = np.empty(all_stars, np.int16), np.empty(all_bounds, np.int16)
    bound_kinds, bounds = np.empty((all_bounds, 4), np.int8), np.empty((all_bounds, 4), np.float64)
    for i in range(n):
        e = order[i]
        for k in range(entries.star_starts[e + 1] - entries.star_starts[e]):
            stars[members[i, MEMBER_FIRST_STAR] + k] = entries.stars[entries.star_starts[e] + k]
        for k in range(entries.bound_starts[e + 1] - entries.bound_starts[e]):
            old, new = entries.bound_starts[e] + k, members[i, MEMBER_FIRST_BOUND] + k
            bound_star[new] = entries.bound_star[old]
            for part in range(4):
                bound_kinds[new, part] = entries.bound_kinds[old, part]
                bounds[new, part] = entries.bounds[old, part]
        if entries.bound_starts[e + 1] > entries.bound_starts[e] or entries.flags[e] != 0:
            about[pattern_of[e], PATTERN_FLAGS] = NEEDS_EVERY_ROW
    sizes = np.zeros(GRAPH_SIZES, np.int64)
    sizes[EDGE_COUNT], sizes[PATTERN_COUNT], sizes[ENTRY_COUNT] = edges, patterns, n
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
            sizes[PAIR_KINDS] |= 1 if tail == STAR else 2 if head == STAR else 4
    sizes[MAX_PATTERN_EDGES] = most_edges
    for s in range(shape_sizes.shape[0]):
        sizes[MAX_PATTERN_STARS] = max(sizes[MAX_PATTERN_STARS], shape_sizes[s])
    return Segment(
        Graph(sizes, pairs, labels, edge_pair, rate),
        access,
        Patterns(about, pattern_edges, shape_starts, shape_stars, shape_sizes),
        Members(members, stars, bound_star, bound_kinds, bounds, trees, tree),
    )
