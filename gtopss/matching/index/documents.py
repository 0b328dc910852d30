"""Documents as the index takes them: publications that hold a text, a term a line, and no string for any term.

Plain N-Triples are read by a kernel; all else goes through Oxigraph, and the kernel reads the N-Triples that it writes.
"""

from __future__ import annotations

import numpy as np

from gtopss.matching.index.kernels.ntriples import read_plain_ntriples
from gtopss.matching.index.kernels.terms import PADDING
from gtopss.matching.index.warmup import make_ready
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.rdf.parse import cut_ntriples, is_ntriples, read_ntriples

LARGEST = 1 << 23
"""Bytes of a document for the kernel. Oxigraph refuses a term of twice as many, and whatever it refuses is refused."""
_ESCAPED = ("\ufffe", "\uffff")
"""What may stand in N-Triples as it is, but is written as an escape; beyond ASCII there is nothing else."""


def read_publication(id: str, data: bytes | str, format: str) -> Publication:
    """One document; `format` and errors are those of `feeds.rdf.read_triples`.

    >>> read_publication("p", b"<urn:a> <urn:p> 1 .", "turtle").triples
    (('<urn:a>', '<urn:p>', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),)
    """
    plain = plain_publication(id, data) if is_ntriples(format) else None
    if plain is not None:
        return plain
    read = read_ntriples(data, format, publication_id=id)
    if not isinstance(read, bytes):
        return Publication.trusted(id, read)
    return plain_publication(id, read) or Publication.trusted(id, cut_ntriples(read))


def plain_publication(id: str, data: bytes | str) -> Publication | None:
    """The publication that plain N-Triples are; None where the kernel declines them."""
    try:
        raw = data.encode() if isinstance(data, str) else data
        if len(raw) > LARGEST:
            return None
        make_ready()
        text = np.frombuffer(bytearray(raw + PADDING), np.uint8)
        triples, length, foreign = read_plain_ntriples(text)
        if triples < 0:
            return None
        lines = text[:length].tobytes()
        if foreign and any(each in lines.decode() for each in _ESCAPED):
            return None
    except UnicodeError:
        return None
    return TextPublication(id, lines, triples)
