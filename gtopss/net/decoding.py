"""Content codings, undone piece by piece and never beyond the cap.

Only gzip and deflate are asked for, so only they are undone. The standard library can stop in the middle of either
(`max_length`), so that a bomb costs one piece of memory and not its size; Brotli and Zstandard are a dependency each.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO

from gtopss.net.errors import BadResponse, ResponseTooLarge, UnsupportedEncoding

ACCEPTED = "gzip, deflate"
PIECE = 64 * 1024
MEMBERS = 100  # of one gzip file; each is worth twenty bytes to an attacker, and an inflater to us


class Decoder:
    """Collects a body: `feed` what arrives, then `finish`. `tick` runs between pieces, and may raise."""

    def __init__(self, encoding: str, *, limit: int, url: str, tick: Callable[[], object]) -> None:
        self._url, self._limit, self._tick = url, limit, tick
        self._body, self._size = BytesIO(), 0
        self._coding = _coding(encoding, url)
        self._inflater = zlib.decompressobj(wbits=31) if self._coding == "gzip" else None
        self._members = 1
        self._started = False
        self._held = b""  # the first byte of what may be a further member
        self._done = False

    def feed(self, data: bytes) -> None:
        if self._coding == "identity":
            self._keep(data)
        elif data:
            self._inflate(data)

    def finish(self) -> bytes:
        """The whole body. BadResponse if the coded stream is not at its end."""
        if self._started and self._inflater is not None:
            while not self._inflater.eof and (piece := self._inflate_piece(b"")):  # what zlib itself still holds
                self._keep(piece)
            if not self._inflater.eof:
                raise BadResponse(self._url, f"its {self._coding} body is cut short")
        body = self._body.getvalue()
        if self._coding != "identity" and body[:3] == b"\x1f\x8b\x08":
            raise UnsupportedEncoding(self._url, "there is another gzip file inside its coded body")
        return body

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._body.close()
            raise ResponseTooLarge(self._url, "decoded body, in bytes,", self._limit)
        self._body.write(piece)

    def _inflate(self, data: bytes) -> None:
        self._started = True
        if self._inflater is None:  # deflate means zlib's format, but some servers send the bare stream
            zlib_header = data[0] & 0x0F == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
            self._inflater = zlib.decompressobj(wbits=15 if zlib_header else -15)
        data, self._held = self._held + data, b""
        while data and not self._done:
            if self._inflater.eof:
                if self._coding == "gzip" and data == b"\x1f":
                    self._held = data
                    return
                # Padding or rubbish after the end is common and harmless; a further gzip member is more of the body.
                if self._coding != "gzip" or not data.startswith(b"\x1f\x8b"):
                    self._done = True
                    return
                self._members += 1
                if self._members > MEMBERS:
                    raise BadResponse(self._url, f"its gzip body has more than {MEMBERS} members")
                self._inflater = zlib.decompressobj(wbits=31)
            self._keep(self._inflate_piece(data))
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail

    def _inflate_piece(self, data: bytes) -> bytes:
        assert self._inflater is not None
        self._tick()
        try:
            return self._inflater.decompress(data, PIECE)
        except zlib.error as error:
            raise BadResponse(self._url, f"its body is not {self._coding}: {error}") from None


def _coding(header: str, url: str) -> str:
    codings = [name for part in header.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not codings:
        return "identity"
    if len(codings) > 1:
        raise UnsupportedEncoding(url, f"codings one in another are refused: {', '.join(codings[:8])[:80]}")
    coding = codings[0].removeprefix("x-")
    if coding not in ("gzip", "deflate"):
        raise UnsupportedEncoding(url, f"the content coding {codings[0][:40]!r} was not asked for ({ACCEPTED})")
    return coding
