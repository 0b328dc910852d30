"""Turn what a caller hands in into publications: objects, RDF bytes and files, feeds; and batches of them.

Publication ─────────────────────────────┐
rdflib Graph, triples ───────────────────┤
bytes, text ──┐                          ├──> time of arrival ──> entailment ──> Publication
Path ─────────┴──> RdfDocument ──> parse ┤
              └──> feed (one per item) ──┘
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import rdflib

from gtopss.engine.batch_inputs import ArrowTriples, NTriplesDocuments, block_of_graphs, is_arrow, starts_of
from gtopss.engine.id_numbers import IdNumbers
from gtopss.errors import GtopssError, MalformedPublication, document_error, release_frames
from gtopss.matching.batch_source import BatchSource, GivenPublications
from gtopss.matching.index.fast_ntriples import read_plain_graphs, read_text_publication
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.text_block import NumberedIds, TextBlock
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.encodings import encode
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.parse import read_rdf_publication
from gtopss.rdf.safety import check_items, check_triples
from gtopss.reading.detect import is_feed_format
from gtopss.reading.files import file_iri, file_name, load_bytes, load_rdf_file
from gtopss.semantics import entail
from ontology import Taxonomy
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

if TYPE_CHECKING:
    import pyarrow as pa

PublicationLike: TypeAlias = "Publication | rdflib.Graph | Path | bytes | str | Iterable[tuple[Any, Any, Any]]"
BatchInput: TypeAlias = (
    "Iterable[PublicationLike] | bytes | bytearray | memoryview | TextBlock | pa.Array | pa.ChunkedArray"
)

MAX_BATCH_BYTES = 32 * 2**20
"""Size of the text of publications that are read before they are matched. More of them are matched in several parts."""
_TRIPLE_BYTES = 100  # of a triple in a graph, about


class InputReader:
    """Read publications for one engine. Thread-safe."""

    def __init__(
        self,
        *,
        as_text: bool,
        entailment_taxonomy: Taxonomy | None,
        expansion_limit: int,
        clock: Callable[[], datetime],
        numbers: IdNumbers,
        limits: DocumentLimits = DEFAULT_LIMITS,
    ) -> None:
        """`as_text` keeps documents as text, for matchers that read text; `numbers` are for ids."""
        self._limits = limits
        self._as_text = as_text
        self._entailment_taxonomy, self._expansion_limit = entailment_taxonomy, expansion_limit
        self._clock = clock
        self._numbers = numbers

    def read(
        self, given: PublicationLike, format: str | None, id: str | None = None, *, with_time: bool
    ) -> Publication:
        """Return the publication as it is matched: with what it entails and, for `with_time`, the time of its arrival.

        That is the clock's, unless the publication says when it was received. Raises MalformedPublication, whatever
        goes wrong.
        """
        made = self._read(given, format, id, self._clock() if with_time else None)
        return made if self._entailment_taxonomy is None else self._entail(made)

    def _read(self, given: PublicationLike, format: str | None, id: str | None, now: datetime | None) -> Publication:
        """Return the publication as it was given; one that does not say when it arrived gets `now`."""
        with _document_errors(id):
            made = given if type(given) is Publication and id is None else self._publication(given, format, id)
            return self._timed(made, now)

    def _timed(self, publication: Publication, now: datetime | None) -> Publication:
        if now is None or publication.received_at is not None:
            return publication
        return publication.replace(received_at=now)

    def _entail(self, publication: Publication) -> Publication:
        assert self._entailment_taxonomy is not None
        with _document_errors(publication.id):
            return entail(publication, self._entailment_taxonomy, self._expansion_limit)

    def open_batch(
        self,
        given: BatchInput,
        format: str | None,
        *,
        with_time: bool,
        offsets: Any = None,
        ids: Sequence[str] | None = None,
    ) -> BatchSource:
        """Return a source of the publications in a batch. What cannot be read gets an error there.

        Raises GtopssError if the arguments do not fit each other.
        """
        now = self._clock() if with_time else None
        if offsets is not None and not isinstance(given, (bytes, bytearray, memoryview)):
            raise GtopssError("offsets are of documents in one block of bytes: give the block, or leave them out")
        is_one = isinstance(given, (str, Path, Publication, rdflib.Graph))
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
        return source if self._entailment_taxonomy is None else self._entailed(source)

    def open_batches(
        self, given: Sequence[PublicationLike], format: str | None, *, with_time: bool
    ) -> Iterator[BatchSource]:
        """Yield sources of the publications that are given: one source, unless their text is large."""
        sources = self._open_parts(given, format, None, self._clock() if with_time else None)
        return sources if self._entailment_taxonomy is None else map(self._entailed, sources)

    def _open_arrow(self, given: Any, ids: Sequence[str] | None, now: datetime | None) -> BatchSource:
        triples = ArrowTriples(given)
        names = self._names(ids, len(triples.counts))

        def read_other(place: int, document: bytes, id: str) -> Publication:
            return self._timed(triples.publication(place, id), now)

        if not self._as_text:
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
            return self._open_graphs(data, now)
        if format is None:
            raise GtopssError("a block of bytes needs a format: 'nt' for N-Triples, 'nq' for N-Quads")
        starts = starts_of((0, len(data)) if offsets is None else offsets, len(data))
        if rdf_format is RdfFormat.N_TRIPLES and self._as_text:
            return self._open_ntriples(data, starts, self._names(ids, len(starts) - 1), now)
        documents = [bytes(data[start:end]) for start, end in pairwise(starts.tolist())]
        return self._open_each(documents, format, ids, now)

    def _open_graphs(self, data: memoryview, now: datetime | None) -> BatchSource:
        """Open N-Quads: one publication per graph."""
        name = self._name(None)
        graphs = read_plain_graphs(data) if self._as_text else None
        try:
            if graphs is not None:
                block = block_of_graphs(graphs, name, now)
                check_items(len(block), self._limits, name)
                check_triples(max(block.counts, default=0), self._limits, name)
                return GivenPublications(block)
            from gtopss.reading.documents import read_document  # slow, see below

            read = read_document(bytes(data), source=name, format=str(RdfFormat.N_QUADS), limits=self._limits)
            return GivenPublications([self._timed(each, now) for each in read.publications])
        except GtopssError as error:
            release_frames(error)
            return GivenPublications([Publication.trusted(name, ())], {0: error})

    def _open_ntriples(
        self, data: Sequence[bytes] | memoryview, starts: Any, names: Sequence[str], now: datetime | None
    ) -> NTriplesDocuments:
        def read_other(place: int, document: bytes, id: str) -> Publication:
            return self._read(document, str(RdfFormat.N_TRIPLES), id, now)

        return NTriplesDocuments(data, starts, names, read_other, now, max_triples=self._limits.max_triples)

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
        if self._as_text and _is_ntriples(format) and set(map(type, given)) <= {bytes}:
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
            if (plain := self._open_unread(part, format, ids, now)) is not None:
                yield plain
                continue
            inputs: Iterable[PublicationLike] = part
            if _is_feed(format):
                self._refuse_ids(ids, "the items of a feed have ids")
                inputs = chain.from_iterable(self._items_or_document(each, format) for each in part)
            names = repeat(None) if ids is None else self._names(ids, len(part))
            pairs = zip(inputs, names, strict=ids is not None)
            yield from self._read_parts(partial(self._read, each, format, name, now) for each, name in pairs)

    def _read_parts(self, readers: Iterable[Callable[[], Publication]]) -> Iterator[GivenPublications]:
        """Read each, and yield them in parts. What cannot be read becomes an empty publication with an error."""
        made, errors, size = list[Publication](), dict[int, GtopssError](), 0
        for read in readers:
            try:
                made.append(read())
            except GtopssError as error:
                release_frames(error)
                errors[len(made)] = error
                made.append(Publication.trusted(getattr(error, "publication_id", None) or self._name(None), ()))
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
        entailed = self._read_all(partial(self._entail, each) for each in read.publications).read(0, len(source))
        return GivenPublications(entailed.publications, {**entailed.errors, **read.errors})

    def _names(self, ids: Sequence[str] | None, count: int) -> Sequence[str]:
        """Return the ids of documents, new ones if there are none. Raises GtopssError if they are too few or many."""
        if ids is None:
            return NumberedIds(self._numbers.take(count))
        if len(ids) != count:
            raise GtopssError(f"there are {len(ids)} ids for {count} documents: give one for each")
        for id in ids:
            Publication.trusted(id, ())  # raises MalformedPublication if it is not an id
        return ids

    def _refuse_ids(self, ids: Sequence[str] | None, reason: str) -> None:
        if ids is not None:
            raise GtopssError(f"ids cannot be given: {reason}")

    def _publication(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        if isinstance(given, Publication):
            return given if id is None else given.replace(id=id)
        if isinstance(given, (bytes, bytearray, str, Path)):
            return self._from_document(given, format, id)
        name = self._name(id)
        if isinstance(given, rdflib.Dataset):
            given = _only_graph(given, name)
        if not isinstance(given, Iterable):
            reason = f"a {type(given).__name__} is not a Publication, a Graph, triples or RDF bytes"
            raise MalformedPublication(reason, publication_id=name)
        return Publication(name, iter(given))

    def _from_document(self, given: bytes | bytearray | str | Path, format: str | None, id: str | None) -> Publication:
        """Read a document with one publication in it, from memory or from a file."""
        if _is_feed(format):
            from gtopss.reading.documents import only_item  # slow, see below

            item = only_item(self._read_feed(given, format, id), id or _source_of(given))
            return item if id is None else item.replace(id=id)
        if isinstance(given, Path):
            document = load_rdf_file(given, format, id)
        else:
            name = self._name(id)
            if not isinstance(format, str):
                raise MalformedPublication("RDF bytes need a format, such as 'turtle'", publication_id=name)
            data = encode(given, publication_id=name) if isinstance(given, str) else bytes(given)
            document = RdfDocument(name, data, format)
        if self._as_text:
            return read_text_publication(document, self._limits)
        return read_rdf_publication(document, self._limits)

    def _name(self, id: str | None) -> str:
        return id if id is not None else f"publication-{next(self._numbers)}"

    def _items_or_document(self, given: PublicationLike, format: str | None) -> Iterable[PublicationLike]:
        """Return the items of a feed; the document itself if it cannot be read: reading it again reports the error."""
        if not isinstance(given, (bytes, bytearray, str, Path)):
            return (given,)
        try:
            return self._read_feed(given, format, None)
        except Exception:
            return (given,)

    def _read_feed(
        self, given: bytes | bytearray | str | Path, format: str | None, id: str | None
    ) -> tuple[Publication, ...]:
        from gtopss.reading.documents import read_document  # imports the feed parsers: slow, and few engines need them

        source, base = _source_of(given) or id, None
        if isinstance(given, Path):
            data, base = load_bytes(given), file_iri(given)
        else:
            data = encode(given, publication_id=source) if isinstance(given, str) else bytes(given)
        return read_document(data, source=source, base=base, format=format, limits=self._limits).publications


@contextmanager
def _document_errors(id: str | None) -> Iterator[None]:
    """Convert what goes wrong with a document to MalformedPublication."""
    try:
        yield
    except GtopssError:
        raise
    except BaseException as error:
        if (refused := document_error(error, id)) is None:
            raise
        raise refused from error


def _joined(sources: Iterable[BatchSource]) -> GivenPublications:
    """Return the publications of successive sources as one source."""
    made, errors = list[Publication](), dict[int, GtopssError]()
    for source in sources:
        read = source.read(0, len(source))
        errors.update({len(made) + place: error for place, error in read.errors.items()})
        made += read.publications
    return GivenPublications(made, errors)


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


def _is_feed(format: str | None) -> bool:
    return isinstance(format, str) and is_feed_format(format)


def _source_of(given: bytes | bytearray | str | Path) -> str | None:
    return file_name(given) if isinstance(given, Path) else None


def _only_graph(dataset: rdflib.Dataset, name: str) -> rdflib.Graph:
    """Return the one graph of a dataset that has triples: a publication is one graph."""
    graphs = [graph for graph in dataset.graphs() if len(graph)]
    if len(graphs) > 1:
        reason = f"the dataset has {len(graphs)} graphs, but a publication is one graph: publish each graph by itself"
        raise MalformedPublication(reason, publication_id=name)
    return graphs[0] if graphs else rdflib.Graph()
