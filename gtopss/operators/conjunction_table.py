"""The registered conjunctions, numbered, so that a publication touches only those that its patterns matched.

Conjunctions and predicates get numbers, which are reused after removal. The predicate numbers of all conjunctions are
in one growing array. A removal leaves a hole; the array is compacted when holes are half of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, TypeVar

import numpy
from numpy.typing import NDArray

from gtopss.errors import DuplicateSubscription, SubscriptionNotFound
from gtopss.operators.conjunction import Conjunction
from gtopss.operators.learned_statistics import LearnedStatistics
from gtopss.operators.predicates import OperatorCall, Predicate

_Number = TypeVar("_Number", bound=numpy.generic)
BranchKey: TypeAlias = tuple[str, int]
"""A subscription's id and the number of the branch."""

MIN_HOLES_TO_COMPACT = 1024
"""Unused entries of the predicate array below which it is not compacted."""


class ConjunctionTable:
    """Conjunctions by key and by number, predicates by number, and the statistics for both. Not thread-safe.

    Conjunction i has the predicates `predicate_numbers[begin[i]:end[i]]`.
    """

    def __init__(self) -> None:
        self.statistics = LearnedStatistics()
        self.numbers: dict[BranchKey, int] = {}
        self.conjunctions: list[Conjunction | None] = []
        self.predicates: list[Predicate | None] = []
        self.version = 0
        """Incremented by every change."""
        self.begin = numpy.zeros(16, numpy.int32)
        self.end = numpy.zeros(16, numpy.int32)
        self.predicate_numbers = numpy.zeros(64, numpy.int32)
        self.value = numpy.zeros(16)
        self.with_inputs: set[int] = set()
        """Conjunctions whose calls depend on the row of the pattern."""
        self.needs_grouping = numpy.zeros(16, numpy.int8)
        """By predicate: 1 if its operator binds, is pure or is batched, so that publications must group its calls."""
        self._keys: dict[int, BranchKey] = {}
        self._number_of_predicate: dict[Predicate, int] = {}
        self._users: list[int] = []
        self._free_numbers: list[int] = []
        self._free_predicates: list[int] = []
        self._calls: dict[int, OperatorCall] = {}
        self._used = 0
        self._holes = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers.values())

    def key(self, number: int) -> BranchKey:
        return self._keys[number]

    def conjunction(self, number: int) -> Conjunction:
        found = self.conjunctions[number]
        assert found is not None
        return found

    def predicate(self, number: int) -> Predicate:
        found = self.predicates[number]
        assert found is not None
        return found

    def call(self, number: int) -> OperatorCall:
        """Return the call that answers a predicate without inputs. Built once, since every publication needs it."""
        found = self._calls.get(number)
        if found is None:
            found = self._calls[number] = self.predicate(number).call(())
        return found

    def popularity(self, predicate: int) -> int:
        """Return how many conjunctions have the predicate."""
        return self._users[predicate]

    def number_of(self, predicate: Predicate) -> int:
        return self._number_of_predicate[predicate]

    def predicates_of(self, number: int) -> list[int]:
        """Return a conjunction's predicates, each once, in the order of writing."""
        found: list[int] = self.predicate_numbers[self.begin[number] : self.end[number]].tolist()
        return found

    def add(self, key: BranchKey, conjunction: Conjunction) -> int:
        """Register a conjunction and return its number. Raises DuplicateSubscription."""
        if key in self.numbers:
            raise DuplicateSubscription(key[0])
        number = self._free_numbers.pop() if self._free_numbers else len(self.conjunctions)
        if number == len(self.conjunctions):
            self.conjunctions.append(None)
            self.begin, self.end = _grow(self.begin, number + 1), _grow(self.end, number + 1)
            self.value = _grow(self.value, number + 1)
        self.conjunctions[number] = conjunction
        self.numbers[key], self._keys[number] = number, key
        self.value[number] = conjunction.value
        if conjunction.has_inputs:
            self.with_inputs.add(number)
        distinct = dict.fromkeys(each.predicate for each in conjunction.uses)
        predicates = [self._add_use(each) for each in distinct]
        self.predicate_numbers = _grow(self.predicate_numbers, self._used + len(predicates))
        self._store(number, predicates)
        self.statistics.new_conjunction(number)
        self.version += 1
        return number

    def remove(self, key: BranchKey) -> None:
        """Remove a conjunction. Raises SubscriptionNotFound."""
        if key not in self.numbers:
            raise SubscriptionNotFound(key[0])
        number = self.numbers.pop(key)
        for predicate in self.predicates_of(number):
            self._users[predicate] -= 1
            if not self._users[predicate]:
                del self._number_of_predicate[self.predicate(predicate)]
                self.predicates[predicate] = None
                self._calls.pop(predicate, None)
                self._free_predicates.append(predicate)
        self._holes += int(self.end[number] - self.begin[number])
        self.conjunctions[number] = None
        del self._keys[number]
        self.with_inputs.discard(number)
        self._free_numbers.append(number)
        self.version += 1
        if self._holes > MIN_HOLES_TO_COMPACT and 2 * self._holes > self._used:
            self._compact()

    def _add_use(self, predicate: Predicate) -> int:
        """Return the predicate's number, a new one at its first use."""
        found = self._number_of_predicate.get(predicate)
        if found is None:
            found = self._free_predicates.pop() if self._free_predicates else len(self.predicates)
            if found == len(self.predicates):
                self.predicates.append(None)
                self._users.append(0)
            self.predicates[found] = predicate
            self.needs_grouping = _grow(self.needs_grouping, found + 1)
            operator = predicate.operator
            self.needs_grouping[found] = bool(operator.binds) or operator.pure or operator.batch is not None
            self._number_of_predicate[predicate] = found
            self.statistics.new_predicate(found, operator.selectivity, operator.cost)
        self._users[found] += 1
        return found

    def _store(self, number: int, predicates: list[int]) -> None:
        end = self._used + len(predicates)
        self.begin[number], self.end[number] = self._used, end
        self.predicate_numbers[self._used : end] = predicates
        self._used = end

    def _compact(self) -> None:
        predicates_of = {number: self.predicates_of(number) for number in self}
        self._used = self._holes = 0
        for number, predicates in predicates_of.items():
            self._store(number, predicates)


def _grow(array: NDArray[_Number], size: int) -> NDArray[_Number]:
    """Return the array, or a copy of twice `size` if it is too small."""
    if size <= len(array):
        return array
    grown = numpy.zeros(2 * size, array.dtype)
    grown[: len(array)] = array
    return grown
