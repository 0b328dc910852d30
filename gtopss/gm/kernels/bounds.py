"""Which entries of a pattern a row satisfies by its values: thresholds compared, and found by a tree of intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.gm.kernels.compiled import inlined
from gtopss.gm.kernels.layout import FANOUT, FIRST_BOUND, Reals, Signs

_ZONES = 50_401.0  # seconds: two moments of which one lacks a time zone may be so far off (14 hours)


class Values(NamedTuple):
    """What the batch's terms are worth, for bounds (`thresholds.py`); empty where no entry has any."""

    domain: Signs  # local number, over the whole batch -> domain or -1
    low: Reals
    high: Reals


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
    for b in range(members.about[entry, FIRST_BOUND], members.about[entry + 1, FIRST_BOUND]):
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
def tree_members(members, tree, domain, low, high, chosen):
    """Chooses the members of a pattern, counted from its first, whose low end is not above the value nor its high end
    below; gives how many."""
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
            chosen[found] = node
            found += 1
            continue
        for child in range(min((node + 1) * FANOUT, sizes[level - 1]) - 1, node * FANOUT - 1, -1):
            stack_level[depth], stack_node[depth] = level - 1, child
            depth += 1
    return found
