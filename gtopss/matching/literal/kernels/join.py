"""Stage 2 of Algorithm match: the natural join of the binding tables of a pattern (Figure 8).

Tables are joined one after the other, as printed: b = b ⋈ E2.bindingTable. A table of more than a few rows is hashed on
the columns that it shares with b, so that a join takes time linear in the rows. The rows of b are made in blocks: when
the block of one join is full, the next join takes it, and the rest is made later. So memory does not depend on the
number of rows. With blocks of one row, without hashing and from the shortest table, this is backtracking.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.literal.kernels.layout import Numbers
from gtopss.matching.literal.kernels.tables import mix, table_size

_UNBOUND = -1
_BLOCK_VALUES = 4_096  # values in the blocks of one join together, unless one row has more
_SCANNED_ROWS = 8  # a table up to this length is not hashed
_NOT_STARTED, _END = -2, -1


class JoinState(NamedTuple):
    """A join that can be continued. One element, or row, for each table."""

    blocks: Numbers  # rows of b after each join: (joins, rows of a block, columns)
    order: Numbers  # places of the tables in the pattern
    made: Numbers  # rows in each block
    source: Numbers  # the row of the block before that is joined next
    cursor: Numbers  # the row of the table that is joined next
    key_columns: Numbers  # rows of three flags: the parts of a triple that the rows before have, too
    bucket_start: Numbers  # where the hash table begins in `buckets`; -1 if the table is not hashed
    bucket_mask: Numbers
    buckets: Numbers
    chain: Numbers  # by row of each table that is hashed: the next one in its bucket
    chain_start: Numbers  # where the rows of a table begin in `chain`; two joins may hash one table in two ways
    level: Numbers  # one element: the join that is continued next


@inner
def begin_join(graph, departures, scratch, pattern):
    """Return the state of the join of a pattern's tables, before its first row."""
    first = graph.edges_start[pattern]
    joins = graph.edges_start[pattern + 1] - first
    stars = max(graph.stars[pattern], 1)
    block = 1 if departures.backtracking else max(1, _BLOCK_VALUES // (joins * stars))
    buckets, chained = (0, 0) if departures.backtracking else _hashed_sizes(graph, scratch, first, joins)
    state = JoinState(
        np.empty((joins, block, stars), np.int32),
        np.arange(joins).astype(np.int32),
        np.zeros(joins, np.int32),
        np.zeros(joins, np.int32),
        np.full(joins, _NOT_STARTED, np.int32),
        np.zeros((joins, 3), np.int32),
        np.full(joins, -1, np.int32),
        np.zeros(joins, np.int32),
        np.empty(buckets, np.int32),
        np.empty(chained, np.int32),
        np.zeros(joins, np.int32),
        np.zeros(1, np.int32),
    )
    if departures.backtracking:
        _shortest_first(graph, scratch, first, state)
    return state


@inner
def _hashed_sizes(graph, scratch, first, joins):
    """Return how many buckets and rows the tables have together that may be hashed."""
    buckets, chained = 0, 0
    for join in range(1, joins):
        rows = scratch.table_rows[graph.edges[first + join]]
        if rows > _SCANNED_ROWS:
            buckets += table_size(rows)
            chained += rows
    return buckets, chained


@inner
def _shortest_first(graph, scratch, first, state):
    """Order the tables: the shortest, then always the shortest of those that share a column with the ones before."""
    joins = state.order.shape[0]
    bound = np.zeros(state.blocks.shape[2], np.bool_)
    for place in range(joins):
        best, best_rows, best_connected = place, np.int64(2**62), False
        for other in range(place, joins):
            at = first + state.order[other]
            rows = np.int64(scratch.table_rows[graph.edges[at]])
            connected = False
            for part in range(3):
                column = graph.columns[at, part]
                connected |= column >= 0 and bound[column]
            if (connected and not best_connected) or (connected == best_connected and rows < best_rows):
                best, best_rows, best_connected = other, rows, connected
        state.order[place], state.order[best] = state.order[best], state.order[place]
        for part in range(3):
            column = graph.columns[first + state.order[place], part]
            if column >= 0:
                bound[column] = True


@inner
def hash_tables(graph, scratch, tables, pattern, state):
    """Hash the tables that are long, on the columns that they share with the tables before them."""
    first, used, chained = graph.edges_start[pattern], 0, 0
    bound = np.zeros(state.blocks.shape[2], np.bool_)
    for join in range(state.order.shape[0]):
        at = first + state.order[join]
        shared = False
        for part in range(3):
            column = graph.columns[at, part]
            if column >= 0 and bound[column]:
                state.key_columns[join, part] = 1
                shared = True
        for part in range(3):
            if graph.columns[at, part] >= 0:
                bound[graph.columns[at, part]] = True
        edge = graph.edges[at]
        rows = scratch.table_rows[edge]
        if shared and rows > _SCANNED_ROWS:
            size = table_size(rows)
            state.bucket_start[join], state.bucket_mask[join], state.chain_start[join] = used, size - 1, chained
            for bucket in range(used, used + size):
                state.buckets[bucket] = _END
            start = scratch.table_start[edge]
            for row in range(start + rows - 1, start - 1, -1):
                bucket = used + (_key_of_triple(tables.triples, tables.rows[row], state.key_columns, join) & (size - 1))
                state.chain[chained + row - start] = state.buckets[bucket]
                state.buckets[bucket] = row
            used += size
            chained += rows


@inner
def _key_of_triple(triples, triple, key_columns, join):
    key = np.int64(0)
    for part in range(3):
        if key_columns[join, part]:
            key = mix(key, triples[triple, part])
    return key


@inner
def next_block(graph, scratch, tables, pattern, state):
    """Make the next rows of a join, in the last block of the state. Return their number; 0 if there are no more."""
    last = state.order.shape[0] - 1
    level = state.level[0]
    while level >= 0:
        made = _fill(graph, scratch, tables, pattern, state, level)
        state.made[level] = made
        if made == 0:
            level -= 1
        elif level == last:
            state.level[0] = level
            return made
        else:
            level += 1
            state.source[level], state.cursor[level] = 0, _NOT_STARTED
    state.level[0] = -1
    return 0


@inner
def _fill(graph, scratch, tables, pattern, state, join):
    """Join rows of the block before with a table, until the block is full or all are joined. Return the rows made."""
    at = graph.edges_start[pattern] + state.order[join]
    edge = graph.edges[at]
    start = scratch.table_start[edge]
    end = start + scratch.table_rows[edge]
    sources = state.made[join - 1] if join else 1
    hashed = state.bucket_start[join] >= 0
    made, source, cursor = 0, state.source[join], state.cursor[join]
    while source < sources:
        if cursor == _NOT_STARTED:
            cursor = _bucket_of_row(graph, state, at, join, source) if hashed else start
        while cursor != _END:
            if made == state.blocks.shape[1]:
                state.source[join], state.cursor[join] = source, cursor
                return made
            if _extend(graph, tables.triples, tables.rows[cursor], state, at, join, source, made):
                made += 1
            following = cursor + 1 if cursor + 1 < end else _END
            cursor = state.chain[state.chain_start[join] + cursor - start] if hashed else following
        source += 1
        cursor = _NOT_STARTED
    state.source[join], state.cursor[join] = source, cursor
    return made


@inner
def _bucket_of_row(graph, state, at, join, source):
    key = np.int64(0)
    for part in range(3):
        if state.key_columns[join, part]:
            key = mix(key, state.blocks[join - 1, source, graph.columns[at, part]])
    return state.buckets[state.bucket_start[join] + (key & state.bucket_mask[join])]


@inner
def _extend(graph, triples, triple, state, at, join, source, made):
    """Join one row with one triple into a place of the block. Return whether they agree."""
    for column in range(state.blocks.shape[2]):
        state.blocks[join, made, column] = state.blocks[join - 1, source, column] if join else _UNBOUND
    for part in range(3):
        column = graph.columns[at, part]
        if column >= 0:
            value = state.blocks[join, made, column]
            if value == _UNBOUND:
                state.blocks[join, made, column] = triples[triple, part]
            elif value != triples[triple, part]:
                return False
    return True
