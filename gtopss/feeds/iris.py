"""Make absolute IRIs from the links and identifiers of a feed.

What is returned is valid by RFC 3987, which pyoxigraph checks and rdflib does not, so that everybody can read it again.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urljoin

from gtopss.model.iris import IRI_SCHEME, is_absolute_iri
from gtopss.model.lazy_pattern import LazyPattern

_LETTERS = (  # `iunreserved` without ASCII; private-use characters are allowed in queries only, so they are encoded
    r"\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF"
    + "".join(rf"\U{plane:04X}0000-\U{plane:04X}FFFD" for plane in range(0x1, 0xE))
    + r"\U000E1000-\U000EFFFD"
)
_NAME = rf"A-Za-z0-9\-._~!$&'()*+,;={_LETTERS}"
_ENCODED = "%[0-9A-Fa-f]{2}"
_HOST_AND_PORT = rf"(?:(?:[{_NAME}:]++|{_ENCODED})*+@)?(?:[{_NAME}]++|{_ENCODED})*+(?::[0-9]*+)?+"
_AFTER_AUTHORITY = (
    rf"(?:[{_NAME}:@/]++|{_ENCODED})*+(?:\?(?:[{_NAME}:@/?]++|{_ENCODED})*+)?+(?:#(?:[{_NAME}:@/?]++|{_ENCODED})*+)?+"
)
_ASCII = r"A-Za-z0-9\-._~!$&'()*+,;="
_USUAL = re.compile(  # most links, in a pattern that is matched faster than `_VALID`
    rf"https?://[A-Za-z0-9\-._~]++(?::[0-9]++)?+(?:/[{_ASCII}:@/]*+)?+(?:\?[{_ASCII}:@/?]*+)?+(?:#[{_ASCII}:@/?]*+)?+"
)
_VALID = LazyPattern(rf"[a-z][a-z0-9+.\-]*+:(?=.)(?://{_HOST_AND_PORT}(?![^/?#])|(?!//)){_AFTER_AUTHORITY}")
_PARTS = re.compile(rf"({IRI_SCHEME})(//[^/?#]*+)?+([^?#]*+)(\?[^#]*+)?+(#.*+)?+", re.DOTALL)
_VALID_HOST_AND_PORT = LazyPattern(_HOST_AND_PORT)
_ADDRESS_AND_PORT = LazyPattern(rf"(?:(?:[{_NAME}:]++|{_ENCODED})*+@)?\[([0-9A-Fa-f:.]+)\](?::[0-9]*+)?+")
_SCHEME = re.compile(IRI_SCHEME)
_HOST_PORT = re.compile(r"[\w.-]+\.\w+:\d+(?:/|$)|localhost:\d")
_NOT_IN_PATH = LazyPattern(rf"[^{_NAME}:@/%]")
_NOT_IN_QUERY = LazyPattern(rf"[^{_NAME}:@/?%]")
_NOT_IN_AUTHORITY = LazyPattern(rf"[^{_NAME}:@%\[\]]")
_BREAKS = re.compile(r"[\t\r\n]+ *")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_IRI_CHARACTERS = 8_192  # a longer text is not used as an IRI
_WEB_SCHEMES = ("http://", "https://")
_GLOBAL_SCHEMES = (*_WEB_SCHEMES, "tag:", "urn:", "ftp://", "info:", "doi:", "at://", "gopher://", "ipfs://")
_COLON_IN_FIRST_SEGMENT = re.compile("[^/?#:]*:")
_WEB_ADDRESS = re.compile(r"https?://(?:[^/?#@]*@)?[^/?#@:]")
_BASE = re.compile(r"https?://[^/]|file://|ftp://[^/]|urn:")


def absolute_iri(text: str, base: str | None = None) -> str | None:
    """Return the absolute IRI that a text is, or can be made into without guessing; None otherwise.

    Characters that an IRI cannot have where they are become percent-encoded, and the scheme becomes lower case.

    >>> absolute_iri("http://a.example/x y"), absolute_iri("../b", "http://a.example/c/d/e"), absolute_iri("b")
    ('http://a.example/x%20y', 'http://a.example/c/b', None)
    >>> absolute_iri("HTTPS://a.example/[1]#b#c"), absolute_iri("http://a.example:port/")
    ('https://a.example/%5B1%5D#b%23c', None)
    """
    if len(text) <= _MAX_IRI_CHARACTERS and _USUAL.fullmatch(text):
        return text
    text = text.strip()
    if not text or len(text) > _MAX_IRI_CHARACTERS:
        return None
    if _VALID.fullmatch(text) and (text.startswith(_WEB_SCHEMES) or not _HOST_PORT.match(text)):
        return text
    text = _SURROGATES.sub("", _BREAKS.sub("", text))
    if _HOST_PORT.match(text):
        return None  # a host and its port without a scheme
    if not _SCHEME.match(text):
        if base is None:
            return None
        try:
            text = urljoin(base, text)
        except ValueError:
            return None
    return _encode(text)


def _encode(text: str) -> str | None:
    """Percent-encode what an absolute IRI cannot have; None if its host or port cannot be one, or it has no scheme."""
    found = _PARTS.fullmatch(_STRAY_PERCENT.sub("%25", text))
    if not found:
        return None
    scheme, authority, path, query, fragment = found.groups(default="")
    if authority:
        authority = _NOT_IN_AUTHORITY.sub(_percent_encoded, authority[2:])
        if not _is_authority(authority):
            return None
        authority = f"//{authority}"
    path = _NOT_IN_PATH.sub(_percent_encoded, path)
    query = query[:1] + _NOT_IN_QUERY.sub(_percent_encoded, query[1:])
    fragment = fragment[:1] + _NOT_IN_QUERY.sub(_percent_encoded, fragment[1:])
    encoded = f"{scheme.lower()}{authority}{path}{query}{fragment}"
    return encoded if _VALID.fullmatch(encoded) or "[" in authority else None


def _is_authority(authority: str) -> bool:
    if literal_address := _ADDRESS_AND_PORT.fullmatch(authority):
        try:
            ipaddress.IPv6Address(literal_address[1])
        except ValueError:
            return False
        return True
    return _VALID_HOST_AND_PORT.fullmatch(authority) is not None


def _percent_encoded(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode())


def web_address(text: str) -> str | None:
    """Return the http or https address that a text is, as an IRI; None if it is none, or names no host.

    >>> web_address("HTTP://a.example/x y"), web_address("http://"), web_address("http://a.example:abc/")
    ('http://a.example/x%20y', None, None)
    """
    if len(text) > _MAX_IRI_CHARACTERS:  # too long for the graph, but still an address
        return text if is_absolute_iri(text) and web_address(text[:_MAX_IRI_CHARACTERS]) else None
    iri = absolute_iri(text)
    return iri if iri and _WEB_ADDRESS.match(iri) else None


def is_invalid_reference(text: str) -> bool:
    """Return whether a text is neither an IRI nor a relative reference: there is a colon in its first segment.

    >>> [is_invalid_reference(text) for text in ("902@http://a.example/", "http://a.example/", "a/b:c", "902")]
    [True, False, False, False]
    """
    return _COLON_IN_FIRST_SEGMENT.match(text) is not None and _SCHEME.match(text.strip()) is None


def is_global_identifier(text: str) -> bool:
    """Return whether an identifier is meaningful outside its feed, unlike `12345` or `post:7`."""
    return text.lower().startswith(_GLOBAL_SCHEMES)


def can_be_link(identifier: str) -> bool:
    """Return whether an identifier can serve as the link of an item that has no other: if it is global, or a path.

    >>> [can_be_link(id) for id in ("HTTP://a.example/1", "/news/1", "902@http://a.example/", "12345")]
    [True, True, False, False]
    """
    return identifier.startswith("/") or is_global_identifier(identifier)


def base_iri(source: str | None) -> str | None:
    """Return the base for relative references in a document from `source`; None if `source` is no URL."""
    iri = absolute_iri(source) if source else None
    return iri if iri and _BASE.match(iri) else None
