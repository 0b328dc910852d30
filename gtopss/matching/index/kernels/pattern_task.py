"""Match one candidate pattern in one publication: plan its limits, join its tables, emit its rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import RowPlace, TermValues
from gtopss.matching.index.kernels.emit import (
    OVER_PUBLICATION_WORK,
    OVER_WORK,
    SATURATED,
    STEPS_LEFT,
    append_exceeded,
    emit_row,
)
from gtopss.matching.index.kernels.fire import FiredEdges
from gtopss.matching.index.kernels.growable import has_room
from gtopss.matching.index.kernels.join import (
    JOIN_DONE,
    JOIN_OVER_BUDGET,
    JOIN_ROWS_FULL,
    JoinState,
    begin_join,
    join,
    join_single_rows,
    join_steps,
    joined_rows,
)
from gtopss.matching.index.kernels.layout import (
    MEMBER_SLOT,
    NEEDS_EVERY_ROW,
    PATTERN_FIRST_MEMBER,
    PATTERN_FLAGS,
    PATTERN_SHAPE,
)
from gtopss.matching.index.kernels.terms import Batch

MIN_PATTERN_STEPS = 1_000
"""Steps that every pattern may take in a publication, however many the other patterns have taken."""

PROBED_PAIRS, FIRED_EDGES, CANDIDATE_PATTERNS, JOINED_ROWS, TESTED_BOUNDS = range(5)
"""Columns of SearchResult.counters."""
COUNTER_COLUMNS = 5


class SearchLimits(NamedTuple):
    """What a search may return, and what it may take."""

    rows: int  # per match; 0 if only the fact that it matched is needed
    values: int  # per match, in all its rows
    checks: int  # rows that Python must look at, per entry and publication
    pattern_steps: int  # of one pattern in one publication
    publication_steps: int  # of all patterns of one segment in one publication
    publication_values: int  # of all matches of one segment in one publication, without their first rows
    steps_per_check: int  # what a row counts for if Python must look at it
    batch_values: int  # of all matches of a batch; a batch with more is given up, unless it has one publication
    publication_checks: int  # rows that Python must look at in one publication, without the first of each entry


class SearchInput(NamedTuple):
    """What is searched for: a batch, the values of its terms, and the slots that are in use."""

    batch: Batch
    values: TermValues
    alive: UInt8Array


class Workspace(NamedTuple):
    """Scratch space of a search. What depends on the number of a pattern's members is separate (MemberScratch)."""

    fired: FiredEdges
    join: JoinState
    budget: Int64Array  # see `emit.py`
    progress: Int64Array  # _ROWS in the buffer, the _NEXT_ROW, how the join _ENDED, the _STEPS of emitting


class PatternTask(NamedTuple):
    """One pattern in one publication, with its limits."""

    publication: int
    pattern: int
    stars: int
    every_row: int  # whether some entry needs every row
    keeps_values: int  # whether the values of rows are wanted
    counts_rows: int  # whether there may be more than one row
    row_limit: int
    check_limit: int  # rows that Python must look at
    value_limit: int  # in these rows
    steps_per_check: int
    join_limit: int  # rows; -1 for no limit
    step_limit: int
    exceeded_limit: int  # which limit it exceeds by taking more steps (`emit.py`)


_ROWS, _NEXT_ROW, _ENDED, _STEPS = range(4)
"""Elements of Workspace.progress."""


@inlined
def plan_task(patterns, publication, pattern, longest_table, limits, budget):
    """Return the task of a candidate pattern: what its entries may get, and what it may take."""
    stars = np.int64(patterns.shape_sizes[patterns.about[pattern, PATTERN_SHAPE]])
    every_row = np.int64(patterns.about[pattern, PATTERN_FLAGS] & NEEDS_EVERY_ROW)
    row_limit = max(np.int64(1), min(limits.rows, limits.values // max(stars, 1)))
    join_limit = np.int64(-1) if every_row else row_limit + 1 if limits.rows > 0 else np.int64(1)
    step_limit = max(min(limits.pattern_steps, budget[STEPS_LEFT]), MIN_PATTERN_STEPS)
    return PatternTask(
        np.int64(publication), np.int64(pattern), stars, every_row, np.int64(limits.rows > 0),
        np.int64(longest_table > 1), row_limit, max(np.int64(1), np.int64(limits.checks)),
        np.int64(limits.publication_values), np.int64(limits.steps_per_check), join_limit, step_limit,
        np.int64(OVER_WORK if step_limit == limits.pattern_steps else OVER_PUBLICATION_WORK),
    )  # fmt: skip


@inlined
def begin_task(segment, batch, task, workspace, scratch):
    """Prepare the join of a task; if each binding table has one row, do it."""
    workspace.budget[SATURATED] = 0
    progress = workspace.progress
    progress[_NEXT_ROW], progress[_STEPS] = 0, 0
    if not task.counts_rows:
        rows = join_single_rows(segment.patterns, batch, task.pattern, workspace.fired, workspace.join)
        progress[_ROWS], progress[_ENDED] = rows, JOIN_DONE
        return
    begin_join(segment.patterns, task.pattern, workspace.fired, workspace.join)
    progress[_ROWS], progress[_ENDED] = 0, JOIN_ROWS_FULL
    for member in range(member_count(segment.patterns, task.pattern)):
        scratch.emitted[member] = 0


@inlined
def member_count(patterns, pattern):
    """Return the number of entries of a pattern."""
    return np.int64(patterns.about[pattern + 1, PATTERN_FIRST_MEMBER] - patterns.about[pattern, PATTERN_FIRST_MEMBER])


@inlined
def continue_task(segment, inputs, task, workspace, scratch, output):
    """Emit the rows of a task until there are no more. Return False if `output` lacks room: call again when it has."""
    progress, budget, state = workspace.progress, workspace.budget, workspace.join
    while True:
        while progress[_NEXT_ROW] < progress[_ROWS]:
            if progress[_STEPS] > task.step_limit:
                progress[_ENDED], progress[_ROWS] = JOIN_OVER_BUDGET, progress[_NEXT_ROW]
                break
            row = RowPlace(state.rows, progress[_NEXT_ROW] * task.stars)
            steps = emit_row(segment, inputs, task, row, scratch, budget, output)
            if steps < 0:
                return False
            progress[_STEPS] += steps
            progress[_NEXT_ROW] += 1
        if progress[_ENDED] != JOIN_ROWS_FULL or budget[SATURATED] >= member_count(segment.patterns, task.pattern):
            break
        progress[_ROWS], progress[_ENDED] = join(segment, inputs.batch, task, workspace.fired, state)
        progress[_NEXT_ROW] = 0
    return progress[_ENDED] != JOIN_OVER_BUDGET or _give_up(segment, task, progress[_STEPS] + join_steps(state), output)


@inlined
def _give_up(segment, task, steps, output):
    """Report that the search for a task's entries was ended. Return False if there is no room for that."""
    first = segment.patterns.about[task.pattern, PATTERN_FIRST_MEMBER]
    count = member_count(segment.patterns, task.pattern)
    if not has_room(output.exceeded, count):
        return False
    for member in range(first, first + count):
        slot = segment.members.about[member, MEMBER_SLOT]
        append_exceeded(output, task.publication, slot, steps, task.exceeded_limit)
    return True


@inlined
def count_task(task, workspace, counters, work):
    """Add what a task took to the counters of its publication and its pattern, and take it from the budget."""
    steps = workspace.progress[_STEPS] + join_steps(workspace.join)
    counters[task.publication, CANDIDATE_PATTERNS] += 1
    counters[task.publication, JOINED_ROWS] += joined_rows(workspace.join)
    work[task.pattern] += steps
    workspace.budget[STEPS_LEFT] -= steps
