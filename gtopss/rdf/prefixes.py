"""Read the prefixes that an RDF document declares."""

from __future__ import annotations

from contextlib import suppress

import pyoxigraph as ox

from gtopss.rdf.formats import RdfFormat


def read_prefixes(data: bytes, format: RdfFormat, *, base: str | None = None) -> dict[str, str]:
    """Return the prefixes that a document declares, up to its first syntax error.

    >>> read_prefixes(b"@prefix ex: <urn:ex:> .", RdfFormat.TURTLE)
    {'ex': 'urn:ex:'}
    """
    parser = ox.parse(data, format=format.pyoxigraph, base_iri=base)
    with suppress(SyntaxError):  # reading the triples reports the error
        for _ in parser:
            continue
    return dict(parser.prefixes)
