"""Matching: a batch of publications against one segment.

    fire        stage 1 of the paper's Algorithm match: the edges of GM that a triple matches, with their rows
    candidates  the patterns that the fired edges give access to
    join        stage 2: the rows of a pattern's edges joined
    tell        the entries of a pattern whose bounds a joined row satisfies

Each step is counted; a pattern or publication that takes more steps than allowed is given up and reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.gm.kernels.bounds import bounded, tree_members
from gtopss.gm.kernels.compiled import compiled, inlined
from gtopss.gm.kernels.fire import CANDIDATES, JOINED, TESTED, candidates, fire, mask_for, room_to_fire, standing
from gtopss.gm.kernels.join import DONE, FEW, FULL, GIVEN_UP, chain, join, join_single, scratch_for
from gtopss.gm.kernels.layout import (
    CHECK,
    EVERY_ROW,
    FIRST_BOUND,
    FIRST_EDGE,
    FIRST_MEMBER,
    FLAGS,
    MOST_EDGES,
    MOST_STARS,
    SHAPE,
    SLOT,
    TREE,
    Marks,
)
from gtopss.gm.kernels.tables import grown
from gtopss.gm.kernels.terms import Ints, Longs

_FIRST = 1_000  # steps that no pattern is refused, whatever others took


class Limits(NamedTuple):
    rows: int  # wanted for each match; 0 if only the fact is
    pattern_work: int
    publication_work: int


class Told(NamedTuple):
    """Who is told of which row; the arrays have more room than is used."""

    publication: Ints
    entry: Ints
    row: Longs  # the first of its values in `rows`
    unsure: Marks  # 1 where Python must look at the row


class Found(NamedTuple):
    """What a batch matched in a segment."""

    publication: Ints
    entry: Ints
    row: Longs  # the first of its values in `rows`
    unsure: Marks  # 1 where Python must look at the row
    rows: Ints  # local numbers
    exceeded: Longs  # [n, 3]: publication, pattern, work
    counters: Longs  # [publication, 5]


@inlined
def _tell(
    patterns, members, values, alive, pattern, names, publication, rows, row, most, told, found, chosen, times, spots
):  # fmt: skip
    """Adds the pattern's entries that a row satisfies, none more than `most` times; gives how many were told by now,
    the tests, and the steps."""
    begin, end = patterns.about[pattern, FIRST_MEMBER], patterns.about[pattern + 1, FIRST_MEMBER]
    tree = patterns.about[pattern, TREE]
    held, hits, tests, steps = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    if tree >= 0:
        held = members.trees[tree, 1]
        hits = tree_members(members, tree, values, names, rows, row, spots, chosen)
    for j in range(hits + end - begin - held):
        entry = begin + chosen[j] if j < hits else begin + held + j - hits
        verdict = 1
        if members.about[entry + 1, FIRST_BOUND] > members.about[entry, FIRST_BOUND]:
            tests += 1
            verdict = bounded(members, entry, values, names, rows, row)
            if verdict == 0:
                continue
        if not alive[members.about[entry, SLOT]]:
            continue
        unsure = 1 if verdict == 2 or members.about[entry, FLAGS] & CHECK else 0
        steps += 1
        if most >= 0 and unsure == 0 and not members.about[entry, FLAGS] & EVERY_ROW:
            times[entry - begin] += 1
            if times[entry - begin] > most:
                continue
        told.publication[found], told.entry[found] = publication, entry
        told.row[found], told.unsure[found] = row, unsure
        found += 1
    return found, tests, tests + steps


@compiled
def search(held, batch, values, alive, limits):
    """Everything that the batch matches in a segment that is `held`; its counters are counted up.

    Arrays that are too small are replaced here, and only here: to take one back from another loop, each time that it
    ran, would cost more than most of them do.
    """
    graph, access, patterns, members = held.segment
    work, fires = held.work, held.fires
    publications = batch.triples.shape[0] - 1
    longest, most_names = np.int64(0), np.int64(0)
    for publication in range(publications):
        longest = max(longest, batch.triples[publication + 1] - batch.triples[publication])
        most_names = max(most_names, batch.locals[publication + 1] - batch.locals[publication])
    fired = room_to_fire(longest)
    chains = np.empty((4, max(longest, most_names) + 1), np.int64)
    reach, chosen, times = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64)
    spots = np.empty((4, 16), np.int64)
    tables = np.empty(graph.sizes[MOST_EDGES] + 1, np.int64)
    scratch = scratch_for(graph.sizes[MOST_EDGES] + 1, graph.sizes[MOST_STARS] + 1)
    told = Told(np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64), np.empty(64, np.uint8))
    rows, exceeded = np.empty(64, np.int32), np.empty(48, np.int64)
    counters = np.zeros((publications, 5), np.int64)
    found, at, over = 0, np.int64(0), 0
    for publication in range(publications):
        names = batch.locals[publication]
        mask = mask_for(batch.triples[publication + 1] - batch.triples[publication])
        count = fire(graph, batch, publication, fired, mask, counters)
        if publication % 16 == 0:  # a sample of the traffic is enough to learn from
            for f in range(count):
                fires[fired.edges[f]] += 1
        reach, reached = candidates(access, fired, mask, count, reach)
        chained = False
        left = limits.publication_work
        for i in range(reached):
            pattern = reach[i]
            first, last = patterns.about[pattern, FIRST_EDGE], patterns.about[pattern + 1, FIRST_EDGE]
            complete, longest_table = True, 1
            for k in range(last - first):
                f = standing(fired, mask, patterns.edges[first + k])
                if f < 0:
                    complete = False
                    work[pattern] += k + 1
                    break
                tables[k] = f
                longest_table = max(longest_table, fired.lengths[f])
            if not complete:
                continue
            counters[publication, CANDIDATES] += 1
            if longest_table > FEW and not chained:
                chain(batch, publication, chains)
                chained = True
            every = patterns.about[pattern, FLAGS] & EVERY_ROW
            stars = np.int64(patterns.shape_sizes[patterns.about[pattern, SHAPE]])
            budget = max(min(limits.pattern_work, left), _FIRST)
            while at + stars > rows.shape[0]:
                rows = grown(rows)
            ended, row = DONE, at
            if longest_table == 1:
                solved, steps = join_single(patterns, batch, pattern, fired, tables, scratch, rows, at)
            else:
                limit = np.int64(-1) if every else np.int64(limits.rows + 1)
                while True:
                    solved, steps, ended = join(
                        graph, patterns, batch, publication, pattern, fired, tables, chains, limit, budget, scratch,
                        rows, at,
                    )  # fmt: skip
                    if ended != FULL:
                        break
                    rows = grown(rows)
            at += solved * stars
            counters[publication, JOINED] += solved
            size = np.int64(patterns.about[pattern + 1, FIRST_MEMBER] - patterns.about[pattern, FIRST_MEMBER])
            if size > chosen.shape[0]:
                chosen, times = np.empty(2 * size, np.int32), np.empty(2 * size, np.int64)
            most = np.int64(-1)
            if every and solved > 1:  # some entries need every row, the others only so many
                most = np.int64(limits.rows + 1)
                for j in range(size):
                    times[j] = 0
            tells = np.int64(0)
            for _ in range(solved):
                if tells > budget:
                    ended = GIVEN_UP
                    break
                while found + size > told.entry.shape[0]:
                    told = Told(grown(told.publication), grown(told.entry), grown(told.row), grown(told.unsure))
                found, tests, took = _tell(
                    patterns, members, values, alive, pattern, names, publication, rows, row, most, told, found, chosen,
                    times, spots,
                )  # fmt: skip
                counters[publication, TESTED] += tests
                tells += took
                row += stars
            steps += tells
            work[pattern] += steps
            left -= steps
            if ended == GIVEN_UP:
                if 3 * over == exceeded.shape[0]:
                    exceeded = grown(exceeded)
                exceeded[3 * over], exceeded[3 * over + 1], exceeded[3 * over + 2] = publication, pattern, steps
                over += 1
    return Found(
        told.publication[:found],
        told.entry[:found],
        told.row[:found],
        told.unsure[:found],
        rows[:at],
        exceeded[: 3 * over].reshape((over, 3)),
        counters,
    )
