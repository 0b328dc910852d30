"""Count how many times subscriptions mention each term, so that unused terms are known without a search for them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from gtopss.matching.index.kernels.array_types import Int32Array

_UNUSED = -1


class TermUses:
    """The number of mentions of each term, by its number. Not thread-safe.

    >>> uses = TermUses()
    >>> uses.add([4, 4, 7])
    >>> uses.remove([4, 7])
    >>> uses.unused, uses.is_used(8).nonzero()[0].tolist()
    (1, [4])
    """

    def __init__(self) -> None:
        self._counts = array("i")  # 0 for a term that was never mentioned, `_UNUSED` for one that was
        self.unused = 0
        """Terms that were mentioned, or noted as unused, and are mentioned no longer."""

    @classmethod
    def of(cls, numbers: Int32Array, term_count: int) -> TermUses:
        """Count mentions of terms. Terms without one count as never mentioned."""
        made = cls()
        made._counts.frombytes(np.bincount(numbers, minlength=term_count).astype(np.int32).tobytes())
        return made

    def add(self, numbers: Iterable[int]) -> None:
        """Count one mention of each term."""
        counts = self._counts
        for number in numbers:
            if number >= len(counts):
                self._grow(number + 1)
            if counts[number] == _UNUSED:
                counts[number] = 1
                self.unused -= 1
            else:
                counts[number] += 1

    def remove(self, numbers: Iterable[int]) -> None:
        """Take back one mention of each term."""
        counts = self._counts
        for number in numbers:
            if counts[number] == 1:
                counts[number] = _UNUSED
                self.unused += 1
            else:
                counts[number] -= 1

    def note_unused(self, numbers: Iterable[int]) -> None:
        """Note terms that have numbers although no subscription mentions them."""
        for number in numbers:
            if number >= len(self._counts):
                self._grow(number + 1)
            if self._counts[number] == 0:
                self._counts[number] = _UNUSED
                self.unused += 1

    def is_used(self, term_count: int) -> npt.NDArray[np.bool_]:
        """Return by term number whether a subscription mentions a term."""
        made = np.zeros(term_count, np.bool_)
        made[: len(self._counts)] = np.frombuffer(self._counts, np.int32) > 0
        return made

    def _grow(self, count: int) -> None:
        self._counts.frombytes(bytes(4 * (count - len(self._counts))))
