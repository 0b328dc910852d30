"""Read plain N-Triples: rewrite the bytes of a document as the text that the other kernels take.

Only lines that are clearly valid, and written as Oxigraph would write them, are read here: three terms and a full stop,
one space between them, IRIs in ASCII, escapes where N-Triples requires them. Anything else is declined, and Oxigraph
parses the document instead. So declining is never wrong, only slower; accepting what Oxigraph refuses, or would write
otherwise, is an error (tests/unit/gtopss/matching/index/kernels/test_ntriples.py looks for one).

Each `_copy_...` kernel copies one part of a line from position `source` to position `target` of the same array.
"""

from __future__ import annotations

import string

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.namespaces import RDF, XSD_STRING
from gtopss.matching.index.kernels.terms import PADDING, equal_bytes

_IN_IRI, _IN_SCHEME, _IN_HOST, _IS_DIGIT, _IS_HEX, _IN_LABEL, _IN_LITERAL, _IS_LETTER = (1 << bit for bit in range(8))
"""Classes of bytes, as bits: which bytes may stand in each part of a term."""


def _byte_classes() -> UInt8Array:
    lower, letters, digits = string.ascii_lowercase, string.ascii_letters, string.digits
    made = np.zeros(256, np.uint8)
    for bit, characters in [
        (_IN_IRI, letters + digits + "-._~!$&'()*+,;=:@/?"),
        (_IN_SCHEME, lower + digits + "+.-"),
        (_IN_HOST, letters + digits + ".-"),
        (_IS_DIGIT, digits),
        (_IS_HEX, string.hexdigits),
        (_IN_LABEL, letters + digits + "_"),
        (_IN_LITERAL, [chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\']),
        (_IS_LETTER, letters),
    ]:
        made[[ord(each) for each in characters]] |= bit
    return made


_CLASS_BITS = _byte_classes()
_NEWLINE, _SPACE, _QUOTE, _HASH, _PERCENT, _MINUS, _POINT, _SLASH = 10, 32, 34, 35, 37, 45, 46, 47
_COLON, _LESS, _GREATER, _QUESTION, _AT, _BACKSLASH, _CARET, _UNDERSCORE = 58, 60, 62, 63, 64, 92, 94, 95
_B, _F, _N, _R, _T = 98, 102, 110, 114, 116
_LOWERCASE_BIT = 0x20  # the bit that makes a letter lower case
_FIRST_NON_ASCII = 0x80
_STRING = np.frombuffer(f"<{XSD_STRING}>".encode() + PADDING, np.uint8)
_STRING_LENGTH = len(_STRING) - len(PADDING)
_RDF = np.frombuffer(f"<{RDF}".encode() + PADDING, np.uint8)
_RDF_LENGTH = len(_RDF) - len(PADDING)


@inlined
def _copy_class(data, source, target, kind):
    """Copy bytes while they are of one class. Return the positions after them.

    Nearly all time is spent here: a third less with positions that the compiler knows not to be negative.
    """
    read, write = np.uint64(source), np.uint64(target)
    while _CLASS_BITS[data[read]] & kind:
        data[write] = data[read]
        read += np.uint64(1)
        write += np.uint64(1)
    return np.int64(read), np.int64(write)


@inlined
def _copy_iri(data, source, target):
    """Copy an IRI. Return the positions after it; -1 for the first if the IRI is not plain."""
    no = np.int64(-1)
    if data[source] != _LESS or not (_CLASS_BITS[data[source + 1]] & _IS_LETTER):
        return no, target
    data[target] = _LESS
    source, target = _copy_class(data, source + 1, target + 1, _IN_SCHEME)
    if data[source] != _COLON:
        return no, target
    data[target] = _COLON
    source, target = source + 1, target + 1
    if data[source] == _SLASH and data[source + 1] == _SLASH:
        data[target], data[target + 1] = _SLASH, _SLASH
        source, target = _copy_class(data, source + 2, target + 2, _IN_HOST)
        if data[source] == _COLON:
            data[target] = _COLON
            source, target = _copy_class(data, source + 1, target + 1, _IS_DIGIT)
        if data[source] != _SLASH and data[source] != _GREATER and data[source] != _HASH and data[source] != _QUESTION:
            return no, target
    fragment = False
    while True:
        source, target = _copy_class(data, source, target, _IN_IRI)
        if data[source] == _GREATER:
            data[target] = _GREATER
            return source + 1, target + 1
        if data[source] == _HASH and not fragment:
            fragment = True
        elif (
            data[source] != _PERCENT
            or not (_CLASS_BITS[data[source + 1]] & _IS_HEX)
            or not (_CLASS_BITS[data[source + 2]] & _IS_HEX)
        ):
            return no, target
        data[target] = data[source]
        source, target = source + 1, target + 1


@inlined
def _copy_blank_node(data, source, target):
    """Copy a blank node. Return as `_copy_iri` does."""
    if data[source] != _UNDERSCORE or data[source + 1] != _COLON or not (_CLASS_BITS[data[source + 2]] & _IN_LABEL):
        return np.int64(-1), target
    data[target], data[target + 1] = _UNDERSCORE, _COLON
    return _copy_class(data, source + 2, target + 2, _IN_LABEL)


@inlined
def _copy_language(data, source, target):
    """Copy a language tag of two or three letters, and perhaps a country of two, in lower case."""
    country = False
    while True:
        first = source
        while _CLASS_BITS[data[source]] & _IS_LETTER:
            data[target] = data[source] | _LOWERCASE_BIT
            source, target = source + 1, target + 1
        if source - first != 2 and (country or source - first != 3):
            return np.int64(-1), target
        if country or data[source] != _MINUS:
            return source, target
        data[target] = _MINUS
        source, target, country = source + 1, target + 1, True


@inlined
def _copy_literal(data, source, target):
    """Copy a literal. Return as `_copy_iri` does, and whether it has bytes that are not ASCII."""
    no, non_ascii = np.int64(-1), False
    if data[source] != _QUOTE:
        return no, target, non_ascii
    data[target] = _QUOTE
    source, target = source + 1, target + 1
    while True:
        source, target = _copy_class(data, source, target, _IN_LITERAL)
        c = data[source]
        if c >= _FIRST_NON_ASCII:
            non_ascii = True
        elif c == _BACKSLASH:
            d = data[source + 1]
            if d not in (_N, _QUOTE, _BACKSLASH, _T, _R, _B, _F):
                return no, target, non_ascii
            data[target] = _BACKSLASH
            source, target = source + 1, target + 1
        elif c != _QUOTE:
            return no, target, non_ascii
        data[target] = data[source]
        source, target = source + 1, target + 1
        if c == _QUOTE:
            break
    if data[source] == _AT:
        data[target] = _AT
        source, target = _copy_language(data, source + 1, target + 1)
    elif data[source] == _CARET and data[source + 1] == _CARET:
        data[target], data[target + 1] = _CARET, _CARET
        begin = target + 2
        source, target = _copy_iri(data, source + 2, begin)
        if equal_bytes(data, begin, _RDF, 0, _RDF_LENGTH):
            return no, target, non_ascii  # only Oxigraph knows which of these types concern languages
        if target - begin == _STRING_LENGTH and equal_bytes(data, begin, _STRING, 0, _STRING_LENGTH):
            return no, target, non_ascii
    return source, target, non_ascii


@inlined
def _read_document(data, source, end, target):
    """Rewrite one document of a padded text, from `source` to `end`, where a newline follows it.

    Return the number of triples, -1 if the document is declined; where its rewritten text ends; and whether it has
    bytes that are not ASCII. The text is never longer than the part of the document that has been read.
    """
    declined, triples, non_ascii = np.int64(-1), np.int64(0), False
    while source < end:
        if data[source] == _NEWLINE:
            source += 1
            continue
        source, target = (
            _copy_iri(data, source, target) if data[source] == _LESS else _copy_blank_node(data, source, target)
        )
        if source < 0 or data[source] != _SPACE:
            return declined, target, non_ascii
        data[target] = _NEWLINE
        source, target = _copy_iri(data, source + 1, target + 1)
        if source < 0 or data[source] != _SPACE:
            return declined, target, non_ascii
        data[target] = _NEWLINE
        source, target = source + 1, target + 1
        if data[source] == _LESS:
            source, target = _copy_iri(data, source, target)
        elif data[source] == _QUOTE:
            source, target, more = _copy_literal(data, source, target)
            non_ascii |= more
        else:
            source, target = _copy_blank_node(data, source, target)
        if source < 0 or data[source] != _SPACE or data[source + 1] != _POINT or data[source + 2] != _NEWLINE:
            return declined, target, non_ascii
        data[target] = _NEWLINE
        source, target = source + 3, target + 1
        triples += 1
    return triples, target, non_ascii


@compiled
def read_plain_ntriples(data, ends, counts, text_ends):
    """Rewrite padded documents in place, as texts of one term per line, one after the other.

    Document i ends at `ends[i]`, where a newline follows it, and the next one begins after that. `counts[i]` becomes
    the number of its triples, -1 if it is declined, in which case it has no text; `text_ends[i]` becomes where its text
    ends. Return whether some text has bytes that are not ASCII; those are not checked.
    """
    source, target, non_ascii = np.int64(0), np.int64(0), False
    for i in range(ends.shape[0]):
        count, stop, more = _read_document(data, source, np.int64(ends[i]), target)
        if count >= 0:
            target = stop
            non_ascii |= more
        counts[i], text_ends[i] = count, target
        source = np.int64(ends[i]) + 1
    return non_ascii
