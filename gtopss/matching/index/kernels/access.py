"""Which edge, or pair of edges, a pattern is reached through: the ones that fire least (Le Subscribe's clusters, two
deep)."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.hash_tables import first_group, mark_of, next_group, room_for, spread
from gtopss.matching.index.kernels.layout import STAR, Access
from gtopss.matching.index.kernels.sort import line_up, ranked

SPLIT = 8
"""An access list longer than this is split by a second edge: below it, walking is as fast."""
TRUST = 1_000.0
"""How many publications of traffic weigh as much as the guess that what many subscribe to is often published."""


@inner
def _weigh(pattern_starts, pattern_edges, labels, bare, rate):
    """How often each edge may fire. A guess, until traffic is known: as often as subscriptions mention it or, where
    both its ends are stars, as often as they mention its label; any label at all, always."""
    edges, patterns = labels.shape[0], pattern_starts.shape[0] - 1
    count = np.zeros(edges, np.int64)
    for i in range(pattern_edges.shape[0]):
        count[pattern_edges[i]] += 1
    weight = np.empty(edges, np.float64)
    by_label = ranked(labels.astype(np.int64))
    first = 0
    while first < edges:
        last, mentions = first, 0
        while last < edges and labels[by_label[last]] == labels[by_label[first]]:
            mentions += count[by_label[last]]
            last += 1
        for i in range(first, last):
            e = by_label[i]
            guess = (2 * mentions if bare[e] else count[e]) / max(patterns, 1)
            if bare[e] and labels[e] == STAR:
                guess = 4.0
            weight[e] = guess if rate[e] < 0 else (rate[e] * TRUST + guess) / (TRUST + 1)
        first = last
    return weight


@inner
def _choose_access(edges, pattern_starts, pattern_edges, rank):
    """For each pattern the edge that fires least; where its list is long, the next one to split it; and one to guard
    it with, the next after that."""
    patterns = pattern_starts.shape[0] - 1
    chosen, listed = np.empty(patterns, np.int32), np.zeros(edges, np.int64)
    for p in range(patterns):
        best = pattern_edges[pattern_starts[p]]
        for i in range(pattern_starts[p] + 1, pattern_starts[p + 1]):
            if rank[pattern_edges[i]] < rank[best]:
                best = pattern_edges[i]
        chosen[p] = best
        listed[best] += 1
    second, guard = np.full(patterns, -1, np.int32), np.full(patterns, -1, np.int32)
    for p in range(patterns):
        one, other = -1, -1
        for i in range(pattern_starts[p], pattern_starts[p + 1]):
            e = pattern_edges[i]
            if e == chosen[p] or e == one:
                continue
            if one < 0 or rank[e] < rank[one]:
                one, other = e, one
            elif other < 0 or rank[e] < rank[other]:
                other = e
        if listed[chosen[p]] <= SPLIT:
            guard[p] = one
        else:
            second[p], guard[p] = one, other
    return chosen, second, guard


@inner
def _lists(edges, chosen, second, guard, rank):
    """The access lists of all edges, and of all pairs of an edge with one that splits its list."""
    patterns = chosen.shape[0]
    starts = np.zeros((edges + 1, 2), np.int32)
    keys = np.empty(patterns, np.int64)
    split = 0
    for p in range(patterns):
        if second[p] < 0:
            starts[chosen[p] + 1, 0] += 1
        else:
            keys[split] = (np.int64(chosen[p]) << 32) | np.int64(second[p])
            split += 1
    for e in range(edges):
        starts[e + 1, 0] += starts[e, 0]
    direct, at = np.empty((starts[edges, 0], 2), np.int32), starts[:, 0].copy()
    whose = np.empty(split, np.int32)
    split = 0
    for p in range(patterns):
        if second[p] < 0:
            direct[at[chosen[p]], 0], direct[at[chosen[p]], 1] = p, guard[p]
            at[chosen[p]] += 1
        else:
            whose[split] = p
            split += 1
    order = ranked(keys[:split])
    grand, splits = np.empty((split, 2), np.int32), np.zeros(edges, np.uint8)
    parent, edge, grand_starts = np.empty(split, np.int32), np.empty(split, np.int32), np.zeros(split + 1, np.int32)
    children = 0
    for i in range(split):
        key = keys[order[i]]
        if i == 0 or key != keys[order[i - 1]]:
            parent[children], edge[children] = key >> 32, key & 0xFFFFFFFF
            splits[edge[children]] = 1
            grand_starts[children] = i
            starts[parent[children] + 1, 1] += 1
            children += 1
        grand[i, 0], grand[i, 1] = whose[order[i]], guard[whose[order[i]]]
    grand_starts[children] = split
    for e in range(edges):
        starts[e + 1, 1] += starts[e, 1]
    marks = np.zeros(max(room_for(children), 8), np.uint8)
    slots = np.zeros(marks.shape[0], np.int32)
    for c in range(children):
        h = spread(parent[c], edge[c])
        i = first_group(h, marks)
        while marks[i] != 0:
            i = i + 1 if i & 7 < 7 else next_group(i & ~7, marks)
        marks[i], slots[i] = mark_of(h), c
    return Access(
        starts,
        direct,
        edge[:children].copy(),
        marks,
        slots,
        grand_starts[: children + 1].copy(),
        grand,
        rank,
        splits,
    )


@inner
def give_access(pattern_starts, pattern_edges, labels, bare, rate):
    """The access lists; `bare` marks edges both of whose ends are stars, `rate` is what traffic taught."""
    edges = labels.shape[0]
    rank = np.empty(edges, np.int32)
    by_weight = ranked(line_up(_weigh(pattern_starts, pattern_edges, labels, bare, rate)))
    for place in range(edges):
        rank[by_weight[place]] = place
    chosen, second, guard = _choose_access(edges, pattern_starts, pattern_edges, rank)
    return _lists(edges, chosen, second, guard, rank)
