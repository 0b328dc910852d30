"""Entries that are in no segment yet: can one of them match?

To make a segment takes half a millisecond; to see that a publication lacks a constant of an entry, some nanoseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.matching.index.kernels.hash_tables import room_for, scattered


class BufferedConstants(NamedTuple):
    """The constants of entries, one entry after the other."""

    ends: Int32Array  # entry -> where its constants end
    constants: Int32Array  # global numbers


@inlined
def _place(table, number):
    """Where the number stands in the table; where it would stand, if it does not."""
    mask = np.int64(table.shape[0] - 1)
    i = scattered(number) & mask
    while table[i] >= 0 and table[i] != number:
        i = (i + 1) & mask
    return i


@compiled
def may_match_buffered(batch, waiting):
    """Whether some publication has all constants of some entry: it must, for the entry to match it."""
    for publication in range(batch.locals.shape[0] - 1):
        first, last = batch.locals[publication], batch.locals[publication + 1]
        present = np.full(room_for(last - first), -1, np.int32)
        for local in range(first, last):
            if batch.known[local] >= 0:
                present[_place(present, batch.known[local])] = batch.known[local]
        at = 0
        for end in waiting.ends:
            while at < end and present[_place(present, waiting.constants[at])] >= 0:
                at += 1
            if at == end:
                return True
            at = end
    return False
