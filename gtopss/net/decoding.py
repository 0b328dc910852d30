"""Decompress a response body in pieces, never beyond the size limit.

The client requests only gzip and deflate, so it decodes only these. zlib can stop in the middle of a stream
(`max_length`), so a decompression bomb costs one piece of memory instead of its full size. Brotli and Zstandard would
each be a dependency.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO

from gtopss.net.errors import BadResponse, ResponseTooLarge, UnsupportedEncoding

ACCEPTED_CODINGS = "gzip, deflate"
"""Value of the Accept-Encoding header."""
MAX_INFLATED_BYTES_PER_CALL = 64 * 1024
"""Output of one call of zlib; the deadline is checked between calls."""
MAX_GZIP_MEMBERS = 100
"""Members in one gzip body; above this it is refused. A member costs the sender twenty bytes and us a new inflater."""


class Decoder:
    """Decode one body: call `feed` with each piece, then `finish`. `check_deadline` runs between pieces."""

    def __init__(self, encoding: str, *, limit: int, url: str, check_deadline: Callable[[], object]) -> None:
        self._url, self._limit, self._check_deadline = url, limit, check_deadline
        self._body, self._size = BytesIO(), 0
        self._coding = _coding(encoding, url)
        self._inflater = zlib.decompressobj(wbits=31) if self._coding == "gzip" else None
        self._members = 1
        self._started = False
        self._pending = b""  # one byte that may be the start of a further gzip member
        self._done = False

    def feed(self, data: bytes) -> None:
        """Decode `data`. Raise ResponseTooLarge once the decoded body exceeds the limit."""
        if self._coding == "identity":
            self._append(data)
        elif data:
            self._inflate(data)

    def finish(self) -> bytes:
        """Return the whole body. Raise BadResponse if the compressed stream is incomplete."""
        if self._started and self._inflater is not None:
            while not self._inflater.eof and (piece := self._inflate_piece(b"")):  # output that zlib still buffers
                self._append(piece)
            if not self._inflater.eof:
                raise BadResponse(self._url, f"its {self._coding} body is incomplete")
        body = self._body.getvalue()
        if self._coding != "identity" and body[:3] == b"\x1f\x8b\x08":
            raise UnsupportedEncoding(self._url, "its compressed body contains another gzip file")
        return body

    def _append(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._body.close()
            raise ResponseTooLarge(self._url, "decoded body, in bytes,", self._limit)
        self._body.write(piece)

    def _inflate(self, data: bytes) -> None:
        self._started = True
        if self._inflater is None:  # deflate means the zlib format, but some servers send the raw stream
            zlib_header = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
            self._inflater = zlib.decompressobj(wbits=15 if zlib_header else -15)
        data, self._pending = self._pending + data, b""
        while data and not self._done:
            if self._inflater.eof:
                if self._coding == "gzip" and data == b"\x1f":
                    self._pending = data
                    return
                # Padding or garbage after the end is common and harmless; a further gzip member continues the body.
                if self._coding != "gzip" or not data.startswith(b"\x1f\x8b"):
                    self._done = True
                    return
                self._members += 1
                if self._members > MAX_GZIP_MEMBERS:
                    raise BadResponse(self._url, f"its gzip body has more than {MAX_GZIP_MEMBERS} members")
                self._inflater = zlib.decompressobj(wbits=31)
            self._append(self._inflate_piece(data))
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail

    def _inflate_piece(self, data: bytes) -> bytes:
        assert self._inflater is not None
        self._check_deadline()
        try:
            return self._inflater.decompress(data, MAX_INFLATED_BYTES_PER_CALL)
        except zlib.error as error:
            raise BadResponse(self._url, f"its body is not {self._coding}: {error}") from None


def _coding(header: str, url: str) -> str:
    codings = [name for part in header.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not codings:
        return "identity"
    if len(codings) > 1:
        raise UnsupportedEncoding(url, f"nested content codings are refused: {', '.join(codings[:8])[:80]}")
    coding = codings[0].removeprefix("x-")
    if coding not in ("gzip", "deflate"):
        raise UnsupportedEncoding(url, f"the content coding {codings[0][:40]!r} was not requested ({ACCEPTED_CODINGS})")
    return coding
