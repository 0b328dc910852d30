"""IRIs from texts that were meant as such."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_ABSOLUTE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\x7f-\x9f\ud800-\udfff\ufffe\uffff]+')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HOST_PORT = re.compile(r"[\w.-]+\.\w+:\d+(?:/|$)|localhost:\d")
_NOT_ALLOWED = re.compile(r'[\x00-\x20<>"{}|^`\\\x7f-\x9f\ufffe\uffff]')
_BREAKS = re.compile(r"[\t\r\n]+ *")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_LENGTH = 8_192
_IDENTIFYING = ("http://", "https://", "tag:", "urn:", "ftp://", "info:", "doi:", "at://", "gopher://", "ipfs://")


def absolute_iri(text: str, base: str | None = None) -> str | None:
    """The absolute IRI that a text is, or can be made into without guessing; None otherwise.

    >>> absolute_iri("http://a.example/x y"), absolute_iri("../b", "http://a.example/c/d/e"), absolute_iri("b")
    ('http://a.example/x%20y', 'http://a.example/c/b', None)
    """
    text = text.strip()
    if not text or len(text) > _MAX_LENGTH:
        return None
    if _ABSOLUTE.fullmatch(text) and "%" not in text:
        return None if _HOST_PORT.match(text) else text
    text = _PERCENT.sub("%25", _NOT_ALLOWED.sub(_encoded, _SURROGATES.sub("", _BREAKS.sub("", text))))
    if not _SCHEME.match(text) or _HOST_PORT.match(text):
        if base is None:
            return None
        try:
            text = urljoin(base, text)
        except ValueError:
            return None
    return text if _ABSOLUTE.fullmatch(text) else None


def _encoded(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode())


def identifies(text: str) -> bool:
    """Whether an identifier names its thing everywhere, not only inside its feed (`12345`, `post:7`)."""
    return text.lower().startswith(_IDENTIFYING)


def base_of(source: str | None) -> str | None:
    """What relative references in a document from `source` are relative to."""
    iri = absolute_iri(source) if source else None
    return iri if iri and re.match(r"https?://[^/]|file://|ftp://[^/]|urn:", iri, re.IGNORECASE) else None
