"""Blocks of documents that are read range by range, while they are matched, without an object for each document.

bytes with offsets, list of bytes ──> NTriplesDocuments ──┐
Arrow list<struct<s, p, o>> ──> N-Triples with offsets ───┤
                                                          ├──> BatchSource, read by several threads
N-Quads ──> one text per graph ───────────────────────────┤
TextBlock, publications ──────────────────────────────────┘
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gtopss.errors import GtopssError, MalformedPublication, release_frames, short_repr
from gtopss.matching.batch_source import ReadRange
from gtopss.model import Publication
from gtopss.model.text_block import TextBlock, TextBlockBuilder

if TYPE_CHECKING:
    from gtopss.matching.index.fast_ntriples import PlainGraphs

Int64Array = npt.NDArray[np.int64]
_ARROW_TYPE = "give list<struct<s: string, p: string, o: string>>"


@dataclass(frozen=True, slots=True)
class NTriplesDocuments:
    """A source of N-Triples documents. Those that are not plain are read one by one."""

    data: Sequence[bytes] | memoryview
    """The bytes of the documents: one element for each, or one block for all."""
    starts: Int64Array
    """Where each document begins in all bytes together, and where the last one ends."""
    ids: Sequence[str]
    read_other: Callable[[int, bytes, str], Publication]
    """Reads a document by its number, its bytes and its id, if it is not plain N-Triples."""
    received_at: dt.datetime | None = None
    counts: Int64Array | None = None
    """How many triples each document must have, if that is known: one that has more or fewer is not plain."""
    max_triples: int | None = None
    """Triples that a document may have; one with more is left to `read_other`, which refuses it."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def read(self, first: int, end: int) -> ReadRange:
        from gtopss.matching.index.fast_ntriples import read_plain_documents  # imports numba: slow

        starts = self.starts[first : end + 1]
        if isinstance(self.data, memoryview):
            read = read_plain_documents([self.data[starts[0] : starts[-1]]], starts - starts[0])
        else:
            read = read_plain_documents(self.data[first:end], starts - starts[0])
        ids, is_plain = self.ids[first:end], read.counts >= 0
        if self.counts is not None:
            is_plain &= read.counts == self.counts[first:end]
        if self.max_triples is not None:
            is_plain &= read.counts <= self.max_triples
        if is_plain.all():
            return ReadRange(TextBlock(read.lines, read.ends, read.counts, ids, received_at=self.received_at), {})
        block, errors, begin = TextBlockBuilder(), dict[int, GtopssError](), 0
        for place, (id, stop) in enumerate(zip(ids, read.ends.tolist(), strict=True)):
            if is_plain[place]:
                block.add(id, bytes(read.lines[begin:stop]), int(read.counts[place]))
            else:
                try:
                    other = self.read_other(first + place, self._document(first + place), id)
                    block.add_publication(other)
                except GtopssError as error:
                    release_frames(error)
                    errors[place] = error
                    block.add(getattr(error, "publication_id", None) or id, b"", 0)
            begin = stop
        return ReadRange(block.build(self.received_at), errors)

    def _document(self, place: int) -> bytes:
        if isinstance(self.data, memoryview):
            return bytes(self.data[self.starts[place] : self.starts[place + 1]])
        return self.data[place]


def starts_of(offsets: Any, length: int) -> Int64Array:
    """Return the offsets of documents in a block of so many bytes. Raises GtopssError if they are none."""
    wanted = f"give non-decreasing integers from 0 to {length}, one more than there are documents"
    try:
        starts = np.asarray(offsets)
    except (TypeError, ValueError) as error:
        raise GtopssError(f"the offsets are {short_repr(offsets)}: {wanted}") from error
    is_numbers = starts.ndim == 1 and len(starts) > 0 and starts.dtype.kind in "iu"
    if not is_numbers or starts[0] < 0 or starts[-1] > length or (starts[1:] < starts[:-1]).any():
        raise GtopssError(f"the offsets are {short_repr(offsets)}: {wanted}")
    return np.ascontiguousarray(starts, np.int64)


def block_of_graphs(graphs: PlainGraphs, name: str, received_at: dt.datetime | None) -> TextBlock:
    """Return one publication for each graph of a document with this name, in the order in which they begin.

    A named graph gives its publication the IRI as its id; the default graph, the document's name.
    """
    names = graphs.names
    if len(set(names)) == len(names):
        ids = [_graph_id(name, each) for each in names]
        return TextBlock(graphs.lines, graphs.ends, graphs.counts, ids, received_at=received_at)
    parts: dict[str, list[bytes]] = {}
    counts: dict[str, int] = {}
    places = pairwise([0, *graphs.ends.tolist()])
    for graph, (begin, end), count in zip(names, places, graphs.counts.tolist(), strict=True):
        parts.setdefault(graph, []).append(bytes(graphs.lines[begin:end]))
        counts[graph] = counts.get(graph, 0) + count
    block = TextBlockBuilder()
    for graph, texts in parts.items():
        block.add(_graph_id(name, graph), b"".join(texts), counts[graph])
    return block.build(received_at)


def _graph_id(document: str, graph: str) -> str:
    if not graph:
        return document
    return f"{document} {graph}" if graph.startswith("_:") else graph[1:-1]


def is_arrow(given: object) -> bool:
    """Return whether this is an object of pyarrow, without an import of it."""
    return type(given).__module__.split(".")[0] == "pyarrow"


class ArrowTriples:
    """The triples of an Arrow array `list<struct<s, p, o>>`, as N-Triples documents."""

    def __init__(self, given: Any) -> None:
        """Raises GtopssError if the array is of another type."""
        import pyarrow as pa

        if not isinstance(given, (pa.Array, pa.ChunkedArray)):
            raise GtopssError(f"this is an Arrow {type(given).__name__}: give the column of triples, which is an array")
        kind = given.type
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        fields = {field.name for field in kind.value_type} if is_list and pa.types.is_struct(kind.value_type) else set()
        if not fields >= set("spo"):
            raise GtopssError(f"the Arrow array is {kind}: {_ARROW_TYPE}")
        try:
            self._read(given.combine_chunks() if isinstance(given, pa.ChunkedArray) else given)
        except pa.ArrowException as error:
            raise GtopssError(
                f"the Arrow array is {kind}, and its terms are not strings ({error}): {_ARROW_TYPE}"
            ) from error

    def _read(self, array: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        triples = array.flatten()  # without the lists that are null, and without what comes before an offset
        self._columns = [pc.struct_field(triples, name).cast(pa.large_string()) for name in "spo"]
        self.counts: Int64Array = np.asarray(pc.fill_null(pc.list_value_length(array), 0), np.int64)
        self.is_null = np.asarray(pc.is_null(array))
        self._first = np.concatenate([[0], np.cumsum(self.counts)])
        how = {"null_handling": "replace", "null_replacement": ""}
        end, space = (pa.scalar(each, pa.large_string()) for each in (".\n", " "))
        lines = pc.binary_join_element_wise(*self._columns, end, space, **how)
        _, offsets, data = lines.buffers()
        ends = np.frombuffer(offsets, np.int64)[lines.offset : lines.offset + len(lines) + 1]
        self.data = memoryview(data) if data is not None else memoryview(b"")
        self.starts = np.ascontiguousarray(ends[self._first])
        self._expect_other(pc)

    def _expect_other(self, pc: Any) -> None:
        """Give documents an impossible number of triples if a term may have changed the meaning of its line."""
        subject, predicate, object_ = self._columns
        suspicious = pc.or_(pc.match_substring(subject, " "), pc.match_substring(predicate, " "))
        for column in (subject, predicate, object_):
            suspicious = pc.or_(suspicious, pc.match_substring(column, "\n"))
        rows = np.flatnonzero(np.asarray(pc.fill_null(suspicious, True)))
        expected = self.counts.copy()
        expected[np.searchsorted(self._first, rows, side="right") - 1] = -1
        expected[self.is_null] = -1
        self.expected = expected

    def publication(self, place: int, id: str) -> Publication:
        """Return the publication at this place, of terms that are checked. Raises MalformedPublication."""
        if self.is_null[place]:
            raise MalformedPublication("its list of triples is null", publication_id=id)
        first, end = int(self._first[place]), int(self._first[place + 1])
        return Publication(id, zip(*(column[first:end].to_pylist() for column in self._columns), strict=True))
