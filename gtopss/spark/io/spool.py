"""A spool: a directory into which fetched documents are put, one numbered file each, for a stream to take from.

    spool/0000000001.doc      a line of JSON (name, time of arrival), then the document's bytes
    spool/.waiting-...        being written

Numbers have no gaps and a file never changes, so a number is an offset that means the same for ever: whoever reads
from 17 to 25 again, after whatever crash, reads the same. Several processes may put at the same time.
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
from gtopss.reading.sources import MAX_DOCUMENT_BYTES, SourceDocument
from gtopss.spark.errors import InvalidSpool


@dataclass(frozen=True, slots=True)
class Spooled:
    """A document that was put, and when."""

    document: SourceDocument
    arrived_at: datetime


class Spool:
    """The directory. Reading needs no lock; putting takes the next number by making its file, which one only can."""

    def __init__(self, folder: Path | str, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._clock = clock
        self._known = 0

    def put(self, name: str, data: bytes) -> int:
        """Add a document; it is on disk when this returns its number."""
        header = {"name": name, "arrived_at": self._clock().isoformat()}
        waiting = self.folder / f".waiting-{secrets.token_hex(8)}"
        try:
            with waiting.open("xb") as file:
                file.write(json.dumps(header).encode() + b"\n" + data)
                file.flush()
                os.fsync(file.fileno())
            while True:
                number = self.latest() + 1
                try:
                    os.link(waiting, self._path(number))
                except FileExistsError:
                    continue  # somebody else was faster
                return number
        finally:
            waiting.unlink(missing_ok=True)

    def latest(self, after: int = 0) -> int:
        """The highest number, or 0. Looks only at what came after the last look, or after a number that is there."""
        self._known = max(self._known, after)
        while self._path(self._known + 1).exists():
            self._known += 1
        return self._known

    def get(self, number: int) -> Spooled:
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
            return Spooled(SourceDocument(name, error=MalformedPublication(reason, publication_id=name)), arrived_at)
        return Spooled(SourceDocument(name, data), arrived_at)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:010d}.doc"
