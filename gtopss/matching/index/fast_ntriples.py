"""Read RDF documents into publications that hold their text, one term per line, without a string per term.

A kernel reads plain N-Triples. pyoxigraph reads all other documents and writes N-Triples, which the kernel reads then.
"""

from __future__ import annotations

import numpy as np

from gtopss.matching.index.kernels import ntriples as ntriples_kernels
from gtopss.matching.index.kernels.terms import PADDING
from gtopss.matching.index.warmup import compile_kernels
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.ntriples import split_ntriples
from gtopss.rdf.parse import read_as_ntriples
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

MAX_KERNEL_BYTES = 1 << 23
"""Bytes of a document for the kernel; pyoxigraph reads larger ones. It refuses a term of twice as many bytes, and what
it refuses must be refused here too."""
_ESCAPED_CHARACTERS = ("\ufffe", "\uffff")
"""Characters beyond ASCII that N-Triples may hold as they are, but that pyoxigraph writes as escapes: the only ones."""


def read_text_publication(document: RdfDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> Publication:
    """Read one document. Formats and errors are those of `rdf.parse.read_triples`.

    >>> read_text_publication(RdfDocument("p", b"<urn:a> <urn:p> 1 .", "turtle")).triples
    (('<urn:a>', '<urn:p>', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),)
    """
    id, source = document.id, document.source
    if RdfFormat.from_name(document.format) is RdfFormat.N_TRIPLES:
        plain = read_plain_ntriples(id, document.data, source)
        if plain is not None:
            return plain
    read = read_as_ntriples(document.data, document.format, base=document.base, publication_id=id, limits=limits)
    if not isinstance(read, bytes):
        return Publication.trusted(id, read, source=source)
    return read_plain_ntriples(id, read, source) or Publication.trusted(id, split_ntriples(read), source=source)


def read_plain_ntriples(id: str, data: bytes | str, source: str | None = None) -> Publication | None:
    """Read plain N-Triples with the kernel; None if the kernel cannot read them."""
    try:
        raw = data.encode() if isinstance(data, str) else data
        if len(raw) > MAX_KERNEL_BYTES:
            return None
        compile_kernels()
        text = np.frombuffer(bytearray(raw + PADDING), np.uint8)
        triples, length, beyond_ascii = ntriples_kernels.read_plain_ntriples(text)
        if triples < 0:
            return None
        lines = text[:length].tobytes()
        if beyond_ascii and any(each in lines.decode() for each in _ESCAPED_CHARACTERS):
            return None
    except UnicodeError:
        return None
    return TextPublication(id, lines, triples, source=source)
