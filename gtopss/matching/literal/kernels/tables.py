"""The two levels of hash tables of section 4.1: vertex pairs, then labels."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.literal.kernels.layout import FREE

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_LINEAR_SEARCH = 8  # a sorted list up to this length is read from its beginning


@inner
def mix(a, b):
    """Return a hash of two numbers, never negative."""
    h = (np.uint64(np.uint32(a)) << np.uint64(32) | np.uint64(np.uint32(b))) * _MULTIPLIER
    h ^= h >> np.uint64(29)
    h *= _MULTIPLIER
    return np.int64(h >> np.uint64(33))


@inner
def table_size(count):
    """Return the size of a table for so many elements: a power of two, at most half full."""
    size = 2
    while size < 2 * count:
        size *= 2
    return size


@compiled
def hash_pairs(keys):
    """Return the first-level table of vertex pairs, which are numbered in the given order."""
    table = np.full((table_size(keys.shape[0]), 3), FREE, np.int32)
    mask = table.shape[0] - 1
    for number in range(keys.shape[0]):
        place = mix(keys[number, 0], keys[number, 1]) & mask
        while table[place, 2] != FREE:
            place = (place + 1) & mask
        table[place, 0], table[place, 1], table[place, 2] = keys[number, 0], keys[number, 1], number
    return table


@compiled
def hash_labels(start, labels):
    """Return the second-level tables of lists of (label, edge), one list for each pair, and where they begin."""
    starts = np.zeros(start.shape[0], np.int32)
    for pair in range(start.shape[0] - 1):
        starts[pair + 1] = starts[pair] + table_size(start[pair + 1] - start[pair])
    tables = np.full((starts[-1], 2), FREE, np.int32)
    for pair in range(start.shape[0] - 1):
        mask = starts[pair + 1] - starts[pair] - 1
        for at in range(start[pair], start[pair + 1]):
            place = mix(labels[at, 0], 0) & mask
            while tables[starts[pair] + place, 0] != FREE:
                place = (place + 1) & mask
            tables[starts[pair] + place, 0], tables[starts[pair] + place, 1] = labels[at, 0], labels[at, 1]
    return starts, tables


@inner
def find_pair(pairs, tail, head):
    """Return the number of a vertex pair (GM.T1.getTable); -1 if GM has none."""
    mask = pairs.shape[0] - 1
    place = mix(tail, head) & mask
    while pairs[place, 2] != FREE:
        if pairs[place, 0] == tail and pairs[place, 1] == head:
            return pairs[place, 2]
        place = (place + 1) & mask
    return -1


@inner
def find_edge(labels, start, end, label):
    """Return the edge with a label in a second-level hash table (T2.getEdge); -1 if there is none."""
    mask = end - start - 1
    place = mix(label, 0) & mask
    while labels[start + place, 0] != FREE:
        if labels[start + place, 0] == label:
            return labels[start + place, 1]
        place = (place + 1) & mask
    return -1


@inner
def find_sorted_edge(labels, start, end, label):
    """Return the edge with a label in a sorted list; -1 if there is none."""
    while end - start > _LINEAR_SEARCH:
        middle = (start + end) >> 1
        if labels[middle, 0] <= label:
            start = middle
        else:
            end = middle
    for at in range(start, end):
        if labels[at, 0] == label:
            return labels[at, 1]
    return -1
