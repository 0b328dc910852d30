"""Read the text of a term from its N-Triples form: its kind, where the text stands, and the text without escapes."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inlined
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.text_mappings import encode_character

IRI, PLAIN, TAGGED, TYPED, BLANK = range(5)
"""Kinds of terms."""
_QUOTE, _LESS, _AT, _BACKSLASH = 34, 60, 64, 92
_SMALL_U, _LOWERCASE_BIT = 117, 0x20
_LAST_CHARACTER = 0x10FFFF


def _unescaped_bytes() -> UInt8Array:
    """Return the byte that each escape with one letter stands for; 0 if it stands for none."""
    made = np.zeros(256, np.uint8)
    for letter, byte in zip(b"tbnrf\"'\\", b"\t\b\n\r\f\"'\\", strict=True):
        made[letter] = byte
    return made


_UNESCAPED = _unescaped_bytes()


@inlined
def split_term(data, begin, end):
    """Return the kind of a term, and where its text begins and ends."""
    if data[begin] == _LESS:
        return IRI, begin + 1, end - 1
    if data[begin] != _QUOTE:
        return BLANK, begin, begin
    stop = end - 1
    while data[stop] != _QUOTE:
        stop -= 1
    kind = PLAIN if stop == end - 1 else TAGGED if data[stop + 1] == _AT else TYPED
    return kind, begin + 1, stop


@inlined
def _hexadecimal(data, start, digits):
    """Return the number that so many hexadecimal digits mean; -1 if they are none."""
    value = np.int64(0)
    for i in range(start, start + digits):
        digit = np.int64(data[i]) - 48
        if digit > 9:
            digit = (np.int64(data[i]) | _LOWERCASE_BIT) - 87
        if digit < 0 or digit > 15:
            return np.int64(-1)
        value = 16 * value + digit
    return value


@inlined
def unescape(data, start, end, out):
    """Write the text of a literal without its escapes. Return its length; -1 if it has one that is not known here."""
    at, i = np.int64(0), start
    while i < end:
        if data[i] != _BACKSLASH:
            out[at] = data[i]
            at += 1
            i += 1
            continue
        escape = data[i + 1]
        if escape | _LOWERCASE_BIT == _SMALL_U:
            digits = 4 if escape == _SMALL_U else 8
            code = _hexadecimal(data, i + 2, digits) if i + 2 + digits <= end else np.int64(-1)
            if code < 0 or code > _LAST_CHARACTER:
                return np.int64(-1)
            at = encode_character(code, out, at)
            i += 2 + digits
            continue
        if _UNESCAPED[escape] == 0:
            return np.int64(-1)
        out[at] = _UNESCAPED[escape]
        at += 1
        i += 2
    return at


@inlined
def has_escapes(data, start, end):
    i = start
    while i < end and data[i] != _BACKSLASH:
        i += 1
    return i < end
