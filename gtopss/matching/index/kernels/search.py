"""Search all segments for the matches of a batch of publications.

    fire                stage 1 of the paper's Algorithm match: the edges of GM that a publication fires
    collect_candidates  the patterns that the fired edges give access to
    join                stage 2: the binding tables of a pattern's edges joined to rows
    _emit_matches       the entries of a pattern whose bounds a joined row satisfies, each with its values

Steps are counted. A pattern or publication that takes more steps than allowed is given up and reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import FAILS, HOLDS, MAX_TREE_LEVELS, UNSURE, check_bounds, find_tree_members
from gtopss.matching.index.kernels.candidates import collect_candidates
from gtopss.matching.index.kernels.fire import fire, fired_mask, fired_position, new_fired_edges
from gtopss.matching.index.kernels.growable import grown
from gtopss.matching.index.kernels.join import (
    JOIN_DONE,
    JOIN_OVER_BUDGET,
    JOIN_ROWS_FULL,
    MAX_SCANNED_ROWS,
    index_triples_by_end,
    join,
    join_single_rows,
    new_join_scratch,
)
from gtopss.matching.index.kernels.layout import (
    CHECK_IN_PYTHON,
    EDGE_COUNT,
    MAX_PATTERN_EDGES,
    MAX_PATTERN_STARS,
    MEMBER_BRANCH,
    MEMBER_FIRST_BOUND,
    MEMBER_FIRST_STAR,
    MEMBER_FLAGS,
    MEMBER_SLOT,
    NEEDS_EVERY_ROW,
    PATTERN_FIRST_EDGE,
    PATTERN_FIRST_MEMBER,
    PATTERN_FLAGS,
    PATTERN_SHAPE,
    PATTERN_TREE,
    TREE_MEMBERS,
)
from gtopss.matching.index.kernels.segment_handle import handle_at

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
    pattern_steps: int  # of one pattern in one publication
    publication_steps: int  # of all patterns of one segment in one publication


class MatchColumns(NamedTuple):
    """The matches found so far, segment by segment. The arrays have spare capacity."""

    publication: Int32Array
    slot: Int32Array  # of the subscription
    branch: Int16Array  # of the subscription
    unsure: UInt8Array  # 1 if Python must check the row
    row_start: Int64Array  # the first of its values; -1 if nobody needs them


class SearchResult(NamedTuple):
    """The matches of a batch, publication by publication; a row of an entry is a match. The arrays are new."""

    ends: Int64Array  # publication -> where its matches end
    slot: Int32Array  # match -> slot of the subscription
    branch: Int16Array  # match -> branch of the subscription
    unsure: UInt8Array  # match -> 1 if Python must check the row
    row_start: Int64Array  # match -> its first element in `values`; -1 if its values are not needed
    values: Int32Array  # lines of the batch's text, in the order of a branch's variables
    exceeded: Int64Array  # [n, 3]: publication, slot, and the steps after which it was given up
    counters: Int64Array  # [publication, COUNTER_COLUMNS]
    unsure_count: int  # number of matches that are unsure


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
def _emit_matches(
    patterns, members, batch, values, alive, pattern, publication, rows, row, stars, row_limit, keeps_values, matches,
    found, values_out, value_count, selected, emitted, tree_path,
):  # fmt: skip
    """Append a match for each live entry of a pattern whose bounds a row satisfies, none more often than
    `row_limit` (-1 for no limit). Return the matches and values so far, the tests, the unsure matches and the steps.

    Nineteen parameters: see `search` for what grouping them in tuples cost.
    """
    names = batch.locals[publication]
    begin, end = patterns.about[pattern, PATTERN_FIRST_MEMBER], patterns.about[pattern + 1, PATTERN_FIRST_MEMBER]
    tree = patterns.about[pattern, PATTERN_TREE]
    in_tree, hits, tests, unsure_count, steps = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if tree >= 0:
        in_tree = members.trees[tree, TREE_MEMBERS]
        if values.domain.shape[0] > 0:  # else nobody who is alive has bounds
            hits = find_tree_members(members, tree, values, names, rows, row, tree_path, selected)
    for j in range(hits + end - begin - in_tree):
        entry = begin + selected[j] if j < hits else begin + in_tree + j - hits
        slot, flags = members.about[entry, MEMBER_SLOT], members.about[entry, MEMBER_FLAGS]
        if not alive[slot]:
            continue
        result = HOLDS
        if members.about[entry + 1, MEMBER_FIRST_BOUND] > members.about[entry, MEMBER_FIRST_BOUND]:
            tests += 1
            result = check_bounds(members, entry, values, names, rows, row)
            if result == FAILS:
                continue
        unsure = 1 if result == UNSURE or flags & CHECK_IN_PYTHON else 0
        steps += 1
        if row_limit >= 0 and unsure == 0 and not flags & NEEDS_EVERY_ROW:
            emitted[entry - begin] += 1
            if emitted[entry - begin] > row_limit:
                continue
        matches.publication[found], matches.slot[found] = publication, slot
        matches.branch[found] = members.about[entry, MEMBER_BRANCH]
        matches.unsure[found], matches.row_start[found] = unsure, -1
        if keeps_values or unsure or flags & NEEDS_EVERY_ROW:
            matches.row_start[found] = value_count
            first = members.about[entry, MEMBER_FIRST_STAR]
            for k in range(stars):
                values_out[value_count + k] = batch.first[names + rows[row + members.stars[first + k]]]
            value_count += stars
        unsure_count += unsure
        found += 1
    return found, value_count, tests, unsure_count, tests + steps


@inlined
def _group_by_publication(matches, found, publications, segments):
    """Return where the matches of each publication end, and the matches in that order, a single segment's own."""
    ends = np.zeros(publications, np.int64)
    for i in range(found):
        ends[matches.publication[i]] += 1
    for publication in range(1, publications):
        ends[publication] += ends[publication - 1]
    if segments == 1:
        return ends, matches
    made = MatchColumns(
        matches.publication, np.empty(found, np.int32), np.empty(found, np.int16), np.empty(found, np.uint8),
        np.empty(found, np.int64),
    )  # fmt: skip
    at = ends.copy()
    for i in range(found - 1, -1, -1):
        at[matches.publication[i]] -= 1
        place = at[matches.publication[i]]
        made.slot[place], made.branch[place] = matches.slot[i], matches.branch[i]
        made.unsure[place], made.row_start[place] = matches.unsure[i], matches.row_start[i]
    return ends, made


@compiled
def search(addresses, like, batch, values, alive, limits):
    """Return the matches of a batch in the segments at these addresses (`handle_at`), and update their counters.

    The caller keeps the handles alive; `like` is any one, as an example of their type. The search runs without Python's
    lock: several threads may search the same segments.

    One long function. Arrays that are too small are replaced here and nowhere else: to return one from an inlined
    kernel costs atomic operations each time. A version split into kernels that take tuples of arrays was measured:
    this kernel took 14.6 instead of 7.0 microseconds per publication on workload a, 27.7 instead of 15.3 on e, while
    matching as a whole became a little faster on c. Reference counting is the suspect; it was not isolated.
    """
    publications = batch.triples.shape[0] - 1
    longest, most_terms = np.int64(0), np.int64(0)
    for publication in range(publications):
        longest = max(longest, batch.triples[publication + 1] - batch.triples[publication])
        most_terms = max(most_terms, batch.locals[publication + 1] - batch.locals[publication])
    fired = new_fired_edges(longest)
    by_end = np.empty((4, max(longest, most_terms) + 1), np.int64)
    candidates, selected, emitted = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64)
    tree_path = np.empty((4, MAX_TREE_LEVELS), np.int64)
    matches = MatchColumns(
        np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int16), np.empty(64, np.uint8),
        np.empty(64, np.int64),
    )  # fmt: skip
    rows, values_out, exceeded = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(48, np.int64)
    counters = np.zeros((publications, COUNTER_COLUMNS), np.int64)
    found, value_count, exceeded_count, unsure_count = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    keeps_values = limits.rows > 0
    for address in addresses:
        handle = handle_at(address, like)
        graph, access, patterns, members = handle.segment
        work, fires = handle.work, handle.fires
        tables = np.empty(graph.sizes[MAX_PATTERN_EDGES] + 1, np.int64)
        scratch = new_join_scratch(graph.sizes[MAX_PATTERN_EDGES] + 1, graph.sizes[MAX_PATTERN_STARS] + 1)
        for publication in range(publications):
            mask = fired_mask(batch.triples[publication + 1] - batch.triples[publication])
            count, probes = fire(graph, batch, publication, fired, mask)
            counters[publication, PROBED_PAIRS] += probes
            counters[publication, FIRED_EDGES] += count
            if publication % SAMPLING_INTERVAL == 0:
                fires[graph.sizes[EDGE_COUNT]] += 1
                for f in range(count):
                    fires[fired.edges[f]] += 1
            candidates, candidate_count = collect_candidates(access, fired, mask, count, candidates)
            indexed_by_end = False
            steps_left = limits.publication_steps
            for i in range(candidate_count):
                pattern = candidates[i]
                lookups, longest_table = _find_tables(patterns, pattern, fired, mask, tables)
                if longest_table == 0:
                    work[pattern] += lookups
                    continue
                counters[publication, CANDIDATE_PATTERNS] += 1
                if longest_table > MAX_SCANNED_ROWS and not indexed_by_end:
                    index_triples_by_end(batch, publication, by_end)
                    indexed_by_end = True
                every_row = patterns.about[pattern, PATTERN_FLAGS] & NEEDS_EVERY_ROW
                stars = np.int64(patterns.shape_sizes[patterns.about[pattern, PATTERN_SHAPE]])
                budget = max(min(limits.pattern_steps, steps_left), MIN_PATTERN_STEPS)
                while stars > rows.shape[0]:
                    rows = grown(rows)
                ended = JOIN_DONE
                if longest_table == 1:
                    solved, steps = join_single_rows(patterns, batch, pattern, fired, tables, scratch, rows)
                else:
                    limit = np.int64(-1) if every_row else np.int64(limits.rows + 1)
                    while True:
                        solved, steps, ended = join(
                            graph, patterns, batch, publication, pattern, fired, tables, by_end, limit, budget, scratch,
                            rows,
                        )  # fmt: skip
                        if ended != JOIN_ROWS_FULL:
                            break
                        rows = grown(rows)
                counters[publication, JOINED_ROWS] += solved
                first = patterns.about[pattern, PATTERN_FIRST_MEMBER]
                last = patterns.about[pattern + 1, PATTERN_FIRST_MEMBER]
                size = np.int64(last - first)
                if size > selected.shape[0]:
                    selected, emitted = np.empty(2 * size, np.int32), np.empty(2 * size, np.int64)
                member_row_limit = np.int64(-1)
                if every_row and solved > 1:  # some entries need every row, the others only so many
                    member_row_limit = np.int64(limits.rows + 1)
                    for j in range(size):
                        emitted[j] = 0
                emit_steps = np.int64(0)
                for row in range(solved):
                    if emit_steps > budget:
                        ended = JOIN_OVER_BUDGET
                        break
                    while found + size > matches.slot.shape[0]:
                        matches = MatchColumns(
                            grown(matches.publication), grown(matches.slot), grown(matches.branch),
                            grown(matches.unsure), grown(matches.row_start),
                        )  # fmt: skip
                    while (keeps_values or every_row) and value_count + size * stars > values_out.shape[0]:
                        values_out = grown(values_out)
                    found, value_count, tests, unsure, more_steps = _emit_matches(
                        patterns, members, batch, values, alive, pattern, publication, rows, row * stars, stars,
                        member_row_limit, keeps_values, matches, found, values_out, value_count, selected, emitted,
                        tree_path,
                    )  # fmt: skip
                    counters[publication, TESTED_BOUNDS] += tests
                    unsure_count += unsure
                    emit_steps += more_steps
                steps += emit_steps
                work[pattern] += steps
                steps_left -= steps
                if ended == JOIN_OVER_BUDGET:
                    for member in range(first, last):
                        if 3 * exceeded_count == exceeded.shape[0]:
                            exceeded = grown(exceeded)
                        place = 3 * exceeded_count
                        exceeded[place], exceeded[place + 1] = publication, members.about[member, MEMBER_SLOT]
                        exceeded[place + 2] = steps
                        exceeded_count += 1
    ends, matches = _group_by_publication(matches, found, publications, addresses.shape[0])
    return SearchResult(
        ends,
        matches.slot[:found],
        matches.branch[:found],
        matches.unsure[:found],
        matches.row_start[:found],
        values_out[:value_count],
        exceeded[: 3 * exceeded_count].reshape((exceeded_count, 3)),
        counters,
        unsure_count,
    )
