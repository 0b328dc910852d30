"""Terms as bytes become numbers, without a Python object for any of them.

A batch of publications arrives as one text, a term a line, three lines a triple (`ntriples` makes it of documents).
Each distinct term of a publication gets a *local* number (0, 1, ... within that publication: what joins compare) and,
if some subscription mentions it, the *global* number of the dictionary (what the index is asked for); else its global
number is -1. Nothing of a publication is kept: its own terms leave no trace.

UInt64Array only find candidates; bytes decide. So no two terms are ever taken for one, whoever chose them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inner, trailing_zeros, word
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array, UInt8Array, UInt64Array
from gtopss.matching.index.kernels.hash_tables import room_for, zero_bytes

PADDING = b"\n" * 16
"""After every text, so that eight bytes can be read wherever a term begins."""

_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FINAL = np.uint64(0xD6E8FEB86659FD93)
_NUMBER_BITS = np.uint64(28)
_NUMBER_MASK = np.uint64((1 << 28) - 1)
MAX_TERMS = (1 << 28) - 2
_32 = np.uint64(32)
_29 = np.uint64(29)


class TermTable(NamedTuple):
    """The dictionary as the kernels see it."""

    slots: UInt64Array  # hash, place, hash, place, ...; a place is a term's start in the heap and its number
    heap: UInt8Array  # the terms' bytes, one after the other, each with its newline


class Batch(NamedTuple):
    """Publications in local and global numbers, one after the other."""

    triples: Int64Array  # publication -> its first triple; one more at the end
    locals: Int64Array  # publication -> its first local number; one more at the end
    subject: Int32Array  # local numbers, for each triple
    property: Int32Array
    object: Int32Array
    first: Int32Array  # local number -> the term's first line in the text; -1 for an is-a target
    known: Int32Array  # local number -> global number or -1


@inner
def _stirred(h):
    """Every bit depends on every other: who does not know the seed cannot make two texts meet."""
    h ^= h >> _32
    h *= _FACTOR
    h ^= h >> _29
    h *= _FINAL
    return h ^ (h >> _32)


@inner
def line(data, start, seed):
    """The end (its newline) of the line that begins at `start`, and the line's hash."""
    h = seed
    i = start
    while True:
        w = word(data, i)
        found = zero_bytes(w ^ _NEWLINES)
        if found == np.uint64(0):
            h = _stirred(h ^ w)
            i += 8
            continue
        n = trailing_zeros(found) >> 3
        kept = (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
        return i + n, _stirred(h ^ (w & kept) ^ (np.uint64(n) << np.uint64(56)))


@inner
def same(one, i, other, j, length):
    """Whether two stretches of bytes are equal; both texts are padded."""
    k = 0
    while k + 8 <= length:
        if word(one, i + k) != word(other, j + k):
            return False
        k += 8
    while k < length:
        if one[i + k] != other[j + k]:
            return False
        k += 1
    return True


@inner
def find(table, data, start, length, h):
    """The global number of a term; -1 if the dictionary does not have it."""
    mask = np.int64(table.slots.shape[0] // 2 - 1)
    i = np.int64(h) & mask
    while True:
        place = table.slots[2 * i + 1]
        if place == np.uint64(0):
            return np.int64(-1)
        if table.slots[2 * i] == h:
            begin = np.int64(place >> _NUMBER_BITS)
            if table.heap[begin + length] == 10 and same(table.heap, begin, data, start, length):
                return np.int64(place & _NUMBER_MASK) - 1
        i = (i + 1) & mask


@compiled
def insert_terms(slots, heap, starts, first, seed):
    """Enter terms that begin at `starts` and are numbered from `first` on into a table that has room for them."""
    mask = np.int64(slots.shape[0] // 2 - 1)
    for k in range(starts.shape[0]):
        _, h = line(heap, starts[k], seed)
        i = np.int64(h) & mask
        while slots[2 * i + 1] != np.uint64(0):
            i = (i + 1) & mask
        slots[2 * i] = h
        slots[2 * i + 1] = (np.uint64(starts[k]) << _NUMBER_BITS) | np.uint64(first + k + 1)


@inner
def _without_repeats(triples, subject, predicate, object_, seen, seed):
    """Triples that a publication states again are dropped, in place: the first triple of each publication now."""
    kept, count = np.empty_like(triples), np.int64(0)
    for publication in range(triples.shape[0] - 1):
        start, end = triples[publication], triples[publication + 1]
        kept[publication] = count
        mask = np.int64(room_for(end - start) - 1)
        seen[: mask + 1] = 0
        for triple in range(start, end):
            s, p, o = subject[triple], predicate[triple], object_[triple]
            i = np.int64(_stirred(_stirred(seed ^ (np.uint64(s) << _32) ^ np.uint64(p)) ^ np.uint64(o))) & mask
            while seen[i] != 0:
                other = kept[publication] + seen[i] - 1
                if subject[other] == s and predicate[other] == p and object_[other] == o:
                    break
                i = (i + 1) & mask
            if seen[i] == 0:
                subject[count], predicate[count], object_[count] = s, p, o
                count += 1
                seen[i] = count - kept[publication]
    kept[triples.shape[0] - 1] = count
    return kept


@compiled
def read_lines(data, triples, distinct, table, seed):
    """A batch's text in numbers, and where each line begins; no locals if it does not have exactly one line for every
    term. `distinct` says that no publication states a triple twice; else what it repeats is dropped."""
    publications = triples.shape[0] - 1
    total = triples[publications]
    subject, predicate, object_ = np.empty(total, np.int32), np.empty(total, np.int32), np.empty(total, np.int32)
    first, known = np.empty(3 * total, np.int32), np.empty(3 * total, np.int32)
    offsets = np.empty(publications + 1, np.int64)
    begins, hashes = np.empty(3 * total + 1, np.int64), np.empty(3 * total, np.uint64)
    most = 0
    for publication in range(publications):
        most = max(most, triples[publication + 1] - triples[publication])
    seen = np.zeros(room_for(3 * most), np.int32)
    position, count = np.int64(0), 0
    text_end = data.shape[0] - 16
    for publication in range(publications):
        offsets[publication] = count
        start, end = triples[publication], triples[publication + 1]
        mask = np.int64(room_for(3 * (end - start)) - 1)
        seen[: mask + 1] = 0
        for occurrence in range(3 * start, 3 * end):
            if position >= text_end:
                return Batch(triples, offsets[:0], subject, predicate, object_, first, known), begins
            begins[occurrence] = position
            stop, h = line(data, position, seed)
            length = stop - position
            i = np.int64(h) & mask
            local = -1
            while seen[i] != 0:
                other = offsets[publication] + seen[i] - 1
                if hashes[other] == h:
                    begin = begins[first[other]]
                    if data[begin + length] == 10 and same(data, begin, data, position, length):
                        local = seen[i] - 1
                        break
                i = (i + 1) & mask
            if local < 0:
                local = count - offsets[publication]
                seen[i] = local + 1
                hashes[count] = h
                first[count] = occurrence
                count += 1
            which, triple = occurrence % 3, occurrence // 3
            if which == 0:
                subject[triple] = local
            elif which == 1:
                predicate[triple] = local
            else:
                object_[triple] = local
            position = stop + 1
        begins[3 * end] = position
        for local in range(offsets[publication], count):  # apart from the loop above: their misses overlap
            begin = begins[first[local]]
            known[local] = find(table, data, begin, begins[first[local] + 1] - 1 - begin, hashes[local])
    if position != text_end:
        return Batch(triples, offsets[:0], subject, predicate, object_, first, known), begins
    offsets[publications] = count
    if not distinct:
        triples = _without_repeats(triples, subject, predicate, object_, seen, seed)
        total = triples[publications]
        subject, predicate, object_ = subject[:total], predicate[:total], object_[:total]
    return Batch(triples, offsets, subject, predicate, object_, first[:count].copy(), known[:count].copy()), begins
