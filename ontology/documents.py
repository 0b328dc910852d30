"""Read an ontology document and parse it into an rdflib graph.

Nothing here opens anything except the one path it is given: no import, no schema, no JSON-LD context.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TypeAlias
from xml.sax import SAXParseException

from rdflib import Graph
from rdflib.plugins.parsers.notation3 import BadSyntax

from ontology import jsonld
from ontology.errors import MalformedOntology, OntologyError
from ontology.formats import Format, detect_format, format_by_suffix, format_named
from ontology.xml_safety import check_xml

__all__ = ["OntologyDocument", "Source", "parse_document", "read_document"]

Source: TypeAlias = str | os.PathLike[str] | bytes | Graph
"""A path, the bytes of a document, or a graph that is parsed already. A ``str`` is always a path."""


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


def parse_document(document: OntologyDocument) -> Graph:
    """Return the document's triples. OWL/XML is not an RDF syntax: :mod:`ontology.owl` translates it.

    Raises :class:`~ontology.errors.MalformedOntology`, with line and column where the parser reports them.
    """
    if document.format == "owl-xml":
        raise MalformedOntology(
            "this is OWL/XML, which is not an RDF syntax",
            source=document.name,
            remedy="load it with load_owl",
        )
    graph = Graph()
    content = document.content
    try:
        if document.format == "xml":
            check_xml(content, source=document.name)
        elif document.format == "json-ld":
            content = jsonld.refuse_remote_contexts(content, source=document.name)
        # A stream of bytes, never text: otherwise the XML parser ignores the document's own encoding declaration.
        with jsonld.context_loading_blocked(document.name):
            graph.parse(source=BytesIO(content), format=document.format, publicID=document.base)
    except OntologyError:
        raise
    except Exception as error:  # rdflib's parsers also raise IndexError, AssertionError and the like
        raise _malformed(error, document) from error
    return graph


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
