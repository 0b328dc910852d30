"""Order entries by pattern, and build trees over those with bounds.

A tree is a packed R-tree over the two stars that most entries of a pattern bound: ranges of two values are found by
both at once. Boxes are packed once, when the segment is built (Leutenegger, Lopez and Edgington, "STR: A Simple and
Efficient Algorithm for R-Tree Packing", ICDE 1997); a segment never changes.

A box is four floats: low and high of the first star, low and high of the second; infinite where there is no bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.array_types import Float64Array, Int32Array, Int64Array
from gtopss.matching.index.kernels.layout import (
    NO_EDGE,
    TREE_FANOUT,
    TREE_FIRST_BOX,
    TREE_MEMBERS,
    TREE_SECOND_STAR,
    TREE_STAR,
)
from gtopss.matching.index.kernels.sort import argsort, float_sort_keys

MAX_SCANNED_MEMBERS = 16
"""Up to so many bounded members of a pattern are tested one by one. More of them are found by a tree."""

STAR_NUMBERS = 32_768
"""Stars are numbered by 16-bit integers, from 0."""

_LOW, _HIGH, _SECOND_LOW, _SECOND_HIGH = range(4)  # columns of a box
_BOX = 4


class OrderedMembers(NamedTuple):
    """Entries in the order of their patterns; those in a tree first, in the order of its boxes."""

    starts: Int32Array  # pattern -> its first position in `order`; one more at the end
    order: Int32Array  # position -> entry
    tree_of: Int32Array  # pattern -> tree; -1 if it has none
    trees: Int64Array  # as in layout.Members
    boxes: Float64Array  # as layout.Members.tree


@inner
def _find_bound(entries, entry, star):
    """Return the range that an entry has for a star; -1 if it has none."""
    for b in range(entries.bound_starts[entry], entries.bound_starts[entry + 1]):
        if entries.bound_star[b] == star and entries.bound_kinds[b, 0] != NO_EDGE:
            return b
    return np.int64(-1)


@inner
def _set_interval(box, low, entries, entry, star):
    """Set two columns of a box, `low` and the next, to the interval that an entry allows for a star, -1 for none."""
    b = _find_bound(entries, entry, star) if star >= 0 else np.int64(-1)
    box[low] = entries.bounds[b, 0] if b >= 0 and entries.bound_kinds[b, 0] >= 0 else -np.inf
    box[low + 1] = entries.bounds[b, 3] if b >= 0 and entries.bound_kinds[b, 2] >= 0 else np.inf


@inner
def _centres(boxes, low):
    """Return the centre of each box in the columns `low` and the next; its finite end if it has only one."""
    made = np.zeros(boxes.shape[0], np.float64)
    for i in range(boxes.shape[0]):
        begin, end = boxes[i, low], boxes[i, low + 1]
        if begin > -np.inf and end < np.inf:
            made[i] = begin / 2 + end / 2
        elif begin > -np.inf or end < np.inf:
            made[i] = begin if begin > -np.inf else end
    return made


@inner
def _sort_by(order, keys):
    """Return an order sorted by keys; where they are equal, it stays as it is."""
    moved = np.empty(order.shape[0], np.int64)
    for i in range(order.shape[0]):
        moved[i] = keys[order[i]]
    by_key = argsort(moved)
    for i in range(order.shape[0]):
        moved[i] = order[by_key[i]]
    return moved


@inner
def _slab_size(count, open_ends):
    """Return how many of `count` boxes go into a slab. `open_ends` has a bit for each infinite end, the lowest for the
    last column."""
    if open_ends & 3 != 0:  # only the first star tells them apart
        return np.int64(TREE_FANOUT)
    if open_ends >> 2 != 0:  # only the second
        return np.int64(count)
    slabs = np.int64(np.ceil(np.sqrt(count / TREE_FANOUT)))
    return (count + slabs - 1) // slabs


@inner
def _packing_order(boxes):
    """Return the boxes in slabs of the first interval, within a slab by the second.

    Boxes that are open at the same ends stay together: one that reaches to infinity would stretch the node of its
    neighbours that far.
    """
    count = boxes.shape[0]
    open_ends, slab = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        for column in range(_BOX):
            open_ends[i] = 2 * open_ends[i] + (1 if np.isinf(boxes[i, column]) else 0)
    order = _sort_by(argsort(float_sort_keys(_centres(boxes, _LOW))), open_ends)
    first, slabs = np.int64(0), np.int64(0)
    while first < count:
        last = first
        while last < count and open_ends[order[last]] == open_ends[order[first]]:
            last += 1
        size = _slab_size(last - first, open_ends[order[first]])
        for i in range(first, last):
            slab[order[i]] = slabs + (i - first) // size
        slabs += (last - first + size - 1) // size
        first = last
    return _sort_by(argsort(float_sort_keys(_centres(boxes, _SECOND_LOW))), slab)


@inner
def _most_bounded_stars(entries, some, votes):
    """Return the two stars that most of these entries bound, -1 for none; a bound at both ends counts twice.

    `votes` is scratch space for all stars; it is 0 before and after.
    """
    for entry in some:
        for b in range(entries.bound_starts[entry], entries.bound_starts[entry + 1]):
            if entries.bound_kinds[b, 0] == NO_EDGE:
                continue
            both = entries.bound_kinds[b, 0] >= 0 and entries.bound_kinds[b, 2] >= 0
            votes[entries.bound_star[b]] += 2 if both else 1
    one, other = -1, -1
    for entry in some:
        for b in range(entries.bound_starts[entry], entries.bound_starts[entry + 1]):
            star = np.int64(entries.bound_star[b])
            if star in (one, other) or entries.bound_kinds[b, 0] == NO_EDGE:
                continue
            if one < 0 or votes[star] > votes[one]:
                one, other = star, one
            elif other < 0 or votes[star] > votes[other]:
                other = star
    for entry in some:
        for b in range(entries.bound_starts[entry], entries.bound_starts[entry + 1]):
            votes[entries.bound_star[b]] = 0
    return one, other


@inner
def _build_nodes(boxes, start, count):
    """Fill the levels above `count` boxes that begin at `start`: each node covers TREE_FANOUT boxes below it."""
    below, level = start, count
    while level > TREE_FANOUT:
        above, nodes = below + level, (level + TREE_FANOUT - 1) // TREE_FANOUT
        for i in range(nodes):
            for column in range(_BOX):
                end = boxes[below + i * TREE_FANOUT, column]
                for j in range(i * TREE_FANOUT, min((i + 1) * TREE_FANOUT, level)):
                    box = boxes[below + j, column]
                    end = min(end, box) if column in (_LOW, _SECOND_LOW) else max(end, box)
                boxes[above + i, column] = end
        below, level = above, nodes


@inner
def _group_by_pattern(patterns, pattern_of):
    """Return where the entries of each pattern begin, and the entries in that order."""
    starts = np.zeros(patterns + 1, np.int32)
    for entry in range(pattern_of.shape[0]):
        starts[pattern_of[entry] + 1] += 1
    for p in range(patterns):
        starts[p + 1] += starts[p]
    order, ends = np.empty(pattern_of.shape[0], np.int32), starts.copy()
    for entry in range(pattern_of.shape[0]):
        order[ends[pattern_of[entry]]] = entry
        ends[pattern_of[entry]] += 1
    return starts, order


@inner
def _tree_size(members):
    """Return the number of boxes of a tree with so many members, on all levels."""
    size = level = members
    while level > TREE_FANOUT:
        level = (level + TREE_FANOUT - 1) // TREE_FANOUT
        size += level
    return size


@inner
def _plan_trees(starts, order, entries):
    """Decide which patterns get a tree, and move its members to the front of their pattern in `order`. Return the tree
    of each pattern, the trees, and the number of boxes of all."""
    patterns = starts.shape[0] - 1
    tree_of, votes = np.full(patterns, -1, np.int32), np.zeros(STAR_NUMBERS, np.int64)
    trees, boxes, count = np.zeros((order.shape[0] // MAX_SCANNED_MEMBERS + 1, 4), np.int64), np.int64(0), 0
    for p in range(patterns):
        if starts[p + 1] - starts[p] <= MAX_SCANNED_MEMBERS:
            continue
        one, other = _most_bounded_stars(entries, order[starts[p] : starts[p + 1]], votes)
        inside = np.int64(0)
        for i in range(starts[p], starts[p + 1]):
            if one >= 0 and _find_bound(entries, order[i], one) >= 0:
                order[i], order[starts[p] + inside] = order[starts[p] + inside], order[i]
                inside += 1
        if inside <= MAX_SCANNED_MEMBERS:
            continue
        tree_of[p] = count
        trees[count, TREE_FIRST_BOX], trees[count, TREE_MEMBERS] = boxes, inside
        trees[count, TREE_STAR], trees[count, TREE_SECOND_STAR] = one, other
        count += 1
        boxes += _tree_size(inside)
    return tree_of, trees[:count].copy(), boxes


@inner
def _fill_tree(boxes, tree, entries, order):
    """Sort the members of a tree, which are in `order`, and write its boxes on all levels."""
    start, count = tree[TREE_FIRST_BOX], tree[TREE_MEMBERS]
    unsorted, some = np.empty((count, _BOX), np.float64), order.copy()
    for i in range(count):
        _set_interval(unsorted[i], _LOW, entries, some[i], tree[TREE_STAR])
        _set_interval(unsorted[i], _SECOND_LOW, entries, some[i], tree[TREE_SECOND_STAR])
    packed = _packing_order(unsorted)
    for i in range(count):
        order[i] = some[packed[i]]
        for column in range(_BOX):
            boxes[start + i, column] = unsorted[packed[i], column]
    _build_nodes(boxes, start, count)


@inner
def order_members(patterns, pattern_of, entries):
    """Order entries by pattern, of which there are so many, and build the trees."""
    starts, order = _group_by_pattern(patterns, pattern_of)
    tree_of, trees, size = _plan_trees(starts, order, entries)
    boxes = np.empty((size, _BOX), np.float64)
    for p in range(patterns):
        if tree_of[p] >= 0:
            tree = trees[tree_of[p]]
            _fill_tree(boxes, tree, entries, order[starts[p] : starts[p] + tree[TREE_MEMBERS]])
    return OrderedMembers(starts, order, tree_of, trees, boxes)
