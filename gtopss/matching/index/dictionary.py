"""Number the terms that subscriptions mention, and no others.

The other terms of a publication get numbers only while it is matched (`kernels.terms`).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

import numpy as np

from gtopss.errors import GtopssError
from gtopss.matching.index.kernels.array_types import Int64Array, UInt8Array, UInt64Array
from gtopss.matching.index.kernels.relations import RELATION_COUNT
from gtopss.matching.index.kernels.terms import MAX_TERMS, PADDING, TermTable, insert_terms
from gtopss.model.terms import Term
from gtopss.semantics.class_members import RELATIONS

_GROWTH = 1.25
"""Size of a new array, as a multiple of what must have room in it."""


class Dictionary:
    """Map terms to numbers and back. Numbers never change; the virtual relations have the first.

    Not thread-safe: the index's lock protects it. What `table` returned may be read without the lock.

    >>> words = Dictionary()
    >>> words.number(Term("<urn:a>")), words.number(Term("<urn:a>")), words.text(48)
    (48, 48, '<urn:a>')
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = np.uint64(secrets.randbits(64) if seed is None else seed)
        """Seed of the hashes. Random, so that a sender of publications cannot provoke collisions."""
        self._numbers: dict[Term, int] = {}
        self._terms: list[Term] = []
        self._inserted = 0
        self._heap: UInt8Array = np.zeros(1024, np.uint8)
        self._used = 0
        self._slots: UInt64Array = np.zeros(64, np.uint64)
        for number in range(RELATION_COUNT):
            self.number(Term(RELATIONS[number] if number < len(RELATIONS) else f"relation {number}"))

    def __len__(self) -> int:
        return len(self._terms)

    def number(self, term: Term) -> int:
        """Return the number of a term; a new term gets the next one."""
        known = self._numbers.get(term)
        if known is None:
            known = len(self._terms)
            if known > MAX_TERMS:
                raise GtopssError(f"subscriptions mention more than {MAX_TERMS} different terms")
            if "\n" in term:
                raise GtopssError(f"the term {term!r} has a line break that is not escaped")
            self._terms.append(term)
            self._numbers[term] = known
        return known

    def text(self, number: int) -> Term:
        return self._terms[number]

    def terms(self) -> Sequence[Term]:
        return self._terms

    def extend(self, terms: Iterable[Term]) -> None:
        for term in terms:
            self.number(term)

    def table(self) -> TermTable:
        """Return the hash table for the kernels. Terms may be inserted while they read it."""
        if self._inserted < len(self._terms):
            self._insert_new()
        return TermTable(self._slots, self._heap)

    def _insert_new(self) -> None:
        new = [term.encode() for term in self._terms[self._inserted :]]
        data = b"\n".join(new) + b"\n"
        lengths = np.fromiter(map(len, new), np.int64, len(new)) + 1
        starts = self._used + np.cumsum(lengths) - lengths
        total = len(self._terms)
        grown = self._used + len(data) + len(PADDING) > len(self._heap)
        if grown:
            heap = np.zeros(int(_GROWTH * (self._used + len(data) + len(PADDING))), np.uint8)
            heap[: self._used] = self._heap[: self._used]
            self._heap = heap
        self._heap[self._used : self._used + len(data)] = np.frombuffer(data, np.uint8)
        self._used += len(data)
        if 4 * total > len(self._slots):
            size = len(self._slots)
            while size < 4 * total:
                size *= 2
            self._slots = np.zeros(size, np.uint64)
            insert_terms(self._slots, self._heap, self._all_starts(), 0, self.seed)
        else:
            if grown:  # a match that reads the old heap must not see offsets into the new one
                self._slots = self._slots.copy()
            insert_terms(self._slots, self._heap, starts, self._inserted, self.seed)
        self._inserted = total

    def _all_starts(self) -> Int64Array:
        """Return where each term begins in the heap."""
        starts = np.zeros(len(self._terms), np.int64)
        starts[1:] = np.flatnonzero(self._heap[: self._used] == ord("\n"))[:-1] + 1
        return starts

    def nbytes(self) -> int:
        """Return the size of the arrays in bytes."""
        return self._heap.nbytes + self._slots.nbytes
