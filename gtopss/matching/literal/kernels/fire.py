"""Stage 1 of Algorithm match: the edges of GM that the triples of a publication match, and their binding tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.literal.kernels.layout import ANY_STAR, Numbers
from gtopss.matching.literal.kernels.tables import find_edge, find_pair, find_sorted_edge


class BindingTables(NamedTuple):
    """The binding tables of all edges that fired. A row is the number of a triple.

    The table of an edge has `scratch.table_rows[edge]` rows from `scratch.table_start[edge]` on.
    """

    triples: Numbers  # rows (tail, label, head): the triples of the publication
    rows: Numbers
    probes: int  # vertex pairs that were looked up
    candidates: int  # patterns in `scratch.candidates`


@inner
def reset(scratch):
    """Forget the publication before."""
    for number in range(scratch.used[0]):
        scratch.table_rows[scratch.fired[number]] = 0
    scratch.used[0] = 0


@inner
def fire(graph, departures, scratch, triples):
    """Add every triple to the tables of the edges that it matches; count the edges of each pattern that fire."""
    hits = np.empty((256, 2), np.int32)  # rows (edge, triple)
    used, probes, candidates = 0, 0, 0
    heads, tails = graph.star_heads.shape[0], graph.star_tails.shape[0]
    vertex_pairs = 1 + heads + tails + graph.star_pairs.shape[0]
    for number in range(triples.shape[0]):
        for place in range(vertex_pairs):  # the graph G'E, of which only star pairs that are in GM are looked up
            tail, head = triples[number, 0], triples[number, 2]
            if place > heads + tails:
                tail = graph.star_pairs[place - 1 - heads - tails, 0]
                head = graph.star_pairs[place - 1 - heads - tails, 1]
                if tail == head != ANY_STAR and triples[number, 0] != triples[number, 2]:
                    continue
            elif place > heads:
                tail = graph.star_tails[place - 1 - heads]
            elif place > 0:
                head = graph.star_heads[place - 1]
            probes += 1
            pair = find_pair(graph.pairs, tail, head)
            if pair < 0:
                continue
            start, end = graph.labels_start[pair], graph.labels_start[pair + 1]
            for star in range(-1, graph.star_labels.shape[0]):
                label = triples[number, 1] if star < 0 else graph.star_labels[star]
                if departures.sorted_labels:
                    edge = find_sorted_edge(graph.labels, start, end, label)
                else:
                    edge = find_edge(graph.labels, start, end, label)
                if edge < 0:
                    continue
                if used == hits.shape[0]:
                    hits = _twice(hits)
                hits[used, 0], hits[used, 1] = edge, number
                used += 1
                if scratch.table_rows[edge] == 0:
                    candidates = _count_edge(graph, scratch, edge, candidates)
                scratch.table_rows[edge] += 1
    return BindingTables(triples, _rows_by_edge(scratch, hits, used), probes, candidates)


@inner
def _count_edge(graph, scratch, edge, candidates):
    """Note the first row of an edge, and return the number of candidates: patterns with an edge that fired."""
    scratch.fired[scratch.used[0]] = edge
    scratch.used[0] += 1
    for at in range(graph.subs_start[edge], graph.subs_start[edge + 1]):
        pattern = graph.subs[at]
        if scratch.counts[pattern] == 0:
            scratch.candidates[candidates] = pattern
            candidates += 1
        scratch.counts[pattern] += 1
    return candidates


@inner
def _twice(hits):
    larger = np.empty((2 * hits.shape[0], 2), np.int32)
    for row in range(hits.shape[0]):
        larger[row, 0], larger[row, 1] = hits[row, 0], hits[row, 1]
    return larger


@inner
def _rows_by_edge(scratch, hits, used):
    """Sort the hits by edge, and set where the table of each edge begins."""
    total = 0
    for number in range(scratch.used[0]):
        edge = scratch.fired[number]
        scratch.table_start[edge] = total
        total += scratch.table_rows[edge]
    rows = np.empty(total, np.int32)
    for hit in range(used):
        edge = hits[hit, 0]
        rows[scratch.table_start[edge]] = hits[hit, 1]
        scratch.table_start[edge] += 1
    for number in range(scratch.used[0]):
        edge = scratch.fired[number]
        scratch.table_start[edge] -= scratch.table_rows[edge]
    return rows
