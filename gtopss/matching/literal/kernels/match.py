"""Algorithm match (section 4.2), with the corrections that `gtopss/matching/reference.py` lists."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.literal.kernels.fire import fire, reset
from gtopss.matching.literal.kernels.join import begin_join, hash_tables, next_block

FOUND_COLUMNS = 5
PUBLICATION, MEMBER, PATTERN, FIRST_ROW, ROW_COUNT = range(FOUND_COLUMNS)
"""The columns of a result. ROW_COUNT is negative if the rows are only the first of more."""
MAX_PATTERN_VALUES = 8_192
"""Values of the rows of one pattern that are returned; the rows of a pattern with more are made again, by blocks."""
COUNTERS = 5
PROBED, FIRED, CANDIDATES, JOINED, TESTED = range(COUNTERS)


@compiled
def match_publications(graph, departures, scratch, triples, offsets, values):
    """Return the members of patterns that have rows, the values of these rows, and counts of the work.

    `values[n]` is the number that the term n of the publications stands for, NaN if it is not known. Of a pattern with
    many rows only the first ones are returned; `open_join` starts anew. The binding tables of the last publication stay
    valid until the next call; they are returned, too.
    """
    found = np.empty((64, FOUND_COLUMNS), np.int64)
    rows = np.empty(256, np.int32)
    counters = np.zeros(COUNTERS, np.int64)
    used, cells = 0, 0
    reset(scratch)
    tables = fire(graph, departures, scratch, triples[:0])
    for publication in range(offsets.shape[0] - 1):
        reset(scratch)
        tables = fire(graph, departures, scratch, triples[offsets[publication] : offsets[publication + 1]])
        counters[PROBED] += tables.probes
        counters[FIRED] += scratch.used[0]
        for number in range(tables.candidates):
            pattern = scratch.candidates[number]
            if not _complete(graph, departures, scratch, pattern):
                continue
            counters[CANDIDATES] += 1
            rows, count, more = _join_pattern(graph, departures, scratch, tables, pattern, rows, cells)
            counters[JOINED] += count
            first, end = graph.members_start[pattern], graph.members_start[pattern + 1]
            while count and used + end - first > found.shape[0]:
                found = _taller(found)
            for at in range(first, end if count else first):
                member = graph.members[at]
                if more or _some_row_within(graph, member, rows, cells, count, graph.stars[pattern], values, counters):
                    found[used, PUBLICATION], found[used, MEMBER], found[used, PATTERN] = publication, member, pattern
                    found[used, FIRST_ROW], found[used, ROW_COUNT] = cells, -count if more else count
                    used += 1
            cells += count * graph.stars[pattern]
    return found[:used], rows[:cells], counters, tables


@inner
def _complete(graph, departures, scratch, pattern):
    """Return whether all edges of a candidate fired, and reset its count."""
    count = scratch.counts[pattern]
    scratch.counts[pattern] = 0
    if not departures.access_edges:
        return count == graph.distinct_edges[pattern]
    for at in range(graph.edges_start[pattern], graph.edges_start[pattern + 1]):
        if scratch.table_rows[graph.edges[at]] == 0:
            return False
    return True


@inner
def _join_pattern(graph, departures, scratch, tables, pattern, rows, cells):
    """Add the rows of a pattern to `rows`, from `cells` on. Return them, their number, and whether there may be more.

    With backtracking, one row is enough for a pattern without bounds.
    """
    state = begin_join(graph, departures, scratch, pattern)
    if not departures.backtracking:
        hash_tables(graph, scratch, tables, pattern, state)
    last, stars, count = state.order.shape[0] - 1, graph.stars[pattern], 0
    one_is_enough = departures.backtracking and not _has_bounds(graph, pattern)
    while True:
        made = next_block(graph, scratch, tables, pattern, state)
        while cells + (count + made) * stars > rows.shape[0]:
            rows = _larger(rows)
        for row in range(made):
            for column in range(stars):
                rows[cells + (count + row) * stars + column] = state.blocks[last, row, column]
        count += made
        if made == 0:
            return rows, count, False
        if one_is_enough or count * max(stars, 1) >= MAX_PATTERN_VALUES:
            return rows, count, True


@inner
def _has_bounds(graph, pattern):
    for at in range(graph.members_start[pattern], graph.members_start[pattern + 1]):
        if graph.bounds_start[graph.members[at]] < graph.bounds_start[graph.members[at] + 1]:
            return True
    return False


@inner
def _some_row_within(graph, member, rows, first, count, stars, values, counters):
    """Return whether the numbers of some row lie within the bounds of a member; a value that is no number may."""
    start, end = graph.bounds_start[member], graph.bounds_start[member + 1]
    if start == end:
        return True
    for row in range(count):
        within = True
        for at in range(start, end):
            counters[TESTED] += 1
            value = values[rows[first + row * stars + graph.bound_columns[at]]]
            if value < graph.bounds[at, 0] or value > graph.bounds[at, 1]:
                within = False
                break
        if within:
            return True
    return False


@inner
def _larger(rows):
    larger = np.empty(2 * rows.shape[0], np.int32)
    for i in range(rows.shape[0]):
        larger[i] = rows[i]
    return larger


@inner
def _taller(found):
    larger = np.empty((2 * found.shape[0], FOUND_COLUMNS), np.int64)
    for i in range(found.shape[0]):
        for column in range(FOUND_COLUMNS):
            larger[i, column] = found[i, column]
    return larger


@compiled
def open_join(graph, departures, scratch, tables, pattern):
    """Return the state of a join that `continue_join` makes block by block."""
    state = begin_join(graph, departures, scratch, pattern)
    if not departures.backtracking:
        hash_tables(graph, scratch, tables, pattern, state)
    return state


@compiled
def continue_join(graph, scratch, tables, pattern, state):
    """Return the next rows of a join, a view that the next call overwrites; none if there are no more."""
    made = next_block(graph, scratch, tables, pattern, state)
    return state.blocks[state.order.shape[0] - 1, :made, : graph.stars[pattern]]
