"""Read documents from files and archives in the executors: zip, tar, gzip, and N-Quads in chunks.

The content, not the name, decides what a file is. A document that cannot be read has an error instead of data. Archives
may be hostile: a member that unpacks to more than a document may have is refused, and nothing is written to disk.
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
from gtopss.rdf.formats import RdfFormat
from gtopss.reading.files import MAX_DOCUMENT_BYTES, file_iri
from gtopss.reading.sources import SourceDocument

CHUNK_BYTES = 8 * 2**20  # of N-Quads that are parsed at once; a file can be cut at any line, as each is a statement

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_READ_ERRORS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError, RuntimeError, ValueError)
_SKIPPED_FOLDERS = ("__MACOSX",)


class ReadUnit(NamedTuple):
    """What one task reads at a time: a file, the members `start` to `end` of a zip, or those bytes of N-Quads."""

    path: str
    start: int = 0
    end: int = 0
    size: int = 0  # bytes, estimated


class QuadsChunk(NamedTuple):
    """Some lines of N-Quads, and the bytes of the file that they come from."""

    document: SourceDocument
    place: str


def is_quads(path: str) -> bool:
    """Return whether a file's name says that it is N-Quads, gzipped or not.

    >>> is_quads("news.NQ"), is_quads("news.nquads.gz"), is_quads("news.ttl")
    (True, True, False)
    """
    return RdfFormat.from_path(path.lower().removesuffix(".gz")) is RdfFormat.N_QUADS


def split_file(path: Path) -> Iterator[ReadUnit]:
    """Split a file into units for the executors. Only its size, or a zip's directory, is read."""
    size = path.stat().st_size
    if is_quads(path.name) and not path.name.lower().endswith(".gz"):
        for start in range(0, max(size, 1), CHUNK_BYTES):
            yield ReadUnit(str(path), start, min(start + CHUNK_BYTES, size), min(CHUNK_BYTES, size))
        return
    members = _count_zip_members(path)
    if members > 1:
        step = max(1, members * CHUNK_BYTES // max(size, 1))
        for start in range(0, members, step):
            yield ReadUnit(str(path), start, min(start + step, members), size * step // members)
    else:
        yield ReadUnit(str(path), 0, members, size)


def read_unit(unit: ReadUnit) -> Iterator[SourceDocument]:
    """Yield the documents of a unit that is not N-Quads."""
    path = Path(unit.path)
    try:
        with path.open("rb") as file:
            start = file.read(512)
        if start.startswith(_ZIP):
            yield from _read_zip(path, unit)
        elif _is_tar(path, start):
            yield from _read_tar(path)
        else:
            yield _read_document(unit.path, lambda: _open(path, start), file_iri(path))
    except _READ_ERRORS as error:
        yield _refused(unit.path, _reason(error))


def read_quads_chunks(unit: ReadUnit) -> Iterator[QuadsChunk]:
    """Yield the N-Quads of a unit in chunks of CHUNK_BYTES. A line belongs to the unit in which it begins."""
    path, place = Path(unit.path), unit.start
    try:
        with path.open("rb") as raw:
            compressed = raw.read(2) == _GZIP
        with gzip.open(path) if compressed else path.open("rb") as file:
            if unit.start:
                file.seek(unit.start - 1)
                place += len(file.readline()) - 1
            while compressed or place < unit.end:
                data = file.read(CHUNK_BYTES if compressed else min(CHUNK_BYTES, unit.end - place))
                if data and not data.endswith(b"\n"):
                    data += file.readline(MAX_DOCUMENT_BYTES)
                if not data:
                    return
                yield QuadsChunk(SourceDocument(unit.path, data), f"bytes {place} to {place + len(data)}")
                place += len(data)
    except _READ_ERRORS as error:
        yield QuadsChunk(_refused(unit.path, _reason(error)), f"from byte {place}")


def _count_zip_members(path: Path) -> int:
    try:
        with zipfile.ZipFile(path) as archive:
            return len(archive.namelist())
    except _READ_ERRORS:
        return 0  # not a zip, or a damaged one: reading it reports the error


def _is_tar(path: Path, start: bytes) -> bool:
    return start[257:262] == b"ustar" or (start.startswith(_GZIP) and tarfile.is_tarfile(path))


def _open(path: Path, start: bytes) -> IO[bytes]:
    return gzip.open(path) if start.startswith(_GZIP) else path.open("rb")  # type: ignore[return-value]


def _read_zip(path: Path, unit: ReadUnit) -> Iterator[SourceDocument]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist()[unit.start : unit.end]:
            if not member.is_dir() and not _is_hidden(member.filename):
                yield _read_document(f"{path}!{member.filename}", partial(archive.open, member))


def _read_tar(path: Path) -> Iterator[SourceDocument]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and not _is_hidden(member.name):
                yield _read_document(f"{path}!{member.name}", partial(archive.extractfile, member))


def _is_hidden(name: str) -> bool:
    return any((part.startswith(".") and part != ".") or part in _SKIPPED_FOLDERS for part in name.split("/"))


def _read_document(name: str, open_file: Callable[[], IO[bytes] | None], base: str | None = None) -> SourceDocument:
    """Read one document, and decompress it if it is gzip inside an archive."""
    try:
        with open_file() as file:  # type: ignore[union-attr]
            data = file.read(MAX_DOCUMENT_BYTES + 1)
        if data.startswith(_GZIP):
            data = zlib.decompressobj(wbits=31).decompress(data, MAX_DOCUMENT_BYTES + 1)
    except _READ_ERRORS as error:
        return _refused(name, _reason(error))
    if len(data) > MAX_DOCUMENT_BYTES:
        return _refused(name, f"it is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB")
    return SourceDocument(name, data, base=base)


def _reason(error: Exception) -> str:
    return f"the file cannot be read: {getattr(error, 'strerror', None) or error}"


def _refused(name: str, reason: str) -> SourceDocument:
    return SourceDocument(name, error=MalformedPublication(reason, publication_id=name))
