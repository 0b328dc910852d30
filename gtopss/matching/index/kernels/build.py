"""Build a segment from entries. The same loops serve a buffer of three subscriptions and a merge of a million."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.access import build_access
from gtopss.matching.index.kernels.layout import (
    CONSTANT_TO_CONSTANT,
    CONSTANT_TO_STAR,
    EDGE_COUNT,
    ENTRY_COUNT,
    GRAPH_SIZES,
    LOOP,
    LOOP_PAIR,
    MAX_PATTERN_EDGES,
    MAX_PATTERN_STARS,
    MEMBER_BRANCH,
    MEMBER_COLUMNS,
    MEMBER_FIRST_BOUND,
    MEMBER_FIRST_STAR,
    MEMBER_FLAGS,
    MEMBER_SLOT,
    NEEDS_EVERY_ROW,
    PAIR_KINDS,
    PATTERN_COLUMNS,
    PATTERN_COUNT,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    PATTERN_FLAGS,
    PATTERN_SHAPE,
    PATTERN_TREE,
    STAR,
    STAR_PAIR,
    STAR_TO_CONSTANT,
    Graph,
    Members,
    Patterns,
    Segment,
)
from gtopss.matching.index.kernels.members import order_members
from gtopss.matching.index.kernels.numbering import number_edges, number_patterns, sort_edges


@inner
def _edge_rates(entries, number, edges):
    """Return how often each edge of GM fires: the highest rate that an entry knows, -1 if none does."""
    rate = np.full(edges, -1.0)
    for e in range(number.shape[0]):
        rate[number[e]] = max(rate[number[e]], entries.rate[e])
    return rate


@inner
def _has_star_ends(pairs, edge_pair):
    """Return for each edge whether both of its ends are stars."""
    made = np.empty(edge_pair.shape[0], np.bool_)
    for e in range(edge_pair.shape[0]):
        made[e] = pairs[edge_pair[e], 0] < 0 and pairs[edge_pair[e], 1] < 0
    return made


@inner
def _graph_sizes(pairs, edges, entries, patterns):
    """Return `Graph.sizes` for so many edges and entries."""
    sizes = np.zeros(GRAPH_SIZES, np.int64)
    sizes[EDGE_COUNT], sizes[ENTRY_COUNT], sizes[PATTERN_COUNT] = edges, entries, patterns.shape_of.shape[0]
    sizes[STAR_PAIR] = sizes[LOOP_PAIR] = -1
    for v in range(pairs.shape[0]):
        tail, head = pairs[v, 0], pairs[v, 1]
        if pairs[v, 3] == 0:
            continue
        if tail == LOOP:
            sizes[LOOP_PAIR] = v
        elif tail == STAR and head == STAR:
            sizes[STAR_PAIR] = v
        elif tail == STAR:
            sizes[PAIR_KINDS] |= STAR_TO_CONSTANT
        elif head == STAR:
            sizes[PAIR_KINDS] |= CONSTANT_TO_STAR
        else:
            sizes[PAIR_KINDS] |= CONSTANT_TO_CONSTANT
    for p in range(patterns.shape_of.shape[0]):
        sizes[MAX_PATTERN_EDGES] = max(sizes[MAX_PATTERN_EDGES], patterns.starts[p + 1] - patterns.starts[p])
    for s in range(patterns.shape_sizes.shape[0]):
        sizes[MAX_PATTERN_STARS] = max(sizes[MAX_PATTERN_STARS], patterns.shape_sizes[s])
    return sizes


@inner
def _pattern_rows(entries, patterns, ordered):
    """Return `Patterns.about`."""
    count = patterns.shape_of.shape[0]
    about = np.zeros((count + 1, PATTERN_COLUMNS), np.int32)
    for p in range(count + 1):
        about[p, PATTERN_FIRST_EDGE], about[p, PATTERN_FIRST_MEMBER] = patterns.starts[p], ordered.starts[p]
        if p < count:
            about[p, PATTERN_SHAPE], about[p, PATTERN_TREE] = patterns.shape_of[p], ordered.tree_of[p]
    for e in range(patterns.pattern_of.shape[0]):
        if entries.bound_starts[e + 1] > entries.bound_starts[e] or entries.flags[e] != 0:
            about[patterns.pattern_of[e], PATTERN_FLAGS] = NEEDS_EVERY_ROW
    return about


@inner
def _member_rows(entries, order):
    """Return `Members.about`, for entries in this order."""
    n = order.shape[0]
    about = np.zeros((n + 1, MEMBER_COLUMNS), np.int32)
    for i in range(n):
        e = order[i]
        stars = entries.star_starts[e + 1] - entries.star_starts[e]
        bounds = entries.bound_starts[e + 1] - entries.bound_starts[e]
        about[i, MEMBER_SLOT], about[i, MEMBER_BRANCH] = entries.slot[e], entries.branch[e]
        about[i, MEMBER_FLAGS] = entries.flags[e]
        about[i + 1, MEMBER_FIRST_STAR] = about[i, MEMBER_FIRST_STAR] + stars
        about[i + 1, MEMBER_FIRST_BOUND] = about[i, MEMBER_FIRST_BOUND] + bounds
    return about


@inner
def _members(entries, ordered):
    """Return the members of all patterns: the entries in the order of `order_members`."""
    order = ordered.order
    n, about = order.shape[0], _member_rows(entries, order)
    all_stars, all_bounds = about[n, MEMBER_FIRST_STAR], about[n, MEMBER_FIRST_BOUND]
    stars, bound_star = np.empty(all_stars, np.int16), np.empty(all_bounds, np.int16)
    bound_kinds, bounds = np.empty((all_bounds, 4), np.int8), np.empty((all_bounds, 4), np.float64)
    for i in range(n):
        e = order[i]
        for k in range(entries.star_starts[e + 1] - entries.star_starts[e]):
            stars[about[i, MEMBER_FIRST_STAR] + k] = entries.stars[entries.star_starts[e] + k]
        for k in range(entries.bound_starts[e + 1] - entries.bound_starts[e]):
            old, new = entries.bound_starts[e] + k, about[i, MEMBER_FIRST_BOUND] + k
            bound_star[new] = entries.bound_star[old]
            for part in range(4):
                bound_kinds[new, part] = entries.bound_kinds[old, part]
                bounds[new, part] = entries.bounds[old, part]
    return Members(about, stars, bound_star, bound_kinds, bounds, ordered.trees, ordered.boxes)


@inner
def build(entries):
    """Return a segment of these entries. It shares no memory with them."""
    number, pairs, labels, edge_pair = number_edges(entries.edges)
    rate = _edge_rates(entries, number, labels.shape[0])
    order = sort_edges(entries.starts, entries.edges, number)
    patterns = number_patterns(entries.starts, entries.edges, number, order)
    access = build_access(patterns, labels, _has_star_ends(pairs, edge_pair), rate)
    ordered = order_members(patterns.shape_of.shape[0], patterns.pattern_of, entries)
    sizes = _graph_sizes(pairs, labels.shape[0], entries.slot.shape[0], patterns)
    about = _pattern_rows(entries, patterns, ordered)
    return Segment(
        Graph(sizes, pairs, labels, edge_pair, rate),
        access,
        Patterns(about, patterns.edges, patterns.shape_starts, patterns.shape_stars, patterns.shape_sizes),
        _members(entries, ordered),
    )
