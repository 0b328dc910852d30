"""Read RDF documents into publications that hold their text, one term per line, without a string per term.

A kernel reads plain N-Triples and N-Quads. pyoxigraph reads all other documents and writes N-Triples, which the kernel
reads then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gtopss.matching.index.kernels import ntriples as ntriples_kernels
from gtopss.matching.index.kernels.array_types import Int64Array
from gtopss.matching.index.kernels.ntriples import GraphNames
from gtopss.matching.index.kernels.terms import PADDING
from gtopss.matching.index.warmup import compile_kernels
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.ntriples import split_ntriples
from gtopss.rdf.parse import read_as_ntriples
from gtopss.rdf.safety import check_triples
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


def read_text_publication(document: RdfDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> Publication:
    """Read one document. Formats and errors are those of `rdf.parse.read_triples`.

    >>> read_text_publication(RdfDocument("p", b"<urn:a> <urn:p> 1 .", "turtle")).triples
    (('<urn:a>', '<urn:p>', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'),)
    """
    id, source = document.id, document.source
    if RdfFormat.from_name(document.format) is RdfFormat.N_TRIPLES:
        plain = read_plain_ntriples(id, document.data, source)
        if plain is not None:
            check_triples(plain.count, limits, id)
            return plain
    read = read_as_ntriples(document.data, document.format, base=document.base, publication_id=id, limits=limits)
    if not isinstance(read, bytes):
        return Publication.trusted(id, read, source=source)
    return read_plain_ntriples(id, read, source) or Publication.trusted(id, split_ntriples(read), source=source)


def read_plain_ntriples(id: str, data: bytes | str, source: str | None = None) -> TextPublication | None:
    """Read plain N-Triples with the kernel; None if the kernel cannot read them."""
    try:
        raw = data.encode() if isinstance(data, str) else data
    except UnicodeError:
        return None
    read = read_plain_documents([raw], np.array([0, len(raw)]))
    count = int(read.counts[0])
    return TextPublication(id, bytes(read.lines[: read.ends[0]]), count, source=source) if count >= 0 else None


class PlainDocuments(NamedTuple):
    """The texts of documents, one after the other, and padding. One that the kernel cannot read has no text."""

    lines: bytearray
    ends: Int64Array
    counts: Int64Array
    """Triples of each document; -1 if the kernel cannot read it."""


def read_plain_documents(parts: Sequence[bytes | memoryview], starts: Int64Array) -> PlainDocuments:
    """Read plain N-Triples documents with one call of the kernel.

    `parts` are the documents' bytes, one after the other, in any pieces; `starts` is where each document begins in all
    bytes together, and where the last one ends.
    """
    compile_kernels()
    lines = bytearray().join((*parts, PADDING))
    counts, ends = np.empty(len(starts) - 1, np.int64), np.empty(len(starts) - 1, np.int64)
    ntriples_kernels.read_plain_ntriples(np.frombuffer(lines, np.uint8), starts, counts, ends)
    return PlainDocuments(lines, ends, counts)


class PlainGraphs(NamedTuple):
    """The texts of the graphs of a document, one after the other, and padding."""

    lines: bytearray
    ends: Int64Array
    counts: Int64Array
    names: list[str]
    """As in N-Triples; the default graph's is empty. A name occurs again if the lines of a graph are not together."""


def read_plain_graphs(data: bytes | bytearray | memoryview) -> PlainGraphs | None:
    """Read a plain N-Quads document with one call of the kernel; None if the kernel cannot read it."""
    compile_kernels()
    lines = bytearray().join((data, PADDING))
    most = lines.count(b"\n")
    counts, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    names = GraphNames(np.empty(len(lines), np.uint8), np.empty(most, np.int64))
    found = ntriples_kernels.read_plain_nquads(np.frombuffer(lines, np.uint8), len(data), counts, ends, names)
    if found < 0:
        return None
    name_ends = names.ends[:found].tolist()
    text = names.text[: name_ends[-1] if found else 0].tobytes().decode()  # ASCII: places of bytes and characters agree
    starts = [0, *name_ends]
    return PlainGraphs(
        lines, ends[:found], counts[:found], [text[a:b] for a, b in zip(starts, name_ends, strict=False)]
    )
