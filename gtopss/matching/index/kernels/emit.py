"""Find the entries of a pattern whose bounds a joined row satisfies, and append a match for each.

How many rows an entry gets is limited here, because here they begin to take memory:

    a row that is certain        `task.row_limit` for each entry; if there are more, a match with MORE_ROWS says so
    a row that Python looks at   `task.check_limit` for each entry; beyond it the entry is reported as exceeded
    every row but the first      draws on what the publication has left (`budget`), so that no number of entries that
                                 have many rows each can fill the memory; the first row of an entry is always kept
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.bounds import FAILS, HOLDS, UNSURE, check_bounds, find_tree_members
from gtopss.matching.index.kernels.growable import Growable, has_room
from gtopss.matching.index.kernels.layout import (
    CHECK_IN_PYTHON,
    EVALUATE_KEPT_QUERY,
    EVALUATE_QUERY,
    MEMBER_BRANCH,
    MEMBER_FIRST_BOUND,
    MEMBER_FIRST_STAR,
    MEMBER_FLAGS,
    MEMBER_SLOT,
    NEEDS_EVERY_ROW,
    ONE_ROW,
    PATTERN_FIRST_MEMBER,
    PATTERN_TREE,
    TREE_MEMBERS,
)

MATCH_PUBLICATION, MATCH_SLOT, MATCH_BRANCH, MATCH_FLAGS, MATCH_FIRST_VALUE = range(5)
"""Columns of MatchOutput.matches. MATCH_FIRST_VALUE is -1 if nobody needs the values."""
MATCH_COLUMNS = 5
MATCH_UNSURE, MORE_ROWS, OF_QUERY = 1, 2, 4
"""Bits of MATCH_FLAGS: Python must check the row; this is no row, but says that the entry has more than were kept; it
is a row of a query that Python evaluates."""

EXCEEDED_COLUMNS = 4
"""Columns of MatchOutput.exceeded: publication, slot, what was taken, and which limit that exceeds (below)."""
OVER_WORK, OVER_PUBLICATION_WORK, OVER_VALUES = range(3)
"""The limits: on steps, of the entry or of its publication, and on values."""
_TRIPLES_PER_STEP = 16  # that are looked at one after the other
CELLS_PER_ROW = 4
"""What a row takes in memory besides its values, in values."""

_OVER_ROWS, _OVER_CHECKS = 1 << 62, 1 << 61
"""Bits of MemberScratch.emitted: it is already reported that the entry has more rows than it may have."""
_ROW_COUNT = _OVER_CHECKS - 1

STEPS_LEFT, CELLS_LEFT, CHECKS_LEFT, SATURATED, UNSURE_MATCHES, TESTS = range(6)
"""Elements of `budget`: the steps, values and checked rows that a publication has left; the members of the pattern that
need no more rows; the unsure matches of the batch; the tests of bounds in the publication."""
BUDGET_ELEMENTS = 6


class MatchOutput(NamedTuple):
    """The matches found so far, segment by segment."""

    matches: Growable  # rows of MATCH_COLUMNS
    values: Growable  # lines of the batch's text, in the order of a branch's variables
    exceeded: Growable  # rows of EXCEEDED_COLUMNS


@inlined
def append_exceeded(output, publication, slot, amount, limit):
    """Append a subscription whose search was ended. There must be room."""
    place = output.exceeded.used[0]
    output.exceeded.items[place, 0], output.exceeded.items[place, 1] = publication, slot
    output.exceeded.items[place, 2], output.exceeded.items[place, 3] = amount, limit
    output.exceeded.used[0] = place + 1


@inlined
def _append_match(output, publication, members, entry, flags):
    """Append a match without values. There must be room."""
    found = output.matches.used[0]
    matches = output.matches.items
    matches[found, MATCH_PUBLICATION], matches[found, MATCH_SLOT] = publication, members.about[entry, MEMBER_SLOT]
    matches[found, MATCH_BRANCH], matches[found, MATCH_FLAGS] = members.about[entry, MEMBER_BRANCH], flags
    matches[found, MATCH_FIRST_VALUE] = -1
    output.matches.used[0] = found + 1


@inlined
def _append_values(output, members, entry, stars, batch, names, row):
    """Append the values of a row, in the order of an entry's variables, to the match that was appended last."""
    start, first = output.values.used[0], members.about[entry, MEMBER_FIRST_STAR]
    output.matches.items[output.matches.used[0] - 1, MATCH_FIRST_VALUE] = start
    for k in range(stars):
        output.values.items[start + k] = batch.first[names + row.rows[row.start + members.stars[first + k]]]
    output.values.used[0] = start + stars


@inlined
def _admit_row(task, emitted, member, looked_at, budget):
    """Count one more row of a member. Return 0 if it may be kept, else the bit that says which limit it exceeds."""
    emitted[member] += 1
    count = emitted[member] & _ROW_COUNT
    if count == 1:
        return 0
    if looked_at:
        if count > task.check_limit or task.stars * count > task.value_limit:
            return _OVER_CHECKS
        if budget[CHECKS_LEFT] <= 0 or budget[CELLS_LEFT] < 0:
            return _OVER_CHECKS
        budget[CHECKS_LEFT] -= 1
    elif count > task.row_limit or budget[CELLS_LEFT] < 0:
        return _OVER_ROWS
    budget[CELLS_LEFT] -= task.stars + CELLS_PER_ROW
    return 0


@inlined
def _report_excess(task, output, members, entry, excess, rows, budget):
    """Report that an entry has more rows than it may have."""
    if excess == _OVER_CHECKS:
        amount, limit = task.steps_per_check * rows, OVER_PUBLICATION_WORK
        if task.stars * rows > task.value_limit or budget[CELLS_LEFT] < 0:
            amount, limit = task.stars * rows, OVER_VALUES
        elif rows > task.check_limit:
            limit = OVER_WORK
        append_exceeded(output, task.publication, members.about[entry, MEMBER_SLOT], amount, limit)
    elif task.keeps_values:
        _append_match(output, task.publication, members, entry, MORE_ROWS)


@inlined
def _emit_member(segment, inputs, task, entry, row, scratch, budget, output):
    """Append a match for an entry if its bounds hold and it may have one more row. Return the steps: one if they hold,
    and more if many triples were looked at."""
    members, batch = segment.members, inputs.batch
    flags = members.about[entry, MEMBER_FLAGS]
    names = batch.locals[task.publication]
    result, steps = HOLDS, np.int64(1)
    if members.about[entry + 1, MEMBER_FIRST_BOUND] > members.about[entry, MEMBER_FIRST_BOUND]:
        budget[TESTS] += 1
        result, looked_at_triples = check_bounds(members, entry, inputs, task.publication, row)
        steps += looked_at_triples // _TRIPLES_PER_STEP
        if result == FAILS:
            return steps - 1
    unsure = MATCH_UNSURE if result == UNSURE or flags & CHECK_IN_PYTHON else 0
    if flags & EVALUATE_QUERY or (task.keeps_values and flags & EVALUATE_KEPT_QUERY):
        unsure |= OF_QUERY
    # Without values nobody compares the rows of DISTINCT: then the first certain row is enough.
    looked_at = unsure != 0 or (task.keeps_values != 0 and flags & NEEDS_EVERY_ROW != 0)
    if task.counts_rows:
        member = entry - segment.patterns.about[task.pattern, PATTERN_FIRST_MEMBER]
        if flags & ONE_ROW and scratch.emitted[member]:
            budget[SATURATED] += scratch.emitted[member] == 1
            scratch.emitted[member] = 2
            return steps
        excess = _admit_row(task, scratch.emitted, member, looked_at, budget)
        if excess:
            reported = scratch.emitted[member] & (_OVER_ROWS | _OVER_CHECKS)
            budget[SATURATED] += reported == 0
            if not reported & excess:
                scratch.emitted[member] |= excess
                _report_excess(task, output, members, entry, excess, scratch.emitted[member] & _ROW_COUNT, budget)
            return steps
    _append_match(output, task.publication, members, entry, unsure)
    if task.keeps_values or looked_at:
        _append_values(output, members, entry, task.stars, batch, names, row)
    budget[UNSURE_MATCHES] += unsure != 0
    return steps


@inlined
def emit_row(segment, inputs, task, row, scratch, budget, output):
    """Append a match for each live entry of a task's pattern whose bounds a row satisfies.

    Return how many entries were looked at; -1 if `output` may lack room: then nothing was appended.
    """
    patterns, members = segment.patterns, segment.members
    begin = patterns.about[task.pattern, PATTERN_FIRST_MEMBER]
    end = patterns.about[task.pattern + 1, PATTERN_FIRST_MEMBER]
    tree = patterns.about[task.pattern, PATTERN_TREE]
    in_tree, hits, steps = np.int64(0), np.int64(0), np.int64(0)
    if tree >= 0:
        in_tree = members.trees[tree, TREE_MEMBERS]
        if inputs.values.domain.shape[0] > 0:  # else nobody who is alive has bounds
            names = inputs.batch.locals[task.publication]
            hits = find_tree_members(members, tree, inputs.values, names, row, scratch)
    count = hits + end - begin - in_tree
    if not has_room_for(output, task, count):
        return np.int64(-1)
    for j in range(count):
        entry = begin + scratch.selected[j] if j < hits else begin + in_tree + j - hits
        if inputs.alive[members.about[entry, MEMBER_SLOT]]:
            steps += _emit_member(segment, inputs, task, entry, row, scratch, budget, output)
    return steps


@inlined
def has_room_for(output, task, count):
    """Return whether matches of a task with so many entries can be appended, or as many exceeded ones."""
    values = count * task.stars if task.keeps_values or task.every_row else 0
    return has_room(output.matches, count) and has_room(output.values, values) and has_room(output.exceeded, count)
