"""Read RDF documents into publications that hold their text, one term per line, without a string per term.

A kernel reads plain N-Triples. pyoxigraph reads all other documents and writes N-Triples, which the kernel reads then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
    except UnicodeError:
        return None
    read = read_plain_documents([raw])
    return TextPublication(id, read.lines, read.counts[0], source=source) if read.counts[0] >= 0 else None


class PlainDocuments(NamedTuple):
    """The texts of documents, one after the other. One that the kernel cannot read has no text, and -1 triples."""

    lines: bytes
    ends: list[int]
    counts: list[int]


def read_plain_documents(documents: Sequence[bytes]) -> PlainDocuments:
    """Read plain N-Triples documents with one call of the kernel."""
    compile_kernels()
    is_small = [len(each) <= MAX_KERNEL_BYTES for each in documents]
    given = documents if all(is_small) else [each if ok else b"x" for each, ok in zip(documents, is_small, strict=True)]
    text = np.frombuffer(bytearray(b"\n".join((*given, PADDING))), np.uint8)
    ends = np.cumsum([len(each) + 1 for each in given], dtype=np.int64) - 1
    counts, text_ends = np.empty(len(given), np.int64), np.empty(len(given), np.int64)
    non_ascii = ntriples_kernels.read_plain_ntriples(text, ends, counts, text_ends)
    read = PlainDocuments(text[: text_ends[-1]].tobytes() if len(given) else b"", text_ends.tolist(), counts.tolist())
    return read if not non_ascii or _is_plain(read.lines) else _without_other_text(read)


def _is_plain(lines: bytes) -> bool:
    """Return whether bytes beyond ASCII are UTF-8, as Oxigraph would write it."""
    if lines.isascii():
        return True
    try:
        text = lines.decode()
    except UnicodeError:
        return False
    return not any(each in text for each in _ESCAPED_CHARACTERS)


def _without_other_text(read: PlainDocuments) -> PlainDocuments:
    """Decline the documents whose text is not plain."""
    parts, ends, counts, begin, length = [], [], [], 0, 0
    for end, count in zip(read.ends, read.counts, strict=True):
        lines, begin = read.lines[begin:end], end
        if not _is_plain(lines):
            lines, count = b"", -1
        length += len(lines)
        parts.append(lines)
        ends.append(length)
        counts.append(count)
    return PlainDocuments(b"".join(parts), ends, counts)
