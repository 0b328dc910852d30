"""Which entries of a pattern a row satisfies by its values: found by a tree of intervals, then compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import Float64Array, Int8Array
from gtopss.matching.index.kernels.layout import MEMBER_FIRST_BOUND, TREE_FANOUT

_ZONES = 50_401.0  # seconds: two moments of which one lacks a time zone may be so far off (14 hours)


class TermValues(NamedTuple):
    """What the batch's terms are worth, for bounds (`thresholds.py`); empty where no entry has any."""

    domain: Int8Array  # local number, over the whole batch -> domain or -1
    low: Float64Array
    high: Float64Array


@inlined
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


@inlined
def bounded(members, entry, values, names, rows, row):
    """Whether a row satisfies an entry's bounds: 0 no, 1 yes, 2 Python must say."""
    verdict = 1
    for b in range(members.about[entry, MEMBER_FIRST_BOUND], members.about[entry + 1, MEMBER_FIRST_BOUND]):
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


@inlined
def _reach(values, x, side):
    """A value's interval, with room for moments of which one lacks a time zone."""
    zones = 2 * _ZONES if values.domain[x] >= 2 else 0.0
    return values.low[x] - zones if side == 0 else values.high[x] + zones


@inlined
def tree_members(members, tree, values, names, rows, row, spots, chosen):
    """Chooses the members of a pattern, counted from its first, whose intervals a row's values may lie in; gives how
    many. `spots` is room for a walk down the tree."""
    start, held = members.trees[tree, 0], members.trees[tree, 1]
    x = names + rows[row + members.trees[tree, 2]]
    if values.domain[x] < 0:
        return np.int64(0)
    low, high, other_low, other_high = _reach(values, x, 0), _reach(values, x, 1), -np.inf, np.inf
    if members.trees[tree, 3] >= 0:
        x = names + rows[row + members.trees[tree, 3]]
        if values.domain[x] >= 0:
            other_low, other_high = _reach(values, x, 0), _reach(values, x, 1)
    begin, size, here, end = 0, 1, 2, 3  # of a level: its first node, how many; of the walk: the next one, the last
    spots[begin, 0], spots[size, 0], top = start, held, 0
    while spots[size, top] > TREE_FANOUT:
        spots[begin, top + 1] = spots[begin, top] + spots[size, top]
        spots[size, top + 1] = (spots[size, top] + TREE_FANOUT - 1) // TREE_FANOUT
        top += 1
    spots[here, top], spots[end, top] = 0, spots[size, top]
    level, found = top, np.int64(0)
    while level <= top:
        node = spots[here, level]
        if node == spots[end, level]:
            level += 1
            continue
        spots[here, level] += 1
        at = spots[begin, level] + node
        if members.tree[at, 0] > high or members.tree[at, 1] < low:
            continue
        if members.tree[at, 2] > other_high or members.tree[at, 3] < other_low:
            continue
        if level == 0:
            chosen[found] = node
            found += 1
        else:
            level -= 1
            spots[here, level] = node * TREE_FANOUT
            spots[end, level] = min(node * TREE_FANOUT + TREE_FANOUT, spots[size, level])
    return found
