"""Parse RDF documents with pyoxigraph.

pyoxigraph keeps lexical forms, reports the place of an error, and never fetches anything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyoxigraph as ox

from gtopss.errors import InvalidTerm, MalformedPublication
from gtopss.model import Publication
from gtopss.model.dataset_publication import DatasetPublication
from gtopss.model.display import MAX_SHOWN_CHARACTERS, counted
from gtopss.model.term_text import escape_controls, shorten
from gtopss.model.terms import Term, Triple, blank, iri
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import RdfFormat, require_format
from gtopss.rdf.jsonld_contexts import remote_contexts
from gtopss.rdf.ntriples import serialize_ntriples, split_ntriples
from gtopss.rdf.output import OutputBudget
from gtopss.rdf.safety import check_triples, checked_document
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


def read_triples(
    data: bytes | str,
    format: str | RdfFormat,
    *,
    base: str | None = None,
    publication_id: str | None = None,
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> tuple[Triple, ...]:
    """Parse one document into triples. Raise MalformedPublication if it is not valid, or has several graphs.

    `format` is a name, a media type or an `RdfFormat`.

    >>> read_triples(b"<urn:a> <urn:p> 1 .", "turtle")
    (('<urn:a>', '<urn:p>', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),)
    """
    read = read_as_ntriples(data, format, base=base, publication_id=publication_id, limits=limits)
    return tuple(split_ntriples(read)) if isinstance(read, bytes) else read


def read_rdf_publication(document: RdfDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> Publication:
    """Parse one document into a publication. Raise MalformedPublication as `read_triples` does."""
    triples = read_triples(
        document.data, document.format, base=document.base, publication_id=document.id, limits=limits
    )
    return Publication.trusted(document.id, triples, source=document.source)


def read_rdf_dataset(document: RdfDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> DatasetPublication:
    """Parse one document into a publication with its named graphs. Raises MalformedPublication."""
    format = require_format(document.format, publication_id=document.id)
    default: list[Triple] = []
    graphs: dict[Term, list[Triple]] = {}
    quads = read_quads(document.data, format, base=document.base, publication_id=document.id, limits=limits)
    for count, (name, triple) in enumerate(quads, start=1):
        check_triples(count, limits, document.id)
        of_graph = default if name is None else graphs.setdefault(_graph_term(name), [])
        of_graph.append(triple)
    made = Publication.trusted(document.id, default, source=document.source)
    return DatasetPublication.of(made, {name: tuple(dict.fromkeys(each)) for name, each in graphs.items()})


def _graph_term(name: str) -> Term:
    return Term(name) if name.startswith("_:") else iri(name)


def read_as_ntriples(
    data: bytes | str,
    format: str | RdfFormat,
    *,
    base: str | None = None,
    publication_id: str | None = None,
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> bytes | tuple[Triple, ...]:
    """Convert one document to N-Triples that `split_ntriples` can split.

    Return triples instead if the document has named graphs or its text looks like RDF 1.2.
    """
    rdf_format = require_format(format, publication_id=publication_id)
    safe = checked_document(data, rdf_format, limits=limits, publication_id=publication_id)
    budget = OutputBudget(len(safe), limits=limits, publication_id=publication_id)
    if not rdf_format.has_named_graphs:
        with parser_errors(rdf_format, publication_id, safe):
            lines = serialize_ntriples(ox.parse(safe, format=rdf_format.pyoxigraph, base_iri=base), budget)
            if lines is not None:
                return lines
    return _only_graph(_parse_quads(safe, rdf_format, base, publication_id, limits), publication_id, limits)


def read_quads(
    data: bytes,
    format: RdfFormat,
    *,
    base: str | None = None,
    publication_id: str | None = None,
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> Iterator[tuple[str | None, Triple]]:
    """Yield each triple of a document with the name of its graph: an IRI, `_:label`, or None for the default graph."""
    safe = checked_document(data, format, limits=limits, publication_id=publication_id)
    return _parse_quads(safe, format, base, publication_id, limits)


def _parse_quads(
    data: bytes, format: RdfFormat, base: str | None, publication_id: str | None, limits: DocumentLimits
) -> Iterator[tuple[str | None, Triple]]:
    budget = OutputBudget(len(data), limits=limits, publication_id=publication_id)
    with parser_errors(format, publication_id, data):
        for quad in ox.parse(data, format=format.pyoxigraph, base_iri=base):
            triple, graph = _triple(quad), _graph_name(quad)
            budget.charge(sum(map(len, triple)) + len(graph or ""))
            yield graph, triple


_PLACE = re.compile(r"^Parser error (?:at|between) line [^:]*: ")  # the error says it once already


@contextmanager
def parser_errors(format: RdfFormat, publication_id: str | None, data: bytes) -> Iterator[None]:
    """Translate pyoxigraph's errors to MalformedPublication with the document's name and the error's place."""
    try:
        yield
    except SyntaxError as error:
        is_remote = "remote context" in error.msg
        raise MalformedPublication(
            _remote_context(data) if is_remote else f"this is not {format.title}: {_PLACE.sub('', error.msg)}",
            publication_id=publication_id,
            line=error.lineno,
            column=error.offset,
        ) from None
    except (ValueError, MemoryError) as error:
        if isinstance(error, MalformedPublication):
            raise
        if isinstance(error, MemoryError) and not str(error):
            raise  # memory is exhausted; a MemoryError with a text means that a term exceeds Oxigraph's buffer
        raise MalformedPublication(str(error), publication_id=publication_id) from None


def _remote_context(data: bytes) -> str:
    first, *others = remote_contexts(data) or ["unnamed"]
    shown = escape_controls(shorten(first, MAX_SHOWN_CHARACTERS))
    more = f" and {counted(len(others), 'other')}" if others else ""
    return f"remote contexts are not fetched ({shown}{more}): put the context into the document"


def _only_graph(
    quads: Iterator[tuple[str | None, Triple]], publication_id: str | None, limits: DocumentLimits
) -> tuple[Triple, ...]:
    triples: list[Triple] = []
    graphs = set()
    for graph, triple in quads:
        graphs.add(graph)
        triples.append(triple)
        check_triples(len(triples), limits, publication_id)
        if len(graphs) > 1:  # the rest need not be read
            reason = "it has several graphs, but a publication is one graph: publish each graph by itself"
            raise MalformedPublication(reason, publication_id=publication_id)
    return tuple(triples)


def _graph_name(quad: ox.Quad) -> str | None:
    graph = quad.graph_name
    if isinstance(graph, ox.NamedNode):
        return graph.value
    return str(graph) if isinstance(graph, ox.BlankNode) else None


def _triple(quad: ox.Quad) -> Triple:
    return _term(quad.subject), Term(str(quad.predicate)), _term(quad.object)


def _term(part: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> Term:
    if isinstance(part, ox.Triple):
        raise ValueError("triple terms (RDF 1.2) cannot be published")
    if isinstance(part, ox.BlankNode):
        return _blank(part.value)
    if getattr(part, "direction", None) is not None:
        raise ValueError(f"{part} has a base direction (RDF 1.2), which is not supported")
    return Term(str(part))


def _blank(label: str) -> Term:
    """Return a blank node. JSON-LD allows labels that N-Triples cannot write; these are replaced by a digest."""
    try:
        return blank(label)
    except InvalidTerm:
        return blank(f"x{hashlib.sha256(label.encode('utf-8', 'replace')).hexdigest()[:24]}")
