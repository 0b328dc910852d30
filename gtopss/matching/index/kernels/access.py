"""Choose the edge, or the pair of edges, that gives access to a pattern: those that fire least.

These are the clusters of Le Subscribe (Fabret et al., SIGMOD 2001), two edges deep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.hash_tables import (
    GROUP,
    first_group,
    hash_edge_pair,
    label_bit,
    next_group,
    table_size,
    tag_of,
)
from gtopss.matching.index.kernels.layout import (
    EDGE_CHILD_LABELS,
    EDGE_COLUMNS,
    EDGE_END_CHILD,
    EDGE_END_LISTED,
    EDGE_FIRST_CHILD,
    EDGE_FIRST_LISTED,
    EDGE_LABEL,
    EDGE_RANK,
    EDGE_SECOND_RANK,
    STAR,
    Access,
)
from gtopss.matching.index.kernels.sort import argsort, float_sort_keys

MAX_DIRECT_PATTERNS = 8
"""An access list of more patterns than this is split by a second edge. Up to it, scanning the list is as fast."""
TRAFFIC_WEIGHT = 1_000.0
"""Weight of a measured firing rate; the guess that what many subscribe to is often published has a weight of 1."""
_ALWAYS = 4.0  # the guess for an edge that any triple fires: above every other


class _Choice(NamedTuple):
    """How each pattern is reached."""

    first: Int32Array  # pattern -> its access edge
    second: Int32Array  # pattern -> the edge that splits the list of the first; -1 if that list is short
    guard: Int32Array  # pattern -> one more edge; -1 if it has none


@inner
def _guess_firings(patterns, labels, star_ends, rate):
    """Return how often each edge may fire, per publication.

    Until traffic is known, an edge fires as often as subscriptions mention it or, if both its ends are stars, as often
    as they mention its label; if its label is a star too, always.
    """
    edges, count = labels.shape[0], patterns.shape_of.shape[0]
    mentions = np.zeros(edges, np.int64)
    for i in range(patterns.edges.shape[0]):
        mentions[patterns.edges[i]] += 1
    firings = np.empty(edges, np.float64)
    by_label = argsort(labels.astype(np.int64))
    first = 0
    while first < edges:
        last, of_label = first, 0
        while last < edges and labels[by_label[last]] == labels[by_label[first]]:
            of_label += mentions[by_label[last]]
            last += 1
        for i in range(first, last):
            e = by_label[i]
            guess = (2 * of_label if star_ends[e] else mentions[e]) / max(count, 1)
            if star_ends[e] and labels[e] == STAR:
                guess = _ALWAYS
            firings[e] = guess if rate[e] < 0 else (rate[e] * TRAFFIC_WEIGHT + guess) / (TRAFFIC_WEIGHT + 1)
        first = last
    return firings


@inner
def _rarest_edges(patterns, rank):
    """Return the edge of each pattern that fires least, and how many patterns each edge is chosen for."""
    count = patterns.shape_of.shape[0]
    chosen, listed = np.empty(count, np.int32), np.zeros(rank.shape[0], np.int64)
    for p in range(count):
        best = patterns.edges[patterns.starts[p]]
        for i in range(patterns.starts[p] + 1, patterns.starts[p + 1]):
            if rank[patterns.edges[i]] < rank[best]:
                best = patterns.edges[i]
        chosen[p] = best
        listed[best] += 1
    return chosen, listed


@inner
def _choose_edges(patterns, rank):
    """Choose for each pattern the edge that fires least; the next one to split its list, if that is long; and the next
    after that as a guard."""
    count = patterns.shape_of.shape[0]
    first, listed = _rarest_edges(patterns, rank)
    second, guard = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    for p in range(count):
        one, other = -1, -1
        for i in range(patterns.starts[p], patterns.starts[p + 1]):
            e = patterns.edges[i]
            if e == first[p] or e == one:
                continue
            if one < 0 or rank[e] < rank[one]:
                one, other = e, one
            elif other < 0 or rank[e] < rank[other]:
                other = e
        if listed[first[p]] <= MAX_DIRECT_PATTERNS:
            guard[p] = one
        else:
            second[p], guard[p] = one, other
    return _Choice(first, second, guard)


@inner
def _edge_lists(choice, edges):
    """Return the lists of patterns under one edge. Fill the columns of `edges` that say where each list is."""
    patterns, listed = choice.first.shape[0], np.int64(0)
    for p in range(patterns):
        if choice.second[p] < 0:
            edges[choice.first[p], EDGE_END_LISTED] += 1
    for e in range(edges.shape[0]):
        count = edges[e, EDGE_END_LISTED]
        edges[e, EDGE_FIRST_LISTED] = edges[e, EDGE_END_LISTED] = listed
        listed += count
    edge_lists = np.empty((listed, 2), np.int32)
    for p in range(patterns):
        if choice.second[p] < 0:
            place = edges[choice.first[p], EDGE_END_LISTED]
            edge_lists[place, 0], edge_lists[place, 1] = p, choice.guard[p]
            edges[choice.first[p], EDGE_END_LISTED] += 1
    return edge_lists


@inner
def _split_patterns(choice):
    """Return the patterns that are reached by two edges, sorted by those, and the two as keys: first << 32 | second."""
    split = 0
    for p in range(choice.second.shape[0]):
        split += choice.second[p] >= 0
    unsorted, unsorted_keys = np.empty(split, np.int32), np.empty(split, np.int64)
    split = 0
    for p in range(choice.second.shape[0]):
        if choice.second[p] >= 0:
            unsorted[split] = p
            unsorted_keys[split] = (np.int64(choice.first[p]) << 32) | np.int64(choice.second[p])
            split += 1
    order = argsort(unsorted_keys)
    patterns, keys = np.empty(split, np.int32), np.empty(split, np.int64)
    for i in range(split):
        patterns[i], keys[i] = unsorted[order[i]], unsorted_keys[order[i]]
    return patterns, keys


@inner
def _child_table(parents, seconds):
    """Return a hash table of tags by first and second edge, and the child at each of its places."""
    tags = np.zeros(max(table_size(parents.shape[0]), GROUP), np.uint8)
    slots = np.zeros(tags.shape[0], np.int32)
    for c in range(parents.shape[0]):
        h = hash_edge_pair(parents[c], seconds[c])
        i = first_group(h, tags)
        while tags[i] != 0:
            i = i + 1 if i & 7 < 7 else next_group(i & ~7, tags)
        tags[i], slots[i] = tag_of(h), c
    return tags, slots


@inner
def _edge_rows(rank, labels):
    """Return `Access.edges` without lists."""
    edges = np.zeros((rank.shape[0], EDGE_COLUMNS), np.int32)
    for e in range(rank.shape[0]):
        edges[e, EDGE_LABEL], edges[e, EDGE_RANK], edges[e, EDGE_SECOND_RANK] = labels[e], rank[e], -1
    return edges


@inner
def _build_lists(choice, edges):
    """Return the access lists of all edges, and of all pairs of edges."""
    edge_lists = _edge_lists(choice, edges)
    patterns, keys = _split_patterns(choice)
    split = patterns.shape[0]
    child_lists = np.empty((split, 2), np.int32)
    parents, seconds = np.empty(split, np.int32), np.empty(split, np.int32)
    child_starts, children = np.zeros(split + 1, np.int32), 0
    for i in range(split):
        if i == 0 or keys[i] != keys[i - 1]:
            parent, second = keys[i] >> 32, keys[i] & 0xFFFFFFFF
            parents[children], seconds[children], child_starts[children] = parent, second, i
            edges[second, EDGE_SECOND_RANK] = edges[second, EDGE_RANK]
            if edges[parent, EDGE_END_CHILD] == 0:
                edges[parent, EDGE_FIRST_CHILD] = children
            edges[parent, EDGE_CHILD_LABELS] |= label_bit(edges[second, EDGE_LABEL])
            children += 1
            edges[parent, EDGE_END_CHILD] = children
        child_lists[i, 0], child_lists[i, 1] = patterns[i], choice.guard[patterns[i]]
    child_starts[children] = split
    tags, slots = _child_table(parents[:children], seconds[:children])
    return Access(
        edges, edge_lists, seconds[:children].copy(), tags, slots, child_starts[: children + 1].copy(), child_lists
    )


@inner
def build_access(patterns, labels, star_ends, rate):
    """Return the access lists of numbered patterns.

    `star_ends` marks the edges both of whose ends are stars; `rate` is how often each fired, -1 if unknown.
    """
    edges = labels.shape[0]
    rank = np.empty(edges, np.int32)
    by_firings = argsort(float_sort_keys(_guess_firings(patterns, labels, star_ends, rate)))
    for place in range(edges):
        rank[by_firings[place]] = place
    return _build_lists(_choose_edges(patterns, rank), _edge_rows(rank, labels))
