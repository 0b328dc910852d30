"""Search all segments for the matches of a batch of publications.

    fire                stage 1 of the paper's Algorithm match: the edges of GM that a publication fires
    collect_candidates  the patterns that the fired edges give access to
    continue_task       for each of these patterns, the two below
    join                stage 2: the binding tables of a pattern's edges joined to rows
    emit_row            the entries of a pattern whose bounds a joined row satisfies, each with its values

Steps are counted. A pattern or publication that takes more steps than allowed is given up and reported.

`search` owns all arrays; the kernels that it calls borrow them (`gtopss.compiled.borrow`). Where an array is full they
return, and `search` replaces it by a larger one and calls them again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, keep_alive, prefetch
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import new_member_scratch
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
    STEPS_LEFT,
    TESTS,
    UNSURE_MATCHES,
    MatchOutput,
)
from gtopss.matching.index.kernels.fire import (
    find_pairs,
    fire,
    fired_mask,
    fired_position,
    new_fired_edges,
    queue_probes,
)
from gtopss.matching.index.kernels.growable import grown, grown_table, has_room, new_growable, new_growable_table
from gtopss.matching.index.kernels.join import (
    MAX_SCANNED_ROWS,
    index_triples_by_end,
    new_join_state,
)
from gtopss.matching.index.kernels.layout import (
    EDGE_COUNT,
    MAX_PATTERN_EDGES,
    MAX_PATTERN_STARS,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
)
from gtopss.matching.index.kernels.pattern_task import (
    COUNTER_COLUMNS,
    FIRED_EDGES,
    PROBED_PAIRS,
    TESTED_BOUNDS,
    Workspace,
    begin_task,
    continue_task,
    count_task,
    member_count,
    plan_task,
)
from gtopss.matching.index.kernels.segment_handle import handle_at

SAMPLING_INTERVAL = 16
"""One in so many publications of a batch is sampled for how often each edge fires: enough to learn from."""


PREFETCHED_PATTERNS = 8
"""Candidate patterns that are asked for before they are joined: enough to wait for several at once."""


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
def _fire_publication(segment, inputs, publication, workspace, probed, fires, counters):
    """Find the edges that a publication fires, of `probed` vertex pairs. Return how many there are, and the mask of
    their hash table."""
    fired, graph = workspace.fired, segment.graph
    mask = fired_mask(inputs.batch.triples[publication + 1] - inputs.batch.triples[publication])
    probes = fired.probes[publication & 1]
    count = fire(segment, inputs.batch, publication, fired, mask, probes, probed)
    counters[publication, PROBED_PAIRS] += probed
    counters[publication, FIRED_EDGES] += count
    if publication % SAMPLING_INTERVAL == 0:
        fires[graph.sizes[EDGE_COUNT]] += 1
        for f in range(count):
            fires[fired.edges[f]] += 1
    return count, mask


@inlined
def _prefetch_patterns(segment, work, candidates, first, last):
    """Prefetch what is read first of some candidate patterns, of those that there are."""
    patterns = segment.patterns
    for i in range(first, min(last, candidates.shape[0])):
        pattern = np.int64(candidates[i])
        prefetch(patterns.edges, np.int64(patterns.about[pattern, PATTERN_FIRST_EDGE]))
        prefetch(segment.members.about, np.int64(patterns.about[pattern, PATTERN_FIRST_MEMBER]))
        prefetch(work, pattern)


@inlined
def _reset_budget(budget, limits):
    """Give a publication what it may take."""
    budget[STEPS_LEFT], budget[CELLS_LEFT] = limits.publication_steps, limits.publication_values
    budget[CHECKS_LEFT], budget[TESTS] = limits.publication_checks, 0


@inlined
def _is_too_large(output, limits):
    """Return whether the matches so far take too much memory. Without values a match takes little."""
    per_match = CELLS_PER_ROW if limits.rows > 0 else 0
    return output.values.used[0] + per_match * output.matches.used[0] > limits.batch_values


@inlined
def _search_segment(handle, inputs, limits, counters, buffers):
    """Append the matches of one segment. Return the buffers, of which some may have been replaced by larger ones."""
    candidates, scratch, output = buffers
    segment, work, fires = borrow(handle.segment), borrow(handle.work), borrow(handle.fires)
    own_workspace = _new_workspace(inputs.batch, segment.graph)
    workspace, lent_scratch, lent_output = borrow(own_workspace), borrow(scratch), borrow(output)
    publications, probes = inputs.batch.triples.shape[0] - 1, workspace.fired.probes
    probed = 0
    if publications > 0:
        probed = queue_probes(segment.graph, inputs.batch, 0, probes[0])
        probed = find_pairs(segment.graph, segment.access, probes[0], probed)
    for publication in range(publications):
        _reset_budget(workspace.budget, limits)
        queued, following = 0, probes[(publication + 1) & 1]
        if publication + 1 < publications:
            queued = queue_probes(segment.graph, inputs.batch, publication + 1, following)
        count, mask = _fire_publication(segment, inputs, publication, workspace, probed, fires, counters)
        found = -1
        while found < 0:
            lent = borrow(candidates.items)
            found = collect_candidates(segment.access, segment.patterns, workspace.fired, mask, count, lent)
            if found < 0:
                candidates = grown(candidates, 0)
        probed = find_pairs(segment.graph, segment.access, following, queued)
        reached = borrow(candidates.items)[:found]
        _prefetch_patterns(segment, work, reached, 0, PREFETCHED_PATTERNS)
        indexed_by_end = False
        for i in range(found):
            _prefetch_patterns(segment, work, reached, i + PREFETCHED_PATTERNS, i + PREFETCHED_PATTERNS + 1)
            pattern = np.int64(reached[i])
            lookups, longest = _find_tables(segment.patterns, pattern, workspace.fired, mask, workspace.join.tables)
            if longest == 0:
                work[pattern] += lookups
                continue
            if longest > MAX_SCANNED_ROWS and not indexed_by_end:
                index_triples_by_end(inputs.batch, publication, workspace.join.by_end)
                indexed_by_end = True
            task = plan_task(segment.patterns, publication, pattern, longest, limits, workspace.budget)
            members = member_count(segment.patterns, pattern)
            if members > scratch.selected.shape[0]:
                scratch = new_member_scratch(2 * members)
                lent_scratch = borrow(scratch)
            begin_task(segment, inputs.batch, task, workspace, lent_scratch)
            while not continue_task(segment, inputs, task, workspace, lent_scratch, lent_output):
                output = _enlarged(output, task, members)
                lent_output = borrow(output)
            count_task(task, workspace, counters, work)
        counters[publication, TESTED_BOUNDS] += workspace.budget[TESTS]
        if _is_too_large(output, limits):
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
        if publications > 1 and _is_too_large(buffers[2], limits):
            return _result(buffers[2], counters, publications, unsure_count, False)
    return _result(buffers[2], counters, publications, unsure_count, True)
