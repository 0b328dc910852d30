"""Add is-a relations to a batch as triples: `isA(?x, C)` is the edge (?x, isA, C), matched like any other.

For every term of a publication that lies below a class in some is-a constraint, by the taxonomy or by a type that the
publication states, the batch gets the triples (x, isA, C), (x, instanceOf, C), (x, directlyA, C) that hold. Access
lists, shared patterns and joins then serve these constraints as they serve edges: one probe per ancestor of the term.

A publication gets a limited number of these triples. Beyond it the rest is left out, and the publication is marked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, keep_alive
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array
from gtopss.matching.index.kernels.expansion import copy_publication, insert_edge, new_expansion
from gtopss.matching.index.kernels.hash_tables import table_size
from gtopss.matching.index.kernels.relations import IS_A_RELATIONS
from gtopss.matching.index.kernels.terms import Batch

FIRST_STATED_LIST = 3
"""The first of a term's lists that hold where a publication states the term as a type, one for each relation. The lists
before it hold by the taxonomy."""
LISTS_PER_TERM = 6


class Closure(NamedTuple):
    """The classes above each term, of those that some is-a constraint names. A row holds the lists of one term."""

    row: Int32Array  # global term number -> row; -1 if it has none
    starts: Int64Array  # LISTS_PER_TERM * row + list -> its first target; one more at the end
    targets: Int32Array  # global numbers of classes


class _Place(NamedTuple):
    """Where the additions to a publication begin in the batch that is being made."""

    triple: int
    first_term: int  # of the publication
    local: int  # the local number of the first added term; the relations are the three before it
    mask: int  # of the part of `Expansion.seen` that it uses
    limit: int  # the triples that may be added


@inlined
def _find_list(closure, known, which):
    """Return where one list of a term begins and ends. The term's global number may be -1."""
    if known < 0 or known >= closure.row.shape[0] or closure.row[known] < 0:
        return np.int64(0), np.int64(0)
    at = LISTS_PER_TERM * closure.row[known] + which
    return closure.starts[at], closure.starts[at + 1]


@inlined
def _count_targets(closure, known, first_list):
    """Return the length of the three lists of a term from `first_list` on."""
    begin, _ = _find_list(closure, known, first_list)
    _, end = _find_list(closure, known, first_list + IS_A_RELATIONS - 1)
    return end - begin


@inlined
def _count_additions(batch, closure, rdf_type, publication):
    """Return how many triples a publication gets at most; some may turn out to be the same."""
    first = batch.locals[publication]
    count = np.int64(0)
    for local in range(first, batch.locals[publication + 1]):
        count += _count_targets(closure, batch.known[local], 0)
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        if batch.known[first + batch.property[t]] == rdf_type:
            count += _count_targets(closure, batch.known[first + batch.object[t]], FIRST_STATED_LIST)
    return count


@inlined
def _add_relation_terms(made, m, terms):
    """Add the relations as terms after so many others of a publication, which begin at `m`. Return how many it has."""
    for relation in range(IS_A_RELATIONS):
        made.first[m + terms + relation], made.known[m + terms + relation] = -1, relation
    return terms + IS_A_RELATIONS


@inlined
def _add_lists(closure, known, first_list, x, place, added, made):
    """Add a triple with subject `x` for each target of three lists of `known`, unless the publication has it already.

    Return how many triples were added to the publication so far; `place.limit` + 1 if that is not enough.
    """
    for relation in range(IS_A_RELATIONS):
        begin, end = _find_list(closure, known, first_list + relation)
        for k in range(begin, end):
            if not insert_edge(made.seen, place.mask, x, relation, closure.targets[k]):
                continue
            if added == place.limit:
                return place.limit + 1
            n, local = place.triple + added, place.local + added
            made.subject[n], made.property[n], made.object[n] = x, place.local - IS_A_RELATIONS + relation, local
            made.first[place.first_term + local] = -1
            made.known[place.first_term + local] = closure.targets[k]
            added += 1
    return added


@inlined
def _add_relations(batch, closure, rdf_type, inferred, publication, place, made):
    """Add the triples of a publication's relations. Return how many; `place.limit` + 1 if that is not enough."""
    first, added = batch.locals[publication], np.int64(0)
    for x in range(batch.locals[publication + 1] - first):
        added = _add_lists(closure, batch.known[first + x], 0, x, place, added, made)
        if added > place.limit:
            return added
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        if batch.known[first + batch.property[t]] != rdf_type or inferred[t]:
            continue
        stated = batch.known[first + batch.object[t]]
        added = _add_lists(closure, stated, FIRST_STATED_LIST, batch.subject[t], place, added, made)
        if added > place.limit:
            return added
    return added


@inlined
def _new_expansion(batch, closure, rdf_type, limit):
    """Allocate for the batch with all its additions."""
    publications = batch.triples.shape[0] - 1
    room, most = np.int64(0), np.int64(0)
    for publication in range(publications):
        count = min(_count_additions(batch, closure, rdf_type, publication), limit)
        room, most = room + count, max(most, count)
    terms = batch.locals[publications] + room + IS_A_RELATIONS * publications
    return new_expansion(batch.triples[publications] + room, terms, most)


@compiled
def add_is_a_edges(batch, closure, rdf_type, inferred, limit):
    """Return a copy of the batch with the triples of its is-a relations, and a mark for each publication.

    `rdf_type` is the global number of rdf:type. `inferred` marks triples that do not count as stated types. A
    publication gets at most `limit` triples; its mark is 1 if some are left out.
    """
    publications = batch.triples.shape[0] - 1
    triples, locals_ = np.empty(publications + 1, np.int64), np.empty(publications + 1, np.int64)
    over_limit = np.zeros(publications, np.uint8)
    own_made = _new_expansion(batch, closure, rdf_type, limit)
    given, above, marks, made = borrow(batch), borrow(closure), borrow(inferred), borrow(own_made)
    n, m = np.int64(0), np.int64(0)
    for publication in range(publications):
        triples[publication], locals_[publication] = n, m
        n, terms = copy_publication(given, publication, made, n, m)
        local = _add_relation_terms(made, m, terms)
        count = min(_count_additions(given, above, rdf_type, publication), limit)
        mask = np.int64(table_size(count + 1) - 1)
        made.seen[: mask + 1] = 0
        place = _Place(n, m, local, mask, np.int64(limit))
        added = _add_relations(given, above, rdf_type, marks, publication, place, made)
        over_limit[publication] = added > limit
        n, m = n + min(added, limit), m + local + min(added, limit)
    triples[publications], locals_[publications] = n, m
    expanded = Batch(
        triples, locals_, own_made.subject[:n], own_made.property[:n], own_made.object[:n], own_made.first[:m],
        own_made.known[:m],
    )  # fmt: skip
    keep_alive(own_made)
    return expanded, over_limit
