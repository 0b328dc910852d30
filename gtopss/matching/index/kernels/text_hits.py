"""Look for the needles of all subscriptions in the terms of a batch. What is found are hits (`text_edges`).

    find_needles      look for all needles in the terms of a batch
    find_in_texts     the same in texts that Python has mapped, where the kernel cannot (`find_needles` lists them)

A term is read only under the mappings that some subscription needs for it: those of constraints on the objects of one
of its properties, and those of constraints on any term. It is unescaped first: `\\n` in N-Triples is no letter n.

A publication gets a limited number of steps. Beyond them its texts are not searched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, inner
from gtopss.matching.index.kernels.array_types import Int64Array, UInt8Array
from gtopss.matching.index.kernels.expansion import insert_edge
from gtopss.matching.index.kernels.growable import grown_table, has_room, new_growable_table
from gtopss.matching.index.kernels.needles import (
    OUTPUT_NEXT,
    OUTPUT_RELATIONS,
    OUTPUT_TARGET,
    PIECE,
    NeedleTable,
    find_piece,
    first_output,
    next_pieces,
    node_number,
)
from gtopss.matching.index.kernels.relations import (
    ENDS,
    EQUALS,
    FIRST_TEXT_RELATION,
    MAPPING_COUNT,
    PUBLICATION_HAS,
    STARTS,
    TERM,
    WRITTEN,
    is_of_str,
    kind_of,
)
from gtopss.matching.index.kernels.term_texts import BLANK, IRI, PLAIN, TAGGED, has_escapes, split_term, unescape
from gtopss.matching.index.kernels.terms import PADDING_BYTES
from gtopss.matching.index.kernels.text_edges import HIT_LOCAL, HIT_PUBLICATION, HIT_RELATION, HIT_TARGET
from gtopss.matching.index.kernels.text_mappings import GROWTH, ROOM, TextTables, map_text

OF_STR_SHIFT = 8
"""Mappings are bits of a number: those for strings from bit 0 on, those under STR, for all terms, from this bit on."""
SEARCHED_SHIFT = 16
"""From this bit on, the same for mappings under which a term gets an edge that says that all of it was searched."""
TEXT_PUBLICATION, TEXT_LOCAL, TEXT_MAPPING, TEXT_TERM_KIND, TEXT_NOTED = range(5)
"""Columns of the texts that Python must map. TEXT_NOTED are the bits from SEARCHED_SHIFT on, without that shift."""
TEXT_COLUMNS = 5
_FIRST_SEEN = 256
_BYTES_PER_STEP, _STEPS_PER_PIECE, _STEPS_PER_OUTPUT, _STEPS_PER_HIT = 8, 2, 6, 100
"""What is charged for: bytes that are read, pieces of needles that are found, needles that are found, also again, which
is a look-up in a table of all hits, and hits. A hit takes some forty bytes, so the steps also limit their memory."""


class TextSearch(NamedTuple):
    """What is looked for, and where."""

    needles: NeedleTable
    by_property: Int64Array  # global number of a property -> mappings of its objects; see OF_STR_SHIFT
    everywhere: int  # mappings of all terms
    tables: TextTables


class _Sink(NamedTuple):
    """Where hits go."""

    hits: Int64Array  # [n, 4]
    used: Int64Array  # one element: hits so far
    seen: Int64Array  # hash table of the current publication's hits
    steps: Int64Array  # publication -> the steps that it may still take; negative if it took too many


class _Text(NamedTuple):
    """Where a text stands in an array, and whose it is."""

    start: int
    end: int
    kind: int  # of the term
    publication: int
    local: int
    noted: int  # mappings under which it is noted that the text was searched, as bits


@inlined
def _holds(relation, text, begin, end):
    """Return whether a needle that was found from `begin` to `end` satisfies the relation."""
    if not PLAIN <= text.kind <= TAGGED and not is_of_str(relation):
        return False
    kind = kind_of(relation)  # EQUALS has the bits of STARTS and of ENDS
    if (kind & STARTS and begin != text.start) or (kind & ENDS and end != text.end):
        return False
    return kind != EQUALS or text.kind != TAGGED or is_of_str(relation)


@inlined
def _append_hit(text, relation, target, first_hit, sink):
    """Append a hit, unless the publication has it already. Return whether there was room."""
    count, mask = sink.used[0], np.int64(sink.seen.shape[0] - 1)
    if count == sink.hits.shape[0] or 2 * (count - first_hit) > mask:
        return False
    local = -1 if relation == PUBLICATION_HAS else text.local
    if insert_edge(sink.seen, mask, local, relation, target):
        sink.steps[text.publication] -= _STEPS_PER_HIT
        sink.hits[count, HIT_PUBLICATION], sink.hits[count, HIT_LOCAL] = text.publication, local
        sink.hits[count, HIT_RELATION], sink.hits[count, HIT_TARGET] = relation, target
        sink.used[0] = count + 1
    return True


@inlined
def _note_searched(mapping, text, first_hit, sink):
    """Append the hits that say that a text was searched under a mapping. Return whether there was room."""
    if sink.steps[text.publication] < 0:
        return True  # it was not
    for of_str in range(2):
        is_noted = text.noted & (1 << (mapping + OF_STR_SHIFT * of_str)) != 0
        has_text = text.kind != BLANK if of_str else PLAIN <= text.kind <= TAGGED
        relation = FIRST_TEXT_RELATION + 8 * mapping + of_str
        if is_noted and has_text and not _append_hit(text, relation, relation, first_hit, sink):
            return False
    return True


@inlined
def _report(needles, at, text, begin, end, first_hit, sink):
    """Append the hits of a needle, from its output `at` on. Return whether there was room."""
    while at >= 0:
        sink.steps[text.publication] -= _STEPS_PER_OUTPUT
        relations = np.int64(needles.outputs[at, OUTPUT_RELATIONS])
        if _holds(relations & 0xFF, text, begin, end):
            target = np.int64(needles.outputs[at, OUTPUT_TARGET])
            if not _append_hit(text, relations >> 8, target, first_hit, sink):
                return False
        at = np.int64(needles.outputs[at, OUTPUT_NEXT])
    return True


@inlined
def _find_from(needles, root, data, text, begin, first_hit, sink):
    """Report the needles that begin at a position. Return whether there was room for all hits."""
    number, pieces, at = np.int64(root), needles.root_pieces[root], begin
    while pieces != 0:
        following = np.int64(0)
        for length in range(1, PIECE + 1):
            if pieces & (1 << length) == 0 or at + length > text.end:
                continue
            node = find_piece(needles, number, length, data, at)
            if node == np.uint64(0):
                continue
            sink.steps[text.publication] -= _STEPS_PER_PIECE
            output = first_output(node)
            if output >= 0 and not _report(needles, output, text, begin, at + length, first_hit, sink):
                return False
            if length == PIECE:
                following, number = next_pieces(node), node_number(node)
        pieces, at = following, at + PIECE
    return True


@inlined
def _find_all(needles, mapping, data, text, position, first_hit, sink):
    """Look for needles from a position of a text on. Return the position where there was no more room; else the end.

    What is found again at that position is not reported twice.
    """
    end = text.start + 1 if mapping == TERM else text.end
    while position < end:
        if not _find_from(needles, mapping, data, text, position, first_hit, sink):
            return position
        position += 1
        if sink.steps[text.publication] < 0:
            break
    return text.end


@inner
def _larger_sink(sink, first_hit):
    """Return a sink with the same hits and more room: for hits, or in the table of the current publication's."""
    count, hits, seen = sink.used[0], sink.hits, sink.seen
    if count == hits.shape[0]:
        hits = np.empty((2 * count, 4), np.int64)
        for i in range(count):
            for column in range(4):
                hits[i, column] = sink.hits[i, column]
    if 2 * (count - first_hit) > seen.shape[0] - 1:
        seen = np.zeros(2 * seen.shape[0], np.int64)
        mask = np.int64(seen.shape[0] - 1)
        for i in range(first_hit, count):
            insert_edge(seen, mask, hits[i, HIT_LOCAL], hits[i, HIT_RELATION], hits[i, HIT_TARGET])
    return _Sink(hits, sink.used, seen, sink.steps)


@inlined
def _forget_seen(sink):
    """Return the sink for another publication. A table that many hits made large would take long to clear."""
    if sink.seen.shape[0] > _FIRST_SEEN:
        return _Sink(sink.hits, sink.used, np.zeros(_FIRST_SEEN, np.int64), sink.steps)
    sink.seen[:] = 0
    return sink


@inner
def _search_text(needles, mapping, data, text, first_hit, sink):
    """Append the hits of a text. Return the sink, which may have been replaced by a larger one."""
    sink.steps[text.publication] -= (text.end - text.start) // _BYTES_PER_STEP + 1
    position = text.start
    lent, lent_data, lent_needles = borrow(sink), borrow(data), borrow(needles)
    while True:
        position = _find_all(lent_needles, mapping, lent_data, text, position, first_hit, lent)
        if position >= text.end and _note_searched(mapping, text, first_hit, lent):
            return sink
        sink = _larger_sink(sink, first_hit)
        lent = borrow(sink)


@inlined
def _mappings_of_terms(batch, publication, search, made):
    """Write the mappings that each term of a publication is needed under to `made`."""
    first = batch.locals[publication]
    for local in range(batch.locals[publication + 1] - first):
        made[local] = search.everywhere
    for t in range(batch.triples[publication], batch.triples[publication + 1]):
        property = batch.known[first + batch.property[t]]
        if 0 <= property < search.by_property.shape[0]:
            made[batch.object[t]] |= search.by_property[property]


@inlined
def _mappings_of_kind(mappings, kind):
    """Return the mappings that apply to a kind of term, as bits."""
    mappings &= (1 << SEARCHED_SHIFT) - 1
    under_str = mappings >> OF_STR_SHIFT
    if PLAIN <= kind <= TAGGED:
        return (mappings | under_str) & ((1 << MAPPING_COUNT) - 1)
    return (under_str if kind != BLANK else 0) | mappings & (1 << TERM)


class _Scratch(NamedTuple):
    """Room for the texts of one term."""

    unescaped: UInt8Array
    mapped: UInt8Array
    mappings: Int64Array  # local number -> mappings of the current publication's terms


@inlined
def _new_scratch(begins, batch):
    """Allocate for the longest term and the largest publication of a batch."""
    longest, terms = np.int64(0), np.int64(0)
    for line in range(begins.shape[0] - 1):
        longest = max(longest, begins[line + 1] - begins[line])
    for publication in range(batch.locals.shape[0] - 1):
        terms = max(terms, batch.locals[publication + 1] - batch.locals[publication])
    unescaped, mapped = longest + PADDING_BYTES, GROWTH * longest + ROOM + PADDING_BYTES
    return _Scratch(np.empty(unescaped, np.uint8), np.empty(mapped, np.uint8), np.empty(terms, np.int64))


@inlined
def _new_sink(publications, steps):
    return _Sink(
        np.empty((_FIRST_SEEN, 4), np.int64),
        np.zeros(1, np.int64),
        np.zeros(_FIRST_SEEN, np.int64),
        np.full(publications, steps, np.int64),
    )


@compiled
def find_needles(data, begins, batch, search, steps):
    """Look for all needles in the terms of a batch, with so many steps for each publication.

    Return the hits; the texts that Python must map; and the steps that each publication has left.
    """
    publications = batch.triples.shape[0] - 1
    sink, pending = _new_sink(publications, steps), new_growable_table(np.int64, TEXT_COLUMNS)
    scratch = _new_scratch(begins, batch)
    for publication in range(publications):
        first, first_hit = batch.locals[publication], sink.used[0]
        sink = _forget_seen(sink)
        _mappings_of_terms(batch, publication, search, scratch.mappings)
        for local in range(batch.locals[publication + 1] - first):
            if sink.steps[publication] < 0:
                break  # each further text would still be searched from its first position
            line = batch.first[first + local]
            if scratch.mappings[local] == 0 or line < 0:
                continue
            begin, stop = begins[line], begins[line + 1] - 1
            kind, start, end = split_term(data, begin, stop)
            mappings, noted = (
                _mappings_of_kind(scratch.mappings[local], kind),
                scratch.mappings[local] >> SEARCHED_SHIFT,
            )
            if mappings == 0:
                continue
            source = data
            if kind != IRI and mappings != 1 << TERM and has_escapes(data, start, end):
                end = unescape(data, start, end, scratch.unescaped)
                source, start = scratch.unescaped, np.int64(0)
            for mapping in range(MAPPING_COUNT):
                if mappings & (1 << mapping) == 0:
                    continue
                searched, at, stop_at, kind_here = source, start, end, kind
                if mapping == TERM:
                    searched, at, stop_at, kind_here = data, begin, stop, PLAIN
                elif end >= 0 and mapping != WRITTEN:
                    searched, at = scratch.mapped, np.int64(0)
                    stop_at = map_text(search.tables, mapping, source, start, end, scratch.mapped, 0)
                if stop_at >= 0:
                    text = _Text(at, stop_at, kind_here, publication, local, noted)
                    sink = _search_text(search.needles, mapping, searched, text, first_hit, sink)
                    continue
                if not has_room(pending, 1):
                    pending = grown_table(pending, 1)
                row = pending.used[0]
                pending.items[row, TEXT_PUBLICATION], pending.items[row, TEXT_LOCAL] = publication, local
                pending.items[row, TEXT_MAPPING], pending.items[row, TEXT_TERM_KIND] = mapping, kind
                pending.items[row, TEXT_NOTED] = noted
                pending.used[0] += 1
    return sink.hits[: sink.used[0]], pending.items[: pending.used[0]], sink.steps


@compiled
def find_in_texts(data, starts, texts, needles, steps):
    """Look for all needles in mapped texts, whose rows are as `find_needles` returns them. Return the hits.

    `starts` has where each text begins in the padded data, and where the last one ends. `steps` is what each
    publication has left, and is changed in place.
    """
    sink = _new_sink(0, 0)
    sink = _Sink(sink.hits, sink.used, sink.seen, steps)
    for i in range(texts.shape[0]):
        if steps[texts[i, TEXT_PUBLICATION]] < 0:
            continue
        first_hit = sink.used[0]
        sink = _forget_seen(sink)
        text = _Text(
            starts[i], starts[i + 1], texts[i, TEXT_TERM_KIND], texts[i, TEXT_PUBLICATION], texts[i, TEXT_LOCAL],
            texts[i, TEXT_NOTED],
        )  # fmt: skip
        sink = _search_text(needles, texts[i, TEXT_MAPPING], data, text, first_hit, sink)
    return sink.hits[: sink.used[0]]
