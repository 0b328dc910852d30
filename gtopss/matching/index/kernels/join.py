"""Join the binding tables of a pattern's edges by backtracking from the shortest one: stage 2 of Algorithm match.

A join can be interrupted. It writes rows until its buffer is full, and continues after those were taken: so it needs no
more memory for a hundred million rows than for one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array
from gtopss.matching.index.kernels.layout import LOOP, PATTERN_FIRST_EDGE, PATTERN_SHAPE
from gtopss.matching.index.kernels.relations import RELATION_COUNT

JOIN_DONE, JOIN_OVER_BUDGET, JOIN_ROWS_FULL = range(3)
"""How `join` ends: with all rows that were asked for; without, after too many steps; without, with a full buffer."""

MAX_SCANNED_ROWS = 8
"""A binding table of at most so many rows is scanned. Of a longer one only the triples of a bound end are tried
(`index_triples_by_end`)."""

MAX_ORDERED_EDGES = 64
"""Above this number of edges they are joined as they come: choosing an order takes quadratic time."""

MIN_BUFFERED_VALUES = 4096
"""Values that the buffer of rows has room for, or one row if that is more."""

_FROM_TABLE, _FROM_SUBJECT, _FROM_OBJECT = range(3)
"""Where a level of the join takes its triples from: the binding table, or the triples of a bound end."""

_SUBJECT_BOUND, _PROPERTY_BOUND, _OBJECT_BOUND = 1, 2, 4
"""Bits: the stars that a level's triple bound, and that are unbound before the next one."""

_LEVEL, _STEPS, _FOUND = range(3)
"""Elements of JoinState.progress."""


class JoinState(NamedTuple):
    """Where a join stands, level by level. A level is an edge in the order of the join."""

    tables: Int64Array  # edge of the pattern -> its position among the fired edges
    order: Int64Array  # level -> edge of the pattern
    cursor: Int64Array  # level -> its next row, or its next triple; -1 if there is none
    source: Int64Array  # level -> _FROM_...
    fresh: Int64Array  # level -> ..._BOUND bits
    value: Int32Array  # star -> local term number; -1 if it is not bound
    tied: Int64Array  # star -> 1 if an edge before has it, while the order is chosen
    progress: Int64Array  # the level, the steps taken, the rows found
    rows: Int32Array  # the buffer: for each row and star, in order, the local term number
    by_end: Int64Array  # triples by their ends (`index_triples_by_end`)


@inlined
def new_join_state(edges, stars, ends):
    """Allocate for patterns of so many edges and stars, and publications of so many triples or terms, or fewer."""
    return JoinState(
        np.empty(edges + 1, np.int64),
        np.empty(edges + 1, np.int64),
        np.empty(edges + 1, np.int64),
        np.empty(edges + 1, np.int64),
        np.empty(edges + 1, np.int64),
        np.empty(stars + 1, np.int32),
        np.empty(stars + 1, np.int64),
        np.zeros(3, np.int64),
        np.empty(max(MIN_BUFFERED_VALUES, stars), np.int32),
        np.empty((4, ends + 1), np.int64),
    )


@inlined
def _choose_order(patterns, shape, size, fired, state):
    """Choose the order of the edges: the shortest table first, then always one that shares a star with those before."""
    order, tables = state.order, state.tables
    first = patterns.shape_starts[shape]
    for i in range(size):
        order[i] = i
    if size == 1 or size > MAX_ORDERED_EDGES:
        return
    for star in range(patterns.shape_sizes[shape]):
        state.tied[star] = 0
    for i in range(size):
        best, best_tied = -1, False
        for j in range(i, size):
            k = order[j]
            tied = False
            for part in range(3):
                star = patterns.shape_stars[first + k, part]
                tied |= star >= 0 and state.tied[star] != 0
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
                state.tied[star] = 1


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
def join_single_rows(patterns, batch, pattern, fired, state):
    """Do the work of `join` where each table has one row: the usual case, with nothing to choose or to go back to.

    Return the number of rows, 0 or 1.
    """
    value = state.value
    shape = patterns.about[pattern, PATTERN_SHAPE]
    size = patterns.about[pattern + 1, PATTERN_FIRST_EDGE] - patterns.about[pattern, PATTERN_FIRST_EDGE]
    stars = np.int64(patterns.shape_sizes[shape])
    first = patterns.shape_starts[shape]
    for star in range(stars):
        value[star] = -1
    for k in range(size):
        t = np.int64(fired.triples[fired.heads[state.tables[k]]])
        for part in range(3):
            star = patterns.shape_stars[first + k, part]
            if star < 0:
                continue
            end = batch.subject[t] if part == 0 else batch.property[t] if part == 1 else batch.object[t]
            if value[star] < 0:
                value[star] = end
            elif value[star] != end:
                state.progress[_STEPS], state.progress[_FOUND] = k + 1, 0
                return np.int64(0)
    for star in range(stars):
        state.rows[star] = value[star]
    state.progress[_STEPS], state.progress[_FOUND] = size, 1
    return np.int64(1)


@inlined
def begin_join(patterns, pattern, fired, state):
    """Prepare `state` for the join of a pattern whose tables are in `state.tables`."""
    shape = patterns.about[pattern, PATTERN_SHAPE]
    size = patterns.about[pattern + 1, PATTERN_FIRST_EDGE] - patterns.about[pattern, PATTERN_FIRST_EDGE]
    _choose_order(patterns, shape, size, fired, state)
    for star in range(patterns.shape_sizes[shape]):
        state.value[star] = -1
    state.progress[_LEVEL], state.progress[_STEPS], state.progress[_FOUND] = 0, 0, 0
    state.cursor[0], state.source[0], state.fresh[0] = fired.heads[state.tables[state.order[0]]], _FROM_TABLE, 0


@inlined
def join_steps(state):
    """Return the steps that a join has taken."""
    return state.progress[_STEPS]


@inlined
def joined_rows(state):
    """Return the rows that a join has found."""
    return state.progress[_FOUND]


@inlined
def _bind(value, star, end, bit):
    """Bind a star to an end. Return its bit if it was not bound, 0 if it was bound to this end or is none, else -1."""
    if star < 0 or value[star] == end:
        return np.int64(0)
    if value[star] >= 0:
        return np.int64(-1)
    value[star] = end
    return np.int64(bit)


@inlined
def _unbind(state, level, s, p, o):
    """Unbind the stars that the last triple of a level bound."""
    fresh = state.fresh[level]
    if fresh & _SUBJECT_BOUND:
        state.value[s] = -1
    if fresh & _PROPERTY_BOUND:
        state.value[p] = -1
    if fresh & _OBJECT_BOUND:
        state.value[o] = -1
    state.fresh[level] = 0


@inlined
def _next_triple(batch, first_triple, fired, state, level):
    """Return the next triple of a level, and advance its cursor."""
    row = state.cursor[level]
    source = state.source[level]
    if source == _FROM_TABLE:
        state.cursor[level] = fired.nexts[row]
        return np.int64(fired.triples[row])
    state.cursor[level] = state.by_end[source + 1, row - first_triple]
    return row


@inlined
def _enter_level(patterns, first, fired, state, level):
    """Set the cursor of a level: to the triples of a bound end if its table is long, else to its table."""
    k = state.order[level]
    state.cursor[level], state.source[level] = fired.heads[state.tables[k]], _FROM_TABLE
    state.fresh[level] = 0
    if fired.lengths[state.tables[k]] <= MAX_SCANNED_ROWS:
        return
    s, o = patterns.shape_stars[first + k, 0], patterns.shape_stars[first + k, 2]
    if s >= 0 and state.value[s] >= 0:
        state.cursor[level], state.source[level] = state.by_end[0, state.value[s]], _FROM_SUBJECT
    elif o >= 0 and state.value[o] >= 0:
        state.cursor[level], state.source[level] = state.by_end[1, state.value[o]], _FROM_OBJECT


@inlined
def join(segment, batch, task, fired, state):
    """Continue the join of a task's pattern. Write its next rows to `state.rows`.

    Return how many rows it wrote, and how it ended. It ends for good when it has found `task.join_limit` rows in all
    (-1 for no limit), or taken `task.step_limit` steps.
    """
    patterns, pattern, names = segment.patterns, task.pattern, batch.locals[task.publication]
    shape = patterns.about[pattern, PATTERN_SHAPE]
    size = patterns.about[pattern + 1, PATTERN_FIRST_EDGE] - patterns.about[pattern, PATTERN_FIRST_EDGE]
    stars, first = np.int64(patterns.shape_sizes[shape]), np.int64(patterns.shape_starts[shape])
    room = state.rows.shape[0] // max(stars, 1)
    level, steps, before = state.progress[_LEVEL], state.progress[_STEPS], state.progress[_FOUND]
    written, ended = np.int64(0), JOIN_DONE
    while level >= 0:
        k = state.order[level]
        s, p = patterns.shape_stars[first + k, 0], patterns.shape_stars[first + k, 1]
        o = patterns.shape_stars[first + k, 2]
        _unbind(state, level, s, p, o)
        if state.cursor[level] < 0:
            level -= 1
            continue
        steps += 1
        if steps > task.step_limit:
            ended = JOIN_OVER_BUDGET
            break
        t = _next_triple(batch, batch.triples[task.publication], fired, state, level)
        edge = fired.edges[state.tables[k]]
        if state.source[level] != _FROM_TABLE and not _triple_fires(segment.graph, batch, names, edge, t):
            continue
        bound = _bind(state.value, s, batch.subject[t], _SUBJECT_BOUND)
        if bound < 0:
            continue
        state.fresh[level] = bound
        bound = _bind(state.value, p, batch.property[t], _PROPERTY_BOUND)
        if bound < 0:
            continue
        state.fresh[level] |= bound
        bound = _bind(state.value, o, batch.object[t], _OBJECT_BOUND)
        if bound < 0:
            continue
        state.fresh[level] |= bound
        if level + 1 < size:
            level += 1
            _enter_level(patterns, first, fired, state, level)
            continue
        for star in range(stars):
            state.rows[written * stars + star] = state.value[star]
        written += 1
        if before + written == task.join_limit:
            break
        if written == room:
            ended = JOIN_ROWS_FULL
            break
    state.progress[_LEVEL], state.progress[_STEPS], state.progress[_FOUND] = level, steps, before + written
    return written, ended


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
