"""RDF bytes to triples, by pyoxigraph: it keeps lexical forms, says where an error is and never fetches anything."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pyoxigraph as ox

from gtopss.errors import InvalidTerm, MalformedPublication
from gtopss.model import Publication
from gtopss.model.terms import Term, Triple, blank
from ontology.xml_safety import MalformedXML, check_xml

FORMATS = {
    "turtle": ox.RdfFormat.TURTLE,
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "n3": ox.RdfFormat.N3,
    "xml": ox.RdfFormat.RDF_XML,
    "rdfxml": ox.RdfFormat.RDF_XML,
    "rdf": ox.RdfFormat.RDF_XML,
    "json-ld": ox.RdfFormat.JSON_LD,
    "jsonld": ox.RdfFormat.JSON_LD,
    "nquads": ox.RdfFormat.N_QUADS,
    "nq": ox.RdfFormat.N_QUADS,
    "trig": ox.RdfFormat.TRIG,
}

_RDF_12 = (b"> <<(", b"--ltr .\n", b"--rtl .\n")  # triple terms and directions, or a text that looks like one
SUFFIXES = {
    **{f".{name}": name for name in ("ttl", "nt", "n3", "rdf", "xml", "jsonld", "nq", "trig")},
    ".owl": "xml",
    ".rss": "xml",
    ".json": "json-ld",
}


def format_of(path: Path, data: bytes) -> str:
    """A document's format, by its name or, where that says nothing, by its first characters."""
    if path.suffix.lower() in SUFFIXES:
        return SUFFIXES[path.suffix.lower()]
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:9]
    if start.startswith((b"<?xml", b"<rdf:RDF", b"<!DOCTYPE")):
        return "xml"
    return "json-ld" if start.startswith((b"{", b"[")) else "turtle"


def read_document(path: Path, format: str | None = None) -> Publication:
    """One document as a publication whose id is its path."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MalformedPublication(f"the file cannot be read: {error.strerror}", publication_id=str(path)) from None
    triples = read_triples(
        data, format or format_of(path, data), base=path.absolute().as_uri(), publication_id=str(path)
    )
    return Publication.trusted(str(path), triples, source=str(path))


def read_prefixes(path: Path, format: str | None = None) -> dict[str, str]:
    """The prefixes that a document declares for itself: what its readers expect to see."""
    data = path.read_bytes()
    parser = ox.parse(data, format=_syntax(format or format_of(path, data)), base_iri=path.absolute().as_uri())
    try:
        for _ in parser:
            continue
    except SyntaxError:
        pass  # whoever reads the triples will say so
    return dict(parser.prefixes)


def _syntax(format: str) -> ox.RdfFormat | None:
    return FORMATS.get(format.lower()) or ox.RdfFormat.from_media_type(format)


def is_ntriples(format: str) -> bool:
    return _syntax(format) == ox.RdfFormat.N_TRIPLES


def read_triples(
    data: bytes | str, format: str, *, base: str | None = None, publication_id: str | None = None
) -> tuple[Triple, ...]:
    """The triples of one document. `format` is a name of `FORMATS` or a media type.

    >>> read_triples(b"<urn:a> <urn:p> 1 .", "turtle")
    (('<urn:a>', '<urn:p>', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),)
    """
    read = read_ntriples(data, format, base=base, publication_id=publication_id)
    return tuple(cut_ntriples(read)) if isinstance(read, bytes) else read


def read_ntriples(
    data: bytes | str, format: str, *, base: str | None = None, publication_id: str | None = None
) -> bytes | tuple[Triple, ...]:
    """One document as N-Triples that `cut_ntriples` can cut; as triples where somebody had to look closer."""
    syntax = _syntax(format)
    if syntax is None:
        known = ", ".join(FORMATS)
        raise MalformedPublication(f"there is no format {format!r}: use one of {known}", publication_id=publication_id)
    _refuse_unsafe(data, syntax, publication_id)
    triples: list[Triple] = []
    graphs = set()
    with parser_errors(syntax, publication_id):
        if not syntax.supports_datasets:
            lines = _written(ox.parse(data, format=syntax, base_iri=base))
            if lines is not None:
                return lines
        for quad in ox.parse(data, format=syntax, base_iri=base):
            graphs.add(quad.graph_name)
            triples.append((parsed_term(quad.subject), parsed_term(quad.predicate), parsed_term(quad.object)))
    if len(graphs) > 1:
        reason = f"it holds {len(graphs)} graphs, and a publication is one: publish each graph by itself"
        raise MalformedPublication(reason, publication_id=publication_id)
    return tuple(triples)


@contextmanager
def parser_errors(syntax: ox.RdfFormat, publication_id: str | None) -> Iterator[None]:
    """What pyoxigraph says of a document, as the error that names it and its place."""
    try:
        yield
    except SyntaxError as error:
        raise MalformedPublication(
            f"this is not {syntax.name}: {error.msg}",
            publication_id=publication_id,
            line=error.lineno,
            column=error.offset,
        ) from None
    except (ValueError, MemoryError) as error:
        if isinstance(error, MemoryError) and not str(error):
            raise  # there is no memory; else a term is too long for Oxigraph's buffer, which says so
        raise MalformedPublication(str(error), publication_id=publication_id) from None


def cut_triples(parsed: Iterable[ox.Quad]) -> list[Triple] | None:
    """Triples as N-Triples, then cut: a line's text is our terms, at half the cost of asking each object for its own.

    None where the text may hold what only RDF 1.2 has, and somebody must look closer.
    """
    lines = _written(parsed)
    return None if lines is None else cut_ntriples(lines)


def _written(parsed: Iterable[ox.Quad]) -> bytes | None:
    lines = ox.serialize(parsed, format=ox.RdfFormat.N_TRIPLES)
    assert lines is not None  # it returns what it is not told to write
    return None if any(sign in lines for sign in _RDF_12) else lines


def cut_ntriples(lines: bytes) -> list[Triple]:
    """The triples of N-Triples that Oxigraph wrote."""
    return cast("list[Triple]", [tuple(line[:-2].split(" ", 2)) for line in lines.decode().split("\n") if line])


def _refuse_unsafe(data: bytes | str, syntax: ox.RdfFormat, publication_id: str | None) -> None:
    """What pyoxigraph would read without complaint, or not survive: see `ontology.xml_safety`."""
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if syntax == ox.RdfFormat.RDF_XML:
        try:
            check_xml(raw)
        except MalformedXML as error:
            reason = f"this is not RDF/XML that can be read: {error.reason}"
            raise MalformedPublication(
                reason, publication_id=publication_id, line=error.line, column=error.column
            ) from None
    elif syntax == ox.RdfFormat.JSON_LD and not raw.lstrip().startswith((b"{", b"[", b"\xef\xbb\xbf")):
        reason = "this is not JSON-LD: the document must be an object or a list"
        raise MalformedPublication(reason, publication_id=publication_id, line=1, column=1)


def parsed_term(part: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> Term:
    if isinstance(part, ox.Triple):
        raise ValueError("triple terms (RDF 1.2) cannot be published")
    if isinstance(part, ox.BlankNode):
        return _blank(part.value)
    if getattr(part, "direction", None) is not None:
        raise ValueError(f"{part} has a base direction (RDF 1.2), which is not supported")
    return Term(str(part))


def _blank(label: str) -> Term:
    """A blank node; JSON-LD lets labels pass that N-Triples has no way to write."""
    try:
        return blank(label)
    except InvalidTerm:
        return blank(f"x{hashlib.sha256(label.encode('utf-8', 'replace')).hexdigest()[:24]}")
