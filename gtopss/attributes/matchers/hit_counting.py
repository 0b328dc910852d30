"""Count the satisfied predicates of each subscription (Le Subscribe, Figure 2, step 2).

`Postings` is the association table *pred_to_subs*: predicate number to the slots of the subscriptions with that
predicate. Le Subscribe's matchers were written in K, an array language; sums and comparisons are array operations here
as well.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.matchers.predicate_clusters import Satisfied


def best_hit_counts(satisfied: Satisfied, sum_up: Callable[[list[int]], NDArray[Any]]) -> NDArray[Any]:
    """Return the hits per slot. For an attribute with several values, only its best value counts."""
    hits = sum_up([number for group in satisfied if len(group) == 1 for number in group[0]])
    for group in satisfied:
        if len(group) > 1:
            hits = hits + np.maximum.reduce([sum_up(numbers) for numbers in group])
    return hits


class Postings:
    """The slots of the subscriptions of each predicate number, unordered."""

    def __init__(self) -> None:
        self._slots: list[array[int]] = []

    def add(self, predicate: int, slot: int) -> None:
        while len(self._slots) <= predicate:
            self._slots.append(array("q"))
        self._slots[predicate].append(slot)

    def discard(self, predicate: int, slot: int) -> None:
        slots = self._slots[predicate]
        place = slots.index(slot)
        last = slots.pop()
        if place < len(slots):
            slots[place] = last

    def count(self, satisfied: Satisfied, slots: int, counters: AttributeCounters) -> NDArray[Any]:
        """Return the hits per slot."""
        return best_hit_counts(satisfied, lambda numbers: self._sum(numbers, slots, counters))

    def _sum(self, numbers: list[int], slots: int, counters: AttributeCounters) -> NDArray[np.int64]:
        joined = np.frombuffer(b"".join([self._slots[number] for number in numbers]), np.int64)
        counters.additions += len(joined)
        return np.bincount(joined, minlength=slots)
