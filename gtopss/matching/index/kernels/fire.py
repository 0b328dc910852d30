"""Find the edges of GM that a publication fires, with their binding tables: stage 1 of the paper's Algorithm match."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.hash_tables import hash_number, hash_vertex_pair, table_size
from gtopss.matching.index.kernels.layout import (
    CONSTANT_TO_CONSTANT,
    CONSTANT_TO_STAR,
    LOOP_PAIR,
    PAIR_KINDS,
    STAR,
    STAR_PAIR,
    STAR_TO_CONSTANT,
)
from gtopss.matching.index.kernels.relations import PUBLICATION_HAS, RELATION_COUNT

MAX_EDGES_PER_TRIPLE = 10
"""Edges that a triple fires at most: five kinds of vertex pair, each with its label and with a label variable."""

_STAR_STAR, _STAR_HEAD, _TAIL_STAR, _TAIL_HEAD, _SELF_LOOP, _ALL_KINDS = range(6)
"""The kinds of vertex pair in the order in which they are probed, and their number."""


class FiredEdges(NamedTuple):
    """The edges that fired in one publication, and their binding tables: linked lists of triples.

    `search` allocates it once, for its largest publication; `fire` overwrites it for each publication.
    """

    slots: Int32Array  # hash table by edge, of `fired_mask` + 1 places: position in `edges` + 1; 0 if free
    edges: Int32Array  # position -> edge
    heads: Int32Array  # position -> the first row of its binding table
    lengths: Int32Array  # position -> the number of rows in its binding table
    nexts: Int32Array  # row -> the next row of the same table; -1 at the end
    triples: Int32Array  # row -> triple of the batch
    ranks: Int32Array  # position -> rank of the edge if it is the second edge of some list; else -1
    seconds: Int32Array  # scratch space: the edges that may be second to another one


@inlined
def new_fired_edges(triples):
    """Allocate for publications of at most so many triples."""
    rows = MAX_EDGES_PER_TRIPLE * triples
    slots = np.zeros(fired_mask(triples) + 1, np.int32)
    edges, heads, lengths = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int32)
    nexts, triple_of = np.empty(rows, np.int32), np.empty(rows, np.int32)
    ranks, seconds = np.empty(rows, np.int32), np.empty(rows, np.int32)
    return FiredEdges(slots, edges, heads, lengths, nexts, triple_of, ranks, seconds)


@inlined
def fired_mask(triples):
    """Return the bit mask for the part of `FiredEdges.slots` that a publication of so many triples uses."""
    return np.int64(table_size(MAX_EDGES_PER_TRIPLE * triples) - 1)


@inlined
def fired_position(fired, mask, edge):
    """Return the position of an edge among those that fired; else -1 - its free place in `slots`, which is negative."""
    i = hash_number(edge) & mask
    while fired.slots[i] != 0:
        if fired.edges[fired.slots[i] - 1] == edge:
            return np.int64(fired.slots[i] - 1)
        i = (i + 1) & mask
    return -1 - i


@inlined
def _find_pair(graph, tail, head):
    """Return the place of a vertex pair; -1 if the graph does not have it."""
    mask = np.int64(graph.pairs.shape[0] - 1)
    i = hash_vertex_pair(np.int32(tail), np.int32(head)) & mask
    while graph.pairs[i, 3] != 0:
        if graph.pairs[i, 0] == tail and graph.pairs[i, 1] == head:
            return i
        i = (i + 1) & mask
    return np.int64(-1)


@inlined
def _find_label(graph, first, last, label):
    """Return the edge with this label among those from `first` to `last` (exclusive); -1 if there is none."""
    end = last
    while first < end:
        middle = (first + end) >> 1
        if graph.labels[middle] < label:
            first = middle + 1
        else:
            end = middle
    return first if first < last and graph.labels[first] == label else -1


@inlined
def fire(graph, batch, publication, fired, mask):
    """Overwrite `fired` with the edges that a publication fires. Return how many there are, and how many vertex pairs
    were probed."""
    names = batch.locals[publication]
    kinds, star_pair, loop_pair = graph.sizes[PAIR_KINDS], graph.sizes[STAR_PAIR], graph.sizes[LOOP_PAIR]
    fired.slots[: mask + 1] = 0
    count, rows, probes = 0, 0, 0
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        tail, label = batch.known[names + batch.subject[t]], batch.known[names + batch.property[t]]
        head = batch.known[names + batch.object[t]]
        ordinary = label >= RELATION_COUNT or label < 0
        # a virtual relation is an edge of one kind only, and no property variable stands for it
        virtual_kind = _TAIL_HEAD if label == PUBLICATION_HAS else _STAR_HEAD
        first_kind, end_kind = (_STAR_STAR, _ALL_KINDS) if ordinary else (virtual_kind, virtual_kind + 1)
        for kind in range(first_kind, end_kind):
            if kind == _STAR_STAR:
                pair = star_pair
            elif kind == _STAR_HEAD:
                pair = _find_pair(graph, np.int32(STAR), head) if kinds & STAR_TO_CONSTANT and head >= 0 else -1
            elif kind == _TAIL_STAR:
                pair = _find_pair(graph, tail, np.int32(STAR)) if kinds & CONSTANT_TO_STAR and tail >= 0 else -1
            elif kind == _TAIL_HEAD:
                present = kinds & CONSTANT_TO_CONSTANT and tail >= 0 and head >= 0
                pair = _find_pair(graph, tail, head) if present else -1
            else:
                pair = loop_pair if batch.subject[t] == batch.object[t] else -1
            if pair < 0:
                continue
            probes += 1
            first, last = graph.pairs[pair, 2], graph.pairs[pair, 3]
            for by_label in range(2):  # the edge whose label is a star, which is the first; then the one by its label
                if by_label == 0:
                    if graph.labels[first] != STAR:
                        continue
                    edge = first
                    first += 1
                    if not ordinary:
                        continue
                else:
                    edge = _find_label(graph, first, last, label) if label >= 0 else -1
                    if edge < 0:
                        continue
                position = fired_position(fired, mask, edge)
                if position < 0:
                    fired.slots[-1 - position] = count + 1
                    fired.edges[count], fired.heads[count], fired.lengths[count] = edge, -1, 0
                    position = count
                    count += 1
                fired.triples[rows], fired.nexts[rows] = t, fired.heads[position]
                fired.heads[position] = rows
                fired.lengths[position] += 1
                rows += 1
    return count, probes
