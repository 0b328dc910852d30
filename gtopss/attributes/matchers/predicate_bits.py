"""The predicate bit vector (ToPSS, section 3): which predicates an event satisfies, one bit for each predicate.

"We actually use a bit-vector (i.e., an array of n unsigned chars represents 8n predicates)", indexed by the predicate
number. Stage 1 writes it, stage 2 reads it.

A publication of the paper has one value for each attribute, so that one vector is enough. Here an attribute may have
several values, of which only the best counts; each value of such an attribute has a vector of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.matchers.predicate_clusters import Satisfied

BitVector: TypeAlias = NDArray[np.uint8]
"""Predicate 8i + k is bit k of byte i, k = 0 being the lowest bit."""


@dataclass(frozen=True, slots=True)
class PredicateBits:
    """The bit vectors of one event."""

    common: BitVector
    """The satisfied predicates of all attributes with one value, and all satisfied `contains`."""
    alternatives: tuple[tuple[BitVector, ...], ...]
    """For each attribute with several values, the satisfied predicates of each value."""

    @classmethod
    def of(cls, satisfied: Satisfied, predicates: int) -> Self:
        """Set the bits of the satisfied predicates, of `predicates` in all.

        >>> [vector.tolist() for vector in PredicateBits.of([[[0, 9]], [[1], [2, 3]]], 10)]
        [[1, 2], [2, 0], [12, 0]]
        """
        common = _bits([number for group in satisfied if len(group) == 1 for number in group[0]], predicates)
        several = (group for group in satisfied if len(group) > 1)
        return cls(common, tuple(tuple(_bits(numbers, predicates) for numbers in group) for group in several))

    def satisfied(self) -> Satisfied:
        """Return the numbers of the set bits, in groups."""
        return [[_numbers(self.common)], *([_numbers(vector) for vector in group] for group in self.alternatives)]

    def __iter__(self) -> Iterator[BitVector]:
        yield self.common
        for group in self.alternatives:
            yield from group


def _bits(numbers: Iterable[int], predicates: int) -> BitVector:
    flags = np.zeros(predicates, np.bool_)
    flags[list(numbers)] = True
    return np.packbits(flags, bitorder="little")


def _numbers(vector: BitVector) -> list[int]:
    found: list[int] = np.flatnonzero(np.unpackbits(vector, bitorder="little")).tolist()
    return found
