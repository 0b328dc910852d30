"""Make absolute IRIs from the links and identifiers of a feed."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from gtopss.model.iris import FORBIDDEN_IRI_CHARACTERS, IRI_SCHEME

_FORBIDDEN = rf"{FORBIDDEN_IRI_CHARACTERS}\x7f-\x9f\ufffe\uffff"  # control characters and noncharacters too
_ABSOLUTE = re.compile(rf"{IRI_SCHEME}[^{_FORBIDDEN}\ud800-\udfff]+")
_SCHEME = re.compile(IRI_SCHEME)
_HOST_PORT = re.compile(r"[\w.-]+\.\w+:\d+(?:/|$)|localhost:\d")
_NOT_ALLOWED = re.compile(f"[{_FORBIDDEN}]")
_BREAKS = re.compile(r"[\t\r\n]+ *")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_IRI_CHARACTERS = 8_192  # a longer text is not used as an IRI
_GLOBAL_SCHEMES = ("http://", "https://", "tag:", "urn:", "ftp://", "info:", "doi:", "at://", "gopher://", "ipfs://")


def absolute_iri(text: str, base: str | None = None) -> str | None:
    """Return the absolute IRI that a text is, or can be made into without guessing; None otherwise.

    >>> absolute_iri("http://a.example/x y"), absolute_iri("../b", "http://a.example/c/d/e"), absolute_iri("b")
    ('http://a.example/x%20y', 'http://a.example/c/b', None)
    """
    text = text.strip()
    if not text or len(text) > _MAX_IRI_CHARACTERS:
        return None
    if _ABSOLUTE.fullmatch(text) and "%" not in text:
        return None if _HOST_PORT.match(text) else text
    text = _STRAY_PERCENT.sub("%25", _NOT_ALLOWED.sub(_percent_encoded, _SURROGATES.sub("", _BREAKS.sub("", text))))
    if not _SCHEME.match(text) or _HOST_PORT.match(text):
        if base is None:
            return None
        try:
            text = urljoin(base, text)
        except ValueError:
            return None
    return text if _ABSOLUTE.fullmatch(text) else None


def _percent_encoded(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode())


def is_global_identifier(text: str) -> bool:
    """Return whether an identifier is meaningful outside its feed, unlike `12345` or `post:7`."""
    return text.lower().startswith(_GLOBAL_SCHEMES)


def base_iri(source: str | None) -> str | None:
    """Return the base for relative references in a document from `source`; None if `source` is no URL."""
    iri = absolute_iri(source) if source else None
    return iri if iri and re.match(r"https?://[^/]|file://|ftp://[^/]|urn:", iri, re.IGNORECASE) else None
