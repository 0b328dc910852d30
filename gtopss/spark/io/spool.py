"""A spool: a folder of fetched documents, one numbered file each, that a stream reads in order.

    spool/0000000001.doc      a line of JSON (name, time of arrival), then the document's bytes
    spool/.highest            the highest number that was ever given
    spool/.waiting-...        a file that is being written

A file never changes, and a number is given once, also after its file was deleted. A number is therefore a permanent
offset: reading 17 to 25 again, after any crash, yields the same documents. Several processes may write at the same
time. Documents that a stream has completed may be deleted (`clean`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gtopss.errors import MalformedPublication
from gtopss.reading.files import MAX_DOCUMENT_BYTES
from gtopss.reading.sources import SourceDocument
from gtopss.spark.errors import InvalidSpool
from gtopss.spark.io.storage import LocalStorage, Storage

_HIGHEST = ".highest"
_SUFFIX = ".doc"
_MAX_HEADER_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class SpooledDocument:
    """A document of a spool, and when it was written."""

    document: SourceDocument
    arrived_at: datetime


class Spool:
    """The folder. Readers need no lock; a writer claims the next number by creating its file, which is atomic."""

    def __init__(
        self, folder: Path | str | Storage, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        """`folder` is a local path, or a folder that `open_storage` opened."""
        self.storage = folder if isinstance(folder, Storage) else LocalStorage(Path(folder))
        self._clock = clock
        self._latest = 0

    def put(self, name: str, data: bytes) -> int:
        """Add a document and return its number. The document is on disk when this returns."""
        header = {"name": name, "arrived_at": self._clock().isoformat()}
        content = json.dumps(header).encode() + b"\n" + data
        number = (max(self._latest, self._highest()) if self._latest else self.latest()) + 1
        while not self.storage.create(file_name(number), content):
            number += 1  # another process took this number
        self._latest = number
        self._remember(number)
        return number

    def latest(self) -> int:
        """Return the highest number that was ever given, or 0."""
        self._latest = max(self._latest, self._highest(), *self.numbers()[-1:])
        return self._latest

    def numbers(self, after: int = 0) -> list[int]:
        """Return the numbers of the documents that are there, above `after`, in order."""
        found = [name.removesuffix(_SUFFIX) for name in self.storage.names() if name.endswith(_SUFFIX)]
        return sorted(number for each in found if each.isdecimal() and (number := int(each)) > after)

    def get(self, number: int) -> SpooledDocument:
        """Read a document. One that is too large has an error instead of data. Raises InvalidSpool."""
        content = self.storage.read(file_name(number))
        if content is None:
            raise InvalidSpool(self.storage.url(file_name(number)), "this document is not in the spool")
        return read_spooled(self.storage.url(file_name(number)), content)

    def clean(self, through: int, *, keep: int = 0) -> int:
        """Delete the documents up to a number, except the last `keep` of the spool. Return how many were deleted."""
        numbers = self.numbers()
        self._remember(max(self.latest(), through))
        kept = set(numbers[-keep:]) if keep else set()
        deleted = [number for number in numbers if number <= through and number not in kept]
        for number in deleted:
            self.storage.delete(file_name(number))
        return len(deleted)

    def _highest(self) -> int:
        text = self.storage.read(_HIGHEST)
        try:
            return int(text) if text else 0
        except ValueError:
            raise InvalidSpool(self.storage.url(_HIGHEST), "it does not hold a number") from None

    def _remember(self, number: int) -> None:
        if number > self._highest():
            self.storage.write(_HIGHEST, str(number).encode())


def file_name(number: int) -> str:
    """Return the name of a document's file."""
    return f"{number:010d}{_SUFFIX}"


def read_spooled(location: str, content: bytes) -> SpooledDocument:
    """Read the content of a document's file. Raises InvalidSpool."""
    end = content.find(b"\n", 0, _MAX_HEADER_BYTES)
    try:
        header = json.loads(content[:end] if end >= 0 else content[:_MAX_HEADER_BYTES])
        name, arrived_at = str(header["name"]), datetime.fromisoformat(header["arrived_at"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidSpool(location, f"this is not a document of a spool: {error}") from None
    data = content[end + 1 :] if end >= 0 else b""
    if len(data) > MAX_DOCUMENT_BYTES:
        reason = f"it is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB"
        refused = SourceDocument(name, error=MalformedPublication(reason, publication_id=name))
        return SpooledDocument(refused, arrived_at)
    return SpooledDocument(SourceDocument(name, data), arrived_at)
