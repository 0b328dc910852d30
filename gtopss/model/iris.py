"""Patterns for IRIs. The language parser (`sparqlish`) has its own, because it imports nothing from this package."""

from __future__ import annotations

import re

FORBIDDEN_IRI_CHARACTERS = r'\x00-\x20<>"{}|^`\\'
"""The characters that IRIREF excludes in the SPARQL and N-Triples grammars, as the inside of a character class."""
IRI_REFERENCE = rf"<[^{FORBIDDEN_IRI_CHARACTERS}]*>"
"""An IRI in angle brackets. The pattern is valid for RE2 too, where text cannot contain surrogates."""
IRI_TEXT = rf"[^{FORBIDDEN_IRI_CHARACTERS}\ud800-\udfff]*"
"""An IRI or a relative reference without its brackets."""
IRI_SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*:"
"""The scheme of an absolute IRI, with its colon."""

_ABSOLUTE_IRI = re.compile(rf"{IRI_SCHEME}[^{FORBIDDEN_IRI_CHARACTERS}\ud800-\udfff]+")


def is_absolute_iri(text: str) -> bool:
    """Return whether `text` has a scheme and only characters that an IRI may have.

    >>> is_absolute_iri("urn:a"), is_absolute_iri("a"), is_absolute_iri("urn:a b")
    (True, False, False)
    """
    return _ABSOLUTE_IRI.fullmatch(text) is not None


def local_name(iri: str) -> str:
    """Return the last part of an IRI.

    >>> local_name("http://purl.org/rss/1.0/title"), local_name("urn:a:b#c")
    ('title', 'c')
    """
    text = iri.rstrip("/#")
    return text[max(text.rfind(sign) for sign in "/#:") + 1 :]
