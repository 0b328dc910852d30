"""Entries pattern by pattern, and trees over those that have bounds.

A tree is a packed R-tree over the two variables that most entries of a pattern bound: ranges of two values each are
found by both at once. Neighbours are put near each other once, when the segment is built (Leutenegger, Lopez and
Edgington, "STR: A Simple and Efficient Algorithm for R-Tree Packing", ICDE 1997); a segment never changes.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.layout import TREE_FANOUT
from gtopss.matching.index.kernels.sort import line_up, ranked

FEW = 16
"""A pattern with more bounded members than this finds them by a tree instead of asking each."""


@inner
def _bound_on(entries, entry, star):
    """The entry's bound on a star; -1 if it has none."""
    for b in range(entries.bound_starts[entry], entries.bound_starts[entry + 1]):
        if entries.bound_star[b] == star:
            return b
    return np.int64(-1)


@inner
def _side(boxes, i, at, entries, entry, star):
    """A box's interval on one star: all there is, where the entry does not bound it."""
    b = _bound_on(entries, entry, star) if star >= 0 else np.int64(-1)
    boxes[i, at] = entries.bounds[b, 0] if b >= 0 and entries.bound_kinds[b, 0] >= 0 else -np.inf
    boxes[i, at + 1] = entries.bounds[b, 3] if b >= 0 and entries.bound_kinds[b, 2] >= 0 else np.inf


@inner
def _centres(boxes, at):
    made = np.zeros(boxes.shape[0], np.float64)
    for i in range(boxes.shape[0]):
        low, high = boxes[i, at], boxes[i, at + 1]
        if low > -np.inf and high < np.inf:
            made[i] = low / 2 + high / 2
        elif low > -np.inf or high < np.inf:
            made[i] = low if low > -np.inf else high
    return made


@inner
def _then_by(order, keys):
    """An order, and within equal keys the given one."""
    moved = np.empty(order.shape[0], np.int64)
    for i in range(order.shape[0]):
        moved[i] = keys[order[i]]
    by_key = ranked(moved)
    for i in range(order.shape[0]):
        moved[i] = order[by_key[i]]
    return moved


@inner
def _packed(boxes):
    """The boxes in slabs of the first interval, within a slab by the second. Those that are open at the same ends stay
    together: one that reaches to infinity would stretch its neighbours' node that far."""
    count = boxes.shape[0]
    ends, slab = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        for at in range(4):
            ends[i] = 2 * ends[i] + (1 if np.isinf(boxes[i, at]) else 0)
    order = _then_by(ranked(line_up(_centres(boxes, 0))), ends)
    first, slabs = 0, 0
    while first < count:
        last = first
        while last < count and ends[order[last]] == ends[order[first]]:
            last += 1
        one_open, other_open = ends[order[first]] >> 2 != 0, ends[order[first]] & 3 != 0
        here = np.int64(np.ceil(np.sqrt((last - first) / TREE_FANOUT)))
        if other_open:  # only the first tells them apart
            size = np.int64(TREE_FANOUT)
        elif one_open:  # only the second
            size = np.int64(last - first)
        else:
            size = (last - first + here - 1) // here
        for i in range(first, last):
            slab[order[i]] = slabs + (i - first) // size
        slabs += (last - first + size - 1) // size
        first = last
    return _then_by(ranked(line_up(_centres(boxes, 2))), slab)


@inner
def _favourites(entries, order, first, last, votes):
    """The two stars that most of these entries bound, -1 for none; a bound on both sides counts twice."""
    for i in range(first, last):
        for b in range(entries.bound_starts[order[i]], entries.bound_starts[order[i] + 1]):
            both = entries.bound_kinds[b, 0] >= 0 and entries.bound_kinds[b, 2] >= 0
            votes[entries.bound_star[b]] += 2 if both else 1
    one, other = -1, -1
    for i in range(first, last):
        for b in range(entries.bound_starts[order[i]], entries.bound_starts[order[i] + 1]):
            star = np.int64(entries.bound_star[b])
            if star in (one, other):
                continue
            if one < 0 or votes[star] > votes[one]:
                one, other = star, one
            elif other < 0 or votes[star] > votes[other]:
                other = star
    for i in range(first, last):
        for b in range(entries.bound_starts[order[i]], entries.bound_starts[order[i] + 1]):
            votes[entries.bound_star[b]] = 0
    return one, other


@inner
def _nodes(tree, start, held):
    """The levels above the boxes that stand from `start` on, each box of which holds TREE_FANOUT below it."""
    below, level = start, held
    while level > TREE_FANOUT:
        above, count = below + level, (level + TREE_FANOUT - 1) // TREE_FANOUT
        for i in range(count):
            for at in range(4):
                reach = tree[below + i * TREE_FANOUT, at]
                for j in range(i * TREE_FANOUT, min((i + 1) * TREE_FANOUT, level)):
                    reach = min(reach, tree[below + j, at]) if at & 1 == 0 else max(reach, tree[below + j, at])
                tree[above + i, at] = reach
        below, level = above, count


@inner
def order_members(patterns, pattern_of, entries):
    """The entries pattern by pattern; those that a tree will hold first, in its order. And the trees."""
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
    pattern_tree, votes = np.full(patterns, -1, np.int32), np.zeros(32_768, np.int64)
    trees, room, number = np.zeros((n // FEW + 1, 4), np.int64), np.int64(0), 0
    for p in range(patterns):
        if starts[p + 1] - starts[p] <= FEW:
            continue
        one, other = _favourites(entries, order, starts[p], starts[p + 1], votes)
        held = np.int64(0)
        for i in range(starts[p], starts[p + 1]):
            if one >= 0 and _bound_on(entries, order[i], one) >= 0:  # to the front
                order[i], order[starts[p] + held] = order[starts[p] + held], order[i]
                held += 1
        if held <= FEW:
            continue
        pattern_tree[p] = number
        trees[number, 0], trees[number, 1], trees[number, 2], trees[number, 3] = room, held, one, other
        number += 1
        level = held
        room += level
        while level > TREE_FANOUT:
            level = (level + TREE_FANOUT - 1) // TREE_FANOUT
            room += level
    tree = np.empty((room, 4), np.float64)
    for p in range(patterns):
        if pattern_tree[p] < 0:
            continue
        t = pattern_tree[p]
        start, held, one, other = trees[t, 0], trees[t, 1], trees[t, 2], trees[t, 3]
        boxes, whose = np.empty((held, 4), np.float64), order[starts[p] : starts[p] + held].copy()
        for i in range(held):
            _side(boxes, i, 0, entries, whose[i], one)
            _side(boxes, i, 2, entries, whose[i], other)
        packed = _packed(boxes)
        for i in range(held):
            order[starts[p] + i] = whose[packed[i]]
            for part in range(4):
                tree[start + i, part] = boxes[packed[i], part]
        _nodes(tree, start, held)
    return starts, order, pattern_tree, trees[:number].copy(), tree
