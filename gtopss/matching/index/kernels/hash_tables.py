"""Hash tables by open addressing: hash functions, sizes, and groups of tags.

Every table has a power of two of places and is at most half full, so a search ends at a free place. Integer overflow
is intended throughout: a product keeps its lowest 64 bits.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner

EACH_BYTE = np.uint64(0x0101010101010101)
"""A word whose bytes are all 1: times a byte, it repeats that byte eight times."""

GROUP = 8
"""Tags that are compared in one step: the bytes of a word."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SECOND_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
SIGNED_MULTIPLIER = np.int64(-7046029254386353131)  # _MULTIPLIER as a signed number


@inner
def mix(a, b):
    """Return a hash of two 64-bit numbers; the order of the two matters."""
    h = (np.uint64(a) ^ (np.uint64(b) + _MULTIPLIER)) * _SECOND_MULTIPLIER
    h ^= h >> np.uint64(32)
    h *= _SECOND_MULTIPLIER
    return h ^ (h >> np.uint64(29))


@inner
def hash_vertex_pair(tail, head):
    """Return a hash of two ends of an edge, never negative."""
    return np.int64(mix(np.uint64(np.uint32(tail)), np.uint64(np.uint32(head))) >> np.uint64(1))


@inner
def hash_edge_pair(edge, second):
    """Return a hash of two edges, never negative. Cheaper than `hash_vertex_pair`, because it runs far more often."""
    h = np.uint64(edge) * _MULTIPLIER + np.uint64(second) * _SECOND_MULTIPLIER
    return np.int64((h ^ (h >> np.uint64(32))) >> np.uint64(1))


@inner
def hash_number(number):
    """Return a hash of one number, for small tables; the caller masks it."""
    return np.int64(number) * SIGNED_MULTIPLIER >> 32


@inner
def label_bit(label):
    """Return one of 32 bits for a label: the set of this label alone."""
    return np.int32(1 << (hash_number(label) & 31))


@inner
def tag_of(h):
    """Return a byte of a hash, never 0, from bits that do not decide its place in the table."""
    return np.uint8((h >> 48) & 0xFF | 1)


@inner
def first_group(h, tags):
    """Return where a search in a table of tags begins. It proceeds by groups, and ends with a group that has a free
    place."""
    return (h & np.int64(tags.shape[0] - 1)) & ~np.int64(GROUP - 1)


@inner
def next_group(group, tags):
    return (group + GROUP) & np.int64(tags.shape[0] - 1)


@inner
def zero_bytes(word):
    """Return a word with the highest bit of each byte set that is 0 in `word`.

    The bit of a byte above such a one may be set wrongly, so the caller compares what it finds. The lowest set bit is
    always right.
    """
    return (word - EACH_BYTE) & ~word & (EACH_BYTE << np.uint64(7))


@inner
def table_size(count):
    """Return the size of a table for `count` elements: a power of two, at most half full."""
    size = 4
    while size < 2 * count:
        size *= 2
    return size
