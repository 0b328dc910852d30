"""Map texts, as UTF-8 bytes, before needles are searched in them: to lower case, to upper case, or to their words.

The mappings are those of `str.lower`, `str.upper` and `gtopss.semantics.words.words_text`, byte for byte. All that
depends on Unicode or on HTML is in tables, which `gtopss.matching.index.text_tables` makes from these very functions.
What a table cannot say, because it depends on the characters around, is left to Python: a capital sigma in lower case,
which has another form at the end of a word; Hangul that is written in letters; combining marks that are out of order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gtopss.compiled import borrow, compiled, inlined, inner
from gtopss.matching.index.kernels.array_types import Int32Array, Int64Array, UInt8Array
from gtopss.matching.index.kernels.relations import LOWER, WORDS

GROWTH, ROOM = 4, 8
"""A mapped text of n bytes takes at most GROWTH * n + ROOM bytes."""
NEEDS_PYTHON = -1
"""The answer of a mapping that cannot map a text: malformed UTF-8, or one that tables cannot say."""

PAGE_BITS = 7
PAGE_SIZE = 1 << PAGE_BITS
LENGTH_BITS = 6
"""An image is where it begins in the heap, shifted by so many bits, and its length; 0 is the character itself."""
_LENGTH_MASK = (1 << LENGTH_BITS) - 1
_PAGE_MASK = PAGE_SIZE - 1

SEPARATOR_BYTE = 0x1F
SEPARATES, LETTER, MARK, SOLO, POINT, IGNORED = range(6)
"""The roles of characters, by the numbers of `gtopss.semantics.words.Role`."""
INLINE_ELEMENT, SEPARATING_ELEMENT, RAW_ELEMENT = range(3)
NAME_BASE = 37  # a name of an element is a number with these digits: 1 to 26 are letters, 27 to 36 digits
MAX_ELEMENT_NAME = 12
MAX_REFERENCE_NAME = 32

_AT_BREAK, _IN_WORD, _AFTER_SOLO, _AFTER_POINT = range(4)
_AS_TEXT, _AS_NOTHING, _AS_BLANK = range(3)
_REPLACEMENT = 0xFFFD
_CASE_BIT, _LETTERS = np.uint8(32), np.uint8(26)
_LAST_CODE = 0x10FFFF
_BLANK, _LESS, _GREATER, _AMPERSAND, _HASH, _SEMICOLON = 32, 60, 62, 38, 35, 59
_SLASH, _EXCLAMATION, _QUESTION, _HYPHEN, _EQUALS, _QUOTE, _APOSTROPHE = 47, 33, 63, 45, 61, 34, 39
_CDATA = b"<![CDATA["


class CaseTable(NamedTuple):
    """What characters become in lower or in upper case."""

    pages: Int32Array  # code point >> PAGE_BITS -> page
    images: Int32Array  # page, place in it -> image; -1 if Python must map the text
    heap: UInt8Array  # the bytes of all images


class WordsTable(NamedTuple):
    """What characters become in words, and the names that HTML knows."""

    pages: Int32Array
    images: Int32Array
    heap: UInt8Array
    roles: UInt8Array  # page, place in it -> role
    first_class: UInt8Array  # the combining class of the first character of the image
    last_class: UInt8Array
    ascii: UInt8Array  # letter or digit of ASCII -> its image; 0 for other bytes
    elements: Int64Array  # the names of HTML's elements as numbers, sorted
    element_kinds: UInt8Array
    names: UInt8Array  # the names of characters, sorted, one after the other
    name_starts: Int32Array  # one more at the end
    name_characters: Int32Array  # one or two for each name; -1 if there is no second
    controls: Int32Array  # what references to U+0080 to U+009F stand for


class TextTables(NamedTuple):
    """The tables of all mappings."""

    lower: CaseTable
    upper: CaseTable
    words: WordsTable


@inner
def map_text(tables, mapping, data, start, end, out, position):
    """Write the text data[start:end] in a mapping to out[position:]. Return the end there, or NEEDS_PYTHON.

    `out` must have GROWTH * (end - start) + ROOM bytes left. Bytes of markup are not checked to be UTF-8.
    """
    tables, data, out = borrow(tables), borrow(data), borrow(out)
    if mapping == WORDS:
        return _map_words(tables.words, data, start, end, out, position)
    if _is_ascii(data, start, end):
        first = np.uint8(65 if mapping == LOWER else 97)
        for i in range(end - start):
            byte = data[start + i]
            out[position + i] = byte ^ _CASE_BIT if np.uint8(byte - first) < _LETTERS else byte
        return position + end - start
    if mapping == LOWER:
        return _map_case(tables.lower, data, start, end, out, position)
    return _map_case(tables.upper, data, start, end, out, position)


@compiled
def map_one_text(tables, mapping, data, start, end, out, position):
    """Do the work of `map_text` for Python."""
    return map_text(tables, mapping, data, start, end, out, position)


@inlined
def _is_ascii(data, start, end):
    """Return whether all bytes are ASCII. Without an exit from the loop it is compiled to vector instructions."""
    seen = np.uint8(0)
    for i in range(start, end):
        seen |= data[i]
    return seen < 128


@inlined
def _is_continued(data, i, count):
    """Return whether so many bytes from `i` on continue a character."""
    found = 0
    for k in range(count):
        found += data[i + k] & 0xC0 == 0x80
    return found == count


@inlined
def _decode(data, i, end):
    """Return the code point at `i`, and how many bytes it has: 0 if that is no UTF-8."""
    byte = np.int64(data[i])
    if byte < 0x80:
        return byte, 1
    if 0xC2 <= byte <= 0xDF and i + 1 < end and _is_continued(data, i + 1, 1):
        return (byte & 0x1F) << 6 | np.int64(data[i + 1]) & 0x3F, 2
    if 0xE0 <= byte <= 0xEF and i + 2 < end and _is_continued(data, i + 1, 2):
        code = (byte & 0x0F) << 12 | (np.int64(data[i + 1]) & 0x3F) << 6 | np.int64(data[i + 2]) & 0x3F
        return code, 0 if code < 0x800 or 0xD800 <= code <= 0xDFFF else 3
    if 0xF0 <= byte <= 0xF4 and i + 3 < end and _is_continued(data, i + 1, 3):
        code = (byte & 0x07) << 18 | (np.int64(data[i + 1]) & 0x3F) << 12
        code |= (np.int64(data[i + 2]) & 0x3F) << 6 | np.int64(data[i + 3]) & 0x3F
        return code, 0 if code < 0x10000 or code > _LAST_CODE else 4
    return byte, 0


@inlined
def encode_character(code, out, position):
    """Write a character as UTF-8. Return the end."""
    if code < 0x80:
        out[position] = code
        return position + 1
    if code < 0x800:
        out[position] = 0xC0 | code >> 6
        out[position + 1] = 0x80 | code & 0x3F
        return position + 2
    if code < 0x10000:
        out[position] = 0xE0 | code >> 12
        out[position + 1] = 0x80 | code >> 6 & 0x3F
        out[position + 2] = 0x80 | code & 0x3F
        return position + 3
    out[position] = 0xF0 | code >> 18
    out[position + 1] = 0x80 | code >> 12 & 0x3F
    out[position + 2] = 0x80 | code >> 6 & 0x3F
    out[position + 3] = 0x80 | code & 0x3F
    return position + 4


@inlined
def _put_image(image, code, heap, out, position):
    """Write the image of a character, which is not -1. Return the end."""
    if image == 0:
        return encode_character(code, out, position)
    begin = image >> LENGTH_BITS
    length = image & _LENGTH_MASK
    for k in range(length):
        out[position + k] = heap[begin + k]
    return position + length


@inner
def _map_case(table, data, start, end, out, position):
    """Map a text to lower or upper case."""
    table, data, out = borrow(table), borrow(data), borrow(out)
    i = start
    while i < end:
        code, length = _decode(data, i, end)
        if length == 0:
            return NEEDS_PYTHON
        image = np.int64(table.images[table.pages[code >> PAGE_BITS] * PAGE_SIZE + (code & _PAGE_MASK)])
        if image < 0:
            return NEEDS_PYTHON
        position = _put_image(image, code, table.heap, out, position)
        i += length
    return position


# --- words ---------------------------------------------------------------------------------------------------------


@inner
def _map_words(words, data, start, end, out, position):
    """Map a text to its words, each after a separator, and a separator at the end."""
    words, data, out = borrow(words), borrow(data), borrow(out)
    out[position] = SEPARATOR_BYTE
    position += 1
    state, point, order = _AT_BREAK, np.int64(0), np.int64(0)
    i = start
    while i < end:
        byte = np.int64(data[i])
        image = words.ascii[byte]
        if image != 0 and state <= _IN_WORD:
            out[position] = image
            position += 1
            state, order = _IN_WORD, np.int64(0)
            i += 1
            continue
        code, second = byte, np.int64(-1)
        if byte == _LESS:
            i, kind = _skip_markup(words, data, i, end)
            if kind == _AS_NOTHING:
                continue
            code = np.int64(_BLANK)
        elif byte == _AMPERSAND:
            i, code, second = _read_reference(words, data, i, end)
        else:
            code, length = _decode(data, i, end)
            if length == 0:
                return NEEDS_PYTHON
            i += length
        while code >= 0:
            position, state, point, order = _put_in_words(words, code, out, position, state, point, order)
            if position < 0:
                return NEEDS_PYTHON
            code, second = second, np.int64(-1)
    if state != _AT_BREAK:
        out[position] = SEPARATOR_BYTE
        position += 1
    return position


@inlined
def _put_in_words(words, code, out, position, state, point, order):
    """Write a character of a text. Return the end, the state, the point that waits, and the last combining class.

    A point after a digit waits for the next character, because it is part of a number only before another digit.
    """
    place = words.pages[code >> PAGE_BITS] * PAGE_SIZE + (code & _PAGE_MASK)
    role = words.roles[place]
    image = np.int64(words.images[place])
    if role == IGNORED:
        return position, state, point, order
    if role == POINT and state == _IN_WORD and 48 <= out[position - 1] <= 57:
        return position, _AFTER_POINT, code, order
    if role in (SEPARATES, POINT) or (role == MARK and state == _AFTER_POINT):
        if state != _AT_BREAK:
            out[position] = SEPARATOR_BYTE
            position += 1
        return position, _AT_BREAK, point, np.int64(0)
    if role == MARK and state == _AT_BREAK:
        return position, state, point, order
    if image < 0:
        return np.int64(NEEDS_PYTHON), state, point, order
    if role == MARK:
        first = np.int64(words.first_class[place])
        if first != 0 and order > first:
            return np.int64(NEEDS_PYTHON), state, point, order
        position = _put_image(image, code, words.heap, out, position)
        return position, state, point, np.int64(words.last_class[place])
    begin = code if image == 0 else np.int64(words.heap[image >> LENGTH_BITS])
    if state == _AFTER_POINT and role == LETTER and _is_digit(begin):
        out[position] = point
        position += 1
    elif state in (_AFTER_SOLO, _AFTER_POINT) or (role == SOLO and state == _IN_WORD):
        out[position] = SEPARATOR_BYTE
        position += 1
    position = _put_image(image, code, words.heap, out, position)
    return position, _AFTER_SOLO if role == SOLO else _IN_WORD, point, np.int64(words.last_class[place])


@inlined
def _is_letter(byte):
    return 97 <= byte | 32 <= 122


@inlined
def _is_digit(byte):
    return 48 <= byte <= 57


@inlined
def _is_blank(byte):
    return byte == 32 or 9 <= byte <= 10 or 12 <= byte <= 13


@inlined
def _ends_name(byte):
    """Return whether a byte may follow the name of an element: a blank of HTML, a slash, or the end of the tag."""
    return _is_blank(byte) or byte in (_SLASH, _GREATER)


@inlined
def _skip_markup(words, data, i, end):
    """Read the markup that the `<` at `i` may begin. Return what follows it, and what it is in the text."""
    if i + 1 >= end:
        return i + 1, _AS_TEXT
    byte = data[i + 1]
    if byte in (_EXCLAMATION, _QUESTION):
        return _skip_declaration(data, i, end)
    closing = byte == _SLASH
    name_start = i + 2 if closing else i + 1
    name, j = _element_name(data, name_start, end)
    if name == 0:
        return i + 1, _AS_TEXT
    j = _tag_end(data, j, end)
    kind = _find_element(words, name)
    if j < 0 or kind < 0:
        return i + 1, _AS_TEXT
    if kind == RAW_ELEMENT and not closing:
        return _raw_end(data, j, end, name), _AS_BLANK
    return j, _AS_NOTHING if kind == INLINE_ELEMENT else _AS_BLANK


@inlined
def _skip_declaration(data, i, end):
    """Read a comment, the beginning of a CDATA section, or a declaration, which begin with `<!` or `<?`."""
    if i + 3 < end and data[i + 1] == _EXCLAMATION and data[i + 2] == _HYPHEN and data[i + 3] == _HYPHEN:
        i += 4
        if i < end and data[i] == _GREATER:
            return i + 1, _AS_NOTHING
        if i + 1 < end and data[i] == _HYPHEN and data[i + 1] == _GREATER:
            return i + 2, _AS_NOTHING
        while i + 2 < end:
            if data[i] == _HYPHEN and data[i + 1] == _HYPHEN and data[i + 2] == _GREATER:
                return i + 3, _AS_NOTHING
            i += 1
        return end, _AS_NOTHING
    if i + len(_CDATA) <= end:
        same = 0
        for k in range(len(_CDATA)):
            same += data[i + k] == _CDATA[k]
        if same == len(_CDATA):
            return i + same, _AS_BLANK
    if i + 2 < end and _is_letter(data[i + 2]):
        j = i + 3
        while j < end and data[j] != _LESS and data[j] != _GREATER:
            j += 1
        if j < end and data[j] == _GREATER:
            return j + 1, _AS_BLANK
    return i + 1, _AS_TEXT


@inlined
def _element_name(data, i, end):
    """Return the name of an element at `i` as a number, in any case, and its end; 0 if there is no such name."""
    if i >= end or not _is_letter(data[i]):
        return np.int64(0), i
    name, j = np.int64(0), i
    while j < end and j - i <= MAX_ELEMENT_NAME:
        byte = np.int64(data[j])
        if _is_letter(byte):
            digit = (byte | 32) - 96
        elif _is_digit(byte):
            digit = byte - 21
        else:
            break
        if j - i < MAX_ELEMENT_NAME:
            name = NAME_BASE * name + digit
        j += 1
    if j - i > MAX_ELEMENT_NAME or j >= end or not _ends_name(data[j]):
        return np.int64(0), j
    return name, j


@inlined
def _tag_end(data, i, end):
    """Return what follows the tag whose attributes are at `i`; -1 if it has no end before the next `<`."""
    while i < end:
        byte = data[i]
        if byte == _GREATER:
            return i + 1
        if byte == _LESS:
            return np.int64(-1)
        i += 1
        if byte == _EQUALS:
            j = i
            while j < end and _is_blank(data[j]):
                j += 1
            if j < end and (data[j] == _QUOTE or data[j] == _APOSTROPHE):
                quote = data[j]
                j += 1
                while j < end and data[j] != quote and data[j] != _LESS:
                    j += 1
                if j < end and data[j] == quote:
                    i = j + 1
    return np.int64(-1)


@inlined
def _find_element(words, name):
    """Return the kind of an element; -1 if HTML does not have it."""
    low, high = 0, words.elements.shape[0]
    while low < high:
        middle = (low + high) // 2
        if words.elements[middle] < name:
            low = middle + 1
        else:
            high = middle
    if low < words.elements.shape[0] and words.elements[low] == name:
        return np.int64(words.element_kinds[low])
    return np.int64(-1)


@inlined
def _raw_end(data, i, end, name):
    """Return where the end tag of a script or style begins; the end of the text if there is none."""
    while i + 2 < end:
        if data[i] == _LESS and data[i + 1] == _SLASH:
            found, _ = _element_name(data, i + 2, end)
            if found == name:
                return i
        i += 1
    return end


@inlined
def _read_reference(words, data, i, end):
    """Read the character reference that the `&` at `i` may begin. Return what follows it, and one or two characters."""
    text = i + 1, np.int64(_AMPERSAND), np.int64(-1)
    j = i + 1
    if j < end and data[j] == _HASH:
        return _read_number(words, data, i, end)
    if j >= end or not _is_letter(data[j]):
        return text
    while j < end and j - i <= MAX_REFERENCE_NAME and (_is_letter(data[j]) or _is_digit(data[j])):
        j += 1
    if j >= end or data[j] != _SEMICOLON:
        return text
    name = _find_name(words, data, i + 1, j)
    if name < 0:
        return text
    return j + 1, np.int64(words.name_characters[2 * name]), np.int64(words.name_characters[2 * name + 1])


@inlined
def _read_number(words, data, i, end):
    """Read a numeric reference: `&#8217;` or `&#x2019;`."""
    text = i + 1, np.int64(_AMPERSAND), np.int64(-1)
    base, j = np.int64(10), i + 2
    if j < end and data[j] | 32 == 120:
        base, j = np.int64(16), j + 1
    first, code = j, np.int64(0)
    while j < end:
        byte = np.int64(data[j])
        if _is_digit(byte):
            digit = byte - 48
        elif base == 16 and 97 <= byte | 32 <= 102:
            digit = (byte | 32) - 87
        else:
            break
        code = min(code * base + digit, np.int64(_LAST_CODE + 1))
        j += 1
    if j == first or j >= end or data[j] != _SEMICOLON:
        return text
    if code == 0 or code > _LAST_CODE or 0xD800 <= code <= 0xDFFF:
        code = np.int64(_REPLACEMENT)
    elif 0x80 <= code <= 0x9F:
        code = np.int64(words.controls[code - 0x80])
    return j + 1, code, np.int64(-1)


@inlined
def _find_name(words, data, start, end):
    """Return the number of the name of a character; -1 if HTML does not have it."""
    low, high = 0, words.name_starts.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        order = _compare_name(words, middle, data, start, end)
        if order == 0:
            return middle
        if order < 0:
            low = middle + 1
        else:
            high = middle
    return -1


@inlined
def _compare_name(words, number, data, start, end):
    """Return a number below, equal to or above 0, as the name with this number is below, equal to or above a text."""
    i, stop = words.name_starts[number], words.name_starts[number + 1]
    j = start
    while i < stop and j < end:
        difference = np.int64(words.names[i]) - np.int64(data[j])
        if difference != 0:
            return difference
        i += 1
        j += 1
    return np.int64((stop - i) - (end - j))
