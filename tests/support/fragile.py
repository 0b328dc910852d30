"""A reader that crashes on demand. The worker process must be able to import it."""

from __future__ import annotations

import os
import signal

from gtopss.reading.documents import ParsedDocument, read_document
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


def fragile(
    data: bytes, *, source: str | None = None, base: str | None = None, limits: DocumentLimits = DEFAULT_LIMITS
) -> ParsedDocument:
    """Read a document like a parser with unknown bugs."""
    match data:
        case b"abort":
            os.abort()
        case b"segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case b"hang":
            signal.pause()
        case b"hungry":
            bytearray(2**33)
        case b"deep":
            return fragile(data, source=source)
    return read_document(data, source=source, base=base, limits=limits)
