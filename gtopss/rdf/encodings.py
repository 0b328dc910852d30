"""Bytes to text, as their writers meant it: marks, declarations, and what is left when both lie."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as UTF-16's does
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_STARTS = ((b"\0\0\0<", "utf-32-be"), (b"<\0\0\0", "utf-32-le"), (b"\x4c\x6f\xa7\x94\x93", "cp037"))  # `<?xml`
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']\s*([\w.:-]{1,40})\s*["']""", re.IGNORECASE)
_C1 = re.compile(rb"[\x80-\x9f]")
_DECLARATION = re.compile(r"^\s*<\?xml\b.*?\?>", re.DOTALL | re.IGNORECASE)
# Declared as the smaller set, written in the larger one: the supersets differ only where the smaller has nothing.
_WIDER = {"iso8859-1": "windows-1252", "ascii": "windows-1252", "gb2312": "gb18030", "euc_kr": "cp949"}


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an XML declaration names, if Python has it and it is one of text."""
    found = _DECLARED.match(data)
    if not found:
        return None
    try:
        codec = codecs.lookup(found[1].decode("ascii"))
    except (LookupError, UnicodeDecodeError):
        return None
    # `encoding="zip"` names a codec too, and markup can hide in UTF-7.
    return codec.name if getattr(codec, "_is_text_encoding", True) and codec.name != "utf-7" else None


def decode(data: bytes) -> str:
    """The text, without its byte order mark; bytes that fit nothing become U+FFFD.

    >>> decode("é".encode("utf-16")), decode(b'<?xml version="1.0" encoding="iso-8859-1"?><a>\\xe9</a>')[-6:]
    ('é', '>é</a>')
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    for start, encoding in _STARTS:
        if data.startswith(start):
            text = data.decode(encoding, "replace")
            declared = declared_encoding(text[:200].encode("ascii", "replace"))
            # EBCDIC's code pages agree on what a declaration is written with.
            return data.decode(declared, "replace") if encoding == "cp037" and declared else text
    if data[:1] == b"\0" and data[1:2] != b"\0":
        return data.decode("utf-16-be", "replace")
    if data[1:2] == b"\0" and data[2:3] != b"\0":
        return data.decode("utf-16-le", "replace")
    declared = declared_encoding(data)
    if declared in ("iso8859-1", "ascii") and _C1.search(data):
        declared = None if declared == "ascii" else "windows-1252"  # quotes and dashes, not control characters
    for candidate in (declared, "utf-8", _WIDER.get(declared or "", "windows-1252")):
        if candidate is None or candidate.startswith(("utf-16", "utf-32")):  # its declaration could be read without it
            continue
        try:
            return data.decode(candidate)
        except (UnicodeError, ValueError):
            continue
    return data.decode("windows-1252", "replace")


def as_utf8(data: bytes) -> bytes:
    """The same XML in UTF-8, which is all that pyoxigraph reads; untouched where it is that already."""
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    if data[:1] not in (b"\0", b"\x4c") and data[1:2] != b"\0" and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        declared = declared_encoding(data)
        if declared is None or declared in ("utf-8", "ascii"):
            return data
    return undeclared(decode(data)).encode("utf-8", "replace")


def undeclared(text: str) -> str:
    """XML without its declaration: once it is text, an encoding in it would be wrong."""
    return _DECLARATION.sub("", text, count=1)
