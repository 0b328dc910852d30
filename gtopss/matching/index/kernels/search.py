"""Matching: a batch of publications against all segments.

    fire        stage 1 of the paper's Algorithm match: the edges of GM that a triple matches, with their rows
    candidates  the patterns that the fired edges give access to
    join        stage 2: the rows of a pattern's edges joined
    tell        the entries of a pattern whose bounds a joined row satisfies, each with its values of the row

Each step is counted; a pattern or publication that takes more steps than allowed is given up and reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import bounded, tree_members
from gtopss.matching.index.kernels.fire import (
    CANDIDATES,
    JOINED,
    TESTED,
    candidates,
    fire,
    mask_for,
    room_to_fire,
    standing,
)
from gtopss.matching.index.kernels.hash_tables import grown
from gtopss.matching.index.kernels.join import DONE, FEW, FULL, GIVEN_UP, chain, join, join_single, scratch_for
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
)
from gtopss.matching.index.kernels.segment_handle import held_at

_FIRST = 1_000  # steps that no pattern is refused, whatever others took


class SearchLimits(NamedTuple):
    rows: int  # wanted for each match; 0 if only the fact is
    pattern_work: int
    publication_work: int


class Told(NamedTuple):
    """Who is told of which row; the arrays have more room than is used."""

    publication: Int32Array
    slot: Int32Array
    branch: Int16Array
    unsure: UInt8Array  # 1 where Python must look at the row
    row: Int64Array  # the first of its values; -1 where nobody will look at them


class SearchResult(NamedTuple):
    """What a batch matched, publication by publication."""

    ends: Int64Array  # publication -> where its matches end
    slot: Int32Array
    branch: Int16Array
    unsure: UInt8Array
    row_start: Int64Array
    values: Int32Array  # lines of the batch's text, in the order of a branch's variables
    exceeded: Int64Array  # [n, 3]: publication, slot, work
    counters: Int64Array  # [publication, 5]
    unsure_count: int  # how many are unsure


@inlined
def _standing_all(patterns, pattern, fired, mask, tables):
    """Where a pattern's edges stand among those that fired, in `tables`: how many were looked at, the last of which did
    not fire if the longest table, which is given too, is 0."""
    first, last = patterns.about[pattern, PATTERN_FIRST_EDGE], patterns.about[pattern + 1, PATTERN_FIRST_EDGE]
    longest = np.int64(1)
    for k in range(last - first):
        f = standing(fired, mask, patterns.edges[first + k])
        if f < 0:
            return np.int64(k + 1), np.int64(0)
        tables[k] = f
        longest = max(longest, np.int64(fired.lengths[f]))
    return np.int64(last - first), longest


@inlined
def _tell(
    patterns, members, batch, values, alive, pattern, publication, rows, row, stars, most, wanted, told, found, lines,
    filled, chosen, times, spots,
):  # fmt: skip
    """Adds the pattern's entries that a row satisfies, none more than `most` times; gives how many were told by now,
    the lines filled, the tests, the doubts and the steps."""
    names = batch.locals[publication]
    begin, end = patterns.about[pattern, PATTERN_FIRST_MEMBER], patterns.about[pattern + 1, PATTERN_FIRST_MEMBER]
    tree = patterns.about[pattern, PATTERN_TREE]
    held, hits, tests, doubts, steps = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if tree >= 0:
        held = members.trees[tree, 1]
        if values.domain.shape[0] > 0:  # else nobody who is alive has bounds
            hits = tree_members(members, tree, values, names, rows, row, spots, chosen)
    for j in range(hits + end - begin - held):
        entry = begin + chosen[j] if j < hits else begin + held + j - hits
        slot, flags = members.about[entry, MEMBER_SLOT], members.about[entry, MEMBER_FLAGS]
        if not alive[slot]:
            continue
        verdict = 1
        if members.about[entry + 1, MEMBER_FIRST_BOUND] > members.about[entry, MEMBER_FIRST_BOUND]:
            tests += 1
            verdict = bounded(members, entry, values, names, rows, row)
            if verdict == 0:
                continue
        unsure = 1 if verdict == 2 or flags & CHECK_IN_PYTHON else 0
        steps += 1
        if most >= 0 and unsure == 0 and not flags & NEEDS_EVERY_ROW:
            times[entry - begin] += 1
            if times[entry - begin] > most:
                continue
        told.publication[found], told.slot[found] = publication, slot
        told.branch[found] = members.about[entry, MEMBER_BRANCH]
        told.unsure[found], told.row[found] = unsure, -1
        if wanted or unsure or flags & NEEDS_EVERY_ROW:
            told.row[found] = filled
            first = members.about[entry, MEMBER_FIRST_STAR]
            for k in range(stars):
                lines[filled + k] = batch.first[names + rows[row + members.stars[first + k]]]
            filled += stars
        doubts += unsure
        found += 1
    return found, filled, tests, doubts, tests + steps


@inlined
def _by_publication(told, found, publications, segments):
    """What was told, publication by publication, and where each one's ends; one segment alone tells in that order."""
    ends = np.zeros(publications, np.int64)
    for i in range(found):
        ends[told.publication[i]] += 1
    for publication in range(1, publications):
        ends[publication] += ends[publication - 1]
    if segments == 1:
        return ends, told
    made = Told(
        told.publication, np.empty(found, np.int32), np.empty(found, np.int16), np.empty(found, np.uint8),
        np.empty(found, np.int64),
    )  # fmt: skip
    at = ends.copy()
    for i in range(found - 1, -1, -1):
        at[told.publication[i]] -= 1
        place = at[told.publication[i]]
        made.slot[place], made.branch[place] = told.slot[i], told.branch[i]
        made.unsure[place], made.row[place] = told.unsure[i], told.row[i]
    return ends, made


@compiled
def search(addresses, like, batch, values, alive, limits):
    """Everything that the batch matches in the segments that are `held_at` these addresses; `like` is one of them.
    Their counters are counted up.

    Arrays that are too small are replaced here, and only here: to take one back from another loop, each time that it
    ran, would cost more than most of them do.
    """
    publications = batch.triples.shape[0] - 1
    longest, most_names = np.int64(0), np.int64(0)
    for publication in range(publications):
        longest = max(longest, batch.triples[publication + 1] - batch.triples[publication])
        most_names = max(most_names, batch.locals[publication + 1] - batch.locals[publication])
    fired = room_to_fire(longest)
    chains = np.empty((4, max(longest, most_names) + 1), np.int64)
    reach, chosen, times = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64)
    spots = np.empty((4, 16), np.int64)
    told = Told(
        np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int16), np.empty(64, np.uint8),
        np.empty(64, np.int64),
    )  # fmt: skip
    rows, lines, exceeded = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(48, np.int64)
    counters = np.zeros((publications, 5), np.int64)
    found, filled, over, doubts = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    wanted = limits.rows > 0
    for address in addresses:
        held = held_at(address, like)
        graph, access, patterns, members = held.segment
        work, fires = held.work, held.fires
        tables = np.empty(graph.sizes[MAX_PATTERN_EDGES] + 1, np.int64)
        scratch = scratch_for(graph.sizes[MAX_PATTERN_EDGES] + 1, graph.sizes[MAX_PATTERN_STARS] + 1)
        for publication in range(publications):
            mask = mask_for(batch.triples[publication + 1] - batch.triples[publication])
            count = fire(graph, batch, publication, fired, mask, counters)
            if publication % 16 == 0:  # a sample of the traffic is enough to learn from
                fires[graph.sizes[EDGE_COUNT]] += 1
                for f in range(count):
                    fires[fired.edges[f]] += 1
            reach, reached = candidates(access, fired, mask, count, reach)
            chained = False
            left = limits.publication_work
            for i in range(reached):
                pattern = reach[i]
                looks, longest_table = _standing_all(patterns, pattern, fired, mask, tables)
                if longest_table == 0:
                    work[pattern] += looks
                    continue
                counters[publication, CANDIDATES] += 1
                if longest_table > FEW and not chained:
                    chain(batch, publication, chains)
                    chained = True
                every = patterns.about[pattern, PATTERN_FLAGS] & NEEDS_EVERY_ROW
                stars = np.int64(patterns.shape_sizes[patterns.about[pattern, PATTERN_SHAPE]])
                budget = max(min(limits.pattern_work, left), _FIRST)
                while stars > rows.shape[0]:
                    rows = grown(rows)
                ended = DONE
                if longest_table == 1:
                    solved, steps = join_single(patterns, batch, pattern, fired, tables, scratch, rows)
                else:
                    limit = np.int64(-1) if every else np.int64(limits.rows + 1)
                    while True:
                        solved, steps, ended = join(
                            graph, patterns, batch, publication, pattern, fired, tables, chains, limit, budget, scratch,
                            rows,
                        )  # fmt: skip
                        if ended != FULL:
                            break
                        rows = grown(rows)
                counters[publication, JOINED] += solved
                first = patterns.about[pattern, PATTERN_FIRST_MEMBER]
                last = patterns.about[pattern + 1, PATTERN_FIRST_MEMBER]
                size = np.int64(last - first)
                if size > chosen.shape[0]:
                    chosen, times = np.empty(2 * size, np.int32), np.empty(2 * size, np.int64)
                most = np.int64(-1)
                if every and solved > 1:  # some entries need every row, the others only so many
                    most = np.int64(limits.rows + 1)
                    for j in range(size):
                        times[j] = 0
                tells = np.int64(0)
                for row in range(solved):
                    if tells > budget:
                        ended = GIVEN_UP
                        break
                    while found + size > told.slot.shape[0]:
                        told = Told(
                            grown(told.publication), grown(told.slot), grown(told.branch), grown(told.unsure),
                            grown(told.row),
                        )  # fmt: skip
                    while (wanted or every) and filled + size * stars > lines.shape[0]:
                        lines = grown(lines)
                    found, filled, tests, unsure, took = _tell(
                        patterns, members, batch, values, alive, pattern, publication, rows, row * stars, stars, most,
                        wanted, told, found, lines, filled, chosen, times, spots,
                    )  # fmt: skip
                    counters[publication, TESTED] += tests
                    doubts += unsure
                    tells += took
                steps += tells
                work[pattern] += steps
                left -= steps
                if ended == GIVEN_UP:
                    for member in range(first, last):
                        if 3 * over == exceeded.shape[0]:
                            exceeded = grown(exceeded)
                        exceeded[3 * over], exceeded[3 * over + 1] = publication, members.about[member, MEMBER_SLOT]
                        exceeded[3 * over + 2] = steps
                        over += 1
    ends, told = _by_publication(told, found, publications, addresses.shape[0])
    return SearchResult(
        ends,
        told.slot[:found],
        told.branch[:found],
        told.unsure[:found],
        told.row[:found],
        lines[:filled],
        exceeded[: 3 * over].reshape((over, 3)),
        counters,
        doubts,
    )
