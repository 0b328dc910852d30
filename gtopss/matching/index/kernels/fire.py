"""Stage 1 of the paper's Algorithm match, and what it gives access to.

fire        the edges of GM that a triple matches, with their rows
candidates  the patterns that the fired edges are listed with
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined, trailing_zeros, word
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.hash_tables import (
    ONES,
    first_group,
    grown,
    mark_of,
    next_group,
    pair_hash,
    room_for,
    scattered,
    spread,
    zero_bytes,
)
from gtopss.matching.index.kernels.is_a_edges import RELATIONS
from gtopss.matching.index.kernels.layout import LOOP_PAIR, PAIR_KINDS, STAR, STAR_PAIR

VIRTUAL = len(RELATIONS)
"""Properties below this number are is-a relations, which no variable stands for."""

PROBED, FIRED, CANDIDATES, JOINED, TESTED = range(5)
"""What is counted for each publication."""


class Fired(NamedTuple):
    """The edges that fired in one publication, and their binding tables: lists of triples, linked."""

    slots: Int32Array  # open addressing, place among `edges` + 1
    edges: Int32Array
    heads: Int32Array  # the edge's first row
    lengths: Int32Array
    nexts: Int32Array  # row -> the next one or -1
    triples: Int32Array  # row -> triple
    ranks: Int32Array  # the edge's, if it splits some list; else -1
    seconds: Int32Array  # those that may split the list of an edge


@inlined
def room_to_fire(longest):
    """Room for a publication of so many triples: each fires an edge of ten kinds at most."""
    rows = 10 * longest
    slots = np.zeros(mask_for(longest) + 1, np.int32)
    edges, heads, lengths = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int32)
    nexts, triples = np.empty(rows, np.int32), np.empty(rows, np.int32)
    ranks, seconds = np.empty(rows, np.int32), np.empty(rows, np.int32)
    return Fired(slots, edges, heads, lengths, nexts, triples, ranks, seconds)


@inlined
def mask_for(triples):
    """Of the part of `Fired.slots` that a publication of so many triples uses."""
    return np.int64(room_for(10 * triples) - 1)


@inlined
def _pair(graph, tail, head):
    mask = np.int64(graph.pairs.shape[0] - 1)
    i = pair_hash(np.int32(tail), np.int32(head)) & mask
    while graph.pairs[i, 3] != 0:
        if graph.pairs[i, 0] == tail and graph.pairs[i, 1] == head:
            return i
        i = (i + 1) & mask
    return np.int64(-1)


@inlined
def _child(access, edge, second):
    h = spread(edge, second)
    group, mark = first_group(h, access.child_marks), mark_of(h)
    while True:
        marks = word(access.child_marks, group)
        same = zero_bytes(marks ^ (np.uint64(mark) * ONES))
        while same != 0:
            c = access.child_slots[group + (trailing_zeros(same) >> 3)]
            if access.child_edge[c] == second and access.starts[edge, 1] <= c < access.starts[edge + 1, 1]:
                return c
            same &= same - np.uint64(1)
        if zero_bytes(marks) != 0:
            return -1
        group = next_group(group, access.child_marks)


@inlined
def _label(graph, first, last, label):
    """The edge with this label among those from `first` to `last`; -1 if there is none."""
    end = last
    while first < end:
        middle = (first + end) >> 1
        if graph.labels[middle] < label:
            first = middle + 1
        else:
            end = middle
    return first if first < last and graph.labels[first] == label else -1


@inlined
def standing(fired, mask, edge):
    """Where the edge stands among those that fired; where it would stand in the table, negative, if it did not."""
    i = scattered(edge) & mask
    while fired.slots[i] != 0:
        if fired.edges[fired.slots[i] - 1] == edge:
            return np.int64(fired.slots[i] - 1)
        i = (i + 1) & mask
    return -1 - i


@inlined
def fire(graph, batch, publication, fired, mask, counters):
    """Fills the fired edges and, as linked lists, their rows; gives the number of edges."""
    names = batch.locals[publication]
    kinds, star_pair, loop_pair = graph.sizes[PAIR_KINDS], graph.sizes[STAR_PAIR], graph.sizes[LOOP_PAIR]
    fired.slots[: mask + 1] = 0
    count, rows, probes = 0, 0, 0
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        tail, label = batch.known[names + batch.subject[t]], batch.known[names + batch.property[t]]
        head = batch.known[names + batch.object[t]]
        named = label >= VIRTUAL or label < 0
        kind_from, kind_to = (0, 5) if named else (1, 2)  # is-a is only ever asked of a variable and a class
        for kind in range(kind_from, kind_to):
            if kind == 0:
                v = star_pair
            elif kind == 1:
                v = _pair(graph, np.int32(STAR), head) if kinds & 1 and head >= 0 else -1
            elif kind == 2:
                v = _pair(graph, tail, np.int32(STAR)) if kinds & 2 and tail >= 0 else -1
            elif kind == 3:
                v = _pair(graph, tail, head) if kinds & 4 and tail >= 0 and head >= 0 else -1
            else:
                v = loop_pair if batch.subject[t] == batch.object[t] else -1
            if v < 0:
                continue
            probes += 1
            first, last = graph.pairs[v, 2], graph.pairs[v, 3]
            for which in range(2):
                if which == 0:
                    if graph.labels[first] != STAR:
                        continue
                    edge = first
                    first += 1
                    if not named:
                        continue
                else:
                    edge = _label(graph, first, last, label) if label >= 0 else -1
                    if edge < 0:
                        continue
                f = standing(fired, mask, edge)
                if f < 0:
                    fired.slots[-1 - f] = count + 1
                    fired.edges[count], fired.heads[count], fired.lengths[count] = edge, -1, 0
                    f = count
                    count += 1
                fired.triples[rows], fired.nexts[rows] = t, fired.heads[f]
                fired.heads[f] = rows
                fired.lengths[f] += 1
                rows += 1
    counters[publication, PROBED] += probes
    counters[publication, FIRED] += count
    return count


@inlined
def candidates(access, fired, mask, count, reach):
    """The patterns within reach; each is listed once, under its own edge or pair of edges."""
    found = 0
    for f in range(count):
        e = fired.edges[f]
        fired.ranks[f] = access.rank[e] if access.second[e] else -1
    for f in range(count):
        e = fired.edges[f]
        for i in range(access.starts[e, 0], access.starts[e + 1, 0]):
            guard = access.direct[i, 1]
            if guard >= 0 and standing(fired, mask, guard) < 0:
                continue
            if found == reach.shape[0]:
                reach = grown(reach)
            reach[found] = access.direct[i, 0]
            found += 1
        first, last = access.starts[e, 1], access.starts[e + 1, 1]
        walk, rank, looks = last - first <= count, access.rank[e], last - first
        if not walk:
            looks = 0
            for k in range(count):  # no branches: which way they would go is anybody's guess
                fired.seconds[looks] = fired.edges[k]
                looks += fired.ranks[k] > rank
        for k in range(looks):
            if walk:
                c = first + k
                if standing(fired, mask, access.child_edge[c]) < 0:
                    continue
            else:
                c = _child(access, e, fired.seconds[k])
                if c < 0:
                    continue
            for i in range(access.grand_starts[c], access.grand_starts[c + 1]):
                guard = access.grand[i, 1]
                if guard >= 0 and standing(fired, mask, guard) < 0:
                    continue
                if found == reach.shape[0]:
                    reach = grown(reach)
                reach[found] = access.grand[i, 0]
                found += 1
    return reach, found
