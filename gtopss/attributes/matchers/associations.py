"""Which predicates belong to which subscriptions: byte matrix, bit matrix (ToPSS, sections 3.3 and 5.1.2); the third
form, lists, is `hits.Postings`.

A matrix has a row for each predicate and a column for each subscription's slot. A row costs its whole length whoever
has the predicate; the bit matrix handles 64 subscriptions with one operation. "Through appropriate comparison
operations on the byte and word level": the text does not say which, so ours are bit-sliced counters: plane k holds
bit k of every subscription's count, and rows are added up by full adders on whole words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.matchers.hits import best_sums
from gtopss.attributes.matchers.predicate_clusters import Satisfied

_BLOCK = 512
"""Words that are added up at a time, so that all rows of a block stay in the processor's cache."""
_Cell = TypeVar("_Cell", np.uint8, np.uint64)


class Association(Protocol):
    """Pairs of predicate number and subscription slot."""

    def add(self, predicate: int, slot: int) -> None: ...
    def discard(self, predicate: int, slot: int) -> None: ...

    def count(self, satisfied: Satisfied, slots: int, counters: AttributeCounters) -> NDArray[Any]:
        """How many satisfied predicates each slot has."""
        ...


class ByteMatrix:
    """`_cells[predicate, slot]`, uint8: 1 where they are associated."""

    def __init__(self) -> None:
        self._cells = np.zeros((8, 64), np.uint8)

    def add(self, predicate: int, slot: int) -> None:
        self._cells = _grown(self._cells, predicate, slot)
        self._cells[predicate, slot] = 1

    def discard(self, predicate: int, slot: int) -> None:
        self._cells[predicate, slot] = 0

    def count(self, satisfied: Satisfied, slots: int, counters: AttributeCounters) -> NDArray[Any]:
        def sum_up(numbers: list[int]) -> NDArray[Any]:
            hits = _counts(slots, len(numbers))
            for number in numbers:
                hits += self._cells[number, :slots]
            counters.additions += len(numbers) * slots
            return hits

        return best_sums(satisfied, sum_up)


class BitMatrix:
    """`_words[predicate, slot // 64]`, uint64: bit slot % 64 is set where they are associated."""

    def __init__(self) -> None:
        self._words = np.zeros((8, 1), np.uint64)

    def add(self, predicate: int, slot: int) -> None:
        self._words = _grown(self._words, predicate, slot >> 6)
        self._words[predicate, slot >> 6] |= _bit(slot)

    def discard(self, predicate: int, slot: int) -> None:
        self._words[predicate, slot >> 6] &= ~_bit(slot)

    def count(self, satisfied: Satisfied, slots: int, counters: AttributeCounters) -> NDArray[Any]:
        words = (slots + 63) >> 6

        def sum_up(numbers: list[int]) -> NDArray[Any]:
            hits = _counts(words << 6, len(numbers))
            for start in range(0, words, _BLOCK):
                end = min(words, start + _BLOCK)
                for place, plane in enumerate(_planes(self._words[numbers, start:end])):
                    bits = np.unpackbits(plane.astype("<u8").view(np.uint8), bitorder="little")
                    hits[start << 6 : end << 6] += bits.astype(hits.dtype) << place
            counters.additions += len(numbers) * words
            return hits[:slots]

        return best_sums(satisfied, sum_up)


def _counts(length: int, most: int) -> NDArray[Any]:
    """A hit vector, of bytes as the paper's is, unless there are so many rows that a count may exceed them."""
    return np.zeros(length, np.uint8 if most < 256 else np.int64)


def _planes(rows: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
    """The bits of the sums of all columns, lowest first: `rows` is (addend, word), a plane is (word,).

    Full adders turn three rows into one of the same weight and one of twice that, many at a time.
    """
    while len(rows):
        carries = []
        while len(rows) > 2:
            third = len(rows) // 3
            one, two, three = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
            half = one ^ two
            carries.append((one & two) | (half & three))
            rows = np.concatenate([half ^ three, rows[3 * third :]])
        if len(rows) == 2:
            carries.append(rows[:1] & rows[1:])
            rows = rows[:1] ^ rows[1:]
        yield rows[0]
        rows = np.concatenate(carries) if carries else rows[:0]
        rows = rows[rows.any(axis=1)]


def _bit(slot: int) -> np.uint64:
    return np.uint64(1 << (slot & 63))


def _grown(matrix: NDArray[_Cell], row: int, column: int) -> NDArray[_Cell]:
    """The matrix, or one of at least twice its size in the direction in which it was too small."""
    rows, columns = matrix.shape
    if row < rows and column < columns:
        return matrix
    made = np.zeros((_double(rows, row), _double(columns, column)), matrix.dtype)
    made[:rows, :columns] = matrix
    return made


def _double(size: int, wanted: int) -> int:
    return size if wanted < size else max(2 * size, wanted + 1)
