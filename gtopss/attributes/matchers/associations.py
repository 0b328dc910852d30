"""The association of predicates with subscriptions as a byte matrix or a bit matrix (ToPSS, sections 3.3 and 5.1.2).

The third form is `SubscriptionLists`.

A matrix has a row for each predicate and a column for each subscription slot. Processing a row costs its whole length,
however few subscriptions have the predicate; the bit matrix handles 64 subscriptions with one operation. "Through
appropriate comparison operations on the byte and word level": the paper does not say which, so this implementation
uses bit-sliced counters. Plane k holds bit k of every subscription's count, and full adders on whole words add the
rows.

The paper's costs have two wrong letters, for n subscriptions and m predicates, of which p are satisfied:

1. Matching with the bit matrix costs "p x m + m". A row has n bits and the final comparison n counts: p x n + n.
2. Matching with lists costs "p x m_avg", with the average number of predicates per subscription. A list has the
   subscriptions of a predicate: p x n_avg.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.matchers.hit_counting import best_hit_counts
from gtopss.attributes.matchers.predicate_clusters import Satisfied

_BLOCK_WORDS = 512
"""Words added at a time, so that all rows of a block stay in the processor's cache."""
_Cell = TypeVar("_Cell", np.uint8, np.uint64)


class Association(Protocol):
    """Pairs of predicate number and subscription slot."""

    def add(self, predicates: list[int], slot: int) -> None:
        """Associate a slot, which has no predicates, with distinct predicate numbers."""

    def clear(self, slot: int) -> list[int]:
        """Remove all pairs of a slot and return its predicate numbers."""
        ...

    def count(self, satisfied: Satisfied, slots: int, dtype: DTypeLike, counters: AttributeCounters) -> NDArray[Any]:
        """Return the hit vector: the number of satisfied predicates of each slot, as numbers of this type."""
        ...


class ByteMatrix:
    """`_cells[predicate, slot]`, uint8: 1 where they are associated."""

    def __init__(self) -> None:
        self._cells = np.zeros((8, 64), np.uint8)

    def add(self, predicates: list[int], slot: int) -> None:
        self._cells = _grown(self._cells, max(predicates, default=0), slot)
        self._cells[predicates, slot] = 1

    def clear(self, slot: int) -> list[int]:
        column = self._cells[:, slot]
        predicates: list[int] = np.flatnonzero(column).tolist()
        column[:] = 0
        return predicates

    def count(self, satisfied: Satisfied, slots: int, dtype: DTypeLike, counters: AttributeCounters) -> NDArray[Any]:
        def sum_up(numbers: list[int]) -> NDArray[Any]:
            hits = np.zeros(slots, dtype)
            for number in numbers:
                hits += self._cells[number, :slots]
            counters.additions += len(numbers) * slots
            return hits

        return best_hit_counts(satisfied, sum_up)


class BitMatrix:
    """`_words[predicate, slot // 64]`, uint64: bit slot % 64 is set where they are associated."""

    def __init__(self) -> None:
        self._words = np.zeros((8, 1), np.uint64)

    def add(self, predicates: list[int], slot: int) -> None:
        self._words = _grown(self._words, max(predicates, default=0), slot >> 6)
        self._words[predicates, slot >> 6] |= _bit(slot)

    def clear(self, slot: int) -> list[int]:
        column = self._words[:, slot >> 6]
        predicates: list[int] = np.flatnonzero(column & _bit(slot)).tolist()
        column &= ~_bit(slot)
        return predicates

    def count(self, satisfied: Satisfied, slots: int, dtype: DTypeLike, counters: AttributeCounters) -> NDArray[Any]:
        words = (slots + 63) >> 6

        def sum_up(numbers: list[int]) -> NDArray[Any]:
            hits = np.zeros(words << 6, dtype)
            for start in range(0, words, _BLOCK_WORDS):
                end = min(words, start + _BLOCK_WORDS)
                for place, plane in enumerate(_planes(self._words[numbers, start:end])):
                    bits = np.unpackbits(plane.astype("<u8").view(np.uint8), bitorder="little")
                    hits[start << 6 : end << 6] += bits.astype(hits.dtype) << place
            counters.additions += len(numbers) * words
            return hits[:slots]

        return best_hit_counts(satisfied, sum_up)


def _planes(rows: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
    """Yield the bits of the sums of all columns, lowest first: `rows` is (addend, word), a plane is (word,).

    Full adders turn three rows into one of the same weight and one of twice the weight, many at a time.
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
    """Return the matrix if it has the cell, else a copy that is at least doubled where it was too small."""
    rows, columns = matrix.shape
    if row < rows and column < columns:
        return matrix
    grown = np.zeros((_grown_size(rows, row), _grown_size(columns, column)), matrix.dtype)
    grown[:rows, :columns] = matrix
    return grown


def _grown_size(size: int, index: int) -> int:
    return size if index < size else max(2 * size, index + 1)
