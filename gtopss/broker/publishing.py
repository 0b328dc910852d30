"""Accept publications: documents of any supported syntax, `Publication` objects, or triples.

    document ──(isolated reader)──> publications ──> one transaction: rows, with the number of the newest change

Each document or publication gets its own acknowledgement or error, in the order in which they were given. A document is
accepted whole or not at all; a feed is one publication per item.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from sqlalchemy import Connection

from gtopss.broker.plain_documents import read_plain
from gtopss.broker.store import change_rows, publication_rows, share_rows
from gtopss.broker.store.publication_rows import NewPublication
from gtopss.broker.store.store import Store
from gtopss.errors import GtopssError, MalformedPublication, document_error
from gtopss.feeds.identity import content_digest
from gtopss.feeds.vocabulary import ITEM
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.text_block import lines_of
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import RdfFormat
from gtopss.reading.detect import is_feed_format
from gtopss.reading.documents import ParsedDocument
from gtopss.reading.reader_pool import ReaderPool
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

MAX_PUBLICATION_BYTES = 16 * 2**20
"""Text of the triples of one publication. It is stored as one value, and matched as one."""
MAX_ID_BYTES = 1_000
"""UTF-8 of the id of a publication: it is a part of keys, which have 2,704 bytes at most in PostgreSQL."""
MAX_COMPILED_BYTES = 2**20
"""Size of an N-Triples document that is read in this process; a longer one is read in another, under its limits."""
_ITEM_LINE = f"\n{ITEM}\n".encode()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of a document. Without a format its content decides; `id` names the one publication in it.

    `source` is where it comes from: a URL, or a name.
    """

    data: bytes
    format: str | None = None
    id: str | None = None
    source: str | None = None


Published: TypeAlias = "Document | Publication | bytes | Iterable[tuple[Any, Any, Any]]"
"""What may be published. Triples get an id that depends on what they say."""


@dataclass(frozen=True, slots=True)
class AcceptedPublication:
    """A publication that is stored. `number` is None if the same one was published before."""

    id: str
    number: int | None

    @property
    def is_duplicate(self) -> bool:
        return self.number is None


@dataclass(frozen=True, slots=True)
class PublishResult:
    """The acknowledgement of one document or publication, or the error for which it was refused."""

    publications: tuple[AcceptedPublication, ...] = ()
    error: GtopssError | None = None
    warnings: tuple[str, ...] = ()
    """What was repaired in a document, or left out."""


Outcome: TypeAlias = "list[PublishResult] | Exception | None"
"""What became of the documents of one of several callers."""


class Publishing:
    """Read and store publications. Thread-safe."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float],
        *,
        readers: int = 1,
        limits: DocumentLimits = DEFAULT_LIMITS,
        compiled: bool = False,
    ) -> None:
        """With `compiled`, plain N-Triples are read by compiled code in this process."""
        self._store, self._clock, self._compiled = store, clock, compiled
        self.limits = limits
        """The limits of documents that are read."""
        self._readers = ReaderPool(readers, limits=limits)

    def close(self) -> None:
        """Stop the processes that read documents."""
        self._readers.close()

    def publish(self, given: Sequence[Published]) -> list[PublishResult]:
        """Store publications and return one result for each that was given. What it acknowledges is durable."""
        read = self._read_all(given)
        return _results(read, self._submit(read))

    def publish_plain(self, calls: Sequence[Sequence[Document]]) -> list[Outcome]:
        """Publish the documents of several callers at once, if each of them `may_be_plain`.

        They are read by one call of the compiled reader and committed together, but an error of one caller concerns no
        other. None is the outcome of a caller whose documents another process must read: nothing of it was published.
        """
        documents = [_ntriples(each) if self._compiled else None for given in calls for each in given]
        plain = iter(read_plain([each for each in documents if each is not None], self.limits))
        found = iter([None if each is None else next(plain) for each in documents])
        read = [self._read_publications(list(islice(found, len(given)))) for given in calls]
        submitted = [None if each is None else (each, self._submit(each)) for each in read]
        return [None if each is None else _outcome(*each) for each in submitted]

    def _read_publications(self, found: Sequence[Publication | None]) -> list[_Read] | None:
        return None if None in found else [self._read(each) for each in found if each is not None]

    def _submit(self, read: Sequence[_Read]) -> Future[Sequence[int | None]]:
        """Store what was read; the future has the numbers of the publications."""
        new = [each for result in read for each in result.new]
        if new:
            return self._store.submit_item(self._insert_each, new)
        nothing: Future[Sequence[int | None]] = Future()
        nothing.set_result(())
        return nothing

    def insert(self, connection: Connection, new: Sequence[NewPublication]) -> list[int | None]:
        """Store publications in a transaction of the caller; return their numbers, None for duplicates."""
        after_change, division = change_rows.newest(connection), share_rows.division(connection)
        return publication_rows.insert_new(
            connection,
            new,
            received_at=self._clock(),
            after_change=after_change,
            shares=None if division.shares == 1 else [(publication_rows.UNROUTED,)] * len(new),
            epoch=division.epoch,
        )

    def _insert_each(
        self, connection: Connection, calls: Sequence[Sequence[NewPublication]]
    ) -> list[Sequence[int | None]]:
        """Store what several callers publish at the same time by one statement."""
        numbers = iter(self.insert(connection, [each for new in calls for each in new]))
        return [list(islice(numbers, len(new))) for new in calls]

    def read_document(self, data: bytes, source: str | None) -> ParsedDocument:
        """Read the bytes of a document in another process. Raises MalformedPublication."""
        return self._readers.read_document(data, source)

    def _read_all(self, given: Sequence[Published]) -> list[_Read]:
        """Read what was given: plain N-Triples together, by the compiled reader, and all else one by one."""
        documents = [_ntriples(each) if self._compiled else None for each in given]
        plain = iter(read_plain([each for each in documents if each is not None], self.limits))
        pairs = zip(given, documents, strict=True)
        return [self._read(each if document is None else next(plain) or each) for each, document in pairs]

    def _read(self, given: Published) -> _Read:
        try:
            publications, warnings = self._publications(given)
            return _Read(tuple(map(new_publication, publications)), warnings=warnings)
        except GtopssError as error:
            return _Read(error=error)
        except BaseException as error:
            refused = document_error(error, None)
            if refused is None:
                raise
            return _Read(error=refused)

    def _publications(self, given: Published) -> tuple[Sequence[Publication], tuple[str, ...]]:
        if isinstance(given, Publication):
            return (given,), ()
        if isinstance(given, (bytes, bytearray)):
            given = Document(bytes(given))
        if isinstance(given, Document):
            return self._read_document(given)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise MalformedPublication(f"a {type(given).__name__} is not a Document, a Publication, bytes or triples")
        unnamed = Publication("urn:gtopss:publication", given)
        return (unnamed.replace(id=f"urn:gtopss:publication:{_digest(unnamed).hex()}"),), ()

    def _read_document(self, document: Document) -> tuple[Sequence[Publication], tuple[str, ...]]:
        if document.format is not None and not _has_several(document.format):
            with self._readers.reader() as reader:
                one = RdfDocument(_document_id(document), document.data, document.format, source=document.source)
                return (reader.read_publication(one),), ()
        read = self.read_document(document.data, document.source)
        found = read.publications
        if document.id is not None:
            if len(found) != 1:
                reason = f"the document has {len(found)} publications, and one id was given: give none"
                raise MalformedPublication(reason, publication_id=document.id)
            found = (found[0].replace(id=document.id),)
        return found, read.warnings


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of one document."""

    new: tuple[NewPublication, ...] = ()
    error: GtopssError | None = None
    warnings: tuple[str, ...] = ()


def _outcome(read: Sequence[_Read], numbers: Future[Sequence[int | None]]) -> Outcome:
    try:
        return _results(read, numbers)
    except Exception as error:
        return error


def _results(read: Sequence[_Read], submitted: Future[Sequence[int | None]]) -> list[PublishResult]:
    """Wait until what was read is stored, and return one result for each document."""
    numbers, results = iter(submitted.result()), []
    for each in read:
        accepted = tuple(AcceptedPublication(one.id, next(numbers)) for one in each.new)
        results.append(PublishResult(accepted, each.error, each.warnings))
        for one in accepted:
            extra = {"publication": one.id, "number": one.number}
            _log.debug("duplicate" if one.is_duplicate else "accepted", extra=extra)
        if each.error is not None:
            _log.info("refused a publication: %s", each.error, extra={"publication": _id_of(each.error)})
    return results


def may_be_plain(documents: Sequence[Published]) -> bool:
    """Return whether `publish_plain` takes these documents: all are short, and say that they are N-Triples."""
    return all(_is_short_ntriples(each) for each in documents)


def new_publication(publication: Publication) -> NewPublication:
    """Return a publication as it is stored. Raises MalformedPublication if a database cannot hold it."""
    if len(publication.id.encode()) > MAX_ID_BYTES or "\0" in publication.id:
        reason = f"its id has more than {MAX_ID_BYTES:,} bytes, or a NUL: choose another"
        raise MalformedPublication(reason, publication_id=f"{publication.id[:100]}...")
    source = publication.source or ""
    if "\0" in source or any("\ud800" <= character <= "\udfff" for character in source):
        reason = "its source has a NUL or a lone surrogate, which cannot be stored: choose another"
        raise MalformedPublication(reason, publication_id=publication.id)
    if publication.payload is not None:
        reason = "it has a payload, and a broker stores triples only: publish the address of the object as a triple"
        raise MalformedPublication(reason, publication_id=publication.id)
    made = NewPublication.of(publication, _digest(publication))
    if len(made.lines) > MAX_PUBLICATION_BYTES:
        reason = f"its triples take more than {MAX_PUBLICATION_BYTES:,} bytes: split it"
        raise MalformedPublication(reason, publication_id=publication.id)
    return made


def _digest(publication: Publication) -> bytes:
    """Return a digest of what a publication says: of a feed's item, without what is said about its channel."""
    lines = publication.lines if isinstance(publication, TextPublication) else lines_of(publication.triples)
    if _ITEM_LINE in lines:
        return content_digest(publication.triples)
    terms = iter(lines.split(b"\n")[:-1])
    return _sha256(b"\n".join(sorted(set(map(b"\n".join, zip(terms, terms, terms, strict=True))))))


def _ntriples(given: Published) -> RdfDocument | None:
    """Return a short N-Triples document, which the compiled reader may read; None for anything else."""
    if not isinstance(given, Document) or not _is_short_ntriples(given):
        return None
    return RdfDocument(_document_id(given), given.data, given.format or "", source=given.source)


def _is_short_ntriples(given: Published) -> bool:
    if not isinstance(given, Document) or given.format is None or len(given.data) > MAX_COMPILED_BYTES:
        return False
    return RdfFormat.from_name(given.format) is RdfFormat.N_TRIPLES


def _document_id(document: Document) -> str:
    return document.id or document.source or f"urn:gtopss:document:{_sha256(document.data).hex()}"


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:16]


def _has_several(format: str) -> bool:
    """Return whether documents of a format may have several publications, and so are recognised by their content."""
    several = (RdfFormat.N_QUADS, RdfFormat.TRIG, RdfFormat.RDF_XML)
    return is_feed_format(format) or RdfFormat.from_name(format) in several


def _id_of(error: GtopssError) -> object:
    return getattr(error, "publication_id", None)
