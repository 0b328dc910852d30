"""Turn what a caller hands in into publications: objects, RDF bytes and files, feeds; and into a taxonomy.

Publication ─────────────────────────────┐
rdflib Graph, triples ───────────────────┤
bytes, text ──┐                          ├──> time of arrival ──> entailment ──> Publication
Path ─────────┴──> RdfDocument ──> parse ┤
              └──> feed (one per item) ──┘
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import rdflib

from gtopss.errors import GtopssError, InvalidTaxonomy, MalformedPublication, document_error, short_repr
from gtopss.matching.index.fast_ntriples import read_plain_documents, read_text_publication
from gtopss.model import MatchReport, Publication
from gtopss.model.text_block import TextBlock, TextBlockBuilder
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.encodings import encode
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.parse import read_rdf_publication
from gtopss.reading.detect import is_feed_format
from gtopss.reading.files import file_iri, file_name, load_bytes, load_rdf_file
from gtopss.semantics import entail
from ontology import CyclicTaxonomy, OntologyError, Taxonomy
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.loading import load

PublicationLike: TypeAlias = "Publication | rdflib.Graph | Path | bytes | str | Iterable[tuple[Any, Any, Any]]"
TaxonomyLike: TypeAlias = "Taxonomy | rdflib.Graph | str | Path | None"


class InputBatch(NamedTuple):
    """Publications in the order in which they were given, and reports for those that could not be read."""

    publications: Sequence[Publication]
    refused: dict[int, MatchReport]
    """Reports by their places in the whole batch."""


class InputReader:
    """Read publications for one engine. Thread-safe."""

    def __init__(
        self,
        *,
        as_text: bool,
        entailment_taxonomy: Taxonomy | None,
        expansion_limit: int,
        clock: Callable[[], datetime],
        numbers: Iterator[int],
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
        """Return the publication as it is matched: with what it entails and, for `with_time`, a time.

        The clock gives the time of a publication that has none. Raises MalformedPublication, whatever goes wrong.
        """
        try:
            publication = given if type(given) is Publication and id is None else self._publication(given, format, id)
            if with_time and publication.published_at is None:
                publication = publication.replace(published_at=self._clock())
            if self._entailment_taxonomy is None:
                return publication
            return entail(publication, self._entailment_taxonomy, self._expansion_limit)
        except GtopssError:
            raise
        except BaseException as error:
            if (refused := document_error(error, id)) is None:
                raise
            raise refused from error

    def read_batch(self, given: Sequence[PublicationLike], format: str | None, *, with_time: bool) -> InputBatch:
        """Read many; what cannot be read becomes a report with its error. A feed becomes one publication per item."""
        if self._entailment_taxonomy is None and not with_time and self._is_plain_text(given, format):
            return self._read_block(cast("Sequence[bytes]", given), cast("str", format))
        inputs: Iterable[PublicationLike] = given
        if _is_feed(format):
            inputs = itertools.chain.from_iterable(self._items_or_document(each, format) for each in given)
        made, refused = list[Publication](), dict[int, MatchReport]()
        for place, each in enumerate(inputs):
            try:
                made.append(self.read(each, format, with_time=with_time))
            except GtopssError as error:
                name = getattr(error, "publication_id", None) or f"publication-{next(self._numbers)}"
                refused[place] = MatchReport(name, (), error=error)
        return InputBatch(made, refused)

    def _is_plain_text(self, given: Sequence[PublicationLike], format: str | None) -> bool:
        """Return whether all documents may be read at once: they are bytes of N-Triples, for a matcher of text."""
        is_ntriples = isinstance(format, str) and RdfFormat.from_name(format) is RdfFormat.N_TRIPLES
        return self._as_text and is_ntriples and all(type(each) is bytes for each in given)

    def _read_block(self, documents: Sequence[bytes], format: str) -> InputBatch:
        """Read N-Triples documents with one call; those that are not plain are read one by one."""
        read = read_plain_documents(documents)
        ids = [self._name(None) for _ in documents]
        if -1 not in read.counts:
            return InputBatch(TextBlock(read.lines, read.ends, read.counts, ids), {})
        block, refused, begin = TextBlockBuilder(), dict[int, MatchReport](), 0
        for place, (id, end, count) in enumerate(zip(ids, read.ends, read.counts, strict=True)):
            if count >= 0:
                block.add(id, read.lines[begin:end], count)
            else:
                try:
                    block.add_publication(self.read(documents[place], format, id, with_time=False))
                except GtopssError as error:
                    refused[place] = MatchReport(getattr(error, "publication_id", None) or id, (), error=error)
            begin = end
        return InputBatch(block.build(), refused)

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


def read_taxonomy(given: TaxonomyLike) -> Taxonomy:
    """Return a taxonomy from a Taxonomy, an rdflib Graph or a file's path; an empty one for None."""
    if given is None:
        return Taxonomy()
    if isinstance(given, Taxonomy):
        return given
    name = "from a graph" if isinstance(given, rdflib.Graph) else short_repr(given)
    with taxonomy_errors(name):
        return load(given if isinstance(given, rdflib.Graph) else Path(given))


@contextmanager
def taxonomy_errors(name: str) -> Iterator[None]:
    """Convert what goes wrong with an ontology to InvalidTaxonomy."""
    try:
        yield
    except CyclicTaxonomy as error:
        how = f"{error}: Engine(taxonomy=ontology.load(..., cycles='condense'))"
        raise InvalidTaxonomy(name, how, cycle=error.cycle) from error
    except OntologyError as error:
        raise InvalidTaxonomy(name, str(error)) from error
    except MalformedPublication as error:
        raise InvalidTaxonomy(name, error.reason) from error
    except OSError as error:
        raise InvalidTaxonomy(name, f"the file cannot be read: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:
        raise InvalidTaxonomy(name, f"give a Taxonomy, an rdflib Graph or a file's path: {error}") from error
