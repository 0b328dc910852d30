"""Give the terms that subscriptions still mention new numbers, so that the others can be forgotten.

The numbers of terms are in the dictionary, in the constants of subscriptions and in the edges of segments. All three
are rewritten beside the old ones, which matches in progress go on using, and put in their place at once (`writer.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gtopss.matching.index.dictionary import Dictionary
from gtopss.matching.index.kernels.array_types import Int32Array
from gtopss.model.codec import EncodedSubscription

MIN_DEAD_TERMS = 20_000
"""Terms that no subscription mentions before new numbers are worth it; more of them in a larger index."""

MAX_USED_TO_RENUMBER = 0.75
"""Part of the terms that is in use above which all of them keep their numbers."""
CHUNK = 100
"""Subscriptions or terms that are rewritten before other threads get their turn."""
PAUSE_SECONDS = 0.0005
"""How long the background thread then sleeps. A thread that never sleeps makes others wait for Python's lock for the
interpreter's switch interval, 5 ms, whenever they return from a kernel."""

Item = TypeVar("Item")


def in_chunks(items: Sequence[Item], pause: float) -> Iterator[Sequence[Item]]:
    """Yield parts of a sequence, and sleep after each for so many seconds; 0 for not at all."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]
        if pause:
            time.sleep(pause)


def constants_of(encoded: Iterable[EncodedSubscription | None]) -> Int32Array:
    """Return the term numbers of all constants, subscription by subscription."""
    return np.frombuffer(b"".join([each.constants for each in encoded if each is not None]), np.int32)


class Renumbering:
    """A new dictionary of the terms in use, and the new number of each.

    Creating one needs no lock: the old dictionary only grows meanwhile. Terms that become used later get numbers later,
    under the index's lock.
    """

    def __init__(self, old: Dictionary, is_used: npt.NDArray[np.bool_], pause: float = 0.0) -> None:
        """`is_used` is by old number. The is-a relations are in use: they have the first numbers everywhere.

        `pause` is for `in_chunks`.
        """
        self._old, self._pause = old, pause
        self.numbers: Int32Array = np.where(is_used, np.cumsum(is_used) - 1, -1).astype(np.int32)
        """Old number -> new number; -1 for a term that was not in use."""
        self.dictionary = Dictionary()
        terms = old.terms()
        for numbers in in_chunks(np.flatnonzero(is_used).tolist(), pause):
            self.dictionary.extend(terms[number] for number in numbers)
        self.dictionary.table()

    def renumber(self, numbers: Int32Array) -> Int32Array:
        """Return the new numbers of terms. A term that was not in use is added to the new dictionary."""
        made = np.full(len(numbers), -1, np.int32)
        is_known = numbers < len(self.numbers)
        made[is_known] = self.numbers[numbers[is_known]]
        for place in np.flatnonzero(made < 0).tolist():
            made[place] = self.dictionary.number(self._old.text(int(numbers[place])))
        return made

    def renumber_subscriptions(self, encoded: Sequence[EncodedSubscription | None]) -> list[EncodedSubscription | None]:
        """Return the same subscriptions with the new numbers of their constants."""
        made: list[EncodedSubscription | None] = []
        for part in in_chunks(encoded, self._pause):
            data, at = self.renumber(constants_of(part)).tobytes(), 0
            for each in part:
                if each is None:
                    made.append(None)
                else:
                    made.append(each._replace(constants=data[at : at + len(each.constants)]))
                    at += len(each.constants)
        return made
