"""Turn what a caller hands in into a publication: objects, RDF bytes and files, feeds.

Publication ─────────────────────────────┐
rdflib Graph, triples ───────────────────┤
bytes, text ──┐                          ├──> time of arrival ──> entailment ──> Publication
Path ─────────┴──> RdfDocument ──> parse ┤
              └──> feed (one per item) ──┘
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import rdflib

from gtopss.engine.id_numbers import IdNumbers
from gtopss.errors import GtopssError, MalformedPublication, document_error, short_repr
from gtopss.model import Publication
from gtopss.model.dataset_publication import DatasetPublication, named_graphs
from gtopss.model.display import describe_value
from gtopss.model.terms import TermLike, from_rdflib
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.encodings import encode
from gtopss.rdf.parse import read_rdf_dataset, read_rdf_publication
from gtopss.reading.detect import is_feed_format
from gtopss.reading.files import file_iri, file_name, load_bytes, load_rdf_file
from gtopss.semantics import entail
from gtopss.semantics.entailment import OntologySchema
from ontology import Taxonomy
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

if TYPE_CHECKING:
    pass

PublicationLike: TypeAlias = "Publication | rdflib.Graph | Path | bytes | str | Iterable[tuple[Any, Any, Any]]"


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
        self.limits = limits
        self.as_text = as_text
        self._entailment = None if entailment_taxonomy is None else OntologySchema(entailment_taxonomy)
        self._expansion_limit = expansion_limit
        self._clock = clock
        self.numbers = numbers

    def read(
        self, given: PublicationLike, format: str | None, id: str | None = None, *, with_time: bool
    ) -> Publication:
        """Return the publication as it is matched: with what it entails and, for `with_time`, the time of its arrival.

        That is the clock's, unless the publication says when it was received. Raises MalformedPublication, whatever
        goes wrong.
        """
        made = self.read_given(given, format, id, self.now() if with_time else None)
        return self.entail(made) if self.entails else made

    @property
    def entails(self) -> bool:
        """Whether publications are matched with what they entail."""
        return self._entailment is not None

    def now(self) -> datetime:
        """Return the time of arrival of what is read now."""
        return self._clock()

    def read_dataset(
        self, given: PublicationLike, format: str | None, id: str | None = None, *, with_time: bool
    ) -> Publication:
        """Return the publication of a whole dataset: an rdflib Dataset, or a document in TriG or N-Quads."""
        with _document_errors(id):
            if isinstance(given, rdflib.Dataset):
                made: Publication = _dataset_publication(given, self.new_name(id))
            elif isinstance(given, (bytes, bytearray, str, Path)) and not is_feed(format):
                made = read_rdf_dataset(self._document(given, format, id), self.limits)
            else:
                made = self._publication(given, format, id)
            made = self.timed(made, self._clock() if with_time else None)
        return self.entail(made) if self.entails else made

    def read_given(
        self, given: PublicationLike, format: str | None, id: str | None, now: datetime | None
    ) -> Publication:
        """Return the publication as it was given; one that does not say when it arrived gets `now`."""
        with _document_errors(id):
            made = given if type(given) is Publication and id is None else self._publication(given, format, id)
            return self.timed(made, now)

    def timed(self, publication: Publication, now: datetime | None) -> Publication:
        """Return the publication with this time of arrival, unless it has one."""
        if now is None or publication.received_at is not None:
            return publication
        return publication.replace(received_at=now)

    def entail(self, publication: Publication) -> Publication:
        """Return the publication with what it entails. Raises MalformedPublication."""
        assert self._entailment is not None
        with _document_errors(publication.id):
            entailed = entail(publication, self._entailment, self._expansion_limit)
            graphs = named_graphs(publication)
            return DatasetPublication.of(entailed, graphs) if graphs else entailed

    def _publication(self, given: PublicationLike, format: str | None, id: str | None) -> Publication:
        if isinstance(given, Publication):
            return given if id is None else given.replace(id=id)
        if isinstance(given, (bytes, bytearray, str, Path)):
            return self._from_document(given, format, id)
        name = self.new_name(id)
        if isinstance(given, rdflib.Dataset):
            given = _only_graph(given, name)
        _check_triples(given, name)
        return Publication(name, iter(given))

    def _from_document(self, given: bytes | bytearray | str | Path, format: str | None, id: str | None) -> Publication:
        """Read a document with one publication in it, from memory or from a file."""
        self._check_format(format, id)
        if is_feed(format):
            from gtopss.reading.documents import only_item  # slow, see below

            item = only_item(self._read_feed(given, format, id), id or _source_of(given))
            return item if id is None else item.replace(id=id)
        document = self._document(given, format, id)
        if isinstance(given, Path) and is_feed_format(document.format):  # a PDF, by its content
            return self._from_document(given, document.format, document.id)
        if self.as_text:
            from gtopss.matching.index.fast_ntriples import read_text_publication  # imports numba: slow

            return read_text_publication(document, self.limits)
        return read_rdf_publication(document, self.limits)

    def _document(self, given: bytes | bytearray | str | Path, format: str | None, id: str | None) -> RdfDocument:
        self._check_format(format, id)
        if isinstance(given, Path):
            return load_rdf_file(given, format, id)
        name = self.new_name(id)
        if format is None:
            reason = "RDF text and bytes need a format, such as 'turtle'; to match a file, give a pathlib.Path"
            raise MalformedPublication(reason, publication_id=name)
        data = encode(given, publication_id=name) if isinstance(given, str) else bytes(given)
        return RdfDocument(name, data, format)

    def _check_format(self, format: object, id: str | None) -> None:
        """Raise MalformedPublication for a format that is not a text."""
        if format is not None and not isinstance(format, str):
            reason = f"the format is a text such as 'turtle', not {short_repr(format)}"
            raise MalformedPublication(reason, publication_id=self.new_name(id))

    def new_name(self, id: str | None = None) -> str:
        """Return an id: the given one, or else a new one."""
        return id if id is not None else f"publication-{next(self.numbers)}"

    def items_or_document(self, given: PublicationLike, format: str | None) -> Iterable[PublicationLike]:
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
        return read_document(data, source=source, base=base, format=format, limits=self.limits).publications


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


def is_feed(format: str | None) -> bool:
    """Return whether this is the name of a feed format."""
    return isinstance(format, str) and is_feed_format(format)


def _check_triples(given: object, name: str) -> None:
    """Raise MalformedPublication unless this can be an iterable of triples."""
    if callable(getattr(given, "read", None)):  # an open file is an iterable of lines
        reason = "an open file cannot be matched: give a pathlib.Path, or the bytes with a format"
        raise MalformedPublication(reason, publication_id=name)
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        reason = f"{describe_value(given)} is not a Publication, a Graph, triples or RDF bytes"
        raise MalformedPublication(reason, publication_id=name)


def _source_of(given: bytes | bytearray | str | Path) -> str | None:
    return file_name(given) if isinstance(given, Path) else None


def _dataset_publication(dataset: rdflib.Dataset, name: str) -> DatasetPublication:
    """Return all graphs of a dataset as one publication."""
    default = dataset.default_graph.identifier
    graphs: dict[TermLike, Iterable[tuple[Any, Any, Any]]] = {
        from_rdflib(graph.identifier): iter(graph) for graph in dataset.graphs() if graph.identifier != default
    }
    return DatasetPublication(name, iter(dataset.default_graph), graphs)


def _only_graph(dataset: rdflib.Dataset, name: str) -> rdflib.Graph:
    """Return the one graph of a dataset that has triples: a publication is one graph."""
    graphs = [graph for graph in dataset.graphs() if len(graph)]
    if len(graphs) > 1:
        reason = f"the dataset has {len(graphs)} graphs, but a publication is one graph: publish each graph by itself"
        raise MalformedPublication(reason, publication_id=name)
    return graphs[0] if graphs else rdflib.Graph()
