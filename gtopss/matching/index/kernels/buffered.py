"""Test whether a publication can match an entry that is in no segment yet.

Building a segment takes half a millisecond; finding that a publication lacks a constant of an entry takes nanoseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.hash_tables import hash_number, table_size


class BufferedConstants(NamedTuple):
    """The constants of the buffered entries, one entry after the other."""

    ends: Int32Array  # entry -> where its constants end
    constants: Int32Array  # global term numbers


@inlined
def _find_place(table, number):
    """Return the place of a number in a table of numbers, or the free place (-1) where it would be."""
    mask = np.int64(table.shape[0] - 1)
    i = hash_number(number) & mask
    while table[i] >= 0 and table[i] != number:
        i = (i + 1) & mask
    return i


@compiled
def may_match_buffered(batch, buffered):
    """Return whether some publication has all constants of some entry. Without them the entry cannot match."""
    for publication in range(batch.locals.shape[0] - 1):
        first, last = batch.locals[publication], batch.locals[publication + 1]
        present = np.full(table_size(last - first), -1, np.int32)
        for local in range(first, last):
            if batch.known[local] >= 0:
                present[_find_place(present, batch.known[local])] = batch.known[local]
        position = 0
        for end in buffered.ends:
            while position < end and present[_find_place(present, buffered.constants[position])] >= 0:
                position += 1
            if position == end:
                return True
            position = end
    return False
