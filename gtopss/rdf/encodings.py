"""Decode bytes to text: by byte order mark, by XML declaration, or by trial when both are missing or wrong."""

from __future__ import annotations

import codecs
import re

from gtopss.errors import MalformedPublication

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_XML_STARTS = ((b"\0\0\0<", "utf-32-be"), (b"<\0\0\0", "utf-32-le"), (b"\x4c\x6f\xa7\x94\x93", "cp037"))  # `<?xml`
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']\s*([\w.:-]{1,40})\s*["']""", re.IGNORECASE)
_C1 = re.compile(rb"[\x80-\x9f]")
_DECLARATION = re.compile(r"^\s*<\?xml\b.*?\?>", re.DOTALL | re.IGNORECASE)
# Feeds declare the smaller encoding and use the larger one. The larger differs only where the smaller has nothing.
_SUPERSETS = {"iso8859-1": "windows-1252", "ascii": "windows-1252", "gb2312": "gb18030", "euc_kr": "cp949"}


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that an XML declaration names; None if Python does not know it as a text encoding."""
    found = _DECLARED.match(data)
    if not found:
        return None
    try:
        codec = codecs.lookup(found[1].decode("ascii"))
    except (LookupError, UnicodeDecodeError):
        return None
    # `encoding="zip"` names a codec too. UTF-7 is refused because it can hide markup from checks.
    return codec.name if getattr(codec, "_is_text_encoding", True) and codec.name != "utf-7" else None


def decode(data: bytes) -> str:
    """Decode bytes without their byte order mark. Bytes that fit no encoding become U+FFFD.

    >>> decode("é".encode("utf-16")), decode(b'<?xml version="1.0" encoding="iso-8859-1"?><a>\\xe9</a>')[-6:]
    ('é', '>é</a>')
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    for start, encoding in _XML_STARTS:
        if data.startswith(start):
            text = data.decode(encoding, "replace")
            declared = declared_encoding(text[:200].encode("ascii", "replace"))
            # All EBCDIC code pages agree on the characters of an XML declaration.
            return data.decode(declared, "replace") if encoding == "cp037" and declared else text
    if data[:1] == b"\0" and data[1:2] != b"\0":
        return data.decode("utf-16-be", "replace")
    if data[1:2] == b"\0" and data[2:3] != b"\0":
        return data.decode("utf-16-le", "replace")
    declared = declared_encoding(data)
    if declared in ("iso8859-1", "ascii") and _C1.search(data):
        # These bytes are quotes and dashes of Windows-1252, not control characters.
        declared = None if declared == "ascii" else "windows-1252"
    for candidate in (declared, "utf-8", _SUPERSETS.get(declared or "", "windows-1252")):
        # The declaration was readable as ASCII, so the document cannot be UTF-16 or UTF-32.
        if candidate is None or candidate.startswith(("utf-16", "utf-32")):
            continue
        try:
            return data.decode(candidate)
        except (UnicodeError, ValueError):
            continue
    return data.decode("windows-1252", "replace")


def encode(text: str, *, publication_id: str | None = None) -> bytes:
    """Encode a document that a caller gave as text. Raise MalformedPublication for a lone surrogate, with its place."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise MalformedPublication(
            f"{text[error.start]!r} is a lone surrogate, which is not a character: decode the text again",
            publication_id=publication_id,
            line=text.count("\n", 0, error.start) + 1,
            column=error.start - text.rfind("\n", 0, error.start),
        ) from None


def as_utf8(data: bytes) -> bytes:
    """Convert XML to UTF-8, the only encoding that pyoxigraph reads. Return it unchanged if it is UTF-8 already."""
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    if data[:1] not in (b"\0", b"\x4c") and data[1:2] != b"\0" and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        declared = declared_encoding(data)
        if declared is None or declared in ("utf-8", "ascii"):
            return data
    return without_declaration(decode(data)).encode("utf-8", "replace")


def without_declaration(text: str) -> str:
    """Remove the XML declaration, whose encoding is wrong once the document is text."""
    return _DECLARATION.sub("", text, count=1)
