"""Plain N-Triples read by a loop of our own: a document's bytes become the text that the other kernels take.

Only what is plainly right, and written as Oxigraph would write it, is read here: three terms and a full stop, one space
between them, IRIs in ASCII, escapes where N-Triples demands them. Anything else is declined, and Oxigraph decides about
it. So to decline is never wrong, only slower; to accept what Oxigraph refuses, or would write otherwise, is a mistake
(tests/unit/gtopss/matching/index/kernels/test_ntriples.py looks for one).
"""

from __future__ import annotations

import string

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.terms import PADDING, same
from gtopss.model.terms import RDF, XSD_STRING

_IRI, _SCHEME, _HOST, _DIGIT, _HEX, _LABEL, _PLAIN, _LETTER = (1 << bit for bit in range(8))
"""Classes of bytes: of an IRI after its scheme, of a scheme, of a host, ..., of a literal, of a language."""


def _classes() -> UInt8Array:
    lower, letters, digits = string.ascii_lowercase, string.ascii_letters, string.digits
    made = np.zeros(256, np.uint8)
    for bit, characters in [
        (_IRI, letters + digits + "-._~!$&'()*+,;=:@/?"),
        (_SCHEME, lower + digits + "+.-"),
        (_HOST, letters + digits + ".-"),
        (_DIGIT, digits),
        (_HEX, string.hexdigits),
        (_LABEL, letters + digits + "_"),
        (_PLAIN, [chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\']),
        (_LETTER, letters),
    ]:
        made[[ord(each) for each in characters]] |= bit
    return made


_CLASSES = _classes()
_NEWLINE, _SPACE, _QUOTE, _HASH, _PERCENT, _MINUS, _POINT, _SLASH = 10, 32, 34, 35, 37, 45, 46, 47
_COLON, _LESS, _GREATER, _QUESTION, _AT, _BACKSLASH, _CARET, _UNDERSCORE = 58, 60, 62, 63, 64, 92, 94, 95
_B, _F, _N, _R, _T = 98, 102, 110, 114, 116
_SMALL = 0x20  # the bit that makes a letter small
_FOREIGN = 0x80
_STRING = np.frombuffer(f"<{XSD_STRING}>".encode() + PADDING, np.uint8)
_STRING_LENGTH = len(_STRING) - len(PADDING)
_RDF = np.frombuffer(f"<{RDF}".encode() + PADDING, np.uint8)
_RDF_LENGTH = len(_RDF) - len(PADDING)


@inlined
def _run(data, i, o, kind):
    """Bytes of one class, moved from `i` to `o`: where both are then. Here nearly all time is spent, a third less of it
    with places that the compiler knows not to be negative."""
    read, write = np.uint64(i), np.uint64(o)
    while _CLASSES[data[read]] & kind:
        data[write] = data[read]
        read += np.uint64(1)
        write += np.uint64(1)
    return np.int64(read), np.int64(write)


@inlined
def _iri(data, i, o):
    """An IRI, moved from `i` to `o`: where both are then; -1 if it is not a plain one."""
    no = np.int64(-1)
    if data[i] != _LESS or not (_CLASSES[data[i + 1]] & _LETTER):
        return no, o
    data[o] = _LESS
    i, o = _run(data, i + 1, o + 1, _SCHEME)
    if data[i] != _COLON:
        return no, o
    data[o] = _COLON
    i, o = i + 1, o + 1
    if data[i] == _SLASH and data[i + 1] == _SLASH:
        data[o], data[o + 1] = _SLASH, _SLASH
        i, o = _run(data, i + 2, o + 2, _HOST)
        if data[i] == _COLON:
            data[o] = _COLON
            i, o = _run(data, i + 1, o + 1, _DIGIT)
        if data[i] != _SLASH and data[i] != _GREATER and data[i] != _HASH and data[i] != _QUESTION:
            return no, o
    fragment = False
    while True:
        i, o = _run(data, i, o, _IRI)
        if data[i] == _GREATER:
            data[o] = _GREATER
            return i + 1, o + 1
        if data[i] == _HASH and not fragment:
            fragment = True
        elif data[i] != _PERCENT or not (_CLASSES[data[i + 1]] & _HEX) or not (_CLASSES[data[i + 2]] & _HEX):
            return no, o
        data[o] = data[i]
        i, o = i + 1, o + 1


@inlined
def _blank(data, i, o):
    """A blank node, moved from `i` to `o`."""
    if data[i] != _UNDERSCORE or data[i + 1] != _COLON or not (_CLASSES[data[i + 2]] & _LABEL):
        return np.int64(-1), o
    data[o], data[o + 1] = _UNDERSCORE, _COLON
    return _run(data, i + 2, o + 2, _LABEL)


@inlined
def _language(data, i, o):
    """A language of two or three letters, and perhaps a country of two, moved from `i` to `o` and made small."""
    country = False
    while True:
        first = i
        while _CLASSES[data[i]] & _LETTER:
            data[o] = data[i] | _SMALL
            i, o = i + 1, o + 1
        if i - first != 2 and (country or i - first != 3):
            return np.int64(-1), o
        if country or data[i] != _MINUS:
            return i, o
        data[o] = _MINUS
        i, o, country = i + 1, o + 1, True


@inlined
def _literal(data, i, o):
    """A literal, moved from `i` to `o`, and whether it has bytes that are not ASCII."""
    no, foreign = np.int64(-1), False
    if data[i] != _QUOTE:
        return no, o, foreign
    data[o] = _QUOTE
    i, o = i + 1, o + 1
    while True:
        i, o = _run(data, i, o, _PLAIN)
        c = data[i]
        if c >= _FOREIGN:
            foreign = True
        elif c == _BACKSLASH:
            d = data[i + 1]
            if d not in (_N, _QUOTE, _BACKSLASH, _T, _R, _B, _F):
                return no, o, foreign
            data[o] = _BACKSLASH
            i, o = i + 1, o + 1
        elif c != _QUOTE:
            return no, o, foreign
        data[o] = data[i]
        i, o = i + 1, o + 1
        if c == _QUOTE:
            break
    if data[i] == _AT:
        data[o] = _AT
        i, o = _language(data, i + 1, o + 1)
    elif data[i] == _CARET and data[i + 1] == _CARET:
        data[o], data[o + 1] = _CARET, _CARET
        begin = o + 2
        i, o = _iri(data, i + 2, begin)
        if same(data, begin, _RDF, 0, _RDF_LENGTH):
            return no, o, foreign  # which of its types say something about languages is Oxigraph's to know
        if o - begin == _STRING_LENGTH and same(data, begin, _STRING, 0, _STRING_LENGTH):
            return no, o, foreign
    return i, o, foreign


@compiled
def read_plain_ntriples(data):
    """Rewrite a padded document as a text of a term a line: the number of its triples, the text's length, and whether
    it has bytes that are not ASCII, which nobody has checked. -1 triples if it is declined; `data` is spoiled then.

    The text is written over the document: it is never longer than what has been read of it.
    """
    declined = (np.int64(-1), np.int64(0), False)
    end = np.int64(data.shape[0] - 16)
    i, o, triples, foreign = np.int64(0), np.int64(0), np.int64(0), False
    while i < end:
        if data[i] == _NEWLINE:
            i += 1
            continue
        i, o = _iri(data, i, o) if data[i] == _LESS else _blank(data, i, o)
        if i < 0 or data[i] != _SPACE:
            return declined
        data[o] = _NEWLINE
        i, o = _iri(data, i + 1, o + 1)
        if i < 0 or data[i] != _SPACE:
            return declined
        data[o] = _NEWLINE
        i, o = i + 1, o + 1
        if data[i] == _LESS:
            i, o = _iri(data, i, o)
        elif data[i] == _QUOTE:
            i, o, more = _literal(data, i, o)
            foreign |= more
        else:
            i, o = _blank(data, i, o)
        if i < 0 or data[i] != _SPACE or data[i + 1] != _POINT or data[i + 2] != _NEWLINE:
            return declined
        data[o] = _NEWLINE
        i, o = i + 3, o + 1
        triples += 1
    return triples, o, foreign
