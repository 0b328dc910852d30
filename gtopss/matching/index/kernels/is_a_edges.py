"""is-a constraints as edges: `isA(?x, C)` is the edge (?x, isA, C), and a publication has it wherever it is true.

For every term of a publication that lies below some class that a subscription asks for, by the taxonomy or by a type
that the publication states, the batch gets the triples (x, isA, C), (x, instanceOf, C), (x, directlyA, C). Then
access, sharing and joins work for constraints as they do for edges: one probe per ancestor of the arriving term.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inner
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array
from gtopss.matching.index.kernels.hash_tables import SIGNED_MULTIPLIER, table_size
from gtopss.matching.index.kernels.terms import Batch

IS_A, INSTANCE_OF, DIRECTLY_A = 0, 1, 2
FIRST_STATED_LIST = 3
"""A row's lists 3, 4, 5: the classes that follow in each relation where a publication states the term as a type."""
LISTS_PER_TERM = 6
RELATIONS = ("isA", "instanceOf", "directlyA")
RELATION_COUNT = len(RELATIONS)
"""Their names are the first terms of every dictionary: no term of RDF looks like them."""


class Closure(NamedTuple):
    """The classes asked for above each term; a row is a term's lists, by the taxonomy and as a stated type."""

    row: Int32Array  # global number -> row or -1
    starts: Int64Array  # LISTS_PER_TERM * row + list -> first target; one more at the end
    targets: Int32Array


@inner
def _new(seen, subject, relation, target):
    """Whether this triple is seen for the first time."""
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
def _count(closure, known, relation):
    if known < 0 or known >= closure.row.shape[0] or closure.row[known] < 0:
        return np.int64(0)
    at = LISTS_PER_TERM * closure.row[known] + relation
    return closure.starts[at + 1] - closure.starts[at]


@compiled
def add_is_a_edges(batch, closure, rdf_type, inferred):
    """The batch with the triples of its is-a relations; `inferred` marks triples that do not count as stated."""
    publications = batch.triples.shape[0] - 1
    room, most = np.int64(0), np.int64(0)
    for publication in range(publications):
        here = np.int64(0)
        first = batch.locals[publication]
        for local in range(first, batch.locals[publication + 1]):
            for relation in range(3):
                here += _count(closure, batch.known[local], relation)
        for t in range(batch.triples[publication], batch.triples[publication + 1]):
            if batch.known[first + batch.property[t]] == rdf_type:
                for relation in range(3):
                    here += _count(closure, batch.known[first + batch.object[t]], FIRST_STATED_LIST + relation)
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
                count = _count(closure, known, relation)
                if count == 0:
                    continue
                at = closure.starts[LISTS_PER_TERM * closure.row[known] + relation]
                for k in range(at, at + count):
                    if _new(seen, x, relation, closure.targets[k]):
                        subject[n], predicate[n], object_[n] = x, relations + relation, local
                        firsts[m + local], knowns[m + local] = -1, closure.targets[k]
                        n += 1
                        local += 1
        for t in range(start, end):
            if batch.known[first + batch.property[t]] != rdf_type or inferred[t]:
                continue
            x, stated = batch.subject[t], batch.known[first + batch.object[t]]
            for relation in range(3):
                count = _count(closure, stated, FIRST_STATED_LIST + relation)
                if count == 0:
                    continue
                at = closure.starts[LISTS_PER_TERM * closure.row[stated] + FIRST_STATED_LIST + relation]
                for k in range(at, at + count):
                    if _new(seen, x, relation, closure.targets[k]):
                        subject[n], predicate[n], object_[n] = x, relations + relation, local
                        firsts[m + local], knowns[m + local] = -1, closure.targets[k]
                        n += 1
                        local += 1
        m += local
    triples[publications], locals_[publications] = n, m
    return Batch(triples, locals_, subject[:n], predicate[:n], object_[:n], firsts[:m], knowns[:m])
