"""Add text relations to a batch as triples: `CONTAINS(?t, "neuron")` is the edge (?t, contains, "neuron").

A *hit* says that a term, or a publication, has such an edge. `text_hits` finds those of needles; Python finds those of
other texts (`regex_index.py`, `label_index.py`). A publication gets a limited number of triples. Beyond them the rest
is left out, and it is marked.
"""

from __future__ import annotations

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, keep_alive
from gtopss.matching.index.kernels.expansion import copy_publication, insert_edge, new_expansion
from gtopss.matching.index.kernels.hash_tables import table_size
from gtopss.matching.index.kernels.relations import RELATION_COUNT
from gtopss.matching.index.kernels.terms import Batch

HIT_PUBLICATION, HIT_LOCAL, HIT_RELATION, HIT_TARGET = range(4)
"""Columns of hits; the local number is -1 where the hit concerns the publication and not one term."""


@inlined
def _group_hits(hits, publications):
    """Return the hits in the order of publications, and where each one's begin."""
    starts = np.zeros(publications + 1, np.int64)
    for i in range(hits.shape[0]):
        starts[hits[i, HIT_PUBLICATION] + 1] += 1
    for publication in range(publications):
        starts[publication + 1] += starts[publication]
    order, at = np.empty(hits.shape[0], np.int64), starts.copy()
    for i in range(hits.shape[0]):
        order[at[hits[i, HIT_PUBLICATION]]] = i
        at[hits[i, HIT_PUBLICATION]] += 1
    return order, starts


@compiled
def add_text_edges(batch, hits, limit):
    """Return a copy of the batch with the triples of the hits, and a mark for each publication.

    A publication gets at most `limit` triples; its mark is 1 if some are left out.
    """
    publications, total = batch.triples.shape[0] - 1, hits.shape[0]
    order, starts = _group_hits(hits, publications)
    most = np.int64(0)
    for publication in range(publications):
        most = max(most, starts[publication + 1] - starts[publication])
    triples, locals_ = np.empty(publications + 1, np.int64), np.empty(publications + 1, np.int64)
    marks, relation_terms = np.zeros(publications, np.uint8), np.empty(RELATION_COUNT, np.int32)
    own_made = new_expansion(batch.triples[publications] + total, batch.locals[publications] + 2 * total, most)
    given, made = borrow(batch), borrow(own_made)
    n, m = np.int64(0), np.int64(0)
    for publication in range(publications):
        triples[publication], locals_[publication] = n, m
        n, terms = copy_publication(given, publication, made, n, m)
        count = starts[publication + 1] - starts[publication]
        mask = np.int64(table_size(count + 1) - 1)
        made.seen[: mask + 1] = 0
        relation_terms[:] = -1
        added = np.int64(0)
        for i in range(starts[publication], starts[publication + 1]):
            hit = order[i]
            local, relation, target = hits[hit, HIT_LOCAL], hits[hit, HIT_RELATION], hits[hit, HIT_TARGET]
            if count > limit and target == relation:
                marks[publication] = 1  # what a text lacks is not known if some hits may be left out
                continue
            if not insert_edge(made.seen, mask, local, relation, target):
                continue
            if added == limit:
                marks[publication] = 1
                break
            if relation_terms[relation] < 0:
                relation_terms[relation] = terms
                made.first[m + terms], made.known[m + terms] = -1, relation
                terms += 1
            made.subject[n] = local if local >= 0 else relation_terms[relation]
            made.property[n], made.object[n] = relation_terms[relation], terms
            made.first[m + terms], made.known[m + terms] = -1, target
            terms += 1
            n += 1
            added += 1
        m += terms
    triples[publications], locals_[publications] = n, m
    expanded = Batch(
        triples, locals_, own_made.subject[:n], own_made.property[:n], own_made.object[:n], own_made.first[:m],
        own_made.known[:m],
    )  # fmt: skip
    keep_alive(own_made)
    return expanded, marks
