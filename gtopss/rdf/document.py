"""An RDF document before it is parsed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RdfDocument:
    """The bytes of one RDF document with its format, and the id that its publication gets."""

    id: str
    data: bytes
    format: str
    base: str | None = None
    """The IRI that relative IRIs are resolved against."""
    source: str | None = None
