"""Copy a batch of publications and add triples of virtual relations to it: what `is_a_edges` and `text_edges` share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array
from gtopss.matching.index.kernels.hash_tables import SIGNED_MULTIPLIER, table_size


class Expansion(NamedTuple):
    """The batch that is being made, with the keys of the triples that were added to the current publication."""

    subject: Int32Array
    property: Int32Array
    object: Int32Array
    first: Int32Array
    known: Int32Array
    seen: Int64Array  # hash table by open addressing; 0 if free


@inlined
def new_expansion(triples, terms, most_additions):
    """Allocate for a batch with so many triples and terms, and so many additions to one publication."""
    return Expansion(
        np.empty(triples, np.int32), np.empty(triples, np.int32), np.empty(triples, np.int32),
        np.empty(terms, np.int32), np.empty(terms, np.int32), np.empty(table_size(most_additions + 1), np.int64),
    )  # fmt: skip


@inlined
def copy_publication(batch, publication, made, n, m):
    """Copy the triples of a publication to `n` and on, and its terms to `m` and on.

    Return where its triples end, and how many terms it has.
    """
    start, end = batch.triples[publication], batch.triples[publication + 1]
    first, terms = batch.locals[publication], batch.locals[publication + 1] - batch.locals[publication]
    for k in range(end - start):
        made.subject[n + k], made.property[n + k] = batch.subject[start + k], batch.property[start + k]
        made.object[n + k] = batch.object[start + k]
    for k in range(terms):
        made.first[m + k], made.known[m + k] = batch.first[first + k], batch.known[first + k]
    return n + end - start, terms


@inlined
def insert_edge(seen, mask, subject, relation, target):
    """Insert a triple into a hash table: a local number (-1 for none), a relation and a global number.

    Return whether it is new.
    """
    key = (np.int64(subject + 1) << 35) | (np.int64(target) << 6) | np.int64(relation + 1)
    i = ((key * SIGNED_MULTIPLIER) >> 20) & mask
    while seen[i] != 0:
        if seen[i] == key:
            return False
        i = (i + 1) & mask
    seen[i] = key
    return True
