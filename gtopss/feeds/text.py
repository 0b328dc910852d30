"""Texts, literals and IRIs from the strings of a feed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring

from gtopss.feeds.iris import absolute_iri
from gtopss.model.terms import Term, literal_parts

_ESCAPES = (
    (b"\\", b"\\\\"),
    (b'"', b'\\"'),
    (b"\n", b"\\n"),
    (b"\r", b"\\r"),
    (b"\t", b"\\t"),
    (b"\x7f", b"\\u007F"),
)
_MAX_REPEATED_CHARACTERS = 64  # longer texts are not kept in the cache of lines
_MAX_SHORT_CHARACTERS = 100  # of a text that is escaped faster by one pass than by one pass for each escape
_QUOTE, _BRACKET = b'"<'
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_C1 = re.compile("[\x80-\x9f]")
_WINDOWS_1252 = {code: bytes([code]).decode("windows-1252", "ignore") or chr(code) for code in range(0x80, 0xA0)}
_ESCAPED_SPACES = frozenset({"\\n", "\\r", "\\t"})


def clean_text(value: object) -> str:
    """Return a text of an item or a channel: a `legal_text` that is not double-encoded."""
    written = value if isinstance(value, str) else "" if value is None else str(value)
    return legal_text(written if written.isascii() else undo_double_encoding(written))


def legal_text(written: str) -> str:
    """Return a text without surrounding white space and without characters that XML or UTF-8 do not allow."""
    if written.isprintable():
        return written.strip()
    return (_ILLEGAL.sub("", written) if _ILLEGAL.search(written) else written).strip()


def undo_double_encoding(text: str) -> str:
    """Return the text that was meant, if UTF-8 was taken for ISO-8859-1, perhaps twice, and encoded again.

    Control characters that are left are characters of Windows-1252. feedparser repairs RSS and Atom in this way; so
    that equal texts are equal in every format, all of them are repaired.

    >>> undo_double_encoding("cafÃ© â\x80\x99s"), undo_double_encoding("it\x92s"), undo_double_encoding("São")
    ('café ’s', 'it’s', 'São')
    """
    if text.encode("utf-8", "surrogatepass").find(b"\xc2") < 0:  # `in` takes a microsecond longer
        return text  # it has none of U+0080 to U+00BF: neither control characters nor the later bytes of a character
    try:
        while not text.isascii():
            text = text.encode("iso-8859-1").decode("utf-8")
    except UnicodeError:
        pass
    return text.translate(_WINDOWS_1252) if _C1.search(text) else text


Repair = Callable[[str], str]
"""Returns the text that was meant: `undo_double_encoding`, or a function that knows that there is nothing to undo."""


def repair_for(xml: bytes) -> Repair:
    """Return the function that repairs the long texts of an XML document in UTF-8.

    Looking at each text takes several microseconds per item. Looking at the bytes of the document, which show whether
    a text can have a character of U+0080 to U+00BF, takes less than one.
    """
    return undo_double_encoding if b"\xc2" in xml or b"&#" in xml else _keep


def _keep(text: str) -> str:
    return text


def text_line(cleaned: str) -> bytes:
    r"""Return the line of the literal of a text that `clean_text` returned. Several times as fast as `literal`.

    >>> text_line('a "b"')
    b'"a \\"b\\""\n'
    """
    if len(cleaned) <= _MAX_SHORT_CHARACTERS:
        line = encode_basestring(cleaned)  # JSON escapes the same characters, but for U+007F
        return (line.replace("\x7f", "\\u007F") + "\n" if "\x7f" in line else line + "\n").encode()
    data = cleaned.encode()
    for character, escape in _ESCAPES:
        data = data.replace(character, escape)  # returns the same object if there is none
    return b'"%b"\n' % data


@lru_cache(maxsize=4_096)
def _cached_line(cleaned: str) -> bytes:
    return text_line(cleaned)


def repeated_text_line(cleaned: str) -> bytes:
    """Return `text_line` of a text that other items are likely to have too, such as a category or a width."""
    return _cached_line(cleaned) if len(cleaned) <= _MAX_REPEATED_CHARACTERS else text_line(cleaned)


def iri_or_text_line(value: str, base: str | None) -> bytes:
    """Return the line of an IRI if the text is one or can be made one; otherwise of a literal: nothing is lost."""
    cleaned = clean_text(value)
    found = absolute_iri(cleaned, base)
    return f"<{found}>\n".encode() if found else text_line(cleaned)


def term_line(term: Term) -> bytes:
    """Return the line of a term, as `TextPublication` has it."""
    return f"{term}\n".encode()


def line_text(line: bytes) -> str:
    """Return the text of the line of a literal or an IRI; an empty text for a blank node."""
    if line[0] == _QUOTE:
        if line.find(b"\\") < 0 and line.endswith(b'"\n'):
            return clean_text(line[1:-2].decode())
        return clean_text(literal_parts(Term(line[:-1].decode()))[0])
    return line[1:-2].decode() if line[0] == _BRACKET else ""


def trim_literal(term: Term) -> Term:
    r"""Remove the white space around a literal. Literals with a language or a datatype are returned unchanged.

    This works on the escaped text, because unescaping a long description only to examine its ends would be slow.

    >>> trim_literal(Term(r'"\n  a\n b \t"')), trim_literal(Term(r'"C:\\n"'))
    ('"a\\n b"', '"C:\\\\n"')
    """
    if term[-1] != '"':
        return term
    start, end = 1, len(term) - 1
    while start < end:
        if term[start].isspace():
            start += 1
        elif term[start : start + 2] in _ESCAPED_SPACES:
            start += 2
        else:
            break
    while start < end:
        if term[end - 1].isspace():
            end -= 1
        elif term[end - 2 : end] in _ESCAPED_SPACES and _starts_escape(term, end - 2):
            end -= 2
        else:
            break
    return term if end - start == len(term) - 2 else Term(f'"{term[start:end]}"')


def _starts_escape(term: Term, position: int) -> bool:
    """Return whether the backslash at `position` starts an escape rather than ending one."""
    before = position
    while term[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 0
