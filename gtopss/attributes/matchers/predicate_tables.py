"""The table-based predicate index (ToPSS, section 3.2, Figure 1), and predicate tables over an ontology.

For each attribute and operator there is an array over the whole domain; the predicate `a op v` has its number in slot
v. So insertion, removal and look-up are O(1), and one look-up at the event's value tells all that is satisfied: for `>`
every slot before it, for `<` every slot behind it, for `=` the slot itself, for `!=` every slot but it. "If a predicate
a > 7 is true then immediately all other predicates ... a > v and v <= 7 are also true": that is the inference. The
price is the walk over the slots, empty ones too, and their memory; only domains whose values can be listed have a
table.

Over an enumerated or hierarchical domain the slots that a value satisfies are those of the values above (or below) it:
the "special purpose data structures for predicates defined over an ontology" that the paper's section 3.2 announces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Domain, EnumeratedDomain, HierarchicalDomain, Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.slots import Numbers
from gtopss.attributes.predicates import Predicate
from gtopss.attributes.schema import Schema

_EMPTY = -1


class _Table:
    """array[operator][value]: the numbers of the predicates on one attribute, int32, -1 where there is none."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        values = domain.values()
        assert values is not None
        self._length = len(values)
        self._first = values[0] if isinstance(values, range) else 0
        self._place = None if isinstance(values, range) else {value: place for place, value in enumerate(values)}
        self.rows: dict[Operator, NDArray[np.int32]] = {}
        self._related: dict[tuple[Operator, Value], NDArray[np.int64]] = {}

    def place(self, value: Any) -> int:
        if self._place is None:
            return int(value) - self._first
        if value not in self._place:  # an event type that was created after the table
            self._place[value] = self._length
            self._length += 1
            self.rows = {operator: np.append(row, np.int32(_EMPTY)) for operator, row in self.rows.items()}
        return self._place[value]

    def row(self, operator: Operator) -> NDArray[np.int32]:
        if operator not in self.rows:
            self.rows[operator] = np.full(self._length, _EMPTY, np.int32)
        return self.rows[operator]

    def satisfied(self, value: Any, counters: AttributeCounters) -> list[int]:
        """Every predicate but `contains` that one value satisfies."""
        found: list[int] = []
        at = self.place(value)
        for operator, row in self.rows.items():
            for part in self._parts(operator, row, at, value):
                counters.nodes += len(part)
                found.extend(part[part != _EMPTY].tolist())
        return found

    def _parts(self, operator: Operator, row: NDArray[np.int32], at: int, value: Any) -> list[NDArray[np.int32]]:
        match operator:
            case Operator.CONTAINS:
                return []
            case Operator.EQUAL:
                return [row[at : at + 1]]
            case Operator.UNEQUAL:
                return [row[:at], row[at + 1 :]]
        if isinstance(self._domain, (EnumeratedDomain, HierarchicalDomain)):
            return [row[self._related_places(self._domain, operator, value)]]
        match operator:
            case Operator.ABOVE:
                return [row[:at]]
            case Operator.AT_LEAST:
                return [row[: at + 1]]
            case Operator.BELOW:
                return [row[at + 1 :]]
            case _:
                return [row[at:]]

    def _related_places(
        self, domain: EnumeratedDomain | HierarchicalDomain, operator: Operator, value: str
    ) -> NDArray[np.int64]:
        """The slots of the values that the order relates to this one; computed at its first event."""
        if (operator, value) not in self._related:
            constants = domain.satisfied_constants(value, operator)
            self._related[operator, value] = np.array(sorted(map(self.place, constants)), np.int64)
        return self._related[operator, value]


class PredicateTables:
    """A table for each attribute that has predicates."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._tables: dict[str, _Table] = {}
        self._numbers = Numbers()

    def insert(self, predicate: Predicate) -> int:
        if predicate.attribute not in self._tables:
            self._tables[predicate.attribute] = _Table(self._schema.domain(predicate.attribute))
        table = self._tables[predicate.attribute]
        place, row = table.place(predicate.value), table.row(predicate.operator)
        if row[place] == _EMPTY:
            row[place] = self._numbers.take()
        else:
            self._numbers.share(int(row[place]))
        return int(row[place])

    def remove(self, predicate: Predicate) -> int:
        table = self._tables[predicate.attribute]
        place, row = table.place(predicate.value), table.row(predicate.operator)
        number = int(row[place])
        if self._numbers.give_back(number):
            row[place] = _EMPTY
        return number

    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied:
        groups: Satisfied = []
        for attribute, values in event.values.items():
            table = self._tables.get(attribute)
            if table is None:
                continue
            contains = table.rows.get(Operator.CONTAINS)
            if contains is not None:
                counters.nodes += len(values)
                numbers = (int(contains[table.place(value)]) for value in values)
                groups.append([[number for number in numbers if number != _EMPTY]])
            groups.append([table.satisfied(value, counters) for value in values])
        return groups
