"""Number the terms of a batch of publications from their bytes, without a Python object for any of them.

A batch arrives as one text, one term per line, three lines per triple (`ntriples` makes it from documents). Each
distinct term of a publication gets a *local* number (0, 1, ... within that publication: what joins compare) and, if
some subscription mentions it, the *global* number of the dictionary (what the index is probed with); else its global
number is -1. Nothing of a publication is kept: its own terms never enter the dictionary.

Hashes only find candidates; bytes decide. So no two terms are ever confused, whoever chose them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, inner, trailing_zeros, word
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array, UInt8Array, UInt64Array
from gtopss.matching.index.kernels.hash_tables import table_size, zero_bytes

PADDING_BYTES = 16
PADDING = b"\n" * PADDING_BYTES
"""Follows every text, so that eight bytes can be read wherever a term begins."""

_NUMBER_BITS = np.uint64(28)
MAX_TERMS = (1 << 28) - 2
"""Terms of a dictionary. A number + 1 has 28 bits, and 36 bits are left for its position in the heap: 64 GB."""
_NUMBER_MASK = np.uint64((1 << 28) - 1)

_NEWLINE = 10
_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SECOND_MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
_32 = np.uint64(32)
_29 = np.uint64(29)


class TermTable(NamedTuple):
    """The dictionary as the kernels see it: a hash table by open addressing."""

    slots: UInt64Array  # hash, place, hash, place, ...; a place is position in the heap << 28 | number + 1; 0 if free
    heap: UInt8Array  # the bytes of all terms, one after the other, each with a newline


class Batch(NamedTuple):
    """Publications in local and global numbers, one after the other."""

    triples: Int64Array  # publication -> its first triple; one more at the end
    locals: Int64Array  # publication -> its first term; one more at the end
    subject: Int32Array  # triple -> local number
    property: Int32Array
    object: Int32Array
    first: Int32Array  # term -> its first line in the text; -1 for a term that is-a triples added
    known: Int32Array  # term -> global number; -1 if no subscription mentions it


@inner
def _finish(h):
    """Return a hash in which every bit depends on every other: without the seed nobody can make two texts collide."""
    h ^= h >> _32
    h *= _MULTIPLIER
    h ^= h >> _29
    h *= _SECOND_MULTIPLIER
    return h ^ (h >> _32)


@inner
def hash_line(data, start, seed):
    """Return the end (its newline) of the line that begins at `start`, and the line's hash."""
    h = seed
    i = start
    while True:
        eight = word(data, i)
        newlines = zero_bytes(eight ^ _NEWLINES)
        if newlines == np.uint64(0):
            h = _finish(h ^ eight)
            i += 8
            continue
        n = trailing_zeros(newlines) >> 3
        mask = (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
        return i + n, _finish(h ^ (eight & mask) ^ (np.uint64(n) << np.uint64(56)))


@inner
def equal_bytes(one, i, other, j, length):
    """Return whether two stretches of bytes are equal. Both texts must be padded."""
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
def find_term(table, data, start, length, h):
    """Return the global number of a term; -1 if the dictionary does not have it."""
    mask = np.int64(table.slots.shape[0] // 2 - 1)
    i = np.int64(h) & mask
    while True:
        place = table.slots[2 * i + 1]
        if place == np.uint64(0):
            return np.int64(-1)
        if table.slots[2 * i] == h:
            begin = np.int64(place >> _NUMBER_BITS)
            if table.heap[begin + length] == _NEWLINE and equal_bytes(table.heap, begin, data, start, length):
                return np.int64(place & _NUMBER_MASK) - 1
        i = (i + 1) & mask


@compiled
def insert_terms(slots, heap, starts, first, seed):
    """Insert the terms that begin at `starts` in the heap, numbered from `first` on, into a table with room for them.

    Searches may read the table meanwhile: a place is written after its hash.
    """
    mask = np.int64(slots.shape[0] // 2 - 1)
    for k in range(starts.shape[0]):
        _, h = hash_line(heap, starts[k], seed)
        i = np.int64(h) & mask
        while slots[2 * i + 1] != np.uint64(0):
            i = (i + 1) & mask
        slots[2 * i] = h
        slots[2 * i + 1] = (np.uint64(starts[k]) << _NUMBER_BITS) | np.uint64(first + k + 1)


@inner
def _drop_repeated_triples(triples, subject, predicate, object_, seen, seed):
    """Drop the triples that a publication repeats, in place. Return where the triples of each publication begin now."""
    kept, count = np.empty_like(triples), np.int64(0)
    for publication in range(triples.shape[0] - 1):
        start, end = triples[publication], triples[publication + 1]
        kept[publication] = count
        mask = np.int64(table_size(end - start) - 1)
        seen[: mask + 1] = 0
        for triple in range(start, end):
            s, p, o = subject[triple], predicate[triple], object_[triple]
            i = np.int64(_finish(_finish(seed ^ (np.uint64(s) << _32) ^ np.uint64(p)) ^ np.uint64(o))) & mask
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


class _Terms(NamedTuple):
    """The terms of a batch while its text is read."""

    begins: Int64Array  # line -> where it begins; one more at the end
    hashes: UInt64Array  # term -> its hash
    first: Int32Array  # term -> its first line
    known: Int32Array  # term -> its global number; -1 if the dictionary does not have it
    seen: Int32Array  # the publication's terms by hash, open addressing: local number + 1; 0 if free


@inlined
def _new_terms(triples):
    """Allocate for a text with so many triples in each publication."""
    publications = triples.shape[0] - 1
    lines, longest = 3 * triples[publications], np.int64(0)
    for publication in range(publications):
        longest = max(longest, triples[publication + 1] - triples[publication])
    return _Terms(
        np.empty(lines + 1, np.int64),
        np.empty(lines, np.uint64),
        np.empty(lines, np.int32),
        np.empty(lines, np.int32),
        np.zeros(table_size(3 * longest), np.int32),
    )


@inlined
def _find_place(terms, mask, first_term, data, start, length, h):
    """Return the place in `terms.seen` of the term that begins at `start`, or the free place where it would be."""
    i = np.int64(h) & mask
    while terms.seen[i] != 0:
        other = first_term + terms.seen[i] - 1
        if terms.hashes[other] == h:
            begin = terms.begins[terms.first[other]]
            if data[begin + length] == _NEWLINE and equal_bytes(data, begin, data, start, length):
                return i
        i = (i + 1) & mask
    return i


@inlined
def _find_global_numbers(table, data, terms, first_term, end):
    """Look the terms of a publication up: in a loop of its own, so that the cache misses overlap."""
    for term in range(first_term, end):
        line = terms.first[term]
        begin = terms.begins[line]
        terms.known[term] = find_term(table, data, begin, terms.begins[line + 1] - 1 - begin, terms.hashes[term])


@inlined
def _repeats_subject(data, terms, line, position):
    """Return whether the subject of a triple is that of the triple before: then it need not be hashed.

    The newline after the earlier subject is compared too. Its bytes end before `position`, so none is beyond the text.
    """
    begin = terms.begins[line - 3]
    return equal_bytes(data, begin, data, position, terms.begins[line - 2] - begin)


@inlined
def _without_terms(triples):
    """Return the batch of a text whose lines are too few or too many."""
    none = np.empty(0, np.int32)
    return Batch(triples, np.empty(0, np.int64), none, none, none, none, none)


@compiled
def read_lines(data, triples, distinct, table, seed):
    """Number the terms of a batch's text. Return the batch, and where each line begins.

    `triples` holds where the triples of each publication begin. `distinct` says that no publication states a triple
    twice; otherwise repeated triples are dropped. If the text does not have exactly one line for every term, `locals`
    of the batch is empty.
    """
    publications = triples.shape[0] - 1
    total = triples[publications]
    ends = np.empty((3, total), np.int32)
    offsets = np.zeros(publications + 1, np.int64)
    own_terms = _new_terms(triples)
    text, terms, dictionary = borrow(data), borrow(own_terms), borrow(table)
    position, count = np.int64(0), np.int64(0)
    text_end = data.shape[0] - PADDING_BYTES
    for publication in range(publications):
        first_line, end_line = 3 * triples[publication], 3 * triples[publication + 1]
        mask = np.int64(table_size(end_line - first_line) - 1)
        terms.seen[: mask + 1] = 0
        for line in range(first_line, end_line):
            if position >= text_end:
                return _without_terms(triples), own_terms.begins
            terms.begins[line] = position
            if line % 3 == 0 and line > first_line and _repeats_subject(text, terms, line, position):
                ends[0, line // 3] = ends[0, line // 3 - 1]
                position += terms.begins[line - 2] - terms.begins[line - 3]
                continue
            stop, h = hash_line(text, position, seed)
            place = _find_place(terms, mask, offsets[publication], text, position, stop - position, h)
            if terms.seen[place] == 0:
                terms.hashes[count], terms.first[count] = h, line
                count += 1
                terms.seen[place] = count - offsets[publication]
            ends[line % 3, line // 3] = terms.seen[place] - 1
            position = stop + 1
        terms.begins[end_line] = position
        offsets[publication + 1] = count
        _find_global_numbers(dictionary, text, terms, offsets[publication], count)
    if position != text_end:
        return _without_terms(triples), own_terms.begins
    subject, predicate, object_ = ends[0], ends[1], ends[2]
    if not distinct:
        triples = _drop_repeated_triples(triples, subject, predicate, object_, own_terms.seen, seed)
        total = triples[publications]
    first, known = own_terms.first[:count].copy(), own_terms.known[:count].copy()
    return Batch(triples, offsets, subject[:total], predicate[:total], object_[:total], first, known), own_terms.begins
