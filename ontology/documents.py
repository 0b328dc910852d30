"""Read an ontology document and parse it: into axioms by Oxigraph, or into an rdflib graph, which reasoners need.

Nothing here opens anything except the one path it is given: no import, no schema, no JSON-LD context.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias
from xml.sax import SAXParseException

import pyoxigraph as ox
from rdflib import Graph
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.plugins.stores.memory import Memory

from ontology import jsonld
from ontology.axiom_collector import IMPORTS, INTERESTING, TYPE, AxiomCollector
from ontology.errors import MalformedOntology, OntologyError
from ontology.expansion import check_contexts, turtle_expansion
from ontology.formats import Format, detect_format, format_by_suffix, format_named
from ontology.labels import LABEL_PROPERTIES
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.nesting import BracketSyntax, find_too_deep, line_and_column
from ontology.xml_safety import check_xml

__all__ = ["OntologyDocument", "Source", "checked_content", "collect_axioms", "parse_document", "read_document"]

Source: TypeAlias = str | os.PathLike[str] | bytes | Graph
"""A path, the bytes of a document, or a graph that is parsed already. A ``str`` is always a path."""

_OXIGRAPH_FORMATS = {
    "turtle": ox.RdfFormat.TURTLE,
    "n3": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "xml": ox.RdfFormat.RDF_XML,
}
_BRACKET_SYNTAXES: dict[str, BracketSyntax] = {"turtle": "turtle", "n3": "n3", "nt": "ntriples"}


@dataclass(frozen=True, slots=True)
class OntologyDocument:
    """The bytes of an ontology and what is needed to parse them."""

    name: str
    """The document's name in errors."""
    content: bytes
    format: Format
    base: str
    """The base IRI of relative references; empty if the document was given as bytes."""


def read_document(source: str | os.PathLike[str] | bytes, format: str | None = None) -> OntologyDocument:
    """Read a document. The format is the given one, else that of the suffix, else that of the first characters.

    >>> read_document(b"@prefix : <http://e/> .").format
    'turtle'
    """
    if isinstance(source, bytes):
        name, content, suffix, base = "<bytes>", source, "", ""
    else:
        path = Path(source)
        name, content, suffix = str(path), path.read_bytes(), path.suffix
        base = path.absolute().as_uri()
    if format is not None:
        return OntologyDocument(name, content, format_named(format), base)
    return OntologyDocument(name, content, format_by_suffix(suffix) or detect_format(content, name), base)


class _BoundedStore(Memory):
    """A store that refuses a document when the text of its triples becomes too long."""

    def __init__(self, document: OntologyDocument, limits: DocumentLimits) -> None:
        super().__init__()
        self._document = document
        self._limit, self._limit_name = limits.output_limit(len(document.content))
        self._left = self._limit

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        self._left -= sum(len(str(term)) for term in triple)
        if self._left < 0:
            raise _too_long(self._document, self._limit, self._limit_name)
        super().add(triple, context, quoted)


def parse_document(document: OntologyDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> Graph:
    """Return the document's triples. OWL/XML is not an RDF syntax: :mod:`ontology.owl` translates it.

    Raises :class:`~ontology.errors.MalformedOntology`, with line and column where the parser reports them.
    """
    if document.format == "owl-xml":
        raise MalformedOntology(
            "this is OWL/XML, which is not an RDF syntax",
            source=document.name,
            remedy="load it with load_owl",
        )
    graph = Graph(store=_BoundedStore(document, limits))
    try:
        content = checked_content(document, limits)
        # A stream of bytes, never text: otherwise the XML parser ignores the document's own encoding declaration.
        with jsonld.context_loading_blocked(document.name), _unconverted_literals_accepted():
            graph.parse(source=BytesIO(content), format=document.format, publicID=document.base)
    except OntologyError:
        raise
    except Exception as error:  # rdflib's parsers also raise IndexError, AssertionError and the like
        raise _malformed(error, document) from error
    return graph


def collect_axioms(document: OntologyDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> AxiomCollector | None:
    """Return the axioms of a document, read by Oxigraph without a graph in between; None if it does not read it.

    N3 is read as Turtle, which nearly all of it is. JSON-LD is left to rdflib, which takes only the contexts that it is
    given. Raises :class:`~ontology.errors.MalformedOntology` for what no parser should get.
    """
    format = _OXIGRAPH_FORMATS.get(document.format)
    if format is None:
        return None
    content = checked_content(document, limits)
    left, limit_name = limits.output_limit(len(content))
    limit, collector = left, AxiomCollector()
    try:
        for quad in ox.parse(content, format=format, base_iri=document.base or None):
            subject, property, value = quad.subject, quad.predicate.value, quad.object
            if isinstance(value, ox.Triple) or isinstance(subject, ox.Triple):
                continue
            left -= len(subject.value) + len(property) + len(value.value)
            if left < 0:
                raise _too_long(document, limit, limit_name)
            _collect(collector, subject, property, value)
    except (SyntaxError, ValueError, MemoryError) as error:
        if isinstance(error, OntologyError):
            raise
        return None
    return collector


def _collect(
    collector: AxiomCollector,
    subject: ox.NamedNode | ox.BlankNode,
    property: str,
    value: ox.NamedNode | ox.BlankNode | ox.Literal,
) -> None:
    if property not in INTERESTING:
        collector.note_property(property)
        return
    if isinstance(value, ox.NamedNode):
        if property == TYPE:
            collector.add_type(value.value)
        elif property == IMPORTS:
            collector.imports.add(value.value)
        if isinstance(subject, ox.NamedNode):
            collector.add(subject.value, property, value.value)
    elif isinstance(value, ox.Literal) and isinstance(subject, ox.NamedNode) and property in LABEL_PROPERTIES:
        collector.add_label(subject.value, property, value.value, value.language or "")


def _too_long(document: OntologyDocument, limit: int, limit_name: str) -> MalformedOntology:
    return MalformedOntology(
        f"its triples take more than {limit} bytes ({limit_name})",
        source=document.name,
        remedy="use shorter prefixes and bases, or split the document",
    )


@contextmanager
def _unconverted_literals_accepted() -> Iterator[None]:
    """Keep rdflib from logging a traceback for each literal that is no value of its type, such as an odd date.

    Such a literal keeps its text, which is all that a taxonomy needs.
    """

    def is_other(record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("Failed to convert Literal lexical form")

    logger = logging.getLogger("rdflib.term")
    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)


def checked_content(document: OntologyDocument, limits: DocumentLimits) -> bytes:
    """Return the content as a parser may get it. Raise MalformedOntology for what no parser should get."""
    content, name = document.content, document.name
    limit, limit_name = limits.output_limit(len(content))
    expansion = 0
    if document.format == "xml":
        check_xml(content, limits=limits, source=name)
    elif document.format == "json-ld":
        content = content.decode(json.detect_encoding(content)).encode()
        _check_depth(content, "json", limits, name)
        content = jsonld.refuse_remote_contexts(content, source=name)
        check_contexts(content, limits, source=name)
    else:
        _check_depth(content, _BRACKET_SYNTAXES[document.format], limits, name)
        expansion = turtle_expansion(content, limit, n3=document.format == "n3")
    if expansion > limit:
        reason = f"its prefixes and bases take more than {limit} bytes once resolved ({limit_name})"
        raise MalformedOntology(reason, source=name, remedy="shorten the base")
    return content


def _check_depth(content: bytes, syntax: BracketSyntax, limits: DocumentLimits, name: str) -> None:
    position = find_too_deep(content, syntax, limits.max_depth)
    if position is not None:
        line, column = line_and_column(content, position)
        reason = f"it is nested more than {limits.max_depth} deep (max_depth)"
        raise MalformedOntology(reason, source=name, line=line, column=column, remedy="flatten it")


def _malformed(error: Exception, document: OntologyDocument) -> MalformedOntology:
    """Convert a parser's exception, with the line and column if it knows them."""
    line: int | None = None
    column: int | None = None
    if isinstance(error, BadSyntax):
        reason = f"{error._why}"
        line = error.lines + 1
        # rdflib counts characters but stores bytes: decode before searching for the start of the line.
        before = error._str.decode("utf-8", "replace")[: error._i]
        column = len(before) - before.rfind("\n")
    elif isinstance(error, SAXParseException):
        reason = error.getMessage()
        line, zero_based = error.getLineNumber(), error.getColumnNumber()
        column = None if zero_based is None else zero_based + 1
    elif isinstance(error, json.JSONDecodeError):
        reason, line, column = error.msg, error.lineno, error.colno
    elif isinstance(error, RecursionError):
        reason = "nested too deeply"
    elif isinstance(error, UnicodeDecodeError):
        reason = f"not {error.encoding}: {error.reason}"
        line = error.object.count(b"\n", 0, error.start) + 1
    elif document.format == "nt":
        return _malformed_ntriples(error, document)
    else:
        reason = _first_line(str(error).splitlines()) or type(error).__name__
    return MalformedOntology(reason, source=document.name, line=line, column=column)


def _malformed_ntriples(error: Exception, document: OntologyDocument) -> MalformedOntology:
    """Parse N-Triples again as Turtle, because rdflib's N-Triples parser does not count lines."""
    try:
        Graph().parse(source=BytesIO(document.content), format="turtle", publicID=document.base)
    except BadSyntax as located:
        return _malformed(located, document)
    except Exception:
        pass
    return MalformedOntology(_first_line(str(error).splitlines()), source=document.name)


def _first_line(lines: Iterable[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")
