"""Load one file, as bytes or as an RDF document with its format."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import IO

from gtopss.errors import MalformedPublication
from gtopss.rdf.document import RdfDocument
from gtopss.reading.detect import rdf_format_of_file
from gtopss.reading.pdf import is_pdf

STANDARD_INPUT = "standard input"
"""The name of standard input in messages, and the id of a publication that is read from it."""
MAX_DOCUMENT_BYTES = 256 * 2**20
"""Size of one file; larger ones are refused. Use Spark for them."""
_HOST_AND_PATH = re.compile(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,}/", re.ASCII)  # a URL without its scheme, or a path


def file_name(path: Path) -> str:
    """Return a path as text. Bytes of it that are not UTF-8 are escaped, so that the name can be printed."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def file_iri(path: Path) -> str:
    """Return the `file:` IRI of a path, which relative IRIs in the file refer to."""
    return path.absolute().as_uri()


def load_bytes(path: Path) -> bytes:
    """Return the content of a file. Raise MalformedPublication if it cannot be read, or is too large."""
    name = file_name(path)
    try:
        with path.open("rb") as file:
            return read_limited(file, name)
    except (OSError, ValueError) as error:
        if isinstance(error, MalformedPublication):
            raise
        reason = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        if isinstance(error, FileNotFoundError) and _HOST_AND_PATH.match(name):
            reason += f"; if it is a URL, write https://{name}"
        raise MalformedPublication(reason, publication_id=name) from None


def read_limited(file: IO[bytes], name: str) -> bytes:
    """Read a stream to its end. Raise MalformedPublication if it is too large.

    The size of a device or a pipe is not known before, so at most one byte too many is read.
    """
    data = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        reason = f"it is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB: split it into smaller documents"
        raise MalformedPublication(reason, publication_id=name)
    return data


def load_rdf_file(path: Path, format: str | None = None, id: str | None = None) -> RdfDocument:
    """Load a file whose format is the given one, else that of its extension or content. Its id is by default its name.

    A PDF counts as RDF, because there is RDF in it. Raises MalformedPublication.
    """
    data, name = load_bytes(path), file_name(path)
    if format is None:
        format = _format_of(path, data)
    return RdfDocument(name if id is None else id, data, format, file_iri(path), name)


def _format_of(path: Path, data: bytes) -> str:
    return "pdf" if is_pdf(data) else str(rdf_format_of_file(path, data))


def is_standard_input(path: Path) -> bool:
    """Return whether a path that a user gave stands for standard input: `-`."""
    return str(path) == "-"


def load_input(path: Path) -> bytes:
    """Return the content of a file, or of standard input for `-`. Raises MalformedPublication."""
    return read_limited(sys.stdin.buffer, STANDARD_INPUT) if is_standard_input(path) else load_bytes(path)


def load_rdf_input(path: Path, format: str | None = None) -> RdfDocument:
    """Load a file, or standard input for `-`, whose format is the given one or that of the content.

    Raises MalformedPublication.
    """
    if path.is_dir():
        reason = "it is a folder: name the files in it, or use `gtopss filter`, which reads folders"
        raise MalformedPublication(reason, publication_id=file_name(path))
    if not is_standard_input(path):
        return load_rdf_file(path, format)
    data = load_input(path)
    return RdfDocument(STANDARD_INPUT, data, format or _format_of(path, data), source=STANDARD_INPUT)
