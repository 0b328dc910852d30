"""Join the binding tables of a pattern's edges by backtracking from the shortest one: stage 2 of Algorithm match."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.is_a_edges import RELATION_COUNT
from gtopss.matching.index.kernels.layout import LOOP, PATTERN_FIRST_EDGE, PATTERN_SHAPE

JOIN_DONE, JOIN_OVER_BUDGET, JOIN_ROWS_FULL = range(3)
"""How a join ends: with all rows that were asked for; without, after too many steps; without, for lack of room."""

MAX_SCANNED_ROWS = 8
"""A binding table of at most so many rows is scanned. Of a longer one only the triples of a bound end are tried
(`index_triples_by_end`)."""

MAX_ORDERED_EDGES = 64
"""Above this number of edges they are joined as they come: choosing an order takes quadratic time."""


@inlined
def _choose_order(patterns, shape, fired, tables, size, order, bound):
    """Choose the order of the edges: the shortest table first, then always one that shares a star with those before."""
    first = patterns.shape_starts[shape]
    for i in range(size):
        order[i] = i
    if size > MAX_ORDERED_EDGES:
        return
    for star in range(patterns.shape_sizes[shape]):
        bound[star] = 0
    for i in range(size):
        best, best_tied = -1, False
        for j in range(i, size):
            k = order[j]
            tied = False
            for part in range(3):
                star = patterns.shape_stars[first + k, part]
                tied |= star >= 0 and bound[star] != 0
            if (
                best < 0
                or (tied and not best_tied)
                or (tied == best_tied and fired.lengths[tables[k]] < fired.lengths[tables[order[best]]])
            ):
                best, best_tied = j, tied
        order[i], order[best] = order[best], order[i]
        for part in range(3):
            star = patterns.shape_stars[first + order[i], part]
            if star >= 0:
                bound[star] = 1


@inlined
def _triple_fires(graph, batch, names, edge, t):
    """Return whether a triple matches an edge of GM: what stage 1 finds by probing."""
    v = graph.edge_pair[edge]
    tail, head, label = graph.pairs[v, 0], graph.pairs[v, 1], graph.labels[edge]
    if tail == LOOP:
        if batch.subject[t] != batch.object[t]:
            return False
    else:
        if tail >= 0 and batch.known[names + batch.subject[t]] != tail:
            return False
        if head >= 0 and batch.known[names + batch.object[t]] != head:
            return False
    known = batch.known[names + batch.property[t]]
    return known == label if label >= 0 else (known < 0 or known >= RELATION_COUNT)


@inlined
def join_single_rows(patterns, batch, pattern, fired, tables, scratch, rows):
    """Do the work of `join` where each table has one row: the usual case, with nothing to choose or to go back to.

    `rows` must have room for one row. Return the number of rows, 0 or 1, and the number of steps.
    """
    value = scratch[4]
    shape = patterns.about[pattern, PATTERN_SHAPE]
    size = patterns.about[pattern + 1, PATTERN_FIRST_EDGE] - patterns.about[pattern, PATTERN_FIRST_EDGE]
    stars = np.int64(patterns.shape_sizes[shape])
    first = patterns.shape_starts[shape]
    for star in range(stars):
        value[star] = -1
    for k in range(size):
        t = np.int64(fired.triples[fired.heads[tables[k]]])
        for part in range(3):
            star = patterns.shape_stars[first + k, part]
            if star < 0:
                continue
            end = batch.subject[t] if part == 0 else batch.property[t] if part == 1 else batch.object[t]
            if value[star] < 0:
                value[star] = end
            elif value[star] != end:
                return np.int64(0), np.int64(k + 1)
    for star in range(stars):
        rows[star] = value[star]
    return np.int64(1), np.int64(size)


@inlined
def join(graph, patterns, batch, publication, pattern, fired, tables, by_end, limit, budget, scratch, rows):
    """Write the joined rows of a pattern to `rows`, at most `limit` (-1 for no limit): for each star, in order,
    its local term number.

    Return how many rows there are, the steps that it took, and how it ended. After JOIN_ROWS_FULL the caller enlarges
    `rows` and calls again; the join begins anew. `tables` holds the positions of the pattern's edges in `fired`.
    Twelve parameters and one long loop on purpose, as in `search`.
    """
    order, cursor, mode, fresh, value, bound = scratch
    shape = patterns.about[pattern, PATTERN_SHAPE]
    size = patterns.about[pattern + 1, PATTERN_FIRST_EDGE] - patterns.about[pattern, PATTERN_FIRST_EDGE]
    stars = np.int64(patterns.shape_sizes[shape])
    first, names = patterns.shape_starts[shape], batch.locals[publication]
    if size > 1:
        _choose_order(patterns, shape, fired, tables, size, order, bound)
    else:
        order[0] = 0
    for star in range(stars):
        value[star] = -1
    level, steps, found, at = 0, np.int64(0), np.int64(0), np.int64(0)
    cursor[0], mode[0] = fired.heads[tables[order[0]]], 0
    while level >= 0:
        k = order[level]
        edge = fired.edges[tables[k]]
        place = first + k
        s, p, o = patterns.shape_stars[place, 0], patterns.shape_stars[place, 1], patterns.shape_stars[place, 2]
        if fresh[level] & 1:  # undo what the last row of this level bound
            value[s] = -1
        if fresh[level] & 2:
            value[p] = -1
        if fresh[level] & 4:
            value[o] = -1
        fresh[level] = 0
        if cursor[level] < 0:
            level -= 1
            continue
        steps += 1
        if steps > budget:
            for i in range(size):
                fresh[i] = 0
            return found, steps, JOIN_OVER_BUDGET
        if mode[level] == 0:
            t = np.int64(fired.triples[cursor[level]])
            cursor[level] = fired.nexts[cursor[level]]
        else:
            t = np.int64(cursor[level])
            cursor[level] = by_end[mode[level] + 1, t - batch.triples[publication]]
            if not _triple_fires(graph, batch, names, edge, t):
                continue
        a, b, c = batch.subject[t], batch.property[t], batch.object[t]
        made = 0
        if s >= 0:
            if value[s] < 0:
                value[s] = a
                made |= 1
            elif value[s] != a:
                continue
        good = True
        if p >= 0:
            if value[p] < 0:
                value[p] = b
                made |= 2
            elif value[p] != b:
                good = False
        if good and o >= 0:
            if value[o] < 0:
                value[o] = c
                made |= 4
            elif value[o] != c:
                good = False
        fresh[level] = made
        if not good:
            continue
        if level + 1 == size:
            if at + stars > rows.shape[0]:
                for i in range(size):
                    fresh[i] = 0
                return np.int64(0), steps, JOIN_ROWS_FULL
            for star in range(stars):
                rows[at + star] = value[star]
            at += stars
            found += 1
            if found == limit:
                for i in range(size):
                    fresh[i] = 0
                return found, steps, JOIN_DONE
            continue
        level += 1
        k = order[level]
        cursor[level], mode[level] = fired.heads[tables[k]], 0
        if fired.lengths[tables[k]] > MAX_SCANNED_ROWS:
            s, o = patterns.shape_stars[first + k, 0], patterns.shape_stars[first + k, 2]
            if s >= 0 and value[s] >= 0:
                cursor[level], mode[level] = by_end[0, value[s]], 1
            elif o >= 0 and value[o] >= 0:
                cursor[level], mode[level] = by_end[1, value[o]], 2
    return found, steps, JOIN_DONE


@inlined
def index_triples_by_end(batch, publication, by_end):
    """Link the triples of a publication by their ends, in the rows of `by_end`.

    Rows 0 and 1 hold, for each local term, its first triple as a subject and as an object; rows 2 and 3, for each
    triple, the next one with the same subject and with the same object. -1 ends a list.
    """
    start, end = batch.triples[publication], batch.triples[publication + 1]
    names = batch.locals[publication + 1] - batch.locals[publication]
    by_end[0, :names] = -1
    by_end[1, :names] = -1
    for t in range(end - 1, start - 1, -1):
        s, o = batch.subject[t], batch.object[t]
        by_end[2, t - start], by_end[0, s] = by_end[0, s], t
        by_end[3, t - start], by_end[1, o] = by_end[1, o], t


@inlined
def new_join_scratch(edges, stars):
    """Allocate scratch space for joins of patterns with at most so many edges and stars."""
    return (
        np.empty(edges, np.int64),  # the order of the edges
        np.empty(edges, np.int64),  # the next row of each
        np.empty(edges, np.int64),  # 0: of its table; 1, 2: of its subject's, its object's triples
        np.zeros(edges, np.int64),  # the ends that its row bound
        np.empty(stars, np.int32),  # the stars' values
        np.empty(stars, np.int64),  # which are bound, while the order is selected
    )
