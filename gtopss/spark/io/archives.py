"""Documents out of files and archives, in the executors: zip, tar, gzip, and N-Quads by the piece.

Kinds are told by content. What cannot be had is a `SourceDocument` with its error. Archives come from strangers
too: a member that unpacks to more than a document may have is refused, and nothing is ever written to disk.
"""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

from gtopss.errors import MalformedPublication
from gtopss.reading.sources import MAX_DOCUMENT_BYTES, SourceDocument

CHUNK_BYTES = 8 * 2**20
"""Bytes of N-Quads that are read at once: a line is a statement, so they can be cut at any line."""
QUADS = (".nq", ".nquads", ".nq.gz", ".nquads.gz")

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_DAMAGED = (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError, ValueError)
_SKIPPED = ("__MACOSX",)


class ReadUnit(NamedTuple):
    """What one executor reads at a time: a file, members of a zip (from `start` to `end`), or bytes of N-Quads."""

    path: str
    start: int = 0
    end: int = 0
    size: int = 0


class QuadsChunk(NamedTuple):
    """Some lines of N-Quads, and which bytes of their file they are."""

    document: SourceDocument
    place: str


def is_quads(path: str) -> bool:
    return path.lower().endswith(QUADS)


def split_file(path: Path) -> Iterator[ReadUnit]:
    """How a file is cut for the executors. It is looked at, not read."""
    size = path.stat().st_size
    if is_quads(path.name) and not path.name.lower().endswith(".gz"):
        for start in range(0, max(size, 1), CHUNK_BYTES):
            yield ReadUnit(str(path), start, min(start + CHUNK_BYTES, size), min(CHUNK_BYTES, size))
        return
    members = _members(path)
    if members > 1:
        step = max(1, members * CHUNK_BYTES // max(size, 1))
        for start in range(0, members, step):
            yield ReadUnit(str(path), start, min(start + step, members), size * step // members)
    else:
        yield ReadUnit(str(path), 0, members, size)


def read_documents(unit: ReadUnit) -> Iterator[SourceDocument]:
    """The documents of a unit that is not N-Quads."""
    path = Path(unit.path)
    try:
        with path.open("rb") as file:
            start = file.read(512)
        if start.startswith(_ZIP):
            yield from _zipped(path, unit)
        elif _is_tar(path, start):
            yield from _tarred(path)
        else:
            yield _read(unit.path, lambda: _opened(path, start))
    except _DAMAGED as error:
        yield _refused(unit.path, f"the file cannot be read: {getattr(error, 'strerror', None) or error}")


def read_quads_chunks(unit: ReadUnit) -> Iterator[QuadsChunk]:
    """The N-Quads of a unit, some megabytes at a time; a line belongs to the unit in which it begins."""
    path, place = Path(unit.path), unit.start
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            if unit.start:
                file.seek(unit.start - 1)
                place += len(file.readline()) - 1
            while packed or place < unit.end:
                wanted = CHUNK_BYTES if packed else min(CHUNK_BYTES, unit.end - place)
                data = file.read(wanted)
                if data and not data.endswith(b"\n"):
                    data += file.readline(MAX_DOCUMENT_BYTES)
                if not data:
                    return
                yield QuadsChunk(SourceDocument(unit.path, data), f"bytes {place} to {place + len(data)}")
                place += len(data)
    except _DAMAGED as error:
        reason = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        yield QuadsChunk(_refused(unit.path, reason), f"from byte {place}")


def _members(path: Path) -> int:
    try:
        with zipfile.ZipFile(path) as archive:
            return len(archive.namelist())
    except _DAMAGED:
        return 0  # not a zip: whoever reads it will say what is wrong with it


def _is_tar(path: Path, start: bytes) -> bool:
    return start[257:262] == b"ustar" or (start.startswith(_GZIP) and tarfile.is_tarfile(path))


def _opened(path: Path, start: bytes) -> IO[bytes]:
    return gzip.open(path) if start.startswith(_GZIP) else path.open("rb")  # type: ignore[return-value]


def _zipped(path: Path, unit: ReadUnit) -> Iterator[SourceDocument]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist()[unit.start : unit.end]:
            if not member.is_dir() and not _is_hidden(member.filename):
                yield _read(f"{path}!{member.filename}", partial(archive.open, member))


def _tarred(path: Path) -> Iterator[SourceDocument]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and not _is_hidden(member.name):
                yield _read(f"{path}!{member.name}", partial(archive.extractfile, member))


def _is_hidden(name: str) -> bool:
    return any((part.startswith(".") and part != ".") or part in _SKIPPED for part in name.split("/"))


def _read(name: str, open_file: Callable[[], IO[bytes] | None]) -> SourceDocument:
    """One document, unpacked once more if it is gzip in an archive."""
    try:
        with open_file() as file:  # type: ignore[union-attr]
            data = file.read(MAX_DOCUMENT_BYTES + 1)
        if data.startswith(_GZIP):
            data = _inflated(data)
    except _DAMAGED as error:
        return _refused(name, f"the file cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > MAX_DOCUMENT_BYTES:
        return _refused(name, f"it is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB")
    return SourceDocument(name, data)


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=31)
    return inflater.decompress(data, MAX_DOCUMENT_BYTES + 1)


def _refused(name: str, reason: str) -> SourceDocument:
    return SourceDocument(name, error=MalformedPublication(reason, publication_id=name))
