"""Matching: a batch of publications against one segment.

    fire        stage 1 of the paper's Algorithm match: the edges of GM that a triple matches, with their rows
    candidates  the patterns that the fired edges give access to
    join        stage 2: the rows of a pattern's edges joined, by backtracking from the shortest table
    tell        the entries of a pattern whose bounds a joined row satisfies

Each step is counted; a pattern or publication that takes more steps than allowed is given up and reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.gm.kernels.build import pair_hash, spread
from gtopss.gm.kernels.compiled import compiled
from gtopss.gm.kernels.is_a import RELATIONS
from gtopss.gm.kernels.layout import (
    CHECK,
    EVERY_ROW,
    FANOUT,
    KINDS,
    LOOP,
    LOOP_PAIR,
    MOST_EDGES,
    MOST_STARS,
    STAR,
    STAR_PAIR,
    Marks,
    Reals,
    Signs,
)
from gtopss.gm.kernels.terms import Ints, Longs

_VIRTUAL = len(RELATIONS)
_FIRST = 1_000  # steps that no pattern is refused, whatever others took
_FEW = 8  # rows: below it a table is walked, above it the triples of a bound end are
_ZONES = 50_401.0  # seconds: two moments of which one lacks a time zone may be so far off (14 hours)

PROBED, FIRED, CANDIDATES, JOINED, TESTED = range(5)


class Values(NamedTuple):
    """What the batch's terms are worth, for bounds (`thresholds.py`); empty where no entry has any."""

    domain: Signs  # local number, over the whole batch -> domain or -1
    low: Reals
    high: Reals


class Limits(NamedTuple):
    rows: int  # wanted for each match; 0 if only the fact is
    pattern_work: int
    publication_work: int


class Found(NamedTuple):
    """What a batch matched in a segment."""

    publication: Ints
    entry: Ints
    row: Longs  # the first of its values in `rows`
    unsure: Marks  # 1 where Python must look at the row
    rows: Ints  # local numbers
    exceeded: Longs  # [n, 3]: publication, pattern, work
    counters: Longs  # [publication, 5]


@compiled
def _pair(graph, tail, head):
    mask = np.int64(graph.pair_slots.shape[0] - 1)
    i = pair_hash(np.int32(tail), np.int32(head)) & mask
    while graph.pair_slots[i] != 0:
        v = graph.pair_slots[i] - 1
        if graph.pair_tail[v] == tail and graph.pair_head[v] == head:
            return v
        i = (i + 1) & mask
    return -1


@compiled
def _child(access, edge, second):
    mask = np.int64(access.child_keys.shape[0] - 1)
    key = ((np.int64(edge) << 32) | np.int64(second)) + 1
    i = spread(edge, second) & mask
    while access.child_keys[i] != 0:
        if access.child_keys[i] == key:
            return access.child_slots[i]
        i = (i + 1) & mask
    return -1


@compiled
def _label(graph, first, last, label):
    """The edge with this label among those from `first` to `last`; -1 if there is none."""
    end = last
    while first < end:
        middle = (first + end) >> 1
        if graph.labels[middle] < label:
            first = middle + 1
        else:
            end = middle
    return first if first < last and graph.labels[first] == label else -1


@compiled
def _fired(table, mask, edges, edge):
    """Where the edge stands among those that fired; where it would stand in the table, negative, if it did not."""
    i = (np.int64(edge) * np.int64(-7046029254386353131) >> 32) & mask
    while table[i] != 0:
        if edges[table[i] - 1] == edge:
            return np.int64(table[i] - 1)
        i = (i + 1) & mask
    return -1 - i


@compiled
def _grown(array):
    larger = np.empty(2 * array.shape[0], array.dtype)
    for i in range(array.shape[0]):
        larger[i] = array[i]
    return larger


@compiled
def _fire(graph, batch, publication, table, mask, edges, heads, lengths, nexts, triples, counters):
    """Fills the fired edges and, as linked lists, their rows; gives the number of edges."""
    names = batch.locals[publication]
    kinds, star_pair, loop_pair = graph.sizes[KINDS], graph.sizes[STAR_PAIR], graph.sizes[LOOP_PAIR]
    count, rows, probes = 0, 0, 0
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        tail, label = batch.known[names + batch.subject[t]], batch.known[names + batch.property[t]]
        head = batch.known[names + batch.object[t]]
        named = label >= _VIRTUAL or label < 0
        for kind in range(5):
            if kind == 0:
                v = star_pair
            elif kind == 1:
                v = _pair(graph, np.int32(STAR), head) if kinds & 1 and head >= 0 else -1
            elif kind == 2:
                v = _pair(graph, tail, np.int32(STAR)) if kinds & 2 and tail >= 0 else -1
            elif kind == 3:
                v = _pair(graph, tail, head) if kinds & 4 and tail >= 0 and head >= 0 else -1
            else:
                v = loop_pair if batch.subject[t] == batch.object[t] else -1
            if v < 0:
                continue
            probes += 1
            first, last = graph.label_starts[v], graph.label_starts[v + 1]
            for which in range(2):
                if which == 0:
                    if graph.labels[first] != STAR:
                        continue
                    edge = first
                    first += 1
                    if not named:
                        continue
                else:
                    edge = _label(graph, first, last, label) if label >= 0 else -1
                    if edge < 0:
                        continue
                f = _fired(table, mask, edges, edge)
                if f < 0:
                    table[-1 - f] = count + 1
                    edges[count], heads[count], lengths[count] = edge, -1, 0
                    f = count
                    count += 1
                triples[rows], nexts[rows] = t, heads[f]
                heads[f] = rows
                lengths[f] += 1
                rows += 1
    counters[publication, PROBED] += probes
    counters[publication, FIRED] += count
    return count


@compiled
def _candidates(access, table, mask, edges, count, reach):
    """The patterns within reach; each is listed once, under its own edge or pair of edges."""
    found = 0
    for f in range(count):
        e = edges[f]
        for i in range(access.direct_starts[e], access.direct_starts[e + 1]):
            guard = access.direct_guard[i]
            if guard >= 0 and _fired(table, mask, edges, guard) < 0:
                continue
            if found == reach.shape[0]:
                reach = _grown(reach)
            reach[found] = access.direct[i]
            found += 1
        first, last = access.child_starts[e], access.child_starts[e + 1]
        walk = last - first <= count
        for k in range(last - first if walk else count):
            if walk:
                c = first + k
                if _fired(table, mask, edges, access.child_edge[c]) < 0:
                    continue
            else:
                if not access.second[edges[k]] or access.rank[edges[k]] <= access.rank[e]:
                    continue
                c = _child(access, e, edges[k])
                if c < 0:
                    continue
            for i in range(access.grand_starts[c], access.grand_starts[c + 1]):
                guard = access.grand_guard[i]
                if guard >= 0 and _fired(table, mask, edges, guard) < 0:
                    continue
                if found == reach.shape[0]:
                    reach = _grown(reach)
                reach[found] = access.grand[i]
                found += 1
    return reach, found


@compiled
def _order(patterns, shape, fired, size, lengths, order, bound):
    """Which edge is joined when: the shortest table first, then always one that shares a star, the shortest again."""
    first = patterns.shape_starts[shape]
    for i in range(size):
        order[i] = i
    if size > 64:  # a plan would cost more than it saves
        return
    bound[: patterns.shape_sizes[shape]] = 0
    for i in range(size):
        best, best_tied = -1, False
        for j in range(i, size):
            k = order[j]
            tied = False
            for part in range(3):
                star = patterns.shape_stars[first + k, part]
                tied |= star >= 0 and bound[star] != 0
            if (
                best < 0
                or (tied and not best_tied)
                or (tied == best_tied and lengths[fired[k]] < lengths[fired[order[best]]])
            ):
                best, best_tied = j, tied
        order[i], order[best] = order[best], order[i]
        for part in range(3):
            star = patterns.shape_stars[first + order[i], part]
            if star >= 0:
                bound[star] = 1


@compiled
def _fits(graph, batch, names, edge, t):
    """Whether a triple matches an edge of GM: what stage 1 finds by probing."""
    v = graph.edge_pair[edge]
    tail, head, label = graph.pair_tail[v], graph.pair_head[v], graph.labels[edge]
    if tail == LOOP:
        if batch.subject[t] != batch.object[t]:
            return False
    else:
        if tail >= 0 and batch.known[names + batch.subject[t]] != tail:
            return False
        if head >= 0 and batch.known[names + batch.object[t]] != head:
            return False
    known = batch.known[names + batch.property[t]]
    return known == label if label >= 0 else (known < 0 or known >= _VIRTUAL)


@compiled
def _join(
    graph,
    patterns,
    batch,
    publication,
    pattern,
    fired,
    edges,
    heads,
    lengths,
    nexts,
    triples,
    chains,
    limit,
    budget,
    scratch,
    rows,
    at,
):
    """Appends the pattern's rows from `at` on, at most `limit`; gives the rows, their number, the steps
    that it took, and whether it was given up."""
    order, cursor, mode, fresh, value, bound = scratch
    shape = patterns.shape[pattern]
    size = patterns.starts[pattern + 1] - patterns.starts[pattern]
    stars = np.int64(patterns.shape_sizes[shape])
    first, names = patterns.shape_starts[shape], batch.locals[publication]
    if size > 1:
        _order(patterns, shape, fired, size, lengths, order, bound)
    else:
        order[0] = 0
    value[:stars] = -1
    level, steps, found = 0, np.int64(0), np.int64(0)
    cursor[0], mode[0] = heads[fired[order[0]]], 0
    while level >= 0:
        k = order[level]
        edge = edges[fired[k]]
        place = first + k
        s, p, o = patterns.shape_stars[place, 0], patterns.shape_stars[place, 1], patterns.shape_stars[place, 2]
        if fresh[level] & 1:  # undo what the last row of this level bound
            value[s] = -1
        if fresh[level] & 2:
            value[p] = -1
        if fresh[level] & 4:
            value[o] = -1
        fresh[level] = 0
        if cursor[level] < 0:
            level -= 1
            continue
        steps += 1
        if steps > budget:
            fresh[:size] = 0
            return rows, found, steps, True
        if mode[level] == 0:
            t = np.int64(triples[cursor[level]])
            cursor[level] = nexts[cursor[level]]
        else:
            t = np.int64(cursor[level])
            cursor[level] = chains[mode[level] + 1, t - batch.triples[publication]]
            if not _fits(graph, batch, names, edge, t):
                continue
        a, b, c = batch.subject[t], batch.property[t], batch.object[t]
        made = 0
        if s >= 0:
            if value[s] < 0:
                value[s] = a
                made |= 1
            elif value[s] != a:
                continue
        good = True
        if p >= 0:
            if value[p] < 0:
                value[p] = b
                made |= 2
            elif value[p] != b:
                good = False
        if good and o >= 0:
            if value[o] < 0:
                value[o] = c
                made |= 4
            elif value[o] != c:
                good = False
        fresh[level] = made
        if not good:
            continue
        if level + 1 == size:
            while at + stars > rows.shape[0]:
                rows = _grown(rows)
            for star in range(stars):
                rows[at + star] = value[star]
            at += stars
            found += 1
            if found == limit:
                fresh[:size] = 0
                return rows, found, steps, False
            continue
        level += 1
        k = order[level]
        cursor[level], mode[level] = heads[fired[k]], 0
        if lengths[fired[k]] > _FEW:
            s, o = patterns.shape_stars[first + k, 0], patterns.shape_stars[first + k, 2]
            if s >= 0 and value[s] >= 0:
                cursor[level], mode[level] = chains[0, value[s]], 1
            elif o >= 0 and value[o] >= 0:
                cursor[level], mode[level] = chains[1, value[o]], 2
    return rows, found, steps, False


@compiled
def _chain(batch, publication, chains):
    """For each local number its triples as a subject (0, 2) and as an object (1, 3): heads, then nexts."""
    start, end = batch.triples[publication], batch.triples[publication + 1]
    names = batch.locals[publication + 1] - batch.locals[publication]
    chains[0, :names] = -1
    chains[1, :names] = -1
    for t in range(end - 1, start - 1, -1):
        s, o = batch.subject[t], batch.object[t]
        chains[2, t - start], chains[0, s] = chains[0, s], t
        chains[3, t - start], chains[1, o] = chains[1, o], t


@compiled
def _holds(domain, low, high, kind, strict, begin, end, side):
    """Whether a value is above (side 0) or below (side 2) a threshold: 0 no, 1 yes, 2 too near to tell here."""
    if domain < 0 or domain >> 1 != kind >> 1:
        return 0
    exact = low == high and begin == end
    if domain != kind:
        low -= _ZONES
        high += _ZONES
        exact = False
    if side == 2:
        low, high, begin, end = -high, -low, -end, -begin
    if low > end:
        return 1
    if high < begin:
        return 0
    if exact:
        return 0 if strict else 1
    return 2


@compiled
def _bounded(members, entry, values, names, rows, row):
    """Whether a row satisfies an entry's bounds: 0 no, 1 yes, 2 Python must say."""
    verdict = 1
    for b in range(members.bound_starts[entry], members.bound_starts[entry + 1]):
        x = names + rows[row + members.bound_star[b]]
        domain, low, high = values.domain[x], values.low[x], values.high[x]
        for side in range(0, 4, 2):
            kind, strict = members.bound_kinds[b, side], members.bound_kinds[b, side + 1]
            if kind < 0:
                continue
            held = _holds(domain, low, high, kind, strict, members.bounds[b, side], members.bounds[b, side + 1], side)
            if held == 0:
                return 0
            if held == 2:
                verdict = 2
    return verdict


@compiled
def _tree_members(members, tree, domain, low, high, chosen):
    """The members of a pattern, counted from its first, whose low end is not above the value nor its high end below."""
    start, held = members.trees[tree, 0], members.trees[tree, 1]
    if domain >= 2:  # moments, some of which may lack a time zone
        low -= 2 * _ZONES
        high += 2 * _ZONES
    first, end = np.int64(0), held
    while first < end:
        middle = (first + end) >> 1
        if members.tree[start + middle] <= high:
            first = middle + 1
        else:
            end = middle
    reach = first
    levels = np.empty(16, np.int64)  # where each level begins
    sizes = np.empty(16, np.int64)
    levels[0], sizes[0], top = start + held, held, 0
    while sizes[top] > FANOUT:
        levels[top + 1], sizes[top + 1] = levels[top] + sizes[top], (sizes[top] + FANOUT - 1) // FANOUT
        top += 1
    stack_level, stack_node = np.empty(16 * (FANOUT + 1), np.int64), np.empty(16 * (FANOUT + 1), np.int64)
    depth = 0
    for node in range(sizes[top] - 1, -1, -1):
        stack_level[depth], stack_node[depth] = top, node
        depth += 1
    found = 0
    while depth > 0:
        depth -= 1
        level, node = stack_level[depth], stack_node[depth]
        width = np.int64(1)
        for _ in range(level):
            width *= FANOUT
        if node * width >= reach or members.tree[levels[level] + node] < low:
            continue
        if level == 0:
            if found == chosen.shape[0]:
                chosen = _grown(chosen)
            chosen[found] = node
            found += 1
            continue
        for child in range(min((node + 1) * FANOUT, sizes[level - 1]) - 1, node * FANOUT - 1, -1):
            stack_level[depth], stack_node[depth] = level - 1, child
            depth += 1
    return chosen, found


@compiled
def search(segment, batch, values, alive, work, fires, limits):
    """Everything that the batch matches. `work` (per pattern) and `fires` (per edge) are counted up."""
    graph, access, patterns, members = segment
    publications = batch.triples.shape[0] - 1
    longest, most_names = np.int64(0), np.int64(0)
    for publication in range(publications):
        longest = max(longest, batch.triples[publication + 1] - batch.triples[publication])
        most_names = max(most_names, batch.locals[publication + 1] - batch.locals[publication])
    room = 10 * longest
    size = 16
    while size < 2 * room:
        size *= 2
    table = np.zeros(size, np.int32)
    edges, heads, lengths = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    nexts, triples = np.empty(room, np.int32), np.empty(room, np.int32)
    chains = np.empty((4, max(longest, most_names) + 1), np.int64)
    reach, chosen = np.empty(64, np.int32), np.empty(64, np.int32)
    most = graph.sizes[MOST_EDGES] + 1
    fired = np.empty(most, np.int64)
    scratch = (
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.zeros(most, np.int64),
        np.empty(graph.sizes[MOST_STARS] + 1, np.int32),
        np.empty(graph.sizes[MOST_STARS] + 1, np.int64),
    )
    out_publication, out_entry, out_row = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64)
    out_unsure = np.empty(64, np.uint8)
    rows, exceeded = np.empty(64, np.int32), np.empty((16, 3), np.int64)
    counters = np.zeros((publications, 5), np.int64)
    found, at, over = 0, np.int64(0), 0
    for publication in range(publications):
        names = batch.locals[publication]
        size = 16
        while size < 20 * (batch.triples[publication + 1] - batch.triples[publication]):
            size *= 2
        mask = np.int64(size - 1)
        table[:size] = 0
        count = _fire(graph, batch, publication, table, mask, edges, heads, lengths, nexts, triples, counters)
        if publication % 16 == 0:  # a sample of the traffic is enough to learn from
            for f in range(count):
                fires[edges[f]] += 1
        reach, reached = _candidates(access, table, mask, edges, count, reach)
        chained = False
        left = limits.publication_work
        for i in range(reached):
            pattern = reach[i]
            begin, end = patterns.starts[pattern], patterns.starts[pattern + 1]
            complete, long = True, False
            for k in range(end - begin):
                f = _fired(table, mask, edges, patterns.edges[begin + k])
                if f < 0:
                    complete = False
                    work[pattern] += k + 1
                    break
                fired[k] = f
                long |= lengths[f] > _FEW
            if not complete:
                continue
            counters[publication, CANDIDATES] += 1
            if long and not chained:
                _chain(batch, publication, chains)
                chained = True
            every = patterns.flags[pattern] & EVERY_ROW
            limit = np.int64(-1) if every else np.int64(limits.rows + 1)
            row = at
            budget = max(min(limits.pattern_work, left), _FIRST)
            rows, solved, steps, given_up = _join(
                graph,
                patterns,
                batch,
                publication,
                pattern,
                fired,
                edges,
                heads,
                lengths,
                nexts,
                triples,
                chains,
                limit,
                budget,
                scratch,
                rows,
                at,
            )
            stars = np.int64(patterns.shape_sizes[patterns.shape[pattern]])
            at += solved * stars
            counters[publication, JOINED] += solved
            begin, end = patterns.member_starts[pattern], patterns.member_starts[pattern + 1]
            tree = patterns.tree[pattern]
            held = np.int64(0)
            told = np.zeros(end - begin if every and solved > 1 else 0, np.int64)
            tells = np.int64(0)
            for _ in range(solved):
                if tells > budget:
                    given_up = True
                    break
                hits = np.int64(0)
                if tree >= 0:
                    held = members.trees[tree, 1]
                    x = names + rows[row + members.trees[tree, 2]]
                    if values.domain[x] >= 0:
                        chosen, hits = _tree_members(
                            members, tree, values.domain[x], values.low[x], values.high[x], chosen
                        )
                for j in range(hits + end - begin - held):
                    entry = begin + chosen[j] if j < hits else begin + held + j - hits
                    if not alive[members.slot[entry]]:
                        continue
                    verdict = 1
                    if members.bound_starts[entry + 1] > members.bound_starts[entry]:
                        counters[publication, TESTED] += 1
                        tells += 1
                        verdict = _bounded(members, entry, values, names, rows, row)
                        if verdict == 0:
                            continue
                    unsure = 1 if verdict == 2 or members.flags[entry] & CHECK else 0
                    tells += 1
                    if told.shape[0] > 0 and unsure == 0 and not members.flags[entry] & EVERY_ROW:
                        told[entry - begin] += 1
                        if told[entry - begin] > limits.rows + 1:
                            continue
                    if found == out_entry.shape[0]:
                        out_publication, out_entry = _grown(out_publication), _grown(out_entry)
                        out_row, out_unsure = _grown(out_row), _grown(out_unsure)
                    out_publication[found], out_entry[found] = publication, entry
                    out_row[found], out_unsure[found] = row, unsure
                    found += 1
                row += stars
            steps += tells
            work[pattern] += steps
            left -= steps
            if given_up:
                if over == exceeded.shape[0]:
                    larger = np.empty((2 * over, 3), np.int64)
                    for k in range(over):
                        for part in range(3):
                            larger[k, part] = exceeded[k, part]
                    exceeded = larger
                exceeded[over, 0], exceeded[over, 1], exceeded[over, 2] = publication, pattern, steps
                over += 1
    return Found(
        out_publication[:found],
        out_entry[:found],
        out_row[:found],
        out_unsure[:found],
        rows[:at],
        exceeded[:over],
        counters,
    )
