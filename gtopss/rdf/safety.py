"""Check an RDF document before pyoxigraph gets it: what it would accept silently, or not survive.

pyoxigraph is native code. If it reaches the end of its stack or of the memory, it ends the whole process. The checks
are those of the package `ontology`, whose readers need them too.
"""

from __future__ import annotations

from gtopss.errors import MalformedPublication
from gtopss.rdf.encodings import as_utf8, encode, without_declaration
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.jsonld_contexts import inline_contexts
from ontology.errors import MalformedOntology
from ontology.expansion import (
    check_contexts,
    check_linked_json_size,
    has_contexts,
    has_more_values,
    turtle_expansion,
)
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.nesting import BracketSyntax, find_too_deep, line_and_column
from ontology.xml_safety import check_xml

_SYNTAXES: dict[RdfFormat, BracketSyntax] = {
    RdfFormat.TURTLE: "turtle",
    RdfFormat.TRIG: "turtle",
    RdfFormat.N3: "n3",
    RdfFormat.N_TRIPLES: "ntriples",
    RdfFormat.N_QUADS: "ntriples",
    RdfFormat.JSON_LD: "json",
}
_JSON_STARTS = (b"{", b"[", b"\xef\xbb\xbf")


def checked_document(
    data: bytes | str,
    format: RdfFormat,
    *,
    limits: DocumentLimits = DEFAULT_LIMITS,
    publication_id: str | None = None,
) -> bytes:
    """Return the document as pyoxigraph can read it safely. Raise MalformedPublication if there is no such form.

    RDF/XML is converted to UTF-8; the JSON-LD contexts that we ship are inlined.
    """
    if isinstance(data, str):
        text = without_declaration(data) if format is RdfFormat.RDF_XML else data
        data = encode(text, publication_id=publication_id)
    if format is RdfFormat.RDF_XML:
        data = as_utf8(data)
    try:
        if format is RdfFormat.RDF_XML:
            check_xml(data, limits=limits)
            return data
        check_depth(data, _SYNTAXES[format], limits=limits, publication_id=publication_id)
        if format is not RdfFormat.JSON_LD:
            limit, _ = limits.output_limit(len(data))
            _check_expansion(turtle_expansion(data, limit, n3=format is RdfFormat.N3), data, limits, publication_id)
            return data
        if not data.lstrip().startswith(_JSON_STARTS):
            reason = "this is not JSON-LD: the document must be an object or a list"
            raise MalformedPublication(reason, publication_id=publication_id, line=1, column=1)
        check_linked_json_size(data, limits, source="the document")
        if has_contexts(data):
            data = inline_contexts(data, limits=limits, publication_id=publication_id)
            check_contexts(data, limits, source="the document")
        return data
    except MalformedOntology as error:
        reason = f"this is not {format.title} that can be read: {error.reason}"
        raise MalformedPublication(
            reason, publication_id=publication_id, line=error.line, column=error.column
        ) from None


def check_depth(
    data: bytes,
    syntax: BracketSyntax,
    *,
    limits: DocumentLimits = DEFAULT_LIMITS,
    publication_id: str | None = None,
) -> None:
    """Raise MalformedPublication if brackets are nested too deeply."""
    position = find_too_deep(data, syntax, limits.max_depth)
    if position is not None:
        line, column = line_and_column(data, position)
        reason = f"it is nested more than {limits.max_depth} deep (max_depth): flatten it"
        raise MalformedPublication(reason, publication_id=publication_id, line=line, column=column)


def check_json(data: bytes, *, limits: DocumentLimits = DEFAULT_LIMITS, publication_id: str | None = None) -> None:
    """Raise MalformedPublication if the JSON of a feed is nested too deeply, or has too many values."""
    check_depth(data, "json", limits=limits, publication_id=publication_id)
    if has_more_values(data, limits.max_feed_elements):
        reason = f"it has more than {limits.max_feed_elements} values (max_feed_elements): split it"
        raise MalformedPublication(reason, publication_id=publication_id)


def check_items(count: int, limits: DocumentLimits, publication_id: str | None) -> None:
    """Raise MalformedPublication if a document has too many items or graphs."""
    if count > limits.max_items:
        reason = f"it has more than {limits.max_items} items (max_items): split it"
        raise MalformedPublication(reason, publication_id=publication_id)


def check_triples(count: int, limits: DocumentLimits, publication_id: str | None) -> None:
    """Raise MalformedPublication if a publication has too many triples."""
    if count > limits.max_triples:
        reason = f"it has more than {limits.max_triples} triples (max_triples): split it"
        raise MalformedPublication(reason, publication_id=publication_id)


def _check_expansion(expansion: int, data: bytes, limits: DocumentLimits, publication_id: str | None) -> None:
    limit, limit_name = limits.output_limit(len(data))
    if expansion > limit:
        reason = f"its prefixes and bases take more than {limit} bytes once resolved ({limit_name}): shorten the base"
        raise MalformedPublication(reason, publication_id=publication_id)
