"""Add is-a relations to a batch as triples: `isA(?x, C)` is the edge (?x, isA, C), matched like any other.

For every term of a publication that lies below a class in some is-a constraint, by the taxonomy or by a type that the
publication states, the batch gets the triples (x, isA, C), (x, instanceOf, C), (x, directlyA, C) that hold. Access
lists, shared patterns and joins then serve these constraints as they serve edges: one probe per ancestor of the term.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array
from gtopss.matching.index.kernels.hash_tables import SIGNED_MULTIPLIER, table_size
from gtopss.matching.index.kernels.terms import Batch

IS_A, INSTANCE_OF, DIRECTLY_A = 0, 1, 2
"""The is-a relations. These are also their global term numbers."""
RELATIONS = ("isA", "instanceOf", "directlyA")
"""Names of the relations: the first terms of every dictionary. No RDF term looks like them."""
RELATION_COUNT = 3
"""A property with a global number below this is an is-a relation."""

FIRST_STATED_LIST = 3
"""The first of a term's lists that hold where a publication states the term as a type, one for each relation. The lists
before it hold by the taxonomy."""
LISTS_PER_TERM = 6


class Closure(NamedTuple):
    """The classes above each term, of those that some is-a constraint names. A row holds the lists of one term."""

    row: Int32Array  # global term number -> row; -1 if it has none
    starts: Int64Array  # LISTS_PER_TERM * row + list -> its first target; one more at the end
    targets: Int32Array  # global numbers of classes


@inner
def _insert(seen, subject, relation, target):
    """Insert a triple into a hash table. Return whether it is new."""
    mask = np.int64(seen.shape[0] - 1)
    key = (np.int64(subject) << 34) | (np.int64(target + 1) << 3) | np.int64(relation + 1)
    i = ((key * SIGNED_MULTIPLIER) >> 20) & mask
    while seen[i] != 0:
        if seen[i] == key:
            return False
        i = (i + 1) & mask
    seen[i] = key
    return True


@inner
def _count_targets(closure, known, relation):
    """Return the length of one list of a term, whose global number may be -1."""
    if known < 0 or known >= closure.row.shape[0] or closure.row[known] < 0:
        return np.int64(0)
    at = LISTS_PER_TERM * closure.row[known] + relation
    return closure.starts[at + 1] - closure.starts[at]


@compiled
def add_is_a_edges(batch, closure, rdf_type, inferred):
    """Return a copy of the batch with the triples of its is-a relations.

    `rdf_type` is the global number of rdf:type. `inferred` marks triples that do not count as stated types.
    """
    publications = batch.triples.shape[0] - 1
    room, most = np.int64(0), np.int64(0)
    for publication in range(publications):
        here = np.int64(0)
        first = batch.locals[publication]
        for local in range(first, batch.locals[publication + 1]):
            for relation in range(3):
                here += _count_targets(closure, batch.known[local], relation)
        for t in range(batch.triples[publication], batch.triples[publication + 1]):
            if batch.known[first + batch.property[t]] == rdf_type:
                for relation in range(3):
                    here += _count_targets(closure, batch.known[first + batch.object[t]], FIRST_STATED_LIST + relation)
        room += here
        most = max(most, here)
    total, names = batch.triples[publications], batch.locals[publications]
    triples, locals_ = np.empty(publications + 1, np.int64), np.empty(publications + 1, np.int64)
    subject, predicate = np.empty(total + room, np.int32), np.empty(total + room, np.int32)
    object_ = np.empty(total + room, np.int32)
    size = names + room + 3 * publications
    firsts, knowns = np.empty(size, np.int32), np.empty(size, np.int32)
    seen = np.zeros(table_size(most), np.int64)
    n, m = np.int64(0), np.int64(0)
    for publication in range(publications):
        triples[publication], locals_[publication] = n, m
        first, last = batch.locals[publication], batch.locals[publication + 1]
        start, end = batch.triples[publication], batch.triples[publication + 1]
        subject[n : n + end - start] = batch.subject[start:end]
        predicate[n : n + end - start] = batch.property[start:end]
        object_[n : n + end - start] = batch.object[start:end]
        firsts[m : m + last - first] = batch.first[first:last]
        knowns[m : m + last - first] = batch.known[first:last]
        n += end - start
        local = last - first
        for relation in range(3):
            firsts[m + local + relation] = -1
            knowns[m + local + relation] = relation
        relations = local
        local += 3
        seen[:] = 0
        for x in range(last - first):
            known = batch.known[first + x]
            for relation in range(3):
                count = _count_targets(closure, known, relation)
                if count == 0:
                    continue
                at = closure.starts[LISTS_PER_TERM * closure.row[known] + relation]
                for k in range(at, at + count):
                    if _insert(seen, x, relation, closure.targets[k]):
                        subject[n], predicate[n], object_[n] = x, relations + relation, local
                        firsts[m + local], knowns[m + local] = -1, closure.targets[k]
                        n += 1
                        local += 1
        for t in range(start, end):
            if batch.known[first + batch.property[t]] != rdf_type or inferred[t]:
                continue
            x, stated = batch.subject[t], batch.known[first + batch.object[t]]
            for relation in range(3):
                count = _count_targets(closure, stated, FIRST_STATED_LIST + relation)
                if count == 0:
                    continue
                at = closure.starts[LISTS_PER_TERM * closure.row[stated] + FIRST_STATED_LIST + relation]
                for k in range(at, at + count):
                    if _insert(seen, x, relation, closure.targets[k]):
                        subject[n], predicate[n], object_[n] = x, relations + relation, local
                        firsts[m + local], knowns[m + local] = -1, closure.targets[k]
                        n += 1
                        local += 1
        m += local
    triples[publications], locals_[publications] = n, m
    return Batch(triples, locals_, subject[:n], predicate[:n], object_[:n], firsts[:m], knowns[:m])
