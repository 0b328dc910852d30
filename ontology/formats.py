"""The syntaxes of ontology documents: their names, file suffixes, and how to recognise them by content."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from ontology.errors import MalformedOntology

__all__ = ["Format", "detect_format", "format_by_suffix", "format_named"]

Format: TypeAlias = Literal["turtle", "n3", "nt", "xml", "json-ld", "owl-xml"]


class _FormatEntry(NamedTuple):
    name: Format
    other_names: tuple[str, ...]
    suffixes: tuple[str, ...]


# ".owl", ".rdf" and ".xml" are used for several syntaxes, so they are not listed: the content decides.
_FORMATS = (
    _FormatEntry("turtle", ("ttl", "text/turtle"), (".ttl",)),
    _FormatEntry("n3", ("text/n3",), (".n3",)),
    _FormatEntry("nt", ("ntriples", "n-triples", "application/n-triples"), (".nt",)),
    _FormatEntry("xml", ("rdf/xml", "rdfxml", "rdf+xml", "application/rdf+xml"), ()),
    _FormatEntry("json-ld", ("jsonld", "application/ld+json"), (".jsonld", ".json")),
    _FormatEntry("owl-xml", ("owlxml", "owl/xml", "application/owl+xml"), (".owx",)),
)
_SNIFFED_BYTES = 2000


def format_named(name: str) -> Format:
    """Return the format with this name or media type, in any case. Raise `ValueError` if there is none."""
    for entry in _FORMATS:
        if name.lower() in (entry.name, *entry.other_names):
            return entry.name
    raise ValueError(f"unknown format {name!r}; use one of {', '.join(sorted(entry.name for entry in _FORMATS))}")


def format_by_suffix(suffix: str) -> Format | None:
    """Return the format that a file suffix stands for; None if it is used for several."""
    return next((entry.name for entry in _FORMATS if suffix.lower() in entry.suffixes), None)


def detect_format(content: bytes, name: str) -> Format:
    """Recognise the format by the first characters. `name` is the document's name in errors.

    >>> detect_format(b'<?xml version="1.0"?><rdf:RDF/>', "a"), detect_format(b"@prefix : <http://e/> .", "b")
    ('xml', 'turtle')
    """
    start = content[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "xml"  # UTF-16: of these syntaxes only XML allows it
    if start.startswith((b"<?xml", b"<!", b"<rdf:", b"<Ontology", b"<owl:")):
        return "owl-xml" if _root_element(content) == "Ontology" else "xml"
    if start.startswith(b"{") or (start.startswith(b"[") and start[1:].lstrip().startswith((b"{", b"]"))):
        # "[]" also opens Turtle. An empty list is no useful JSON-LD, but "[ ] a" is common in Turtle.
        return "turtle" if start.startswith(b"[") and start[1:].lstrip().startswith(b"]") else "json-ld"
    if start.startswith((b"Prefix(", b"Ontology(", b"Prefix:", b"Ontology:")):
        raise MalformedOntology(
            "this is OWL functional or Manchester syntax, which is not supported",
            source=name,
            remedy="save it as RDF/XML or Turtle first",
        )
    return "turtle"  # also for N-Triples, which is a subset of Turtle


def _root_element(content: bytes) -> str:
    """Return the name of the first XML element, without its prefix."""
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
