"""The table-based predicate index (ToPSS, section 3.2, Figure 1), and predicate tables over an ontology.

For each attribute and operator there is an array over the whole domain; the number of the predicate `a op v` is in cell
v. Insertion, removal and lookup are therefore O(1), and the position of the event's value determines all satisfied
predicates: for `>` every cell before it, for `<` every cell after it, for `=` the cell itself, for `!=` every cell but
it. "If a predicate a > 7 is true then immediately all other predicates ... a > v and v <= 7 are also true": that is the
inference. The cost is the scan of the cells, including empty ones, and their memory. Only finite domains have a table.

Over an enumerated or hierarchical domain, a value satisfies the cells of the values above (or below) it: the "special
purpose data structures for predicates defined over an ontology" that the paper's section 3.2 announces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Domain, EnumeratedDomain, HierarchicalDomain, Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.predicate_numbers import PredicateNumbers
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
        """Return the numbers of the predicates, except `contains`, that one value satisfies."""
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
        """Return the positions of the values that the order relates to this one, computed at its first event."""
        if (operator, value) not in self._related:
            constants = domain.satisfied_constants(value, operator)
            self._related[operator, value] = np.array(sorted(map(self.place, constants)), np.int64)
        return self._related[operator, value]


class PredicateTables:
    """An index of distinct predicates with one table for each attribute."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._tables: dict[str, _Table] = {}
        self._numbers = PredicateNumbers()

    def insert(self, predicate: Predicate) -> int:
        if predicate.attribute not in self._tables:
            self._tables[predicate.attribute] = _Table(self._schema.domain(predicate.attribute))
        table = self._tables[predicate.attribute]
        place, row = table.place(predicate.value), table.row(predicate.operator)
        if row[place] == _EMPTY:
            row[place] = self._numbers.allocate(predicate)
        else:
            self._numbers.retain(int(row[place]))
        return int(row[place])

    def remove(self, predicate: Predicate) -> int:
        table = self._tables[predicate.attribute]
        place, row = table.place(predicate.value), table.row(predicate.operator)
        number = int(row[place])
        if self._numbers.release(number):
            row[place] = _EMPTY
        return number

    def release(self, number: int) -> None:
        """Remove the predicate with this number once."""
        self.remove(self._numbers.predicate(number))

    def __len__(self) -> int:
        """Return the number of predicate numbers, in use or free."""
        return len(self._numbers)

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
