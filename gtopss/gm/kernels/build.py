"""Entries become a segment. The same loops serve a buffer of three subscriptions and a merge of a million."""

from __future__ import annotations

import numpy as np

from gtopss.gm.kernels.compiled import compiled
from gtopss.gm.kernels.layout import (
    EDGES,
    ENTRIES,
    EVERY_ROW,
    FANOUT,
    KINDS,
    LOOP,
    LOOP_PAIR,
    MOST_EDGES,
    MOST_STARS,
    PAIRS,
    PATTERNS,
    SIZES,
    STAR,
    STAR_PAIR,
    Access,
    Graph,
    Members,
    Patterns,
    Segment,
)
from gtopss.gm.kernels.sort import line_up, ranked
from gtopss.gm.kernels.stars import mixed

SPLIT = 8
"""An access list longer than this is split by a second edge: below it, walking is as fast."""
TREE = 16
"""A pattern with more bounded members than this finds them by a tree instead of asking each."""
TRUST = 1_000.0
"""How many publications of traffic weigh as much as the guess that what many subscribe to is often published."""


@compiled
def pair_hash(tail, head):
    return np.int64(mixed(np.uint64(np.uint32(tail)), np.uint64(np.uint32(head))) >> np.uint64(1))


@compiled
def spread(edge, second):
    """A pair of edges as a place in a table; cheaper than `pair_hash`, for it is asked far more often."""
    h = np.uint64(edge) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second) * np.uint64(0xD6E8FEB86659FD93)
    return np.int64((h ^ (h >> np.uint64(32))) >> np.uint64(1))


@compiled
def _room(count):
    """A table's size: a power of two, at most half full."""
    size = 4
    while size < 2 * count:
        size *= 2
    return size


@compiled
def _number_edges(edges):
    """The distinct edges, numbered pair by pair and label by label."""
    m = edges.shape[0]
    number = np.empty(m, np.int32)
    tails, heads, labels = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, np.int32)
    slots = np.zeros(_room(m), np.int32)
    mask = np.int64(slots.shape[0] - 1)
    count = 0
    for e in range(m):
        s, p, o = edges[e, 0], edges[e, 1], edges[e, 2]
        if s < 0 and s == o:
            tail, head = np.int32(LOOP), np.int32(LOOP)
        else:
            tail, head = np.int32(max(s, STAR)), np.int32(max(o, STAR))
        label = np.int32(max(p, STAR))
        i = np.int64(mixed(np.uint64(pair_hash(tail, head)), np.uint64(np.uint32(label))) >> np.uint64(1)) & mask
        while slots[i] != 0:
            k = slots[i] - 1
            if tails[k] == tail and heads[k] == head and labels[k] == label:
                break
            i = (i + 1) & mask
        if slots[i] == 0:
            tails[count], heads[count], labels[count] = tail, head, label
            count += 1
            slots[i] = count
        number[e] = slots[i] - 1
    pair_slots = np.zeros(_room(count), np.int32)
    mask = np.int64(pair_slots.shape[0] - 1)
    pair_tail, pair_head = np.empty(count, np.int32), np.empty(count, np.int32)
    keys = np.empty(count, np.int64)
    pairs = 0
    for k in range(count):
        i = pair_hash(tails[k], heads[k]) & mask
        while pair_slots[i] != 0:
            v = pair_slots[i] - 1
            if pair_tail[v] == tails[k] and pair_head[v] == heads[k]:
                break
            i = (i + 1) & mask
        if pair_slots[i] == 0:
            pair_tail[pairs], pair_head[pairs] = tails[k], heads[k]
            pairs += 1
            pair_slots[i] = pairs
        keys[k] = (np.int64(pair_slots[i] - 1) << 32) | np.int64(labels[k] + 1)
    order = ranked(keys)
    place = np.empty(count, np.int32)
    sorted_labels, edge_pair = np.empty(count, np.int32), np.empty(count, np.int32)
    label_starts = np.zeros(pairs + 1, np.int32)
    for k in range(count):
        old = order[k]
        place[old] = k
        sorted_labels[k] = labels[old]
        edge_pair[k] = keys[old] >> 32
        label_starts[edge_pair[k] + 1] = k + 1
    for e in range(m):
        number[e] = place[number[e]]
    return (
        number,
        pair_slots,
        pair_tail[:pairs].copy(),
        pair_head[:pairs].copy(),
        label_starts,
        sorted_labels,
        edge_pair,
    )


@compiled
def _before(number, edges, one, other):
    if number[one] != number[other]:
        return number[one] < number[other]
    for part in range(3):
        if edges[one, part] != edges[other, part]:
            return edges[one, part] > edges[other, part]
    return False


@compiled
def _sort_edges(starts, edges, number):
    """Each entry's edges in the order of their numbers: as positions in the given arrays."""
    order = np.arange(number.shape[0])
    for entry in range(starts.shape[0] - 1):
        first, last = starts[entry], starts[entry + 1]
        if last - first > 64:
            by_number = ranked(number[first:last].astype(np.int64))
            for i in range(last - first):
                order[first + i] = first + by_number[i]
        for i in range(first + 1, last):  # few edges, or nearly sorted
            moved = order[i]
            j = i
            while j > first and _before(number, edges, moved, order[j - 1]):
                order[j] = order[j - 1]
                j -= 1
            order[j] = moved
    return order


@compiled
def _number_patterns(starts, edges, number, order):
    """Equal structures become one pattern, equal star positions one shape."""
    n = starts.shape[0] - 1
    pattern_of = np.empty(n, np.int32)
    slots, shape_slots = np.zeros(_room(n), np.int32), np.zeros(_room(n), np.int32)
    mask = np.int64(slots.shape[0] - 1)
    example, shape_example = np.empty(n, np.int32), np.empty(n, np.int32)
    shapes_of = np.empty(n, np.int32)
    patterns, shapes = 0, 0
    for entry in range(n):
        first, last = starts[entry], starts[entry + 1]
        h, g = np.uint64(last - first), np.uint64(last - first)
        for i in range(first, last):
            e = order[i]
            for part in range(3):
                g = mixed(g, np.uint64(min(edges[e, part], 0) + 1))
            h = mixed(h, np.uint64(number[e]))
        h = mixed(h, g)
        i = np.int64(h >> np.uint64(1)) & mask
        while slots[i] != 0:
            other = starts[example[slots[i] - 1]]
            if starts[example[slots[i] - 1] + 1] - other == last - first:
                equal = True
                for k in range(last - first):
                    a, b = order[first + k], order[other + k]
                    if (
                        number[a] != number[b]
                        or edges[a, 0] != edges[b, 0]
                        or edges[a, 1] != edges[b, 1]
                        or edges[a, 2] != edges[b, 2]
                    ):
                        equal = False
                        break
                if equal:
                    break
            i = (i + 1) & mask
        if slots[i] == 0:
            example[patterns] = entry
            j = np.int64(g >> np.uint64(1)) & mask
            while shape_slots[j] != 0:
                other = starts[shape_example[shape_slots[j] - 1]]
                if starts[shape_example[shape_slots[j] - 1] + 1] - other == last - first:
                    equal = True
                    for k in range(last - first):
                        a, b = order[first + k], order[other + k]
                        for part in range(3):
                            if min(edges[a, part], 0) != min(edges[b, part], 0):
                                equal = False
                    if equal:
                        break
                j = (j + 1) & mask
            if shape_slots[j] == 0:
                shape_example[shapes] = entry
                shapes += 1
                shape_slots[j] = shapes
            shapes_of[patterns] = shape_slots[j] - 1
            patterns += 1
            slots[i] = patterns
        pattern_of[entry] = slots[i] - 1
    pattern_starts, shape_starts = np.zeros(patterns + 1, np.int32), np.zeros(shapes + 1, np.int32)
    most = 0
    for p in range(patterns):
        size = starts[example[p] + 1] - starts[example[p]]
        most = max(most, size)
        pattern_starts[p + 1] = pattern_starts[p] + size
    pattern_edges = np.empty(pattern_starts[patterns], np.int32)
    for p in range(patterns):
        for k in range(pattern_starts[p + 1] - pattern_starts[p]):
            pattern_edges[pattern_starts[p] + k] = number[order[starts[example[p]] + k]]
    for s in range(shapes):
        shape_starts[s + 1] = shape_starts[s] + starts[shape_example[s] + 1] - starts[shape_example[s]]
    shape_stars, shape_sizes = np.empty((shape_starts[shapes], 3), np.int16), np.zeros(shapes, np.int16)
    for s in range(shapes):
        for k in range(shape_starts[s + 1] - shape_starts[s]):
            e = order[starts[shape_example[s]] + k]
            for part in range(3):
                star = -1 - min(edges[e, part], 0) if edges[e, part] < 0 else -1
                shape_stars[shape_starts[s] + k, part] = star
                shape_sizes[s] = max(shape_sizes[s], star + 1)
    return (
        pattern_of,
        pattern_starts,
        pattern_edges,
        shapes_of[:patterns].copy(),
        shape_starts,
        shape_stars,
        shape_sizes,
        most,
    )


@compiled
def _weigh(pattern_starts, pattern_edges, labels, bare, rate):
    """How often each edge may fire. A guess, until traffic is known: as often as subscriptions mention it or, where
    both its ends are stars, as often as they mention its label; any label at all, always."""
    edges, patterns = labels.shape[0], pattern_starts.shape[0] - 1
    count = np.zeros(edges, np.int64)
    for i in range(pattern_edges.shape[0]):
        count[pattern_edges[i]] += 1
    weight = np.empty(edges, np.float64)
    by_label = ranked(labels.astype(np.int64))
    first = 0
    while first < edges:
        last, mentions = first, 0
        while last < edges and labels[by_label[last]] == labels[by_label[first]]:
            mentions += count[by_label[last]]
            last += 1
        for i in range(first, last):
            e = by_label[i]
            guess = (2 * mentions if bare[e] else count[e]) / max(patterns, 1)
            if bare[e] and labels[e] == STAR:
                guess = 4.0
            weight[e] = guess if rate[e] < 0 else (rate[e] * TRUST + guess) / (TRUST + 1)
        first = last
    return weight


@compiled
def _choose_access(edges, pattern_starts, pattern_edges, rank):
    """For each pattern the edge that fires least; where its list is long, the next one to split it; and one to guard
    it with, the next after that."""
    patterns = pattern_starts.shape[0] - 1
    chosen, listed = np.empty(patterns, np.int32), np.zeros(edges, np.int64)
    for p in range(patterns):
        best = pattern_edges[pattern_starts[p]]
        for i in range(pattern_starts[p] + 1, pattern_starts[p + 1]):
            if rank[pattern_edges[i]] < rank[best]:
                best = pattern_edges[i]
        chosen[p] = best
        listed[best] += 1
    second, guard = np.full(patterns, -1, np.int32), np.full(patterns, -1, np.int32)
    for p in range(patterns):
        one, other = -1, -1
        for i in range(pattern_starts[p], pattern_starts[p + 1]):
            e = pattern_edges[i]
            if e == chosen[p] or e == one:
                continue
            if one < 0 or rank[e] < rank[one]:
                one, other = e, one
            elif other < 0 or rank[e] < rank[other]:
                other = e
        if listed[chosen[p]] <= SPLIT:
            guard[p] = one
        else:
            second[p], guard[p] = one, other
    return chosen, second, guard


@compiled
def _lists(edges, chosen, second, guard):
    """The access lists of all edges, and of all pairs of an edge with one that splits its list."""
    patterns = chosen.shape[0]
    direct_starts = np.zeros(edges + 1, np.int32)
    keys = np.empty(patterns, np.int64)
    split = 0
    for p in range(patterns):
        if second[p] < 0:
            direct_starts[chosen[p] + 1] += 1
        else:
            keys[split] = (np.int64(chosen[p]) << 32) | np.int64(second[p])
            split += 1
    for e in range(edges):
        direct_starts[e + 1] += direct_starts[e]
    direct, at = np.empty(direct_starts[edges], np.int32), direct_starts.copy()
    direct_guard = np.empty(direct_starts[edges], np.int32)
    whose = np.empty(split, np.int32)
    split = 0
    for p in range(patterns):
        if second[p] < 0:
            direct[at[chosen[p]]], direct_guard[at[chosen[p]]] = p, guard[p]
            at[chosen[p]] += 1
        else:
            whose[split] = p
            split += 1
    order = ranked(keys[:split])
    grand, grand_guard, marks = np.empty(split, np.int32), np.empty(split, np.int32), np.zeros(edges, np.uint8)
    child_starts = np.zeros(edges + 1, np.int32)
    parent, edge, starts = np.empty(split, np.int32), np.empty(split, np.int32), np.zeros(split + 1, np.int32)
    children = 0
    for i in range(split):
        key = keys[order[i]]
        if i == 0 or key != keys[order[i - 1]]:
            parent[children], edge[children] = key >> 32, key & 0xFFFFFFFF
            marks[edge[children]] = 1
            starts[children] = i
            child_starts[parent[children] + 1] += 1
            children += 1
        grand[i], grand_guard[i] = whose[order[i]], guard[whose[order[i]]]
    starts[children] = split
    for e in range(edges):
        child_starts[e + 1] += child_starts[e]
    child_keys = np.zeros(_room(children), np.int64)
    slots = np.empty(child_keys.shape[0], np.int32)
    mask = np.int64(slots.shape[0] - 1)
    for c in range(children):
        i = spread(parent[c], edge[c]) & mask
        while child_keys[i] != 0:
            i = (i + 1) & mask
        child_keys[i] = ((np.int64(parent[c]) << 32) | np.int64(edge[c])) + 1
        slots[i] = c
    return (
        direct_starts,
        direct,
        direct_guard,
        child_starts,
        edge[:children].copy(),
        child_keys,
        slots,
        starts[: children + 1].copy(),
        grand,
        grand_guard,
        marks,
    )


@compiled
def _order_members(patterns, pattern_of, entries):
    """The entries pattern by pattern; those that a tree will hold first, by their low ends. And the trees."""
    n = pattern_of.shape[0]
    starts = np.zeros(patterns + 1, np.int32)
    for entry in range(n):
        starts[pattern_of[entry] + 1] += 1
    for p in range(patterns):
        starts[p + 1] += starts[p]
    order, at = np.empty(n, np.int32), starts.copy()
    for entry in range(n):
        order[at[pattern_of[entry]]] = entry
        at[pattern_of[entry]] += 1
    pattern_tree = np.full(patterns, -1, np.int32)
    trees, room, number = np.zeros((n // TREE + 1, 3), np.int64), np.int64(0), 0
    bound_of = np.full(n, -1, np.int64)  # entry -> the bound that its tree is about
    for p in range(patterns):
        size = starts[p + 1] - starts[p]
        if size <= TREE:
            continue
        votes = np.zeros(32_768, np.int64)
        star = -1
        for i in range(starts[p], starts[p + 1]):
            for b in range(entries.bound_starts[order[i]], entries.bound_starts[order[i] + 1]):
                both = entries.bound_kinds[b, 0] >= 0 and entries.bound_kinds[b, 2] >= 0
                votes[entries.bound_star[b]] += 2 if both else 1
                if star < 0 or votes[entries.bound_star[b]] > votes[star]:
                    star = entries.bound_star[b]
        if star < 0:
            continue
        lows = np.full(size, np.inf)
        held = 0
        for i in range(size):
            entry = order[starts[p] + i]
            for b in range(entries.bound_starts[entry], entries.bound_starts[entry + 1]):
                if entries.bound_star[b] == star:
                    bound_of[entry] = b
                    lows[i] = entries.bounds[b, 0] if entries.bound_kinds[b, 0] >= 0 else -np.inf
                    held += 1
                    break
        if held <= TREE:
            continue
        moved = order[starts[p] : starts[p + 1]].copy()
        left, right = 0, held
        for i in ranked(line_up(lows)):  # an entry without this bound goes behind those that have one
            if bound_of[moved[i]] >= 0 and entries.bound_star[bound_of[moved[i]]] == star:
                order[starts[p] + left] = moved[i]
                left += 1
            else:
                order[starts[p] + right] = moved[i]
                right += 1
        pattern_tree[p] = number
        trees[number, 0], trees[number, 1], trees[number, 2] = room, held, star
        number += 1
        room += 2 * held
        level = held
        while level > FANOUT:
            level = (level + FANOUT - 1) // FANOUT
            room += level
    tree = np.empty(room, np.float64)
    for p in range(patterns):
        t = pattern_tree[p]
        if t < 0:
            continue
        start, held = trees[t, 0], trees[t, 1]
        for i in range(held):
            b = bound_of[order[starts[p] + i]]
            tree[start + i] = entries.bounds[b, 0] if entries.bound_kinds[b, 0] >= 0 else -np.inf
            tree[start + held + i] = entries.bounds[b, 3] if entries.bound_kinds[b, 2] >= 0 else np.inf
        below, level = start + held, held
        while level > FANOUT:
            above, count = below + level, (level + FANOUT - 1) // FANOUT
            for i in range(count):
                highest = -np.inf
                for j in range(i * FANOUT, min((i + 1) * FANOUT, level)):
                    highest = max(highest, tree[below + j])
                tree[above + i] = highest
            below, level = above, count
    return starts, order, pattern_tree, trees[:number].copy(), tree


@compiled
def build(entries):
    """One segment of these entries."""
    number, pair_slots, pair_tail, pair_head, label_starts, labels, edge_pair = _number_edges(entries.edges)
    edges, n = labels.shape[0], entries.starts.shape[0] - 1
    rate = np.full(edges, -1.0)
    for e in range(number.shape[0]):
        rate[number[e]] = max(rate[number[e]], entries.rate[e])
    by_number = _sort_edges(entries.starts, entries.edges, number)
    (
        pattern_of,
        pattern_starts,
        pattern_edges,
        pattern_shape,
        shape_starts,
        shape_stars,
        shape_sizes,
        most_edges,
    ) = _number_patterns(entries.starts, entries.edges, number, by_number)
    patterns = pattern_starts.shape[0] - 1
    bare = np.empty(edges, np.bool_)
    for e in range(edges):
        bare[e] = pair_tail[edge_pair[e]] < 0 and pair_head[edge_pair[e]] < 0
    weight = _weigh(pattern_starts, pattern_edges, labels, bare, rate)
    rank = np.empty(edges, np.int32)
    by_weight = ranked(line_up(weight))
    for place in range(edges):
        rank[by_weight[place]] = place
    chosen, second_of, guard = _choose_access(edges, pattern_starts, pattern_edges, rank)
    (
        direct_starts,
        direct,
        direct_guard,
        child_starts,
        child_edge,
        child_keys,
        child_slots,
        grand_starts,
        grand,
        grand_guard,
        second,
    ) = _lists(edges, chosen, second_of, guard)
    member_starts, order, pattern_tree, trees, tree = _order_members(patterns, pattern_of, entries)
    slot, branch, flags = np.empty(n, np.int32), np.empty(n, np.int16), np.empty(n, np.uint8)
    star_starts, bound_starts = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
    for i in range(n):
        entry = order[i]
        slot[i], branch[i], flags[i] = entries.slot[entry], entries.branch[entry], entries.flags[entry]
        star_starts[i + 1] = star_starts[i] + entries.star_starts[entry + 1] - entries.star_starts[entry]
        bound_starts[i + 1] = bound_starts[i] + entries.bound_starts[entry + 1] - entries.bound_starts[entry]
    stars, bound_star = np.empty(star_starts[n], np.int16), np.empty(bound_starts[n], np.int16)
    bound_kinds, bounds = np.empty((bound_starts[n], 4), np.int8), np.empty((bound_starts[n], 4), np.float64)
    pattern_flags = np.zeros(patterns, np.uint8)
    for i in range(n):
        entry = order[i]
        for k in range(star_starts[i + 1] - star_starts[i]):
            stars[star_starts[i] + k] = entries.stars[entries.star_starts[entry] + k]
        for k in range(bound_starts[i + 1] - bound_starts[i]):
            b = entries.bound_starts[entry] + k
            bound_star[bound_starts[i] + k] = entries.bound_star[b]
            for part in range(4):
                bound_kinds[bound_starts[i] + k, part] = entries.bound_kinds[b, part]
                bounds[bound_starts[i] + k, part] = entries.bounds[b, part]
        if bound_starts[i + 1] > bound_starts[i] or flags[i] != 0:
            pattern_flags[pattern_of[entry]] = EVERY_ROW
    sizes = np.zeros(len(SIZES), np.int64)
    sizes[EDGES], sizes[PAIRS], sizes[PATTERNS], sizes[ENTRIES] = edges, pair_tail.shape[0], patterns, n
    sizes[STAR_PAIR] = sizes[LOOP_PAIR] = -1
    for v in range(pair_tail.shape[0]):
        if pair_tail[v] == LOOP:
            sizes[LOOP_PAIR] = v
        elif pair_tail[v] == STAR and pair_head[v] == STAR:
            sizes[STAR_PAIR] = v
        else:
            sizes[KINDS] |= 1 if pair_tail[v] == STAR else 2 if pair_head[v] == STAR else 4
    sizes[MOST_EDGES] = most_edges
    for s in range(shape_sizes.shape[0]):
        sizes[MOST_STARS] = max(sizes[MOST_STARS], shape_sizes[s])
    return Segment(
        Graph(sizes, pair_slots, pair_tail, pair_head, label_starts, labels, edge_pair, rate),
        Access(
            direct_starts,
            direct,
            direct_guard,
            child_starts,
            child_edge,
            child_keys,
            child_slots,
            grand_starts,
            grand,
            grand_guard,
            rank,
            second,
        ),
        Patterns(
            pattern_starts,
            pattern_edges,
            pattern_shape,
            pattern_flags,
            pattern_tree,
            member_starts,
            shape_starts,
            shape_stars,
            shape_sizes,
        ),
        Members(
            slot,
            branch,
            flags,
            star_starts,
            stars,
            bound_starts,
            bound_star,
            bound_kinds,
            bounds,
            trees,
            tree,
        ),
    )
