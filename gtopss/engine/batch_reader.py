"""Turn what a caller hands in as a batch into a source of publications, without an object for each document.

bytes with offsets, Arrow ──> documents that are read range by range ──┐
N-Quads: bytes, files, directories ──> one text per graph ─────────────┼──> BatchSource ──> entailment
objects, other documents, feeds ──> InputReader, one by one ───────────┘
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, groupby, pairwise, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import rdflib

from gtopss.engine.batch_inputs import ArrowTriples, NTriplesDocuments, block_of_graphs, is_arrow, starts_of
from gtopss.engine.inputs import InputReader, PublicationLike, is_feed
from gtopss.errors import GtopssError, MalformedPublication, release_frames
from gtopss.matching.batch_source import BatchSource, GivenPublications
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.text_block import NumberedIds, TextBlock, join_blocks
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.safety import check_items, check_triples
from gtopss.reading.files import file_name, load_bytes

if TYPE_CHECKING:
    import pyarrow as pa

BatchInput: TypeAlias = (
    "Iterable[PublicationLike] | Path | bytes | bytearray | memoryview | TextBlock | pa.Array | pa.ChunkedArray"
)

MAX_BATCH_BYTES = 32 * 2**20
"""Size of the text of publications that are read before they are matched. More of them are matched in several parts."""
_TRIPLE_BYTES = 100  # of a triple in a graph, about


class BatchReader:
    """Open batches of publications for one engine. Thread-safe."""

    def __init__(self, inputs: InputReader) -> None:
        self._inputs = inputs

    def open_batch(
        self,
        given: BatchInput,
        format: str | None,
        *,
        with_time: bool,
        offsets: Any = None,
        ids: Sequence[str] | None = None,
        received_at: datetime | None = None,
    ) -> BatchSource:
        """Return a source of the publications in a batch. What cannot be read gets an error there.

        With `with_time`, publications were received at `received_at`, or at the clock's time if it is None.
        Raises GtopssError if the arguments do not fit each other.
        """
        now = (received_at or self._inputs.now()) if with_time else None
        if offsets is not None and not isinstance(given, (bytes, bytearray, memoryview)):
            raise GtopssError("offsets can only be used with one block of bytes: give bytes, or leave out offsets")
        if isinstance(given, Path):
            given = [given]
        is_one = isinstance(given, (str, Publication, rdflib.Graph))
        if is_one or not (isinstance(given, Iterable) or is_arrow(given)):
            raise GtopssError(f"a {type(given).__name__} is not a batch: give a list of them, or a block of bytes")
        source: BatchSource
        if is_arrow(given):
            source = self._open_arrow(given, ids, now)
        elif isinstance(given, (bytes, bytearray, memoryview)):
            source = self._open_block(given, format, offsets, ids, now)
        elif isinstance(given, TextBlock):
            self._refuse_ids(ids, "the publications of a TextBlock have ids")
            source = GivenPublications(given if given.received_at is not None else given.at_time(now))
        else:
            source = self._open_each(cast("Iterable[PublicationLike]", given), format, ids, now)
        return self._entailed(source) if self._inputs.entails else source

    def open_batches(
        self, given: Sequence[PublicationLike], format: str | None, *, with_time: bool
    ) -> Iterator[BatchSource]:
        """Yield sources of the publications that are given: one source, unless their text is large."""
        sources = self._open_parts(given, format, None, self._inputs.now() if with_time else None)
        return map(self._entailed, sources) if self._inputs.entails else sources

    def _open_arrow(self, given: Any, ids: Sequence[str] | None, now: datetime | None) -> BatchSource:
        triples = ArrowTriples(given)
        names = self._names(ids, len(triples.counts))

        def read_other(place: int, document: bytes, id: str) -> Publication:
            return self._inputs.timed(triples.publication(place, id), now)

        if not self._inputs.as_text:
            return self._read_all(partial(read_other, place, b"", id) for place, id in enumerate(names))
        return NTriplesDocuments(triples.data, triples.starts, names, read_other, now, triples.expected)

    def _open_block(
        self,
        given: bytes | bytearray | memoryview,
        format: str | None,
        offsets: Any,
        ids: Sequence[str] | None,
        now: datetime | None,
    ) -> BatchSource:
        is_contiguous = memoryview(given).c_contiguous
        data = memoryview(given if is_contiguous else bytes(given)).cast("B")
        rdf_format = RdfFormat.from_name(format) if isinstance(format, str) else None
        if rdf_format is RdfFormat.N_QUADS and offsets is None:
            self._refuse_ids(ids, "the publications of N-Quads are named after their graphs")
            return self._open_graphs(data, self._inputs.new_name(), now)
        if format is None:
            raise GtopssError("a block of bytes needs a format: 'nt' for N-Triples, 'nq' for N-Quads")
        starts = starts_of((0, len(data)) if offsets is None else offsets, len(data))
        if rdf_format is RdfFormat.N_TRIPLES and self._inputs.as_text:
            return self._open_ntriples(data, starts, self._names(ids, len(starts) - 1), now)
        documents = [bytes(data[start:end]) for start, end in pairwise(starts.tolist())]
        return self._open_each(documents, format, ids, now)

    def _open_graphs(self, data: memoryview, name: str, now: datetime | None) -> BatchSource:
        """Open N-Quads: one publication per graph. `name` is the id of the default graph."""
        graphs = None
        if self._inputs.as_text:
            from gtopss.matching.index.fast_ntriples import read_plain_graphs  # imports numba: slow

            graphs = read_plain_graphs(data)
        try:
            if graphs is not None:
                block = block_of_graphs(graphs, name, now)
                check_items(len(block), self._inputs.limits, name)
                check_triples(max(block.counts, default=0), self._inputs.limits, name)
                return GivenPublications(block)
            from gtopss.reading.documents import read_document  # slow, see below

            read = read_document(bytes(data), source=name, format=str(RdfFormat.N_QUADS), limits=self._inputs.limits)
            return GivenPublications([self._inputs.timed(each, now) for each in read.publications])
        except GtopssError as error:
            return _unreadable(name, error)

    def _open_quad_files(self, path: Path, now: datetime | None) -> Iterator[BatchSource]:
        """Yield the graphs of an N-Quads file, or of those below a directory, file by file."""
        files = sorted(each for each in path.rglob("*") if _is_quad_file(each)) if path.is_dir() else [path]
        if not files:
            error = MalformedPublication("there is no N-Quads file (.nq) below it", publication_id=file_name(path))
            yield _unreadable(file_name(path), error)
        for each in files:
            try:
                data = load_bytes(each)
            except MalformedPublication as error:
                yield _unreadable(file_name(each), error)
            else:
                yield self._open_graphs(memoryview(data), file_name(each), now)

    def _open_ntriples(
        self, data: Sequence[bytes] | memoryview, starts: Any, names: Sequence[str], now: datetime | None
    ) -> NTriplesDocuments:
        def read_other(place: int, document: bytes, id: str) -> Publication:
            return self._inputs.read_given(document, str(RdfFormat.N_TRIPLES), id, now)

        return NTriplesDocuments(data, starts, names, read_other, now, max_triples=self._inputs.limits.max_triples)

    def _open_each(
        self, given: Iterable[PublicationLike], format: str | None, ids: Sequence[str] | None, now: datetime | None
    ) -> BatchSource:
        """Open what is several objects: documents, graphs, publications."""
        inputs = given if isinstance(given, Sequence) else list(given)
        if (plain := self._open_unread(inputs, format, ids, now)) is not None:
            return plain
        return _joined(self._open_parts(inputs, format, ids, now))

    def _open_unread(
        self, given: Sequence[PublicationLike], format: str | None, ids: Sequence[str] | None, now: datetime | None
    ) -> BatchSource | None:
        """Open N-Triples that are read in ranges, and publications, which need no reading. Return None for others."""
        if self._inputs.as_text and _is_ntriples(format) and set(map(type, given)) <= {bytes}:
            documents = cast("Sequence[bytes]", given)
            starts = np.zeros(len(documents) + 1, np.int64)
            np.cumsum(list(map(len, documents)), out=starts[1:])
            return self._open_ntriples(documents, starts, self._names(ids, len(documents)), now)
        if ids is None and now is None and set(map(type, given)) <= {Publication, TextPublication}:
            return GivenPublications(cast("Sequence[Publication]", given))
        return None

    def _open_parts(
        self, given: Sequence[PublicationLike], format: str | None, ids: Sequence[str] | None, now: datetime | None
    ) -> Iterator[BatchSource]:
        """Yield one source or several, whose publications have about `MAX_BATCH_BYTES` of text each."""
        parts = [given] if ids is not None else _parts(given)
        for part in parts:
            if any(_holds_graphs(each, format) for each in part if isinstance(each, Path)):
                self._refuse_ids(ids, "the publications of N-Quads are named after their graphs")
                yield from self._open_mixed(part, format, now)
                continue
            if (plain := self._open_unread(part, format, ids, now)) is not None:
                yield plain
                continue
            inputs: Iterable[PublicationLike] = part
            if is_feed(format):
                self._refuse_ids(ids, "the items of a feed have ids")
                inputs = chain.from_iterable(self._inputs.items_or_document(each, format) for each in part)
            names = repeat(None) if ids is None else self._names(ids, len(part))
            pairs = zip(inputs, names, strict=ids is not None)
            yield from self._read_parts(
                partial(self._inputs.read_given, each, format, name, now) for each, name in pairs
            )

    def _open_mixed(
        self, given: Sequence[PublicationLike], format: str | None, now: datetime | None
    ) -> Iterator[BatchSource]:
        """Yield sources of files and directories with several graphs, and of what is between them."""
        for holds_graphs, group in groupby(given, lambda each: isinstance(each, Path) and _holds_graphs(each, format)):
            if holds_graphs:
                for path in cast("Iterable[Path]", group):
                    yield from self._open_quad_files(path, now)
            else:
                yield from self._open_parts(list(group), format, None, now)

    def _read_parts(self, readers: Iterable[Callable[[], Publication]]) -> Iterator[GivenPublications]:
        """Read each, and yield them in parts. What cannot be read becomes an empty publication with an error."""
        made, errors, size = list[Publication](), dict[int, GtopssError](), 0
        for read in readers:
            try:
                made.append(read())
            except GtopssError as error:
                release_frames(error)
                errors[len(made)] = error
                made.append(Publication.trusted(getattr(error, "publication_id", None) or self._inputs.new_name(), ()))
            size += _text_size(made[-1])
            if size >= MAX_BATCH_BYTES:
                yield GivenPublications(made, errors)
                made, errors, size = [], {}, 0
        if made:
            yield GivenPublications(made, errors)

    def _read_all(self, readers: Iterable[Callable[[], Publication]]) -> GivenPublications:
        return _joined(self._read_parts(readers))

    def _entailed(self, source: BatchSource) -> BatchSource:
        read = source.read(0, len(source))
        entailed = self._read_all(partial(self._inputs.entail, each) for each in read.publications).read(0, len(source))
        return GivenPublications(entailed.publications, {**entailed.errors, **read.errors})

    def _names(self, ids: Sequence[str] | None, count: int) -> Sequence[str]:
        """Return the ids of documents, new ones if there are none. Raises GtopssError if they are too few or many."""
        if ids is None:
            return NumberedIds(self._inputs.numbers.take(count))
        if len(ids) != count:
            raise GtopssError(f"there are {len(ids)} ids for {count} documents: give one for each")
        for id in ids:
            Publication.trusted(id, ())  # raises MalformedPublication if it is not an id
        return ids

    def _refuse_ids(self, ids: Sequence[str] | None, reason: str) -> None:
        if ids is not None:
            raise GtopssError(f"ids cannot be given, because {reason}: leave out ids")


def _joined(sources: Iterable[BatchSource]) -> GivenPublications:
    """Return the publications of successive sources as one source: one block if all of them are blocks."""
    ranges, errors, count = list[Sequence[Publication]](), dict[int, GtopssError](), 0
    for source in sources:
        read = source.read(0, len(source))
        errors.update({count + place: error for place, error in read.errors.items()})
        ranges.append(read.publications)
        count += len(source)
    blocks = [each for each in ranges if isinstance(each, TextBlock)]
    if blocks and len(blocks) == len(ranges):
        return GivenPublications(join_blocks(blocks), errors)
    return GivenPublications(list(chain.from_iterable(ranges)), errors)


def _unreadable(name: str, error: GtopssError) -> GivenPublications:
    """Return a source of one empty publication with an error."""
    release_frames(error)
    return GivenPublications(TextBlock(b"", [0], [0], [name]), {0: error})


def _holds_graphs(path: Path, format: str | None) -> bool:
    """Return whether this is a file of N-Quads, or a directory, whose N-Quads files are read."""
    if isinstance(format, str):
        return RdfFormat.from_name(format) is RdfFormat.N_QUADS
    return path.is_dir() or _is_quad_file(path)


def _is_quad_file(path: Path) -> bool:
    return RdfFormat.from_path(path) is RdfFormat.N_QUADS and not path.is_dir()


def _parts(given: Sequence[PublicationLike]) -> Iterator[Sequence[PublicationLike]]:
    """Yield what was given in parts: the documents of each have about `MAX_BATCH_BYTES`, or it has one document."""
    begin = size = 0
    for place, each in enumerate(given):
        length = len(each) if isinstance(each, (bytes, bytearray, str)) else 0
        if size and size + length > MAX_BATCH_BYTES:
            yield given[begin:place]
            begin, size = place, 0
        size += length
    yield given if begin == 0 else given[begin:]


def _text_size(publication: Publication) -> int:
    """Return about how many bytes the text of a publication takes."""
    if isinstance(publication, TextPublication):
        return len(publication.lines)
    return _TRIPLE_BYTES * len(publication.triples)


def _is_ntriples(format: str | None) -> bool:
    return isinstance(format, str) and RdfFormat.from_name(format) is RdfFormat.N_TRIPLES
