"""Write terms for people: IRIs are shortened by prefixes, numbers are written plainly.

Terms come from untrusted documents and are printed on terminals, so control characters, line separators and marks that
change the direction of writing are escaped, and long terms are shortened.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from gtopss.model.terms import (
    XSD,
    Term,
    Triple,
    iri_text,
    is_hidden,
    is_iri,
    is_literal,
    literal_datatype,
    literal_parts,
)

MAX_TERM_CHARACTERS = 1_000
"""Characters shown of a term. The middle of a longer one is left out: a solution may show it once for each edge."""
_PLAIN_DATATYPES = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
_IRI = re.compile(r"<[^<>\s]*>")
_CONTROL_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}  # of Unicode: controls, surrogates, line and paragraph separators
_DIRECTION_MARKS = {*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def escape_controls(text: str) -> str:
    r"""Replace characters that would control a terminal by escapes.

    >>> print(escape_controls("a\x1b[31m\u202eb"))
    a\u001B[31m\u202Eb
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{ord(each):04X}" if _is_control(each) else each for each in text)


def _is_control(character: str) -> bool:
    in_category = unicodedata.category(character) in _CONTROL_CATEGORIES
    return in_category or character in _DIRECTION_MARKS or character in "\ufffe\uffff"


def format_term(term: Term, prefixes: Mapping[str, str]) -> str:
    """Format a term. `prefixes` maps prefixes to namespaces; the longest namespace that fits shortens an IRI.

    >>> format_term(Term("<http://example.org/bib#year>"), {"bib": "http://example.org/bib#"})
    'bib:year'
    """
    if is_iri(term):
        return _format_iri(iri_text(term), prefixes)
    if is_hidden(term):
        return _shown(term[1:])
    if is_literal(term):
        end = term.rindex('"') + 1
        datatype = literal_datatype(term)
        if datatype in _PLAIN_DATATYPES:
            is_long = end > MAX_TERM_CHARACTERS  # such a literal is no number: it is not decoded
            return _shown(term[1 : end - 1] if is_long else literal_parts(term)[0])
        if term.startswith("^^", end):
            return _shown(term[:end]) + "^^" + _format_iri(datatype, {**prefixes, "xsd": XSD})
    return _shown(term)


def shorten_iris(text: str, prefixes: Mapping[str, str]) -> str:
    """Shorten the IRIs in a text by prefixes.

    >>> shorten_iris("?x <urn:ex:p> ?y", {"ex": "urn:ex:"})
    '?x ex:p ?y'
    """
    return _IRI.sub(lambda found: format_term(Term(found[0]), prefixes), text)


def shorten(text: str, max_characters: int) -> str:
    """Leave out the middle of a long text.

    >>> shorten("http://example.org/a/very/long/path", 11)
    'http:…/path'
    """
    if len(text) <= max_characters:
        return text
    half = (max_characters - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _shown(text: str) -> str:
    return escape_controls(shorten(text, MAX_TERM_CHARACTERS))


def _format_iri(text: str, prefixes: Mapping[str, str]) -> str:
    matching = [
        (namespace, prefix) for prefix, namespace in prefixes.items() if namespace and text.startswith(namespace)
    ]
    if not matching:
        return _shown(f"<{text}>")
    namespace, prefix = max(matching, key=lambda each: len(each[0]))
    return _shown(f"{prefix}:{text[len(namespace) :]}")


def format_triple(triple: Triple, prefixes: Mapping[str, str]) -> str:
    """Format a triple or an edge: its three terms, two spaces apart."""
    return "  ".join(format_term(part, prefixes) for part in triple)
