"""Limit how many triples one document has, and how much text they take. A short one can expand to gigabytes."""

from __future__ import annotations

from gtopss.errors import MalformedPublication
from gtopss.rdf.safety import check_triples
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


class OutputBudget:
    """Collect what the parser of one document writes, and refuse the document when that becomes too much."""

    def __init__(
        self, document_bytes: int, *, limits: DocumentLimits = DEFAULT_LIMITS, publication_id: str | None = None
    ) -> None:
        self._limit, self._limit_name = limits.output_limit(document_bytes)
        self._left = self._limit
        self._limits, self._publication_id = limits, publication_id
        self._triples = 0
        self._written: list[bytes] = []

    def charge(self, size: int) -> None:
        """Count output that is kept elsewhere, in bytes or characters. Raise MalformedPublication above the limit."""
        self._left -= size
        if self._left < 0:
            raise MalformedPublication(
                f"its triples take more than {self._limit} bytes ({self._limit_name}): "
                "use shorter prefixes and bases, or split the document",
                publication_id=self._publication_id,
            )

    def write(self, data: bytes) -> int:
        """Keep output: pyoxigraph calls this with each filled buffer of N-Triples, which has one triple per line."""
        self.charge(len(data))
        self._triples += data.count(b"\n")
        check_triples(self._triples, self._limits, self._publication_id)
        self._written.append(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: pyoxigraph calls this at the end."""

    def written(self) -> bytes:
        """Return everything that was written."""
        return b"".join(self._written)
