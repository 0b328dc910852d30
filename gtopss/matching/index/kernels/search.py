"""Search all segments for the matches of a batch of publications.

    fire                stage 1 of the paper's Algorithm match: the edges of GM that a publication fires
    collect_candidates  the patterns that the fired edges give access to
    join                stage 2: the binding tables of a pattern's edges joined to rows
    emit_row            the entries of a pattern whose bounds a joined row satisfies, each with its values

Steps are counted. A pattern or publication that takes more steps than allowed is given up and reported.

`search` owns all arrays; the kernels that it calls borrow them (`gtopss.compiled.borrow`). Where an array is full they
return, and `search` replaces it by a larger one and calls them again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, keep_alive
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import RowPlace, TermValues, new_member_scratch
from gtopss.matching.index.kernels.candidates import collect_candidates
from gtopss.matching.index.kernels.emit import (
    BUDGET_ELEMENTS,
    CELLS_LEFT,
    CELLS_PER_ROW,
    CHECKS_LEFT,
    EXCEEDED_COLUMNS,
    MATCH_BRANCH,
    MATCH_COLUMNS,
    MATCH_FIRST_VALUE,
    MATCH_FLAGS,
    MATCH_PUBLICATION,
    MATCH_SLOT,
    OVER_PUBLICATION_WORK,
    OVER_WORK,
    SATURATED,
    STEPS_LEFT,
    TESTS,
    UNSURE_MATCHES,
    MatchOutput,
    append_exceeded,
    emit_row,
)
from gtopss.matching.index.kernels.fire import FiredEdges, fire, fired_mask, fired_position, new_fired_edges
from gtopss.matching.index.kernels.growable import grown, grown_table, has_room, new_growable, new_growable_table
from gtopss.matching.index.kernels.join import (
    JOIN_DONE,
    JOIN_OVER_BUDGET,
    JOIN_ROWS_FULL,
    MAX_SCANNED_ROWS,
    JoinState,
    begin_join,
    index_triples_by_end,
    join,
    join_single_rows,
    join_steps,
    joined_rows,
    new_join_state,
)
from gtopss.matching.index.kernels.layout import (
    EDGE_COUNT,
    MAX_PATTERN_EDGES,
    MAX_PATTERN_STARS,
    MEMBER_SLOT,
    NEEDS_EVERY_ROW,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    PATTERN_FLAGS,
    PATTERN_SHAPE,
)
from gtopss.matching.index.kernels.segment_handle import handle_at
from gtopss.matching.index.kernels.terms import Batch

MIN_PATTERN_STEPS = 1_000
"""Steps that every pattern may take in a publication, however many the other patterns have taken."""

SAMPLING_INTERVAL = 16
"""One in so many publications of a batch is sampled for how often each edge fires: enough to learn from."""

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
    progress: Int64Array  # the rows of the join that are in the buffer; the next one; how the join ended; steps


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


class SearchResult(NamedTuple):
    """The matches of a batch, publication by publication; a row of an entry is a match. The arrays are new."""

    ends: Int64Array  # publication -> where its matches end
    slot: Int32Array  # match -> slot of the subscription
    branch: Int16Array  # match -> branch of the subscription
    flags: UInt8Array  # match -> MATCH_UNSURE, MORE_ROWS
    row_start: Int64Array  # match -> its first element in `values`; -1 if its values are not needed
    values: Int32Array  # lines of the batch's text, in the order of a branch's variables
    exceeded: Int64Array  # [n, EXCEEDED_COLUMNS]
    counters: Int64Array  # [publication, COUNTER_COLUMNS]
    unsure_count: int  # number of matches that are unsure
    complete: bool  # False if the batch was given up, because its matches have too many values


@inlined
def _new_workspace(batch, graph):
    """Allocate for the largest publication of a batch, and the largest pattern of a segment."""
    triples, terms = np.int64(0), np.int64(0)
    for publication in range(batch.triples.shape[0] - 1):
        triples = max(triples, batch.triples[publication + 1] - batch.triples[publication])
        terms = max(terms, batch.locals[publication + 1] - batch.locals[publication])
    return Workspace(
        new_fired_edges(triples),
        new_join_state(graph.sizes[MAX_PATTERN_EDGES], graph.sizes[MAX_PATTERN_STARS], max(triples, terms)),
        np.zeros(BUDGET_ELEMENTS, np.int64),
        np.zeros(4, np.int64),
    )


@inlined
def _find_tables(patterns, pattern, fired, mask, tables):
    """Write the positions of a pattern's edges among the fired ones to `tables`. Return how many edges were looked up,
    and the length of the longest binding table: 0 if the last edge that was looked up did not fire."""
    first, last = patterns.about[pattern, PATTERN_FIRST_EDGE], patterns.about[pattern + 1, PATTERN_FIRST_EDGE]
    longest = np.int64(1)
    for k in range(last - first):
        f = fired_position(fired, mask, patterns.edges[first + k])
        if f < 0:
            return np.int64(k + 1), np.int64(0)
        tables[k] = f
        longest = max(longest, np.int64(fired.lengths[f]))
    return np.int64(last - first), longest


@inlined
def _plan_task(patterns, publication, pattern, longest_table, limits, budget):
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
def _begin_task(segment, batch, task, workspace, scratch):
    """Prepare the join of a task; if each binding table has one row, do it."""
    workspace.budget[SATURATED] = 0
    progress = workspace.progress
    progress[_NEXT_ROW] = 0
    if not task.counts_rows:
        rows, steps = join_single_rows(segment.patterns, batch, task.pattern, workspace.fired, workspace.join)
        progress[_ROWS], progress[_STEPS], progress[_ENDED] = rows, steps, JOIN_DONE
        return
    begin_join(segment.patterns, task.pattern, workspace.fired, workspace.join)
    progress[_ROWS], progress[_STEPS], progress[_ENDED] = 0, 0, JOIN_ROWS_FULL
    for member in range(_member_count(segment.patterns, task.pattern)):
        scratch.emitted[member] = 0


@inlined
def _member_count(patterns, pattern):
    """Return the number of entries of a pattern."""
    return np.int64(patterns.about[pattern + 1, PATTERN_FIRST_MEMBER] - patterns.about[pattern, PATTERN_FIRST_MEMBER])


@inlined
def _continue_task(segment, inputs, task, workspace, scratch, output):
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
        if progress[_ENDED] != JOIN_ROWS_FULL or budget[SATURATED] >= _member_count(segment.patterns, task.pattern):
            break
        progress[_ROWS], progress[_ENDED] = join(segment, inputs.batch, task, workspace.fired, state)
        progress[_NEXT_ROW] = 0
    return progress[_ENDED] != JOIN_OVER_BUDGET or _give_up(segment, task, progress[_STEPS] + join_steps(state), output)


@inlined
def _give_up(segment, task, steps, output):
    """Report that the search for a task's entries was ended. Return False if there is no room for that."""
    first, count = (
        segment.patterns.about[task.pattern, PATTERN_FIRST_MEMBER],
        _member_count(segment.patterns, task.pattern),
    )
    if not has_room(output.exceeded, count):
        return False
    for member in range(first, first + count):
        append_exceeded(
            output, task.publication, segment.members.about[member, MEMBER_SLOT], steps, task.exceeded_limit
        )
    return True


@inlined
def _enlarged(output, task, count):
    """Return the output of a search with room for so many entries of a task."""
    matches, values, exceeded = output.matches, output.values, output.exceeded
    if not has_room(matches, count):
        matches = grown_table(matches, count)
    if not has_room(values, count * task.stars):
        values = grown(values, count * task.stars)
    if not has_room(exceeded, count):
        exceeded = grown_table(exceeded, count)
    return MatchOutput(matches, values, exceeded)


@inlined
def _result(output, counters, publications, unsure_count, complete):
    """Return the matches grouped by publication, in the order in which they were found."""
    found, matches = output.matches.used[0], output.matches.items
    ends = np.zeros(publications, np.int64)
    for i in range(found):
        ends[matches[i, MATCH_PUBLICATION]] += 1
    for publication in range(1, publications):
        ends[publication] += ends[publication - 1]
    slot, branch = np.empty(found, np.int32), np.empty(found, np.int16)
    flags, row_start = np.empty(found, np.uint8), np.empty(found, np.int64)
    at = ends.copy()
    for i in range(found - 1, -1, -1):
        publication = matches[i, MATCH_PUBLICATION]
        at[publication] -= 1
        place = at[publication]
        slot[place], branch[place] = matches[i, MATCH_SLOT], matches[i, MATCH_BRANCH]
        flags[place], row_start[place] = matches[i, MATCH_FLAGS], matches[i, MATCH_FIRST_VALUE]
    values = output.values.items[: output.values.used[0]]
    exceeded = output.exceeded.items[: output.exceeded.used[0]]
    return SearchResult(ends, slot, branch, flags, row_start, values, exceeded, counters, unsure_count, complete)


@inlined
def _count_task(task, workspace, counters, work):
    """Add what a task took to the counters of its publication and its pattern, and take it from the budget."""
    progress = workspace.progress
    steps = progress[_STEPS]
    counters[task.publication, CANDIDATE_PATTERNS] += 1
    if task.counts_rows:
        steps += join_steps(workspace.join)
        counters[task.publication, JOINED_ROWS] += joined_rows(workspace.join)
    else:
        counters[task.publication, JOINED_ROWS] += progress[_ROWS]
    work[task.pattern] += steps
    workspace.budget[STEPS_LEFT] -= steps


@inlined
def _fire_publication(graph, inputs, publication, workspace, fires, counters):
    """Find the edges that a publication fires. Return how many there are."""
    fired = workspace.fired
    mask = fired_mask(inputs.batch.triples[publication + 1] - inputs.batch.triples[publication])
    count, probes = fire(graph, inputs.batch, publication, fired, mask)
    counters[publication, PROBED_PAIRS] += probes
    counters[publication, FIRED_EDGES] += count
    if publication % SAMPLING_INTERVAL == 0:
        fires[graph.sizes[EDGE_COUNT]] += 1
        for f in range(count):
            fires[fired.edges[f]] += 1
    return count, mask


@inlined
def _reset_budget(budget, limits):
    """Give a publication what it may take."""
    budget[STEPS_LEFT], budget[CELLS_LEFT] = limits.publication_steps, limits.publication_values
    budget[CHECKS_LEFT], budget[TESTS] = limits.publication_checks, 0


@inlined
def _value_count(output):
    """Return the size of the matches so far, in values."""
    return output.values.used[0] + CELLS_PER_ROW * output.matches.used[0]


@inlined
def _search_segment(handle, inputs, limits, counters, buffers):
    """Append the matches of one segment. Return the buffers, of which some may have been replaced by larger ones."""
    candidates, scratch, output = buffers
    segment, work, fires = borrow(handle.segment), borrow(handle.work), borrow(handle.fires)
    own_workspace = _new_workspace(inputs.batch, segment.graph)
    workspace, lent_scratch, lent_output = borrow(own_workspace), borrow(scratch), borrow(output)
    for publication in range(inputs.batch.triples.shape[0] - 1):
        _reset_budget(workspace.budget, limits)
        count, mask = _fire_publication(segment.graph, inputs, publication, workspace, fires, counters)
        found = -1
        while found < 0:
            found = collect_candidates(segment.access, workspace.fired, mask, count, borrow(candidates.items))
            if found < 0:
                candidates = grown(candidates, 0)
        indexed_by_end = False
        for i in range(found):
            pattern = np.int64(candidates.items[i])
            lookups, longest = _find_tables(segment.patterns, pattern, workspace.fired, mask, workspace.join.tables)
            if longest == 0:
                work[pattern] += lookups
                continue
            if longest > MAX_SCANNED_ROWS and not indexed_by_end:
                index_triples_by_end(inputs.batch, publication, workspace.join.by_end)
                indexed_by_end = True
            task = _plan_task(segment.patterns, publication, pattern, longest, limits, workspace.budget)
            members = _member_count(segment.patterns, pattern)
            if members > scratch.selected.shape[0]:
                scratch = new_member_scratch(2 * members)
                lent_scratch = borrow(scratch)
            _begin_task(segment, inputs.batch, task, workspace, lent_scratch)
            while not _continue_task(segment, inputs, task, workspace, lent_scratch, lent_output):
                output = _enlarged(output, task, members)
                lent_output = borrow(output)
            _count_task(task, workspace, counters, work)
        counters[publication, TESTED_BOUNDS] += workspace.budget[TESTS]
        if _value_count(output) > limits.batch_values:
            break  # harmless for a single publication; several are searched again in smaller batches
    unsure = workspace.budget[UNSURE_MATCHES]
    keep_alive(handle)
    keep_alive(own_workspace)
    return (candidates, scratch, output), unsure


@compiled
def search(addresses, like, inputs, limits):
    """Return the matches of a batch in the segments at these addresses (`handle_at`), and update their counters.

    The caller keeps the handles alive; `like` is any one, as an example of their type. The search runs without Python's
    lock: several threads may search the same segments.
    """
    publications = inputs.batch.triples.shape[0] - 1
    counters = np.zeros((publications, COUNTER_COLUMNS), np.int64)
    matches, exceeded = new_growable_table(np.int64, MATCH_COLUMNS), new_growable_table(np.int64, EXCEEDED_COLUMNS)
    output = MatchOutput(matches, new_growable(np.int32), exceeded)
    buffers = new_growable(np.int32), new_member_scratch(64), output
    unsure_count = np.int64(0)
    for address in addresses:
        handle = handle_at(address, like)
        buffers, unsure = _search_segment(handle, borrow(inputs), limits, borrow(counters), buffers)
        unsure_count += unsure
        if publications > 1 and _value_count(buffers[2]) > limits.batch_values:
            return _result(buffers[2], counters, publications, unsure_count, False)
    return _result(buffers[2], counters, publications, unsure_count, True)
