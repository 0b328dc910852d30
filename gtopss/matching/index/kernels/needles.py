"""Look for many needles in a text at once: a trie of all needles, four bytes to an edge, in one hash table.

A needle is cut into pieces of four bytes; the last piece may have one to three. A *node* is what has been read of a
needle so far. The table maps a node, the length of a piece and the piece to the next node. Each mapping of texts has
a root of its own (`relations.MAPPING_COUNT`).

At each position of a text the search starts from the root. A small filter of bits rules out most positions before the
table is looked at. UTF-8 keeps a needle from being found inside a character.

Why no automaton, as that of Aho and Corasick: a needle is inserted in microseconds while others search, nothing is ever
rebuilt, and a needle takes about forty bytes. The price is that a position is read more than once where needles begin
alike; whoever searches counts the steps.

Needles may be inserted while others search: a place is written after all that it leads to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined, word
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array, UInt64Array
from gtopss.matching.index.kernels.hash_tables import mix
from gtopss.matching.index.kernels.relations import MAPPING_COUNT

NODE_OUTPUT, NODE_PIECES = 0, 1
"""Columns of `NeedleTable.nodes`: the first output of the needle that ends here, -1 if none does; and which lengths the
next pieces have, a bit each."""
OUTPUT_RELATIONS, OUTPUT_TARGET, OUTPUT_NEXT = 0, 1, 2
"""Columns of `NeedleTable.outputs`: the relation under which a needle is looked for, and that of the triple that is
added, << 8; the object of that triple; the next output of the same needle, or -1."""
NODES_USED, OUTPUTS_USED = 0, 1
"""Elements of `NeedleTable.used`."""
MAX_NODES = (1 << 27) - 1
PIECE = 4
FILTER_BITS_PER_PLACE = 2


class NeedleTable(NamedTuple):
    """All needles. The roots are the first nodes."""

    keys: UInt64Array  # open addressing: node << 36 | length << 32 | piece; 0 if free
    children: Int32Array  # place -> node
    nodes: Int32Array  # [node, 2]
    outputs: Int32Array  # [output, 3]
    filter: UInt64Array  # bits of the pieces that follow a root
    used: Int64Array
    seed: np.uint64


def new_needle_table(places: int, outputs: int, seed: np.uint64) -> NeedleTable:
    """Return an empty table. It has room for half as many nodes as places, which is a power of two."""
    nodes = np.zeros((places // 2, 2), np.int32)
    nodes[:, NODE_OUTPUT] = -1
    return NeedleTable(
        np.zeros(places, np.uint64),
        np.zeros(places, np.int32),
        nodes,
        np.zeros((outputs, 3), np.int32),
        np.zeros(max(places * FILTER_BITS_PER_PLACE // 64, 1), np.uint64),
        np.array([MAPPING_COUNT, 0], np.int64),
        seed,
    )


@inlined
def _key(node, length, piece):
    return (np.uint64(node) << np.uint64(36)) | (np.uint64(length) << np.uint64(32)) | np.uint64(piece)


@inlined
def _filter_place(table, h):
    """Return the word and the bit of a hash in the filter."""
    bit = h >> np.uint64(34)
    return np.int64(bit >> np.uint64(6)) & np.int64(table.filter.shape[0] - 1), bit & np.uint64(63)


@inlined
def _find_place(table, key, h):
    """Return the place of a key, or the free place where it would be."""
    mask = np.int64(table.keys.shape[0] - 1)
    i = np.int64(h) & mask
    while table.keys[i] != np.uint64(0) and table.keys[i] != key:
        i = (i + 1) & mask
    return i


@inlined
def _insert_key(table, key, node):
    h = mix(key, table.seed)
    place = _find_place(table, key, h)
    table.children[place] = node
    table.keys[place] = key
    if np.int64(key >> np.uint64(36)) < MAPPING_COUNT:
        at, bit = _filter_place(table, h)
        table.filter[at] |= np.uint64(1) << bit


@inlined
def _piece(text, start, length):
    """Return so many bytes of a padded text as a number."""
    return np.int64(word(text, start) & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1)))


@compiled
def insert_needle(table, root, text, length, relations, target):
    """Insert a needle with one more output, unless it has it already. The text must be padded.

    Return whether there was room; otherwise nothing is changed that matters.
    """
    node, start = np.int64(root), 0
    while start < length:
        size = min(PIECE, length - start)
        key = _key(node, size, _piece(text, start, size))
        place = _find_place(table, key, mix(key, table.seed))
        if table.keys[place] != np.uint64(0):
            node = np.int64(table.children[place])
        else:
            child = table.used[NODES_USED]
            if child >= table.nodes.shape[0]:
                return False
            table.used[NODES_USED] = child + 1
            _insert_key(table, key, child)
            table.nodes[node, NODE_PIECES] |= 1 << size
            node = child
        start += size
    at = table.nodes[node, NODE_OUTPUT]
    while at >= 0:
        if table.outputs[at, OUTPUT_RELATIONS] == relations and table.outputs[at, OUTPUT_TARGET] == target:
            return True
        at = table.outputs[at, OUTPUT_NEXT]
    made = table.used[OUTPUTS_USED]
    if made >= table.outputs.shape[0]:
        return False
    table.outputs[made, OUTPUT_RELATIONS], table.outputs[made, OUTPUT_TARGET] = relations, target
    table.outputs[made, OUTPUT_NEXT] = table.nodes[node, NODE_OUTPUT]
    table.used[OUTPUTS_USED] = made + 1
    table.nodes[node, NODE_OUTPUT] = made
    return True


@compiled
def copy_needles(old, new):
    """Copy all needles to a larger, empty table."""
    for node in range(old.used[NODES_USED]):
        new.nodes[node, 0], new.nodes[node, 1] = old.nodes[node, 0], old.nodes[node, 1]
    for output in range(old.used[OUTPUTS_USED]):
        for column in range(3):
            new.outputs[output, column] = old.outputs[output, column]
    new.used[NODES_USED], new.used[OUTPUTS_USED] = old.used[NODES_USED], old.used[OUTPUTS_USED]
    for place in range(old.keys.shape[0]):
        if old.keys[place] != np.uint64(0):
            _insert_key(new, old.keys[place], old.children[place])


@inlined
def find_piece(table, node, length, text, position):
    """Return the node that the next piece of a padded text leads to; -1 if no needle goes on with it."""
    key = _key(node, length, _piece(text, position, length))
    h = mix(key, table.seed)
    if node < MAPPING_COUNT:
        at, bit = _filter_place(table, h)
        if (table.filter[at] >> bit) & np.uint64(1) == np.uint64(0):
            return np.int64(-1)
    place = _find_place(table, key, h)
    return np.int64(table.children[place]) if table.keys[place] != np.uint64(0) else np.int64(-1)
