"""Tables by open addressing, and arrays that grow: what several kernels do in the same way."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner
from gtopss.matching.index.kernels.stars import mixed

ONES = np.uint64(0x0101010101010101)


@inner
def pair_hash(tail, head):
    return np.int64(mixed(np.uint64(np.uint32(tail)), np.uint64(np.uint32(head))) >> np.uint64(1))


@inner
def spread(edge, second):
    """A pair of edges as a place in a table; cheaper than `pair_hash`, for it is asked far more often."""
    h = np.uint64(edge) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second) * np.uint64(0xD6E8FEB86659FD93)
    return np.int64((h ^ (h >> np.uint64(32))) >> np.uint64(1))


@inner
def scattered(number):
    """A number as a place in a small table."""
    return np.int64(number) * np.int64(-7046029254386353131) >> 32


@inner
def mark_of(h):
    """A byte of a hash, never 0: of bits that its place does not depend on."""
    return np.uint8((h >> 48) & 0xFF | 1)


@inner
def first_group(h, marks):
    """Where to look first in a table of marks, eight of which are looked at in one step; a free one ends the search."""
    return (h & np.int64(marks.shape[0] - 1)) & ~np.int64(7)


@inner
def next_group(group, marks):
    return (group + 8) & np.int64(marks.shape[0] - 1)


@inner
def zero_bytes(eight):
    """The highest bit of each byte that is 0; and of some above one, so what is found must be compared."""
    return (eight - ONES) & ~eight & (ONES << np.uint64(7))


@inner
def room_for(count):
    """A table's size: a power of two, at most half full."""
    size = 4
    while size < 2 * count:
        size *= 2
    return size


@inner
def grown(array):
    """The array with as much room again."""
    larger = np.empty(2 * array.shape[0], array.dtype)
    for i in range(array.shape[0]):
        larger[i] = array[i]
    return larger
