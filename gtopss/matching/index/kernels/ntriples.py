"""Read plain N-Triples and N-Quads: rewrite the bytes of documents as the text that the other kernels take.

Only lines that are clearly valid, and written as Oxigraph would write them, are read here: three terms and a full stop,
one space between them, IRIs in ASCII, escapes where N-Triples requires them. Anything else is declined, and Oxigraph
parses the document instead. So declining is never wrong, only slower; accepting what Oxigraph refuses, or would write
otherwise, is an error (tests/unit/gtopss/matching/index/kernels/test_ntriples.py looks for one).

Each `_copy_...` kernel copies one part of a line from position `source` to position `target` of the same array.
"""

from __future__ import annotations

import string
from typing import NamedTuple

import numpy as np

from gtopss.compiled import compiled, inlined
from gtopss.matching.index.kernels.array_types import Int64Array, UInt8Array
from gtopss.matching.index.kernels.namespaces import RDF, XSD_STRING
from gtopss.matching.index.kernels.terms import PADDING, PADDING_BYTES, equal_bytes

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
MAX_KERNEL_BYTES = 1 << 23
"""Bytes of a document, or of a line of N-Quads, for the kernel; pyoxigraph reads larger ones. It refuses a term of
twice as many bytes, and what it refuses must be refused here too."""
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
def _character_bytes(data, source):
    """Return the number of bytes of a character beyond ASCII.

    Return 0 if the bytes are not UTF-8, or if Oxigraph writes the character as an escape: U+FFFE and U+FFFF.
    """
    first, second = data[source], data[source + 1]
    if first < 0xC2 or first > 0xF4 or (second & 0xC0) != 0x80:
        return 0
    if first < 0xE0:
        return 2
    third = data[source + 2]
    if (third & 0xC0) != 0x80:
        return 0
    if first < 0xF0:
        too_short, surrogate = first == 0xE0 and second < 0xA0, first == 0xED and second >= 0xA0
        escaped = first == 0xEF and second == 0xBF and third >= 0xBE
        return 0 if too_short or surrogate or escaped else 3
    too_short, too_large = first == 0xF0 and second < 0x90, first == 0xF4 and second >= 0x90
    return 0 if too_short or too_large or (data[source + 3] & 0xC0) != 0x80 else 4


@inlined
def _copy_literal(data, source, target):
    """Copy a literal. Return as `_copy_iri` does."""
    no = np.int64(-1)
    if data[source] != _QUOTE:
        return no, target
    data[target] = _QUOTE
    source, target = source + 1, target + 1
    while True:
        source, target = _copy_class(data, source, target, _IN_LITERAL)
        c, count = data[source], 1
        if c >= _FIRST_NON_ASCII:
            count = _character_bytes(data, source)
            if count == 0:
                return no, target
        elif c == _BACKSLASH:
            d = data[source + 1]
            if d not in (_N, _QUOTE, _BACKSLASH, _T, _R, _B, _F):
                return no, target
            count = 2
        elif c != _QUOTE:
            return no, target
        for i in range(count):
            data[target + i] = data[source + i]
        source, target = source + count, target + count
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
            return no, target  # only Oxigraph knows which of these types concern languages
        if target - begin == _STRING_LENGTH and equal_bytes(data, begin, _STRING, 0, _STRING_LENGTH):
            return no, target
    return source, target


@inlined
def _copy_node(data, source, target):
    """Copy an IRI or a blank node. Return as `_copy_iri` does."""
    if data[source] == _LESS:
        return _copy_iri(data, source, target)
    return _copy_blank_node(data, source, target)


@inlined
def _copy_triple(data, source, target):
    """Copy the three terms of a line, each to a line of its own. Return as `_copy_iri` does, after the third space."""
    no = np.int64(-1)
    source, target = _copy_node(data, source, target)
    if source < 0 or data[source] != _SPACE:
        return no, target
    data[target] = _NEWLINE
    source, target = _copy_iri(data, source + 1, target + 1)
    if source < 0 or data[source] != _SPACE:
        return no, target
    data[target] = _NEWLINE
    source, target = source + 1, target + 1
    if data[source] == _QUOTE:
        source, target = _copy_literal(data, source, target)
    else:
        source, target = _copy_node(data, source, target)
    if source < 0 or data[source] != _SPACE:
        return no, target
    data[target] = _NEWLINE  # perhaps in the place of the space
    return source + 1, target + 1


@inlined
def _end_of_line(data, source, end):
    """Return the position after a full stop, and a newline or the end of the document; -1 if they are not there."""
    if data[source] != _POINT:
        return np.int64(-1)
    stop = source + 1
    if stop < end and data[stop] == _NEWLINE:
        return stop + 1
    return stop if stop == end else np.int64(-1)


@inlined
def _read_document(data, source, end, target):
    """Rewrite one document of a padded text, from `source` to `end`.

    Return the number of triples, -1 if the document is declined; and where its rewritten text ends. The text is never
    longer than the part of the document that has been read. A newline stands at `end` meanwhile: no term goes past it,
    so that a document that ends within a term does not write into the next one.
    """
    triples, next_document = np.int64(0), data[end]
    data[end] = _NEWLINE
    while source < end:
        if data[source] == _NEWLINE:
            source += 1
            continue
        source, target = _copy_triple(data, source, target)
        if source >= 0:
            source = _end_of_line(data, source, end)
        if source < 0:
            triples = np.int64(-1)
            break
        triples += 1
    data[end] = next_document
    return triples, target


@inlined
def _pad(data, target):
    """Write padding after a text, which ends early enough: the data is longer by its own padding."""
    for i in range(PADDING_BYTES):
        data[target + i] = _NEWLINE


@compiled
def read_plain_ntriples(data, starts, counts, text_ends):
    """Rewrite documents in place, as texts of one term per line, one after the other, with padding after the last.

    Document i begins at `starts[i]` and ends where the next one begins; padding follows the last one. `counts[i]`
    becomes the number of its triples, -1 if it is declined, in which case it has no text; `text_ends[i]` becomes where
    its text ends.
    """
    target = np.int64(0)
    for i in range(starts.shape[0] - 1):
        source, end = np.int64(starts[i]), np.int64(starts[i + 1])
        count, stop = np.int64(-1), target
        if end - source <= MAX_KERNEL_BYTES:
            count, stop = _read_document(data, source, end, target)
        if count >= 0:
            target = stop
        counts[i], text_ends[i] = count, target
    _pad(data, target)


class GraphNames(NamedTuple):
    """The names of graphs, one after the other: IRIs and blank nodes as in N-Triples, nothing for the default graph."""

    text: UInt8Array
    ends: Int64Array


@inlined
def _read_graph_name(data, source, target):
    """Copy the name of a line's graph to `target`. Return the position after it and its space (-1 if it is not plain),
    and where the copy ends. A line without a name is of the default graph."""
    if data[source] == _POINT:
        return source, target
    source, stop = _copy_node(data, source, target)
    if source < 0 or data[source] != _SPACE:
        return np.int64(-1), stop
    return source + 1, stop


@compiled
def read_plain_nquads(data, end, counts, text_ends, names):
    """Rewrite an N-Quads document of `end` bytes in place, as `read_plain_ntriples` does, and write its graphs' names.

    Successive lines of one graph become one text. Return the number of texts, of which a graph has several if its
    lines are in several places; -1 if the document is declined, as one is with a line above MAX_KERNEL_BYTES. Padding
    follows the document, and then its text. The arrays must have an element for each line, and `names.text` one for
    each byte.
    """
    source, target, graphs, name_begin, name_end = np.int64(0), np.int64(0), 0, np.int64(0), np.int64(0)
    while source < end:
        if data[source] == _NEWLINE:
            source += 1
            continue
        line = source
        source, target = _copy_triple(data, source, target)
        if source < 0:
            return -1
        source, stop = _read_graph_name(data, source, target)
        if source >= 0:
            source = _end_of_line(data, source, end)
        if source < 0 or source - line > MAX_KERNEL_BYTES:
            return -1
        length = stop - target
        is_same = graphs > 0 and length == name_end - name_begin
        if not (is_same and equal_bytes(data, target, names.text, name_begin, length)):
            name_begin = name_end
            for i in range(length):
                names.text[name_end + i] = data[target + i]
            name_end += length
            names.ends[graphs], counts[graphs] = name_end, 0
            graphs += 1
        counts[graphs - 1] += 1
        text_ends[graphs - 1] = target
    _pad(data, target)
    return graphs
