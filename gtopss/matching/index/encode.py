"""Encode publications for the kernels: one text per batch, then term numbers, is-a edges and literal values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, cast

import numpy as np

from gtopss.errors import MalformedPublication
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.bounds import TermValues
from gtopss.matching.index.kernels.is_a_edges import Closure, add_is_a_edges
from gtopss.matching.index.kernels.terms import PADDING, PADDING_BYTES, Batch, TermTable, read_lines
from gtopss.matching.index.kernels.text_edges import add_text_edges
from gtopss.matching.index.kernels.text_hits import (
    TEXT_LOCAL,
    TEXT_MAPPING,
    TEXT_PUBLICATION,
    TextSearch,
    find_in_texts,
    find_needles,
)
from gtopss.matching.index.kernels.values import NEEDS_PYTHON, read_values
from gtopss.matching.index.label_index import LabelSearch
from gtopss.matching.index.regex_index import RegexSearch
from gtopss.matching.index.value_intervals import interval_of
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.terms import Term
from gtopss.model.text_block import Numbers, TextBlock, lines_of
from gtopss.semantics.text_tests import TextMapping, map_text

OVER_EXPANSION, OVER_WORK = 1, 2
"""Bits of a publication's mark: the limits that it reached before it was searched."""
MIN_LINES_PER_TERM = 4
"""Lines of a batch for each term that is needed, above which only these terms are decoded."""
_NO_MARKS = np.zeros(0, np.uint8)
_NO_VALUES = TermValues(np.zeros(0, np.int8), np.zeros(0), np.zeros(0))


class EncodingContext(NamedTuple):
    """What the index knows of terms when a batch is encoded."""

    closure: Closure | None
    terms: TermTable
    seed: np.uint64
    rdf_type: int
    reads_values: bool
    """Whether subscriptions compare values; otherwise literals are not parsed."""
    reads_plain_literals: bool
    """Whether plain literals that read as numbers or dates have values too (`semantics.lenient_literals`)."""
    text: TextSearch | None
    """The needles of subscriptions; None if there are none."""
    patterns: RegexSearch | None
    """The regular expressions of subscriptions that need no literal; None if there are none."""
    labels: LabelSearch | None
    """The classes of subscriptions that texts may be labels of; None if there are none."""
    expansion_limit: int
    """Triples that is-a constraints, and text constraints, may add to a publication."""
    text_steps: int
    """Steps that the search for needles, patterns and labels may take in a publication."""


class BatchTerms:
    """The terms of a batch's text, line by line. They become strings when they are needed: routing needs none."""

    __slots__ = ("_begins", "_terms", "_text")

    def __init__(self, text: bytes | memoryview, begins: Int64Array, terms: list[Term] | None) -> None:
        """`begins` is where each line begins; `terms` are the lines, if they are strings already."""
        self._text, self._begins, self._terms = text, begins, terms

    def take(self, lines: Int32Array) -> list[Term]:
        """Return the terms on these lines."""
        if not len(lines):
            return []
        if self._terms is None and len(lines) < len(self._begins) // MIN_LINES_PER_TERM:
            begins, ends = self._begins[lines].tolist(), (self._begins[lines + 1] - 1).tolist()
            text = self._text
            return [cast("Term", str(text[begin:end], "utf-8")) for begin, end in zip(begins, ends, strict=True)]
        if self._terms is None:
            self._terms = cast("list[Term]", str(self._text, "utf-8").split("\n"))
        return list(map(self._terms.__getitem__, lines.tolist()))

    def buffers(self) -> tuple[bytes | memoryview, Int64Array]:
        """Return the text, and where each of its lines begins; the last number is where the text ends."""
        return self._text, self._begins

    def lengths(self, lines: Int32Array) -> Int64Array:
        """Return the bytes of these lines."""
        return np.asarray(self._begins[lines + 1] - self._begins[lines] - 1)


class EncodedBatch(NamedTuple):
    """A batch of publications for the kernels."""

    publications: Sequence[Publication]
    lines: BatchTerms
    batch: Batch
    values: TermValues
    over_limit: UInt8Array
    """Publication -> OVER_EXPANSION if constraints would add more triples to it than they may, and OVER_WORK if the
    search for needles took too many steps, as bits; empty if nothing was added to any."""


def encode_batch(publications: Sequence[Publication], context: EncodingContext) -> EncodedBatch:
    """Encode a batch. Raises MalformedPublication if a term has a line break: see `line_break_errors`."""
    raw, terms, counts = _text(publications)
    starts = np.zeros(len(publications) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    text = np.frombuffer(raw, np.uint8)
    text.flags.writeable = False  # the kernels are compiled for one type of array
    batch: Batch
    batch, begins = read_lines(text, starts, terms is not None, context.terms, context.seed)
    if not len(batch.locals):
        for error in line_break_errors(publications).values():
            raise error
    over_limit = _NO_MARKS
    if context.closure is not None:
        inferred = _inferred(publications, batch.triples)
        batch, over_limit = add_is_a_edges(batch, context.closure, context.rdf_type, inferred, context.expansion_limit)
    if context.text is not None or context.patterns is not None or context.labels is not None:
        batch, over_text = _with_text_edges(text, begins, batch, context)
        over_limit = over_text | over_limit if len(over_limit) else over_text
    values = _values(text, begins, batch, context.reads_plain_literals) if context.reads_values else _NO_VALUES
    return EncodedBatch(publications, BatchTerms(raw, begins, terms), batch, values, over_limit)


def _with_text_edges(
    text: UInt8Array, begins: Int64Array, batch: Batch, context: EncodingContext
) -> tuple[Batch, UInt8Array]:
    """Return the batch with the edges of the texts in it, and the marks of its publications."""
    hits, steps = np.zeros((0, 4), np.int64), np.full(len(batch.triples) - 1, context.text_steps, np.int64)
    if context.text is not None:
        hits, unmapped, steps = find_needles(text, begins, batch, context.text, context.text_steps)
        if len(unmapped):
            data, starts = _map_in_python(text, begins, batch, unmapped)
            hits = np.concatenate([hits, find_in_texts(data, starts, unmapped, context.text.needles, steps)])
    if context.patterns is not None:
        hits = np.concatenate([hits, context.patterns.hits(text, begins, batch, steps)])
    if context.labels is not None:
        hits = np.concatenate([hits, context.labels.hits(text, begins, batch, steps)])
    marks = np.zeros(len(steps), np.uint8)
    if len(hits):
        batch, marks = add_text_edges(batch, hits, context.expansion_limit)
    marks[steps < 0] |= OVER_WORK
    return batch, marks


def _map_in_python(
    text: UInt8Array, begins: Int64Array, batch: Batch, unmapped: Int64Array
) -> tuple[UInt8Array, Int64Array]:
    """Map the texts that the kernel cannot map. Return them one after the other, and where each begins."""
    mapped = []
    for row in unmapped.tolist():
        line = batch.first[batch.locals[row[TEXT_PUBLICATION]] + row[TEXT_LOCAL]]
        term = Term(text[begins[line] : begins[line + 1] - 1].tobytes().decode())
        mapped.append(map_text(term, TextMapping(row[TEXT_MAPPING])).encode(errors="surrogatepass"))
    starts = np.zeros(len(mapped) + 1, np.int64)
    np.cumsum([len(each) for each in mapped], out=starts[1:])
    return np.frombuffer(b"".join((*mapped, PADDING)), np.uint8), starts


def _text(publications: Sequence[Publication]) -> tuple[bytes | memoryview, list[Term] | None, Numbers]:
    """Return the batch as one text, its lines if they are strings already, and the number of triples of each."""
    if isinstance(publications, TextBlock):
        start, end = publications.bounds
        lines = publications.lines
        if lines[end : end + PADDING_BYTES] == PADDING:
            return memoryview(lines)[start : end + PADDING_BYTES], None, publications.counts
        return bytes(publications.text) + PADDING, None, publications.counts
    if TextPublication in map(type, publications):
        parts = [each.lines if type(each) is TextPublication else lines_of(each.triples) for each in publications]
        counts = [each.count if type(each) is TextPublication else len(each.triples) for each in publications]
        return b"".join((*parts, PADDING)), None, counts
    terms: list[Term] = list(chain.from_iterable(chain.from_iterable(each.triples for each in publications)))
    text = ("\n".join(terms) + "\n" if terms else "").encode()
    return text + PADDING, terms, [len(each.triples) for each in publications]


def line_break_errors(publications: Iterable[Publication]) -> dict[int, MalformedPublication]:
    """Return an error for each publication that has a term with a line break, under its number.

    In a batch's text such a term would become two.
    """
    errors = {}
    for place, publication in enumerate(publications):
        if isinstance(publication, TextPublication):
            continue  # its lines were counted when it was created
        for number, triple in enumerate(publication.triples, start=1):
            if any("\n" in part for part in triple):
                reason = "a term has a line break that is not escaped"
                errors[place] = MalformedPublication(reason, publication_id=publication.id, triple=number)
                break
    return errors


def _inferred(publications: Sequence[Publication], starts: Int64Array) -> UInt8Array:
    """Return 1 for the triples that entailment added. `starts` are the first triples of the publications."""
    marks = np.zeros(starts[-1], np.uint8)
    if isinstance(publications, TextBlock):
        return marks
    for at, publication in zip(starts.tolist(), publications, strict=False):
        if publication.inferred:
            for number, triple in enumerate(publication.triples):
                marks[at + number] = triple in publication.inferred
    return marks


def _values(text: UInt8Array, begins: Int64Array, batch: Batch, plain_literals: bool) -> TermValues:
    """Return the intervals of the batch's literals."""
    values = TermValues(*read_values(text, begins, batch.first, plain_literals))
    for local in np.flatnonzero(values.domain == NEEDS_PYTHON).tolist():
        line = batch.first[local]
        term = Term(text[begins[line] : begins[line + 1] - 1].tobytes().decode())
        values.domain[local], values.low[local], values.high[local] = interval_of(term, plain_literals)
    return values
