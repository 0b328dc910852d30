"""Read documents from files and archives in the executors: zip, tar, gzip, and N-Quads in chunks.

The content, not the name, decides what a file is. What a document itself does wrong (a damaged archive, a member that
unpacks to more than a document may have) is an error instead of data. What the file system does wrong (a file that is
gone, a disk that fails) is raised as OSError: Spark then runs the task again, and at last fails the job, instead of
recording a loss. Archives may be hostile; nothing is written to disk.
"""

from __future__ import annotations

import errno
import gzip
import io
import sys
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
_ERRORS_OF_CONTENT = (None, errno.EINVAL)  # of an OSError: a damaged archive leads to places that do not exist


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
    """Yield the documents of a unit that is not N-Quads. Raises OSError if the file cannot be read."""
    path = Path(unit.path)
    return _read(unit.path, lambda: path.open("rb"), unit, file_iri(path))


def read_content(name: str, content: bytes) -> Iterator[SourceDocument]:
    """Yield the documents of a file that somebody else has read: one, or those of an archive."""
    return _read(name, partial(io.BytesIO, content), ReadUnit(name, 0, sys.maxsize), name if ":/" in name else None)


def _read(name: str, open_file: Callable[[], IO[bytes]], unit: ReadUnit, base: str | None) -> Iterator[SourceDocument]:
    try:
        with open_file() as file:
            start = file.read(512)
            file.seek(0)
            if start.startswith(_ZIP):
                yield from _read_zip(name, file, unit)
            elif _is_tar(file, start):
                file.seek(0)
                yield from _read_tar(name, file)
            else:
                file.seek(0)
                yield _read_document(name, lambda: _decompressed(file, start), base)
    except _READ_ERRORS as error:
        yield _refused(name, _reason(error))


def read_quads_chunks(unit: ReadUnit) -> Iterator[QuadsChunk]:
    """Yield the N-Quads of a unit in chunks of CHUNK_BYTES. A line belongs to the unit in which it begins.

    Raises OSError if the file cannot be read.
    """
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


def _is_tar(file: IO[bytes], start: bytes) -> bool:
    return start[257:262] == b"ustar" or (start.startswith(_GZIP) and tarfile.is_tarfile(file))


def _decompressed(file: IO[bytes], start: bytes) -> IO[bytes]:
    return gzip.GzipFile(fileobj=file) if start.startswith(_GZIP) else file  # type: ignore[return-value]


def _read_zip(name: str, file: IO[bytes], unit: ReadUnit) -> Iterator[SourceDocument]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist()[unit.start : unit.end]:
            if not member.is_dir() and not _is_hidden(member.filename):
                yield _read_document(f"{name}!{member.filename}", partial(archive.open, member))


def _read_tar(name: str, file: IO[bytes]) -> Iterator[SourceDocument]:
    with tarfile.open(fileobj=file) as archive:
        for member in archive:
            if member.isfile() and not _is_hidden(member.name):
                yield _read_document(f"{name}!{member.name}", partial(archive.extractfile, member))


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
    """Return what is wrong with the content. Raises the error if the file system is to blame."""
    is_damaged_gzip = isinstance(error, gzip.BadGzipFile)
    if isinstance(error, OSError) and not is_damaged_gzip and error.errno not in _ERRORS_OF_CONTENT:
        raise error
    return f"the file cannot be read: {getattr(error, 'strerror', None) or error}"


def _refused(name: str, reason: str) -> SourceDocument:
    return SourceDocument(name, error=MalformedPublication(reason, publication_id=name))
