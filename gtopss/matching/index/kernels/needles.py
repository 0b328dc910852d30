"""Look for many needles in a text at once: a trie of all needles, four bytes to an edge, in one hash table.

A needle is cut into pieces of four bytes; the last piece may have one to three. A *node* is what has been read of a
needle so far. The table maps a node, the length of a piece and the piece to the next node, and to what is known of that
node: a step of the search reads one place of sixteen bytes, and so misses the processor's caches once. Each mapping of
texts has a root of its own (`relations.MAPPING_COUNT`).

At each position of a text the search starts from the root. A small filter of bits rules out most positions before the
table is looked at. UTF-8 keeps a needle from being found inside a character.

Why no automaton, as that of Aho and Corasick: a needle is inserted in microseconds while others search, nothing is ever
rebuilt, and a needle of ten letters takes about sixty bytes. The price is that a position is read more than once where
needles begin alike; whoever searches counts the steps.

Needles may be inserted while others search: a place is written after all that it leads to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined, word
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array, UInt64Array
from gtopss.matching.index.kernels.hash_tables import mix
from gtopss.matching.index.kernels.relations import MAPPING_COUNT

OUTPUT_RELATIONS, OUTPUT_TARGET, OUTPUT_NEXT = 0, 1, 2
"""Columns of `NeedleTable.outputs`: the relation under which a needle is looked for, and that of the triple that is
added, << 8; the object of that triple; the next output of the same needle, or -1."""
NODES_USED, OUTPUTS_USED = 0, 1
"""Elements of `NeedleTable.used`."""
KEY, NODE = 0, 1
"""Columns of `NeedleTable.records`. KEY is node << 36 | length of the piece << 32 | piece; 0 if the place is free. NODE
describes the next node: its first output + 1, or 0, << 32; the lengths of the pieces that may follow it, as bits from
PIECES_SHIFT on; and its number."""
PIECES_SHIFT = 28
MAX_NODES = (1 << 27) - 1
PIECE = 4
FILTER_BITS_PER_PLACE = 2
MAX_LOAD = 0.75
"""Part of the places that may be in use."""
_NODE_MASK = np.uint64((1 << 28) - 1)


class NeedleTable(NamedTuple):
    """All needles. The roots are the first nodes."""

    records: UInt64Array  # [place, 2]: KEY and NODE; open addressing
    root_pieces: Int64Array  # root -> the lengths of the pieces that may follow it, as bits
    outputs: Int32Array  # [output, 3]
    filter: UInt64Array  # bits of the pieces that follow a root
    used: Int64Array
    seed: np.uint64


def new_needle_table(places: int, outputs: int, seed: np.uint64) -> NeedleTable:
    """Return an empty table."""
    words = max(places * FILTER_BITS_PER_PLACE // 64, 1)
    return NeedleTable(
        np.zeros((places, 2), np.uint64),
        np.zeros(MAPPING_COUNT, np.int64),
        np.zeros((outputs, 3), np.int32),
        np.zeros(1 << (words - 1).bit_length(), np.uint64),
        np.array([MAPPING_COUNT, 0], np.int64),
        seed,
    )


def node_capacity(places: int) -> int:
    """Return the number of nodes, roots included, for which a table with so many places has room."""
    return int(places * MAX_LOAD) + MAPPING_COUNT


@inlined
def _key(node, length, piece):
    return (np.uint64(node) << np.uint64(36)) | (np.uint64(length) << np.uint64(32)) | np.uint64(piece)


@inlined
def _filter_place(table, h):
    """Return the word and the bit of a hash in the filter."""
    bit = h & np.uint64(0xFFFFFFFF)
    return np.int64(bit >> np.uint64(6)) & np.int64(table.filter.shape[0] - 1), bit & np.uint64(63)


@inlined
def _find_place(table, key, h):
    """Return the place of a key, or the free place where it would be."""
    count = np.uint64(table.records.shape[0])
    i = np.int64(((h >> np.uint64(32)) * count) >> np.uint64(32))  # the highest bits of the hash, as a share of all
    while table.records[i, KEY] != np.uint64(0) and table.records[i, KEY] != key:
        i += 1
        if i == np.int64(count):
            i = np.int64(0)
    return i


@inlined
def _insert_key(table, key, node):
    """Insert a key. What its place says of the node is written first: others may be searching."""
    h = mix(key, table.seed)
    place = _find_place(table, key, h)
    table.records[place, NODE] = node
    table.records[place, KEY] = key
    if np.int64(key >> np.uint64(36)) < MAPPING_COUNT:
        at, bit = _filter_place(table, h)
        table.filter[at] |= np.uint64(1) << bit
    return place


@inlined
def _piece(text, start, length):
    """Return so many bytes of a padded text as a number."""
    return np.int64(word(text, start) & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1)))


@inlined
def _note_piece(table, root, place, length):
    """Note that a piece of this length may follow the node at a place, or a root if the place is -1."""
    if place < 0:
        table.root_pieces[root] |= 1 << length
    else:
        table.records[place, NODE] |= np.uint64(1) << np.uint64(PIECES_SHIFT + length - 1)


@inlined
def _insert_needle(table, root, text, start, end, relations, target):
    """Insert one needle. Return whether there was room; otherwise nothing is changed that matters."""
    capacity = np.int64(table.records.shape[0] * MAX_LOAD) + MAPPING_COUNT
    node, place = np.int64(root), np.int64(-1)
    while start < end:
        size = min(PIECE, end - start)
        key = _key(node, size, _piece(text, start, size))
        next_place = _find_place(table, key, mix(key, table.seed))
        if table.records[next_place, KEY] == np.uint64(0):
            child = table.used[NODES_USED]
            if child >= capacity:
                return False
            table.used[NODES_USED] = child + 1
            next_place = _insert_key(table, key, np.uint64(child))
            _note_piece(table, root, place, size)
        place = next_place
        node = np.int64(table.records[place, NODE] & _NODE_MASK)
        start += size
    first = first_output(table.records[place, NODE])
    at = first
    while at >= 0:
        if table.outputs[at, OUTPUT_RELATIONS] == relations and table.outputs[at, OUTPUT_TARGET] == target:
            return True
        at = np.int64(table.outputs[at, OUTPUT_NEXT])
    made = table.used[OUTPUTS_USED]
    if made >= table.outputs.shape[0]:
        return False
    table.outputs[made, OUTPUT_RELATIONS], table.outputs[made, OUTPUT_TARGET] = relations, target
    table.outputs[made, OUTPUT_NEXT] = first
    table.used[OUTPUTS_USED] = made + 1
    rest = table.records[place, NODE] & np.uint64(0xFFFFFFFF)
    table.records[place, NODE] = (np.uint64(made + 1) << np.uint64(32)) | rest
    return True


@compiled
def insert_needles(table, text, needles):
    """Insert needles, none of which is empty, each with one more output, unless it has it already.

    A row of `needles` is the end of the needle in the padded text, where the next one begins; its root; and the columns
    OUTPUT_RELATIONS and OUTPUT_TARGET of its output. Return how many were inserted before there was no more room.
    """
    start = np.int64(0)
    for i in range(needles.shape[0]):
        end = needles[i, 0]
        if not _insert_needle(table, needles[i, 1], text, start, end, needles[i, 2], needles[i, 3]):
            return i
        start = end
    return np.int64(needles.shape[0])


@compiled
def copy_needles(old, new):
    """Copy all needles to a larger, empty table."""
    for root in range(MAPPING_COUNT):
        new.root_pieces[root] = old.root_pieces[root]
    for output in range(old.used[OUTPUTS_USED]):
        for column in range(3):
            new.outputs[output, column] = old.outputs[output, column]
    new.used[NODES_USED], new.used[OUTPUTS_USED] = old.used[NODES_USED], old.used[OUTPUTS_USED]
    for place in range(old.records.shape[0]):
        if old.records[place, KEY] != np.uint64(0):
            _insert_key(new, old.records[place, KEY], old.records[place, NODE])


@inlined
def first_output(node):
    """Return the first output of a node as `find_piece` describes it; -1 if no needle ends there."""
    return np.int64(node >> np.uint64(32)) - 1


@inlined
def node_number(node):
    """Return the number of a node as `find_piece` describes it."""
    return np.int64(node & _NODE_MASK)


@inlined
def next_pieces(node):
    """Return the lengths of the pieces that may follow a node as `find_piece` describes it, as bits."""
    return np.int64((node >> np.uint64(PIECES_SHIFT - 1)) & np.uint64(0x1E))


@inlined
def find_piece(table, node, length, text, position):
    """Return the node that the next piece of a padded text leads to, as column NODE; 0 if no needle goes on with it."""
    key = _key(node, length, _piece(text, position, length))
    h = mix(key, table.seed)
    if node < MAPPING_COUNT:
        at, bit = _filter_place(table, h)
        if (table.filter[at] >> bit) & np.uint64(1) == np.uint64(0):
            return np.uint64(0)
    place = _find_place(table, key, h)
    # compared with the key, because a free place may have been taken by another key meanwhile
    return table.records[place, NODE] if table.records[place, KEY] == key else np.uint64(0)
