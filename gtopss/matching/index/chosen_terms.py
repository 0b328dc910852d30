"""Choose the terms of a batch that Python looks at: the objects of some properties, or all terms."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from gtopss.matching.index.kernels.array_types import Int64Array
from gtopss.matching.index.kernels.terms import Batch


class TextEdge(NamedTuple):
    """The relation and the target of the edge that a term gets whose text passes a test."""

    relation: int
    target: int


class ChosenTerms:
    """The properties whose objects are chosen. Nothing in it changes."""

    def __init__(self, properties: Collection[int]) -> None:
        """`properties` are global term numbers; -1 is for all terms."""
        self._everywhere = -1 in properties
        # One element more is False, for all properties with larger numbers and for those without one (-1).
        self._is_chosen = np.zeros(max(properties, default=-1) + 2, np.bool_)
        self._is_chosen[[each for each in properties if each >= 0]] = True

    def places(self, batch: Batch) -> tuple[Int64Array, Int64Array]:
        """Return the publications and the local numbers of the chosen terms of a batch, each once.

        Terms that were added to the batch, and have no text in it, are left out.
        """
        if self._everywhere:
            places = np.arange(batch.locals[-1])
        else:
            first = np.repeat(batch.locals[:-1], np.diff(batch.triples))
            property = batch.known[first + batch.property]
            is_chosen = self._is_chosen[np.minimum(property, len(self._is_chosen) - 1)]
            places = np.unique((first + batch.object)[is_chosen])
        places = places[batch.first[places] >= 0]
        publications = np.searchsorted(batch.locals, places, side="right") - 1
        return publications, places - batch.locals[publications]
