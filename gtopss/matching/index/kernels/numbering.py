"""Equal edges become one edge, equal structures one pattern, equal places of stars one shape: each gets a number."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.hash_tables import pair_hash, room_for
from gtopss.matching.index.kernels.layout import LOOP, STAR
from gtopss.matching.index.kernels.sort import ranked
from gtopss.matching.index.kernels.stars import mixed


@inner
def number_edges(edges):
    """The distinct edges, numbered pair by pair and label by label."""
    m = edges.shape[0]
    number = np.empty(m, np.int32)
    tails, heads, labels = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, np.int32)
    slots = np.zeros(room_for(m), np.int32)
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
    pairs, pair_of, used = _pairs(tails, heads, count, room_for(count))
    if room_for(used) < pairs.shape[0]:  # many labels a pair: less room will do
        pairs, pair_of, used = _pairs(tails, heads, count, room_for(used))
    keys = np.empty(count, np.int64)
    for k in range(count):
        keys[k] = (pair_of[k] << 32) | np.int64(labels[k] + 1)
    order = ranked(keys)
    place = np.empty(count, np.int32)
    sorted_labels, edge_pair = np.empty(count, np.int32), np.empty(count, np.int32)
    for k in range(count):
        old = order[k]
        place[old] = k
        sorted_labels[k] = labels[old]
        v = pair_of[old]
        edge_pair[k] = v
        if k == 0 or v != edge_pair[k - 1]:
            pairs[v, 2] = k
        pairs[v, 3] = k + 1
    for e in range(m):
        number[e] = place[number[e]]
    return number, pairs, sorted_labels, edge_pair


@inner
def _pairs(tails, heads, count, room):
    """A table of the vertex pairs (`Graph.pairs`) with their labels yet to come; where each edge's is, how many are."""
    pairs, pair_of, used = np.zeros((room, 4), np.int32), np.empty(count, np.int64), 0
    mask = np.int64(room - 1)
    for k in range(count):
        i = pair_hash(tails[k], heads[k]) & mask
        while pairs[i, 3] != 0 and (pairs[i, 0] != tails[k] or pairs[i, 1] != heads[k]):
            i = (i + 1) & mask
        if pairs[i, 3] == 0:
            pairs[i, 0], pairs[i, 1], pairs[i, 3] = tails[k], heads[k], 1
            used += 1
        pair_of[k] = i
    return pairs, pair_of, used


@inner
def _before(number, edges, one, other):
    if number[one] != number[other]:
        return number[one] < number[other]
    for part in range(3):
        if edges[one, part] != edges[other, part]:
            return edges[one, part] > edges[other, part]
    return False


@inner
def sort_edges(starts, edges, number):
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


@inner
def number_patterns(starts, edges, number, order):
    """Equal structures become one pattern, equal star positions one shape."""
    n = starts.shape[0] - 1
    pattern_of = np.empty(n, np.int32)
    slots, shape_slots = np.zeros(room_for(n), np.int32), np.zeros(room_for(n), np.int32)
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
