"""The conjunctions of one publication: those whose patterns matched, as instances over numbered predicates.

A conjunction without inputs is one instance, whatever its rows. A conjunction with inputs is one instance for each
distinct tuple of their values, and its predicates differ by these values: near(?a, Toronto) for two values of ?a is two
calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy

from gtopss.model import Term
from gtopss.operators.conjunction import Values
from gtopss.operators.conjunction_table import BranchKey, ConjunctionTable
from gtopss.operators.declaration import Operator
from gtopss.operators.kernels.arrays import Integers
from gtopss.operators.kernels.evaluation_tables import gather
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.predicates import OperatorCall


@dataclass(slots=True)
class PublicationConjunctions:
    """The graph of a publication, and the meaning of its numbers."""

    table: ConjunctionTable
    graph: PredicateGraph
    predicates: Integers
    """The registered number of each predicate of the graph."""
    predicate_list: list[int]
    """The same as a list, which is faster to read one by one."""
    inputs: dict[int, tuple[Term, ...]]
    """The input values of the graph's predicates that have inputs."""
    conjunctions: Integers
    """The registered number of each instance's conjunction."""
    rows: dict[int, list[Values]]
    """The rows of each instance with inputs. The other instances have all rows of their conjunction."""
    sharing: dict[int, list[int]] = field(default_factory=dict)
    """Predicates that share one call, where there are several: p(?x, ?y) and p(?x, ?x); q(?x) and q(1)."""
    pure: list[int] = field(default_factory=list)
    """Predicates whose answer may be cached."""
    batched: dict[Operator, list[int]] = field(default_factory=dict)
    """Predicates of each batched operator."""

    def predicates_of_uses(self, instance: int) -> list[int]:
        """Return, for each use of the instance's conjunction, the number of its predicate in the graph."""
        of_inputs = {
            (self.predicate_list[each], self.inputs.get(each, ())): each for each in self.graph.predicates_of(instance)
        }
        rows = self.rows.get(instance)
        row = rows[0] if rows else {}
        uses = self.table.conjunction(int(self.conjunctions[instance])).uses
        return [of_inputs[self.table.number_of(each.predicate), each.input_values(row) or ()] for each in uses]

    def call(self, predicate: int) -> OperatorCall:
        """Return the call that answers a predicate."""
        number = self.predicate_list[predicate]
        inputs = self.inputs.get(predicate) if self.inputs else None
        return self.table.call(number) if inputs is None else self.table.predicate(number).call(inputs)

    def answered_together(self, predicate: int) -> Sequence[int]:
        """Return the predicates that one call answers."""
        return self.sharing.get(predicate, (predicate,))


def collect_conjunctions(
    table: ConjunctionTable, survivors: Mapping[BranchKey, Sequence[Values]], scratch: Integers
) -> PublicationConjunctions:
    """Collect the conjunctions whose patterns matched (`survivors`, each with its rows).

    `scratch` has an entry for each registered predicate, -1 everywhere before and after.
    """
    without_inputs = list(map(table.numbers.__getitem__, survivors))
    with_inputs: list[tuple[int, Sequence[Values]]] = []
    if table.with_inputs:
        with_inputs = [
            (number, rows)
            for number, rows in zip(without_inputs, survivors.values(), strict=True)
            if number in table.with_inputs
        ]
        without_inputs = [number for number in without_inputs if number not in table.with_inputs]
    conjunctions = numpy.array(without_inputs, numpy.int32)
    arrays = (table.begin, table.end, table.predicate_numbers)
    start, instance_predicates, predicates = gather(*arrays, conjunctions, scratch)
    inputs: dict[int, tuple[Term, ...]] = {}
    rows_of_instances: dict[int, list[Values]] = {}
    if with_inputs:
        added = _InstancesWithInputs(table, predicates.tolist(), len(without_inputs))
        for number, rows in with_inputs:
            added.add(number, rows)
        starts = start[-1] + numpy.cumsum([0, *map(len, added.instances)])
        more = numpy.array([each for instance in added.instances for each in instance], numpy.int32)
        start = numpy.concatenate([start[:-1], starts.astype(numpy.int32)])
        instance_predicates = numpy.concatenate([instance_predicates, more])
        predicates = numpy.array(added.predicates, numpy.int32)
        conjunctions = numpy.concatenate([conjunctions, numpy.array(added.conjunctions, numpy.int32)])
        inputs, rows_of_instances = added.inputs, added.rows
    no_estimates = numpy.zeros(len(predicates))
    graph = PredicateGraph.from_arrays(start, instance_predicates, no_estimates, value=table.value[conjunctions])
    made = PublicationConjunctions(
        table, graph, predicates, predicates.tolist(), inputs, conjunctions, rows_of_instances
    )
    _group_calls(made)
    return made


class _InstancesWithInputs:
    """Adds instances of conjunctions with inputs after `first` instances without."""

    def __init__(self, table: ConjunctionTable, predicates: list[int], first: int) -> None:
        self._table, self._first = table, first
        self.predicates = predicates
        self.inputs: dict[int, tuple[Term, ...]] = {}
        self.instances: list[list[int]] = []
        self.conjunctions: list[int] = []
        self.rows: dict[int, list[Values]] = {}
        self._places: dict[tuple[int, tuple[Term, ...]], int] = {
            (number, ()): place for place, number in enumerate(predicates)
        }

    def add(self, number: int, rows: Sequence[Values]) -> None:
        """Add one instance for each distinct tuple of input values."""
        uses = self._table.conjunction(number).uses
        numbers = [self._table.number_of(each.predicate) for each in uses]
        grouped: dict[tuple[tuple[Term, ...], ...], list[Values]] = {}
        for row in rows:
            values = tuple(each.input_values(row) for each in uses)
            if None not in values:
                grouped.setdefault(values, []).append(row)  # type: ignore[arg-type]  # None was excluded
        for inputs, rows_of_inputs in grouped.items():
            self.rows[self._first + len(self.instances)] = rows_of_inputs
            places = (self._place(each, values) for each, values in zip(numbers, inputs, strict=True))
            self.instances.append(list(dict.fromkeys(places)))
            self.conjunctions.append(number)

    def _place(self, number: int, values: tuple[Term, ...]) -> int:
        place = self._places.setdefault((number, values), len(self.predicates))
        if place == len(self.predicates):
            self.predicates.append(number)
            if values:
                self.inputs[place] = values
        return place


def _group_calls(made: PublicationConjunctions) -> None:
    """Find the predicates that may be cached, are batched, or share a call."""
    table = made.table
    grouped = numpy.flatnonzero(table.needs_grouping[made.predicates]).tolist()
    for place in grouped:
        operator = table.predicate(made.predicate_list[place]).operator
        if operator.pure:
            made.pure.append(place)
        if operator.batch is not None:
            made.batched.setdefault(operator, []).append(place)
    # Calls are shared only through outputs, which are no part of a call, and inputs, which may equal a constant.
    with_inputs = {table.predicate(made.predicate_list[place]).operator for place in made.inputs}
    together: dict[OperatorCall, list[int]] = {}
    for place in range(len(made.predicate_list)) if with_inputs else grouped:
        operator = table.predicate(made.predicate_list[place]).operator
        if operator.binds or operator in with_inputs:
            together.setdefault(made.call(place), []).append(place)
    made.sharing = {place: group for group in together.values() if len(group) > 1 for place in group}
