"""Entries pattern by pattern, and the trees of intervals over those that have bounds."""

from __future__ import annotations

import numpy as np

from gtopss.gm.kernels.compiled import inner
from gtopss.gm.kernels.layout import FANOUT
from gtopss.gm.kernels.sort import line_up, ranked

FEW = 16
"""A pattern with more bounded members than this finds them by a tree instead of asking each."""


@inner
def order_members(patterns, pattern_of, entries):
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
    trees, room, number = np.zeros((n // FEW + 1, 3), np.int64), np.int64(0), 0
    bound_of = np.full(n, -1, np.int64)  # entry -> the bound that its tree is about
    for p in range(patterns):
        size = starts[p + 1] - starts[p]
        if size <= FEW:
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
        if held <= FEW:
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
