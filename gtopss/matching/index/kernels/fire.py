"""Find the edges of GM that a publication fires, with their binding tables: stage 1 of the paper's Algorithm match.

Nearly all time of this stage is waiting for memory: a vertex pair is read at a random place, then its edges at another.
So the stage has three steps, and each asks for what the next one reads (`prefetch`):

    queue_probes   the places of the vertex pairs that the triples ask for
    find_pairs     those of them that the graph has, and where their edges are
    fire           the edges by their labels, and the binding tables

`search` does the first two for the next publication while it works on the one before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined, prefetch
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.hash_tables import hash_number, hash_vertex_pair, label_bit, table_size
from gtopss.matching.index.kernels.layout import (
    CONSTANT_TO_CONSTANT,
    CONSTANT_TO_STAR,
    EDGE_FIRST_CHILD,
    EDGE_FIRST_LISTED,
    EDGE_LABEL,
    EDGE_SECOND_RANK,
    LOOP,
    LOOP_PAIR,
    PAIR_KINDS,
    STAR,
    STAR_PAIR,
    STAR_TO_CONSTANT,
)
from gtopss.matching.index.kernels.relations import PUBLICATION_HAS, RELATION_COUNT

MAX_EDGES_PER_TRIPLE = 10
"""Edges that a triple fires at most: five kinds of vertex pair, each with its label and with a label variable."""

MAX_PAIRS_PER_TRIPLE = 5
"""Vertex pairs that a triple asks for at most: (A, B), (A, *), (*, B), (*, *) and (*i, *i)."""

MAX_SCANNED_LABELS = 8
"""Edges of a vertex pair up to which a label is looked for one by one."""

_PROBE_TRIPLE, _PROBE_PLACE, _PROBE_TAIL, _PROBE_HEAD = range(4)
"""Columns of FiredEdges.probes: a triple, the vertex pair that it asks for, and where the search for it begins."""
_FIRST_EDGE, _END_EDGE = _PROBE_TAIL, _PROBE_HEAD
"""The same columns after `find_pairs`: the edges of the vertex pair."""
_PROBE_COLUMNS = 4


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
    label_bits: Int32Array  # position -> the `label_bit` of the edge
    seconds: Int32Array  # scratch space: the edges that may be second to another one
    probes: Int32Array  # [2, n, 4]: vertex pairs that a publication asks for, and the next one (_PROBE_...)


@inlined
def new_fired_edges(triples):
    """Allocate for publications of at most so many triples."""
    rows = MAX_EDGES_PER_TRIPLE * triples
    slots = np.zeros(fired_mask(triples) + 1, np.int32)
    edges, heads, lengths = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int32)
    nexts, triple_of = np.empty(rows, np.int32), np.empty(rows, np.int32)
    ranks, bits, seconds = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int32)
    probes = np.empty((2, MAX_PAIRS_PER_TRIPLE * triples, _PROBE_COLUMNS), np.int32)
    return FiredEdges(slots, edges, heads, lengths, nexts, triple_of, ranks, bits, seconds, probes)


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
def _append_probe(probes, count, triple, place, tail, head):
    """Append a probe. Return how many there are."""
    probes[count, _PROBE_TRIPLE], probes[count, _PROBE_PLACE] = triple, place
    probes[count, _PROBE_TAIL], probes[count, _PROBE_HEAD] = tail, head
    return count + 1


@inlined
def _append_hashed_probe(graph, probes, count, triple, tail, head):
    """Append a probe for a vertex pair with a constant, and prefetch it. Return how many there are."""
    place = hash_vertex_pair(np.int32(tail), np.int32(head)) & np.int64(graph.pairs.shape[0] - 1)
    prefetch(graph.pairs, place)
    return _append_probe(probes, count, triple, place, tail, head)


@inlined
def queue_probes(graph, batch, publication, probes):
    """Write the vertex pairs that a publication asks for to `probes`, and prefetch them. Return how many there are.

    A virtual relation is an edge of one kind only.
    """
    names = batch.locals[publication]
    kinds, star_pair, loop_pair = graph.sizes[PAIR_KINDS], graph.sizes[STAR_PAIR], graph.sizes[LOOP_PAIR]
    count = 0
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        tail, label = batch.known[names + batch.subject[t]], batch.known[names + batch.property[t]]
        head = batch.known[names + batch.object[t]]
        ordinary = label >= RELATION_COUNT or label < 0
        if ordinary and star_pair >= 0:
            count = _append_probe(probes, count, t, star_pair, STAR, STAR)
        if kinds & STAR_TO_CONSTANT and head >= 0 and label != PUBLICATION_HAS:
            count = _append_hashed_probe(graph, probes, count, t, STAR, head)
        if kinds & CONSTANT_TO_STAR and tail >= 0 and ordinary:
            count = _append_hashed_probe(graph, probes, count, t, tail, STAR)
        if kinds & CONSTANT_TO_CONSTANT and tail >= 0 and head >= 0 and (ordinary or label == PUBLICATION_HAS):
            count = _append_hashed_probe(graph, probes, count, t, tail, head)
        if ordinary and loop_pair >= 0 and batch.subject[t] == batch.object[t]:
            count = _append_probe(probes, count, t, loop_pair, LOOP, LOOP)
    return count


@inlined
def find_pairs(graph, access, probes, count):
    """Replace `count` probes by those that found their vertex pair, with its edges, and prefetch these. Return how many
    there are."""
    mask, found = np.int64(graph.pairs.shape[0] - 1), 0
    for k in range(count):
        i, tail, head = np.int64(probes[k, _PROBE_PLACE]), probes[k, _PROBE_TAIL], probes[k, _PROBE_HEAD]
        while graph.pairs[i, 3] != 0 and (graph.pairs[i, 0] != tail or graph.pairs[i, 1] != head):
            i = (i + 1) & mask
        if graph.pairs[i, 3] == 0:
            continue
        first = graph.pairs[i, 2]
        prefetch(access.edges, first)
        probes[found, _PROBE_TRIPLE] = probes[k, _PROBE_TRIPLE]
        probes[found, _FIRST_EDGE], probes[found, _END_EDGE] = first, graph.pairs[i, 3]
        found += 1
    return found


@inlined
def _find_label(graph, access, first, last, label):
    """Return the edge with this label among those from `first` to `last` (exclusive); -1 if there is none.

    Few edges are compared where all else is that is read of them. Many labels are closer together in `Graph.labels`.
    """
    if last - first <= MAX_SCANNED_LABELS:
        for edge in range(first, last):
            if access.edges[edge, EDGE_LABEL] == label:
                return np.int64(edge)
        return np.int64(-1)
    end = last
    while first < end:
        middle = (first + end) >> 1
        if graph.labels[middle] < label:
            first = middle + 1
        else:
            end = middle
    return np.int64(first) if first < last and graph.labels[first] == label else np.int64(-1)


@inlined
def _append_row(access, fired, mask, count, row, edge, triple):
    """Append a row to the binding table of an edge. Return how many edges have fired."""
    position = fired_position(fired, mask, edge)
    if position < 0:
        fired.slots[-1 - position] = count + 1
        position = np.int64(count)
        fired.edges[count], fired.heads[count], fired.lengths[count] = edge, -1, 0
        fired.ranks[count] = access.edges[edge, EDGE_SECOND_RANK]
        fired.label_bits[count] = label_bit(access.edges[edge, EDGE_LABEL])
        prefetch(access.edge_lists, np.int64(access.edges[edge, EDGE_FIRST_LISTED]))
        prefetch(access.child_edge, np.int64(access.edges[edge, EDGE_FIRST_CHILD]))
        count += 1
    fired.triples[row], fired.nexts[row] = triple, fired.heads[position]
    fired.heads[position] = row
    fired.lengths[position] += 1
    return count


@inlined
def fire(segment, batch, publication, fired, mask, probes, found):
    """Overwrite `fired` with the edges that a publication fires, given the `found` pairs in `probes` (`find_pairs`).
    Return how many there are."""
    graph, access, names = segment.graph, segment.access, batch.locals[publication]
    fired.slots[: mask + 1] = 0
    count, rows = 0, 0
    for k in range(found):
        t, first, last = probes[k, _PROBE_TRIPLE], np.int64(probes[k, _FIRST_EDGE]), np.int64(probes[k, _END_EDGE])
        label = batch.known[names + batch.property[t]]
        if access.edges[first, EDGE_LABEL] == STAR:  # the edge whose label is a star is the first
            if label >= RELATION_COUNT or label < 0:  # no property variable stands for a virtual relation
                count = _append_row(access, fired, mask, count, rows, first, t)
                rows += 1
            first += 1
        edge = _find_label(graph, access, first, last, label) if label >= 0 else np.int64(-1)
        if edge >= 0:
            count = _append_row(access, fired, mask, count, rows, edge, t)
            rows += 1
    return count
