"""Number what is equal once: edges, patterns (equal structures) and shapes (equal positions of stars)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array
from gtopss.matching.index.kernels.hash_tables import hash_vertex_pair, mix, table_size
from gtopss.matching.index.kernels.layout import LOOP, STAR
from gtopss.matching.index.kernels.sort import argsort

MAX_INSERTION_SORT = 64
"""Edges of an entry up to which insertion sort alone is fast enough; above it they are sorted by number first."""


class NumberedEdges(NamedTuple):
    """The distinct edges of GM, numbered pair by pair and label by label."""

    number: Int32Array  # edge of an entry -> edge of GM
    pairs: Int32Array  # as in layout.Graph
    labels: Int32Array  # as in layout.Graph
    edge_pair: Int32Array  # as in layout.Graph


class NumberedPatterns(NamedTuple):
    """The distinct structures of entries, and their shapes."""

    pattern_of: Int32Array  # entry -> pattern
    starts: Int32Array  # pattern -> its first edge; one more at the end
    edges: Int32Array  # edges of GM, pattern by pattern
    shape_of: Int32Array  # pattern -> shape
    shape_starts: Int32Array  # as in layout.Patterns
    shape_stars: Int16Array  # as in layout.Patterns
    shape_sizes: Int16Array  # as in layout.Patterns


class _Structures(NamedTuple):
    """Entries as this module compares them."""

    starts: Int32Array  # entry -> its first edge; one more at the end
    edges: Int32Array  # as in layout.Entries
    number: Int32Array  # as in NumberedEdges
    order: Int32Array  # the edges of each entry, sorted (`sort_edges`)


@inner
def _distinct_edges(edges):
    """Number the distinct edges by first appearance. Return each one's number, and their tails, heads and labels."""
    total = edges.shape[0]
    number = np.empty(total, np.int32)
    tails, heads, labels = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.int32)
    slots = np.zeros(table_size(total), np.int32)
    mask = np.int64(slots.shape[0] - 1)
    count = 0
    for e in range(total):
        s, p, o = edges[e, 0], edges[e, 1], edges[e, 2]
        if s < 0 and s == o:
            tail, head = np.int32(LOOP), np.int32(LOOP)
        else:
            tail, head = np.int32(max(s, STAR)), np.int32(max(o, STAR))
        label = np.int32(max(p, STAR))
        h = mix(np.uint64(hash_vertex_pair(tail, head)), np.uint64(np.uint32(label)))
        i = np.int64(h >> np.uint64(1)) & mask
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
    return number, tails[:count], heads[:count], labels[:count]


@inner
def _pair_table(tails, heads, size):
    """Return a table of the vertex pairs (`Graph.pairs`) whose labels are still to be filled in, the place of each
    edge's pair, and how many pairs there are."""
    count = tails.shape[0]
    pairs, pair_of, used = np.zeros((size, 4), np.int32), np.empty(count, np.int64), 0
    mask = np.int64(size - 1)
    for k in range(count):
        i = hash_vertex_pair(tails[k], heads[k]) & mask
        while pairs[i, 3] != 0 and (pairs[i, 0] != tails[k] or pairs[i, 1] != heads[k]):
            i = (i + 1) & mask
        if pairs[i, 3] == 0:
            pairs[i, 0], pairs[i, 1], pairs[i, 3] = tails[k], heads[k], 1
            used += 1
        pair_of[k] = i
    return pairs, pair_of, used


@inner
def number_edges(edges):
    """Number the distinct edges of entries (`Entries.edges`) by vertex pair, then by label."""
    number, tails, heads, labels = _distinct_edges(edges)
    count = labels.shape[0]
    pairs, pair_of, used = _pair_table(tails, heads, table_size(count))
    if table_size(used) < pairs.shape[0]:  # many labels per pair: a smaller table is enough
        pairs, pair_of, used = _pair_table(tails, heads, table_size(used))
    keys = np.empty(count, np.int64)
    for k in range(count):
        keys[k] = (pair_of[k] << 32) | np.int64(labels[k] + 1)
    order = argsort(keys)
    place = np.empty(count, np.int32)
    sorted_labels, edge_pair = np.empty(count, np.int32), np.empty(count, np.int32)
    for k in range(count):
        old = order[k]
        place[old] = k
        sorted_labels[k] = labels[old]
        pair = pair_of[old]
        edge_pair[k] = pair
        if k == 0 or pair != edge_pair[k - 1]:
            pairs[pair, 2] = k
        pairs[pair, 3] = k + 1
    for e in range(number.shape[0]):
        number[e] = place[number[e]]
    return NumberedEdges(number, pairs, sorted_labels, edge_pair)


@inner
def _precedes(number, edges, one, other):
    """Return whether an edge of an entry comes before another: by number, then by stars."""
    if number[one] != number[other]:
        return number[one] < number[other]
    for part in range(3):
        if edges[one, part] != edges[other, part]:
            return edges[one, part] > edges[other, part]
    return False


@inner
def sort_edges(starts, edges, number):
    """Sort the edges of each entry by number, then by stars. Return them as positions in the given arrays."""
    order = np.arange(number.shape[0])
    for entry in range(starts.shape[0] - 1):
        first, last = starts[entry], starts[entry + 1]
        if last - first > MAX_INSERTION_SORT:
            by_number = argsort(number[first:last].astype(np.int64))
            for i in range(last - first):
                order[first + i] = first + by_number[i]
        for i in range(first + 1, last):  # few edges, or nearly sorted
            moved = order[i]
            j = i
            while j > first and _precedes(number, edges, moved, order[j - 1]):
                order[j] = order[j - 1]
                j -= 1
            order[j] = moved
    return order


@inner
def _star_part(part):
    """Return a part of an edge with any constant replaced by 0; the star v is -1 - v."""
    return min(part, 0)


@inner
def _hash_entry(structures, entry):
    """Return the hash of an entry's structure, and of its shape alone."""
    first, last = structures.starts[entry], structures.starts[entry + 1]
    structure, shape = np.uint64(last - first), np.uint64(last - first)
    for i in range(first, last):
        e = structures.order[i]
        for part in range(3):
            shape = mix(shape, np.uint64(_star_part(structures.edges[e, part]) + 1))
        structure = mix(structure, np.uint64(structures.number[e]))
    return mix(structure, shape), shape


@inner
def _equal_entries(structures, one, other, shapes_only):
    """Return whether two entries have the same structure, or at least the same shape."""
    starts, edges, order = structures.starts, structures.edges, structures.order
    first, second = starts[one], starts[other]
    size = starts[one + 1] - first
    if starts[other + 1] - second != size:
        return False
    for k in range(size):
        a, b = order[first + k], order[second + k]
        if not shapes_only and structures.number[a] != structures.number[b]:
            return False
        for part in range(3):
            if _star_part(edges[a, part]) != _star_part(edges[b, part]):
                return False
    return True


@inner
def _find_class(structures, entry, h, shapes_only, slots, examples):
    """Return the place in a hash table of the class that an entry belongs to; a free one (0) if it is the first.

    A place holds the number of a class + 1, and `examples` an entry of each class.
    """
    mask = np.int64(slots.shape[0] - 1)
    i = np.int64(h >> np.uint64(1)) & mask
    while slots[i] != 0 and not _equal_entries(structures, entry, examples[slots[i] - 1], shapes_only):
        i = (i + 1) & mask
    return i


@inner
def _class_starts(starts, examples):
    """Return where the edges of each class begin, and where the last one's end."""
    made = np.zeros(examples.shape[0] + 1, np.int32)
    for c in range(examples.shape[0]):
        made[c + 1] = made[c] + starts[examples[c] + 1] - starts[examples[c]]
    return made


@inner
def _shape_stars(structures, examples, shape_starts):
    """Return the stars at the ends of each shape's edges, and the number of stars in each shape."""
    stars, sizes = np.empty((shape_starts[-1], 3), np.int16), np.zeros(examples.shape[0], np.int16)
    for s in range(examples.shape[0]):
        first = structures.starts[examples[s]]
        for k in range(shape_starts[s + 1] - shape_starts[s]):
            e = structures.order[first + k]
            for part in range(3):
                star = -1 - structures.edges[e, part] if structures.edges[e, part] < 0 else -1
                stars[shape_starts[s] + k, part] = star
                sizes[s] = max(sizes[s], star + 1)
    return stars, sizes


@inner
def number_patterns(starts, edges, number, order):
    """Number the distinct structures of entries as patterns, and their distinct shapes. `order` is of `sort_edges`."""
    structures, n = _Structures(starts, edges, number, order), starts.shape[0] - 1
    pattern_of, shape_of = np.empty(n, np.int32), np.empty(n, np.int32)
    slots, shape_slots = np.zeros(table_size(n), np.int32), np.zeros(table_size(n), np.int32)
    examples, shape_examples = np.empty(n, np.int32), np.empty(n, np.int32)
    patterns, shapes = 0, 0
    for entry in range(n):
        h, shape_h = _hash_entry(structures, entry)
        i = _find_class(structures, entry, h, False, slots, examples)
        if slots[i] == 0:
            j = _find_class(structures, entry, shape_h, True, shape_slots, shape_examples)
            if shape_slots[j] == 0:
                shape_examples[shapes] = entry
                shapes += 1
                shape_slots[j] = shapes
            examples[patterns], shape_of[patterns] = entry, shape_slots[j] - 1
            patterns += 1
            slots[i] = patterns
        pattern_of[entry] = slots[i] - 1
    examples, shape_examples = examples[:patterns], shape_examples[:shapes]
    pattern_starts, shape_starts = _class_starts(starts, examples), _class_starts(starts, shape_examples)
    pattern_edges = np.empty(pattern_starts[patterns], np.int32)
    for p in range(patterns):
        for k in range(pattern_starts[p + 1] - pattern_starts[p]):
            pattern_edges[pattern_starts[p] + k] = number[order[starts[examples[p]] + k]]
    shape_stars, shape_sizes = _shape_stars(structures, shape_examples, shape_starts)
    return NumberedPatterns(
        pattern_of, pattern_starts, pattern_edges, shape_of[:patterns].copy(), shape_starts, shape_stars, shape_sizes
    )
