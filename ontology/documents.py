"""Reading an ontology document into an rdflib graph, from bytes already at hand.

Nothing here opens anything but the one path it is given: no import, no schema, no JSON-LD context.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Literal, TypeAlias
from xml.sax import SAXParseException

from rdflib import Graph
from rdflib.plugins.parsers.notation3 import BadSyntax

from ontology import jsonld
from ontology.errors import MalformedOntology, OntologyError
from ontology.xml_safety import check_xml

__all__ = ["Document", "Format", "Source", "parse", "read"]

Source: TypeAlias = str | os.PathLike[str] | bytes | Graph
"""A path, a document's bytes, or a graph that is parsed already. A ``str`` is always a path."""

Format: TypeAlias = Literal["turtle", "n3", "nt", "xml", "json-ld", "owl-xml"]

_FORMAT_NAMES: dict[str, Format] = {
    "turtle": "turtle",
    "ttl": "turtle",
    "text/turtle": "turtle",
    "n3": "n3",
    "text/n3": "n3",
    "nt": "nt",
    "ntriples": "nt",
    "n-triples": "nt",
    "application/n-triples": "nt",
    "xml": "xml",
    "rdf/xml": "xml",
    "rdfxml": "xml",
    "rdf+xml": "xml",
    "application/rdf+xml": "xml",
    "json-ld": "json-ld",
    "jsonld": "json-ld",
    "application/ld+json": "json-ld",
    "owl-xml": "owl-xml",
    "owlxml": "owl-xml",
    "owl/xml": "owl-xml",
    "application/owl+xml": "owl-xml",
}

# Suffixes that leave no choice. ".owl", ".rdf" and ".xml" are used for several syntaxes: content decides.
_SUFFIXES: dict[str, Format] = {
    ".ttl": "turtle",
    ".n3": "n3",
    ".nt": "nt",
    ".jsonld": "json-ld",
    ".json": "json-ld",
    ".owx": "owl-xml",
}


@dataclass(frozen=True, slots=True)
class Document:
    """An ontology's bytes and what is needed to read them."""

    name: str
    """How errors refer to it."""
    content: bytes
    format: Format
    base: str
    """What relative references resolve against; empty when the document came as bytes."""


def read(source: str | os.PathLike[str] | bytes, format: str | None = None) -> Document:
    """The document, with its format as given, else by its suffix, else by its first characters.

    >>> read(b'<?xml version="1.0"?><rdf:RDF/>').format, read(b"@prefix : <http://e/> .").format
    ('xml', 'turtle')
    """
    if isinstance(source, bytes):
        name, content, suffix, base = "<bytes>", source, "", ""
    else:
        path = Path(source)
        name, content, suffix = str(path), path.read_bytes(), path.suffix.lower()
        base = path.absolute().as_uri()
    if format is None:
        return Document(name, content, _SUFFIXES.get(suffix) or _sniff(content, name), base)
    known = _FORMAT_NAMES.get(format.lower())
    if known is None:
        raise ValueError(f"unknown format {format!r}; use one of {', '.join(sorted(set(_FORMAT_NAMES.values())))}")
    return Document(name, content, known, base)


def parse(document: Document) -> Graph:
    """The document's triples. OWL/XML has none of its own: :mod:`ontology.owl` translates it."""
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
            content = jsonld.closed(content, source=document.name)
        # Bytes in a stream, never text: only then does the XML parser heed the document's own encoding.
        with jsonld.locked(document.name):
            graph.parse(source=BytesIO(content), format=document.format, publicID=document.base)
    except OntologyError:
        raise
    except Exception as error:  # rdflib's parsers let IndexError, AssertionError and the like escape as well
        raise _explained(error, document) from error
    return graph


def _sniff(content: bytes, name: str) -> Format:
    start = content[:2000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "xml"  # UTF-16: of these syntaxes only XML may be
    if start.startswith((b"<?xml", b"<!", b"<rdf:", b"<Ontology", b"<owl:")):
        return "owl-xml" if _root(content) == "Ontology" else "xml"
    if start.startswith(b"{") or (start.startswith(b"[") and start[1:].lstrip().startswith((b"{", b"]"))):
        # "[]" also opens Turtle; no JSON-LD worth loading is an empty list, but "[ ] a" is common.
        return "turtle" if start.startswith(b"[") and start[1:].lstrip().startswith(b"]") else "json-ld"
    if start.startswith((b"Prefix(", b"Ontology(", b"Prefix:", b"Ontology:")):
        raise MalformedOntology(
            "this is OWL functional or Manchester syntax, which no parser here reads",
            source=name,
            remedy="save it as RDF/XML or Turtle first",
        )
    return "turtle"  # and N-Triples, which is a part of Turtle


def _root(content: bytes) -> str:
    """The name of the first XML element, without its prefix."""
    position = 0
    while (position := content.find(b"<", position)) >= 0:
        following = content[position + 1 : position + 2]
        if content.startswith(b"<!--", position):
            position = content.find(b"-->", position)
        elif content.startswith(b"<!DOCTYPE", position):
            subset, end = content.find(b"[", position), content.find(b">", position)
            position = content.find(b"]", subset) if 0 <= subset < end else end
        elif following.isalpha():
            tag = content[position + 1 : position + 200].split(None, 1)[0]
            return tag.split(b">")[0].rstrip(b"/").rpartition(b":")[2].decode("utf-8", "replace")
        if position < 0:
            break
        position += 1
    return ""


def _explained(error: Exception, document: Document) -> MalformedOntology:
    line: int | None = None
    column: int | None = None
    if isinstance(error, BadSyntax):
        reason = f"{error._why}"
        line = error.lines + 1
        # rdflib counts characters but keeps bytes: decode before looking for the line's start.
        before = error._str.decode("utf-8", "replace")[: error._i]
        column = len(before) - before.rfind("\n")
    elif isinstance(error, SAXParseException):
        reason = error.getMessage()
        line, zero_based = error.getLineNumber(), error.getColumnNumber()
        column = None if zero_based is None else zero_based + 1
    elif isinstance(error, json.JSONDecodeError):
        reason, line, column = error.msg, error.lineno, error.colno
    elif isinstance(error, RecursionError):
        reason = "nested too deeply to be read"
    elif isinstance(error, UnicodeDecodeError):
        reason = f"not {error.encoding}: {error.reason}"
        line = error.object.count(b"\n", 0, error.start) + 1
    elif document.format == "nt":
        return _explained_as_turtle(error, document)
    else:
        reason = _first_line(str(error).splitlines()) or type(error).__name__
    return MalformedOntology(reason, source=document.name, line=line, column=column)


def _explained_as_turtle(error: Exception, document: Document) -> MalformedOntology:
    """rdflib's N-Triples parser does not count lines; its Turtle parser does, and N-Triples is Turtle."""
    try:
        Graph().parse(source=BytesIO(document.content), format="turtle", publicID=document.base)
    except BadSyntax as located:
        return _explained(located, document)
    except Exception:
        pass
    return MalformedOntology(_first_line(str(error).splitlines()), source=document.name)


def _first_line(lines: Iterable[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")
