"""What one publication has to settle: the conjunctions that reached it, as units over numbered predicates.

A conjunction without inputs is one unit, whatever its rows. One with inputs is a unit for each distinct tuple of their
values, and its predicates are told apart by these values: near(?a, Toronto) for two values of ?a is two calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy

from gtopss.model import Term
from gtopss.operators import kernels
from gtopss.operators.arrays import Integers
from gtopss.operators.board import Problem
from gtopss.operators.conjunction import Values
from gtopss.operators.declaration import Operator
from gtopss.operators.predicates import Request
from gtopss.operators.registered import Key, Registered


@dataclass(slots=True)
class Sheet:
    """The problem, and what its numbers stand for."""

    problem: Problem
    predicates: Integers
    """The registered number of each of the problem's predicates."""
    numbers: list[int]
    """The same, as a list."""
    inputs: dict[int, tuple[Term, ...]]
    """The input values of those that have any."""
    conjunctions: Integers
    """The registered number of each unit's conjunction."""
    rows: dict[int, list[Values]]
    """The rows of the units of conjunctions with inputs; of others, all rows of the conjunction."""
    siblings: dict[int, list[int]] = field(default_factory=dict)
    """Predicates that one call answers together, where there are several: p(?x, ?y) and p(?x, ?x); q(?x) and q(1)."""
    pure: list[int] = field(default_factory=list)
    """Predicates whose answer may be in the cache."""
    batched: dict[Operator, list[int]] = field(default_factory=dict)

    def places(self, unit: int, registered: Registered) -> list[int]:
        """For each use of the unit's conjunction, the number of its predicate in the problem."""
        place_of = {(self.numbers[place], self.inputs.get(place, ())): place for place in self.problem.of_unit(unit)}
        rows = self.rows.get(unit)
        row = rows[0] if rows else {}
        uses = registered.conjunction(int(self.conjunctions[unit])).uses
        return [place_of[registered.number(each.predicate), each.values(row) or ()] for each in uses]

    def request(self, predicate: int, registered: Registered) -> Request:
        """The call that answers a predicate."""
        number = self.numbers[predicate]
        inputs = self.inputs.get(predicate) if self.inputs else None
        return registered.request(number) if inputs is None else registered.predicate(number).request(inputs)


def sheet(registered: Registered, survivors: Mapping[Key, Sequence[Values]], scratch: Integers) -> Sheet:
    """The sheet of the conjunctions that the pattern stage let through, each with its rows."""
    closed = list(map(registered.numbers.__getitem__, survivors))
    with_inputs: list[tuple[int, Sequence[Values]]] = []
    if registered.with_inputs:
        with_inputs = [
            (number, rows)
            for number, rows in zip(closed, survivors.values(), strict=True)
            if number in registered.with_inputs
        ]
        closed = [number for number in closed if number not in registered.with_inputs]
    chosen = numpy.array(closed, numpy.int32)
    start, flat, predicates = kernels.gather(registered.begin, registered.end, registered.flat, chosen, scratch)
    if not with_inputs:
        return _finished(registered, start, flat, predicates, {}, chosen, {})
    extension = _Extension(registered, predicates.tolist(), len(closed))
    for number, rows in with_inputs:
        extension.add(number, rows)
    starts = start[-1] + numpy.cumsum([0, *map(len, extension.units)])
    more = numpy.array([each for unit in extension.units for each in unit], numpy.int32)
    return _finished(
        registered,
        numpy.concatenate([start[:-1], starts]).astype(numpy.int32),
        numpy.concatenate([flat, more]),
        numpy.array(extension.predicates, numpy.int32),
        extension.inputs,
        numpy.concatenate([chosen, numpy.array(extension.conjunctions, numpy.int32)]),
        extension.rows,
    )


class _Extension:
    """The units of conjunctions with inputs, beside those without."""

    def __init__(self, registered: Registered, predicates: list[int], first: int) -> None:
        self._registered, self._first = registered, first
        self.predicates = predicates
        self.inputs: dict[int, tuple[Term, ...]] = {}
        self.units: list[list[int]] = []
        self.conjunctions: list[int] = []
        self.rows: dict[int, list[Values]] = {}
        self._places: dict[tuple[int, tuple[Term, ...]], int] = {
            (number, ()): place for place, number in enumerate(predicates)
        }

    def add(self, number: int, rows: Sequence[Values]) -> None:
        uses = self._registered.conjunction(number).uses
        numbers = [self._registered.number(each.predicate) for each in uses]
        grouped: dict[tuple[tuple[Term, ...], ...], list[Values]] = {}
        for row in rows:
            values = tuple(each.values(row) for each in uses)
            if None not in values:
                grouped.setdefault(values, []).append(row)  # type: ignore[arg-type]  # None was excluded
        for inputs, same in grouped.items():
            self.rows[self._first + len(self.units)] = same
            places = (self._place(each, values) for each, values in zip(numbers, inputs, strict=True))
            self.units.append(list(dict.fromkeys(places)))
            self.conjunctions.append(number)

    def _place(self, number: int, values: tuple[Term, ...]) -> int:
        place = self._places.setdefault((number, values), len(self.predicates))
        if place == len(self.predicates):
            self.predicates.append(number)
            if values:
                self.inputs[place] = values
        return place


def _finished(
    registered: Registered,
    start: Integers,
    flat: Integers,
    predicates: Integers,
    inputs: dict[int, tuple[Term, ...]],
    conjunctions: Integers,
    rows: dict[int, list[Values]],
) -> Sheet:
    problem = Problem.flat(start, flat, numpy.zeros(len(predicates)), value=registered.value[conjunctions])
    made = Sheet(problem, predicates, predicates.tolist(), inputs, conjunctions, rows)
    for place in numpy.flatnonzero(registered.special[predicates]).tolist():
        operator = registered.predicate(made.numbers[place]).operator
        if operator.pure:
            made.pure.append(place)
        if operator.batch is not None:
            made.batched.setdefault(operator, []).append(place)
    made.siblings = _siblings(made, registered)
    return made


def _siblings(made: Sheet, registered: Registered) -> dict[int, list[int]]:
    """Only outputs, which a call does not tell apart, and inputs, which may equal a constant, make siblings."""
    shared = {registered.predicate(made.numbers[place]).operator for place in made.inputs}
    places = range(len(made.numbers)) if shared else numpy.flatnonzero(registered.special[made.predicates]).tolist()
    together: dict[Request, list[int]] = {}
    for place in places:
        operator = registered.predicate(made.numbers[place]).operator
        if operator.binds or operator in shared:
            together.setdefault(made.request(place, registered), []).append(place)
    return {place: group for group in together.values() if len(group) > 1 for place in group}
