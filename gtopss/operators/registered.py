"""The conjunctions that are registered, as numbers: so that a publication touches those that reached it, and no others.

Conjunctions and predicates get numbers, which are given out again once nobody has them. Each conjunction's predicate
numbers lie in one growing array; a removal leaves a hole, and holes are closed when they are half of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, TypeVar

import numpy
from numpy.typing import NDArray

from gtopss.errors import DuplicateSubscription, SubscriptionNotFound
from gtopss.operators.conjunction import Conjunction
from gtopss.operators.predicates import Predicate, Request
from gtopss.operators.statistics import Statistics

_Number = TypeVar("_Number", bound=numpy.generic)
Key: TypeAlias = tuple[str, int]
"""A subscription's id and the number of the branch."""


class Registered:
    """Conjunctions by key and number, predicates by number, and what is known of both."""

    def __init__(self) -> None:
        self.statistics = Statistics()
        self.numbers: dict[Key, int] = {}
        self.conjunctions: list[Conjunction | None] = []
        self.predicates: list[Predicate | None] = []
        self.version = 0
        """Grows with every change."""
        self._keys: dict[int, Key] = {}
        self._predicate_numbers: dict[Predicate, int] = {}
        self._users: list[int] = []
        self._free: list[int] = []
        self._free_predicates: list[int] = []
        self.begin = numpy.zeros(16, numpy.int32)
        self.end = numpy.zeros(16, numpy.int32)
        self.flat = numpy.zeros(64, numpy.int32)
        self.value = numpy.zeros(16)
        self.with_inputs: set[int] = set()
        self.special = numpy.zeros(16, numpy.int8)
        """By predicate: 1 if its operator binds, is pure or is batched, so that a publication must look closer."""
        self._requests: dict[int, Request] = {}
        self._used = 0
        self._dead = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers.values())

    def key(self, number: int) -> Key:
        return self._keys[number]

    def conjunction(self, number: int) -> Conjunction:
        found = self.conjunctions[number]
        assert found is not None
        return found

    def predicate(self, number: int) -> Predicate:
        found = self.predicates[number]
        assert found is not None
        return found

    def request(self, number: int) -> Request:
        """The call that answers a predicate without inputs; made once, since every publication wants it."""
        found = self._requests.get(number)
        if found is None:
            found = self._requests[number] = self.predicate(number).request(())
        return found

    def users(self, predicate: int) -> int:
        """How many conjunctions have it: the paper's popularity."""
        return self._users[predicate]

    def number(self, predicate: Predicate) -> int:
        return self._predicate_numbers[predicate]

    def of(self, number: int) -> list[int]:
        """A conjunction's predicates, each once, in the order of writing."""
        found: list[int] = self.flat[self.begin[number] : self.end[number]].tolist()
        return found

    def add(self, key: Key, conjunction: Conjunction) -> int:
        if key in self.numbers:
            raise DuplicateSubscription(key[0])
        number = self._free.pop() if self._free else len(self.conjunctions)
        if number == len(self.conjunctions):
            self.conjunctions.append(None)
            self.begin, self.end = _room(self.begin, number + 1), _room(self.end, number + 1)
            self.value = _room(self.value, number + 1)
        self.conjunctions[number] = conjunction
        self.numbers[key], self._keys[number] = number, key
        self.value[number] = conjunction.value
        if not conjunction.is_closed:
            self.with_inputs.add(number)
        distinct = dict.fromkeys(each.predicate for each in conjunction.uses)
        predicates = [self._number(each) for each in distinct]
        self.flat = _room(self.flat, self._used + len(predicates))
        self.begin[number], self.end[number] = self._used, self._used + len(predicates)
        self.flat[self._used : self._used + len(predicates)] = predicates
        self._used += len(predicates)
        self.statistics.new_conjunction(number)
        self.version += 1
        return number

    def remove(self, key: Key) -> None:
        if key not in self.numbers:
            raise SubscriptionNotFound(key[0])
        number = self.numbers.pop(key)
        for predicate in self.of(number):
            self._users[predicate] -= 1
            if not self._users[predicate]:
                del self._predicate_numbers[self.predicate(predicate)]
                self.predicates[predicate] = None
                self._requests.pop(predicate, None)
                self._free_predicates.append(predicate)
        self._dead += int(self.end[number] - self.begin[number])
        self.conjunctions[number] = None
        del self._keys[number]
        self.with_inputs.discard(number)
        self._free.append(number)
        self.version += 1
        if self._dead > 1024 and 2 * self._dead > self._used:
            self._close_holes()

    def _number(self, predicate: Predicate) -> int:
        found = self._predicate_numbers.get(predicate)
        if found is None:
            found = self._free_predicates.pop() if self._free_predicates else len(self.predicates)
            if found == len(self.predicates):
                self.predicates.append(None)
                self._users.append(0)
            self.predicates[found] = predicate
            self.special = _room(self.special, found + 1)
            operator = predicate.operator
            self.special[found] = bool(operator.binds) or operator.pure or operator.batch is not None
            self._predicate_numbers[predicate] = found
            self.statistics.new_predicate(found, operator.selectivity, operator.cost)
        self._users[found] += 1
        return found

    def _close_holes(self) -> None:
        lists = {number: self.of(number) for number in self}
        self._used = self._dead = 0
        for number, predicates in lists.items():
            self.begin[number], self.end[number] = self._used, self._used + len(predicates)
            self.flat[self._used : self._used + len(predicates)] = predicates
            self._used += len(predicates)


def _room(array: NDArray[_Number], size: int) -> NDArray[_Number]:
    if size <= len(array):
        return array
    grown = numpy.zeros(2 * size, array.dtype)
    grown[: len(array)] = array
    return grown
