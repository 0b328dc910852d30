"""Make the tables of `kernels.text_mappings` from the functions that define the mappings.

A table has a page for each 128 code points, and equal pages are one. Making all takes about 0.2 seconds, once in a
process that needs them.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gtopss.matching.index.kernels.array_types import UInt8Array
from gtopss.matching.index.kernels.text_mappings import (
    INLINE_ELEMENT,
    LENGTH_BITS,
    NAME_BASE,
    PAGE_SIZE,
    RAW_ELEMENT,
    SEPARATING_ELEMENT,
    CaseTable,
    TextTables,
    WordsTable,
)
from gtopss.semantics.html_text import (
    INLINE_ELEMENTS,
    NAMED_CHARACTERS,
    RAW_ELEMENTS,
    SEPARATING_ELEMENTS,
    numbered_character,
)
from gtopss.semantics.words import Role, character_image, character_role, is_jamo, is_unspaced

_SIGMA = "Σ"  # in lower case it has another form at the end of a word
_CHARACTERS = range(0x40000), range(0xE0000, 0xE1000)
"""Code points that Unicode has assigned; the others have no case, and separate words."""


@cache
def text_tables(*, words: bool) -> TextTables:
    """Return the tables of all mappings; without `words` that of words is empty, because it takes longest to make."""
    return TextTables(
        _case_table(str.lower, _SIGMA), _case_table(str.upper, ""), _words_table() if words else empty_tables().words
    )


@cache
def empty_tables() -> TextTables:
    """Return tables that map nothing, from which the kernels know the type of all others."""

    def array(kind: npt.DTypeLike) -> npt.NDArray[Any]:
        return np.zeros(1, kind)

    u1, i4, i8 = np.uint8, np.int32, np.int64
    case = CaseTable(array(i4), array(i4), array(u1))
    kinds = (i4, i4, u1, u1, u1, u1, u1, i8, u1, u1, i4, i4, i4)
    return TextTables(case, case, WordsTable(*map(array, kinds)))


class _Entry(NamedTuple):
    """What a table says of a character: its image (None: itself), and for words its role and combining classes."""

    image: bytes | None = None
    is_left_to_python: bool = False
    role: int = 0
    first_class: int = 0
    last_class: int = 0


_Page: TypeAlias = tuple[_Entry, ...]
_ITSELF, _LETTER, _SOLO = _Entry(), _Entry(role=Role.LETTER), _Entry(role=Role.SOLO)
_UNCHANGED: _Page = (_ITSELF,) * PAGE_SIZE


class _Pages:
    """The pages of a table, and the heap of its images."""

    def __init__(self, page_of: Callable[[str], _Page]) -> None:
        numbers: dict[_Page, int] = {_UNCHANGED: 0}
        self.numbers = np.zeros((sys.maxunicode + 1) // PAGE_SIZE, np.int32)
        for start in chain.from_iterable(range(each.start, each.stop, PAGE_SIZE) for each in _CHARACTERS):
            page = page_of("".join(map(chr, range(start, start + PAGE_SIZE))))
            self.numbers[start // PAGE_SIZE] = numbers.setdefault(page, len(numbers))
        self.entries = list(chain.from_iterable(numbers))
        heap, places = bytearray(), dict[bytes, int]()
        for entry in self.entries:
            if entry.image is not None and entry.image not in places:
                assert len(entry.image) < 1 << LENGTH_BITS
                places[entry.image] = len(heap)
                heap += entry.image
        self.heap = _byte_array(heap or b"\0")
        self.images = np.array([_image_number(entry, places) for entry in self.entries], np.int32)


def _image_number(entry: _Entry, places: dict[bytes, int]) -> int:
    if entry.is_left_to_python:
        return -1
    return 0 if entry.image is None else places[entry.image] << LENGTH_BITS | len(entry.image)


def _case_table(mapping: Callable[[str], str], left_to_python: str) -> CaseTable:
    def page_of(characters: str) -> _Page:
        if mapping(characters) == characters:
            return _UNCHANGED
        return tuple(
            _ITSELF if mapping(each) == each else _Entry(mapping(each).encode(), each in left_to_python)
            for each in characters
        )

    pages = _Pages(page_of)
    return CaseTable(pages.numbers, pages.images, pages.heap)


def _words_page(characters: str) -> _Page:
    categories = set(map(unicodedata.category, characters))
    if categories <= {"Cn", "Co", "Cs"}:
        return _UNCHANGED  # they separate words
    is_unchanged = unicodedata.is_normalized("NFKD", characters) and characters.casefold() == characters
    if categories == {"Lo"} and is_unchanged and not any(map(is_jamo, characters)):
        return tuple([_SOLO if is_unspaced(each) else _LETTER for each in characters])  # most are ideographs
    return tuple(map(_words_entry, characters))


def _words_entry(character: str) -> _Entry:
    role = character_role(character)
    if role in (Role.SEPARATOR, Role.POINT, Role.IGNORED):
        return _Entry(role=role)
    image = character_image(character)
    classes = unicodedata.combining(image[0]), unicodedata.combining(image[-1])
    return _Entry(None if image == character else image.encode(), is_jamo(character), role, *classes)


def _words_table() -> WordsTable:
    pages = _Pages(_words_page)
    folded = [ord(chr(byte).lower()) if chr(byte).isascii() and chr(byte).isalnum() else 0 for byte in range(256)]
    kinds = {
        **dict.fromkeys(INLINE_ELEMENTS, INLINE_ELEMENT),
        **dict.fromkeys(SEPARATING_ELEMENTS, SEPARATING_ELEMENT),
        **dict.fromkeys(RAW_ELEMENTS, RAW_ELEMENT),
    }
    elements = sorted((_name_number(name), kind) for name, kind in kinds.items())
    names = sorted((name.encode(), value) for name, value in NAMED_CHARACTERS.items())
    return WordsTable(
        pages.numbers,
        pages.images,
        pages.heap,
        np.array([entry.role for entry in pages.entries], np.uint8),
        np.array([entry.first_class for entry in pages.entries], np.uint8),
        np.array([entry.last_class for entry in pages.entries], np.uint8),
        np.array(folded, np.uint8),
        np.array([number for number, _ in elements], np.int64),
        np.array([kind for _, kind in elements], np.uint8),
        _byte_array(b"".join(name for name, _ in names)),
        np.array([0, *accumulate(len(name) for name, _ in names)], np.int32),
        np.array([[ord(value[0]), ord(value[1]) if len(value) > 1 else -1] for _, value in names], np.int32).ravel(),
        np.array([ord(numbered_character(str(code))) for code in range(0x80, 0xA0)], np.int32),
    )


def _name_number(name: str) -> int:
    """Return the name of an element as the kernels compute it."""
    number = 0
    for each in name:
        number = NAME_BASE * number + (ord(each) - 96 if each.isalpha() else ord(each) - 21)
    return number


def _byte_array(data: bytes | bytearray) -> UInt8Array:
    return np.frombuffer(bytes(data), np.uint8).copy()
