"""A spool: a directory of fetched documents, one numbered file each, that a stream reads in order.

    spool/0000000001.doc      a line of JSON (name, time of arrival), then the document's bytes
    spool/.waiting-...        a file that is being written

Numbers have no gaps and a file never changes. A number is therefore a permanent offset: reading 17 to 25 again, after
any crash, yields the same documents. Several processes may write at the same time.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gtopss.errors import MalformedPublication
from gtopss.reading.files import MAX_DOCUMENT_BYTES
from gtopss.reading.sources import SourceDocument
from gtopss.spark.errors import InvalidSpool


@dataclass(frozen=True, slots=True)
class SpooledDocument:
    """A document of a spool, and when it was written."""

    document: SourceDocument
    arrived_at: datetime


class Spool:
    """The directory. Readers need no lock; a writer claims the next number by creating its file, which is atomic."""

    def __init__(self, folder: Path | str, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._clock = clock
        self._latest = 0

    def put(self, name: str, data: bytes) -> int:
        """Add a document and return its number. The document is on disk when this returns."""
        header = {"name": name, "arrived_at": self._clock().isoformat()}
        temporary = self.folder / f".waiting-{secrets.token_hex(8)}"
        try:
            with temporary.open("xb") as file:
                file.write(json.dumps(header).encode() + b"\n" + data)
                file.flush()
                os.fsync(file.fileno())
            while True:
                number = self.latest() + 1
                try:
                    os.link(temporary, self._path(number))
                except FileExistsError:
                    continue  # another process took this number
                return number
        finally:
            temporary.unlink(missing_ok=True)

    def latest(self, after: int = 0) -> int:
        """Return the highest number, or 0. The search starts at the last result, or at `after`, which must exist."""
        self._latest = max(self._latest, after)
        while self._path(self._latest + 1).exists():
            self._latest += 1
        return self._latest

    def get(self, number: int) -> SpooledDocument:
        """Read a document. One that is too large has an error instead of data. Raises InvalidSpool."""
        path = self._path(number)
        try:
            with path.open("rb") as file:
                header = json.loads(file.readline(2**20))
                data = file.read(MAX_DOCUMENT_BYTES + 1)
            name, arrived_at = str(header["name"]), datetime.fromisoformat(header["arrived_at"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidSpool(path, f"this is not a document of a spool: {error}") from None
        if len(data) > MAX_DOCUMENT_BYTES:
            reason = f"it is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB"
            return SpooledDocument(
                SourceDocument(name, error=MalformedPublication(reason, publication_id=name)), arrived_at
            )
        return SpooledDocument(SourceDocument(name, data), arrived_at)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:010d}.doc"
