"""Read the prefixes that an RDF document declares."""

from __future__ import annotations

from contextlib import suppress

import pyoxigraph as ox

from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.safety import checked_document
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


def read_prefixes(
    data: bytes, format: RdfFormat, *, base: str | None = None, limits: DocumentLimits = DEFAULT_LIMITS
) -> dict[str, str]:
    """Return the prefixes that a document declares, up to its first syntax error.

    Raise MalformedPublication if it is not safe to read.

    >>> read_prefixes(b"@prefix ex: <urn:ex:> .", RdfFormat.TURTLE)
    {'ex': 'urn:ex:'}
    """
    parser = ox.parse(checked_document(data, format, limits=limits), format=format.pyoxigraph, base_iri=base)
    with suppress(SyntaxError):  # reading the triples reports the error
        for _ in parser:
            continue
    return dict(parser.prefixes)
