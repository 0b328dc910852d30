"""Test the values of a joined row against the bounds of a pattern's entries: a tree finds those that may hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import Float64Array, Int8Array, Int32Array, Int64Array
from gtopss.matching.index.kernels.layout import (
    MEMBER_FIRST_BOUND,
    NO_EDGE,
    TREE_FANOUT,
    TREE_FIRST_BOX,
    TREE_MEMBERS,
    TREE_SECOND_STAR,
    TREE_STAR,
)
from gtopss.matching.index.kernels.relations import FIRST_TEXT_RELATION, RELATION_COUNT

FAILS, HOLDS, UNSURE = 0, 1, 2
"""Results of a test. UNSURE: the floats are too close to tell, so Python must compare the exact values."""

MAX_SCANNED_TRIPLES = 512
"""Triples of a publication that are compared one by one with a triple that must not be there; in larger publications
Python looks it up."""
MAX_TREE_LEVELS = 16
"""Levels of a tree: with TREE_FANOUT children a node, more than memory can hold."""

_ZONE_SECONDS = 50_401.0  # a moment without a time zone may be 14 hours off, in either direction
_LOW, _HIGH = 0, 2  # columns of `bounds` and `bound_kinds` at which the low and the high end begin
_BEGIN, _SIZE, _NEXT, _END = range(4)  # rows of a tree path: a level's first box, its size; next box to test, and end


class MemberScratch(NamedTuple):
    """Scratch space for the members of one pattern; the first two have one element for each."""

    selected: Int32Array  # those that the tree finds, counted from the pattern's first
    emitted: Int64Array  # member -> how many of its rows were found
    tree_path: Int64Array  # where a search of the tree stands, level by level: _BEGIN, _SIZE, _NEXT, _END


class RowPlace(NamedTuple):
    """A joined row: for each star, in order, the local number of its term."""

    rows: Int32Array
    start: int  # of this row in `rows`


class TermValues(NamedTuple):
    """The values of a batch's terms as intervals of floats (`value_intervals.py`); empty if no entry has bounds."""

    domain: Int8Array  # term of the batch -> domain; -1 if it is neither a number nor a moment
    low: Float64Array
    high: Float64Array


@inlined
def new_member_scratch(members):
    """Allocate for patterns of at most so many members."""
    selected, emitted = np.empty(members, np.int32), np.empty(members, np.int64)
    return MemberScratch(selected, emitted, np.empty((4, MAX_TREE_LEVELS), np.int64))


@inlined
def _test_end(domain, low, high, kind, strict, begin, end, side):
    """Test the interval of a value against that of a threshold: is it above (side _LOW) or below (_HIGH)?"""
    if domain < 0 or domain >> 1 != kind >> 1:
        return FAILS
    exact = low == high and begin == end
    if domain != kind:
        low -= _ZONE_SECONDS
        high += _ZONE_SECONDS
        exact = False
    if side == _HIGH:
        low, high, begin, end = -high, -low, -end, -begin
    if low > end:
        return HOLDS
    if high < begin:
        return FAILS
    if exact:
        return FAILS if strict else HOLDS
    return UNSURE


@inlined
def _find_edge(batch, publication, local, relation, target):
    """Return whether a term has a triple of a text relation, and how many triples were looked at.

    The triples of text relations are the last ones of a publication.
    """
    names, first = batch.locals[publication], batch.triples[publication]
    t = batch.triples[publication + 1] - 1
    last = t
    while t >= first:
        label = batch.known[names + batch.property[t]]
        if label < FIRST_TEXT_RELATION or label >= RELATION_COUNT:
            break
        if batch.subject[t] == local and label == relation and batch.known[names + batch.object[t]] == target:
            return True, last - t + 1
        t -= 1
    return False, last - t


@inlined
def _find_stated(batch, publication, local, property, target):
    """Return whether a term is the subject of a triple with this property, and object unless `target` is -1."""
    names = batch.locals[publication]
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        if batch.subject[t] != local or batch.known[names + batch.property[t]] != property:
            continue
        if target < 0 or batch.known[names + batch.object[t]] == target:
            return True
    return False


@inlined
def check_bounds(members, entry, inputs, publication, row):
    """Test a row of a publication against all bounds of an entry. Return the result, and how many triples were looked
    at."""
    batch, values, names = inputs.batch, inputs.values, inputs.batch.locals[publication]
    result, looked_at = HOLDS, np.int64(0)
    for bound in range(members.about[entry, MEMBER_FIRST_BOUND], members.about[entry + 1, MEMBER_FIRST_BOUND]):
        local = row.rows[row.start + members.bound_star[bound]]
        if members.bound_kinds[bound, _LOW] == NO_EDGE:
            relation, target = np.int64(members.bounds[bound, _LOW]), np.int64(members.bounds[bound, _LOW + 1])
            if relation >= RELATION_COUNT:
                triples = batch.triples[publication + 1] - batch.triples[publication]
                if triples > MAX_SCANNED_TRIPLES:
                    result = UNSURE
                    continue
                looked_at += triples
                if _find_stated(batch, publication, local, relation, target):
                    return FAILS, looked_at
                continue
            found, count = _find_edge(batch, publication, local, relation, target)
            looked_at += count
            if found:
                return FAILS, looked_at
            continue
        term = names + local
        domain, low, high = values.domain[term], values.low[term], values.high[term]
        for side in range(_LOW, _HIGH + 1, _HIGH):
            kind, strict = members.bound_kinds[bound, side], members.bound_kinds[bound, side + 1]
            if kind < 0:
                continue
            begin, end = members.bounds[bound, side], members.bounds[bound, side + 1]
            tested = _test_end(domain, low, high, kind, strict, begin, end, side)
            if tested == FAILS:
                return FAILS, looked_at
            if tested == UNSURE:
                result = UNSURE
    return result, looked_at


@inlined
def _value_interval(values, term):
    """Return the interval of a term's value, widened for moments of which one may lack a time zone."""
    zones = 2 * _ZONE_SECONDS if values.domain[term] >= 2 else 0.0
    return values.low[term] - zones, values.high[term] + zones


@inlined
def _open_tree(members, tree, path):
    """Prepare `path` for a walk down a tree. Return the number of the top level; the boxes of members are level 0."""
    path[_BEGIN, 0], path[_SIZE, 0] = members.trees[tree, TREE_FIRST_BOX], members.trees[tree, TREE_MEMBERS]
    top = 0
    while path[_SIZE, top] > TREE_FANOUT:
        path[_BEGIN, top + 1] = path[_BEGIN, top] + path[_SIZE, top]
        path[_SIZE, top + 1] = (path[_SIZE, top] + TREE_FANOUT - 1) // TREE_FANOUT
        top += 1
    path[_NEXT, top], path[_END, top] = 0, path[_SIZE, top]
    return top


@inlined
def find_tree_members(members, tree, values, names, row, scratch):
    """Write the members of a pattern, counted from its first, whose boxes a row's values may lie in, to
    `scratch.selected`. Return how many there are."""
    path, selected = scratch.tree_path, scratch.selected
    term = names + row.rows[row.start + members.trees[tree, TREE_STAR]]
    if values.domain[term] < 0:
        return np.int64(0)
    low, high = _value_interval(values, term)
    second_low, second_high = -np.inf, np.inf
    if members.trees[tree, TREE_SECOND_STAR] >= 0:
        term = names + row.rows[row.start + members.trees[tree, TREE_SECOND_STAR]]
        if values.domain[term] >= 0:
            second_low, second_high = _value_interval(values, term)
    top = _open_tree(members, tree, path)
    level, found = top, np.int64(0)
    while level <= top:
        node = path[_NEXT, level]
        if node == path[_END, level]:
            level += 1
            continue
        path[_NEXT, level] += 1
        box = path[_BEGIN, level] + node
        if members.tree[box, 0] > high or members.tree[box, 1] < low:
            continue
        if members.tree[box, 2] > second_high or members.tree[box, 3] < second_low:
            continue
        if level == 0:
            selected[found] = node
            found += 1
        else:
            level -= 1
            path[_NEXT, level] = node * TREE_FANOUT
            path[_END, level] = min(node * TREE_FANOUT + TREE_FANOUT, path[_SIZE, level])
    return found
