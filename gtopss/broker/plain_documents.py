"""Read plain N-Triples documents in this process, all of a call at once.

Other documents are read in another process, because their parsers are native code that may crash. Plain N-Triples are
read by our own compiled loops, which check their bounds, and sending each to another process would cost several times
as much as reading it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gtopss.errors import MalformedPublication
from gtopss.matching.index.fast_ntriples import read_plain_documents
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.rdf.document import RdfDocument
from ontology.limits import DocumentLimits

MAX_TEXT_BYTES = 16 * 2**20
"""Text that is read at a time."""


def read_plain(documents: Sequence[RdfDocument], limits: DocumentLimits) -> list[Publication | None]:
    """Return the publication of each document; None for one that must be read, or refused, by the other readers."""
    read = list[Publication | None]()
    part, size = list[RdfDocument](), 0
    for each in documents:
        if part and size + len(each.data) > MAX_TEXT_BYTES:
            read += _read_part(part, limits)
            part, size = [], 0
        part.append(each)
        size += len(each.data)
    return read + _read_part(part, limits) if part else read


def _read_part(documents: Sequence[RdfDocument], limits: DocumentLimits) -> list[Publication | None]:
    starts = np.zeros(len(documents) + 1, np.int64)
    np.cumsum([len(each.data) for each in documents], out=starts[1:])
    found = read_plain_documents([each.data for each in documents], starts)
    read = list[Publication | None]()
    begin = 0
    for document, end, count in zip(documents, found.ends.tolist(), found.counts.tolist(), strict=True):
        made = None
        if 0 <= count <= limits.max_triples:
            try:
                lines = bytes(found.lines[begin:end])
                made = TextPublication.trusted_lines(document.id, lines, count, document.source)
            except MalformedPublication:  # its id: the other reader says so
                made = None
        read.append(made)
        begin = end
    return read
