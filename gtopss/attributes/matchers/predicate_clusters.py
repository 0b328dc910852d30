"""Predicates clustered by attribute and operator (Le Subscribe, section 3.1, "Fair predicate approach").

Each distinct predicate is stored once, under a number that is reused when it becomes free. Equality is a hash lookup;
the constants of an order operator are sorted, so that the satisfied ones are a run at one end, found by binary search.
The paper treats only equality, less and greater. Here, in addition, `contains` is hashed; for `!=` all constants but
one are satisfied; over a partial order the constants above (or below) the value are looked up one by one.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any, TypeAlias

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import (
    ORDER_OPERATORS,
    DomainLookup,
    EnumeratedDomain,
    HierarchicalDomain,
    Operator,
    Value,
)
from gtopss.attributes.events import Event
from gtopss.attributes.matchers.predicate_numbers import PredicateNumbers
from gtopss.attributes.predicates import Predicate

Satisfied: TypeAlias = list[list[list[int]]]
"""Satisfied predicate numbers in groups, one or two per attribute; a group has an alternative per attribute value.

Only the best alternative of a group counts, since an attribute is bound to one value. The `contains` predicates of an
attribute are a separate group with one alternative.
"""


class _Cluster:
    """The predicates of one attribute and operator: a map from constant to number.

    For the operators of a total order, the constants are also stored sorted, with their numbers in a second list.
    """

    __slots__ = ("constants", "numbers", "sorted_numbers")

    def __init__(self) -> None:
        self.numbers: dict[Value, int] = {}
        self.constants: list[Any] = []
        self.sorted_numbers: list[int] = []


class PredicateClusters:
    """An index of distinct predicates that finds those that an event satisfies."""

    def __init__(self, schema: DomainLookup) -> None:
        self._schema = schema
        self._clusters: dict[str, dict[Operator, _Cluster]] = {}
        self._numbers = PredicateNumbers()

    def insert(self, predicate: Predicate) -> int:
        """Insert a predicate and return its number. It stays until it was removed as often as inserted."""
        cluster = self._clusters.setdefault(predicate.attribute, {}).setdefault(predicate.operator, _Cluster())
        number = cluster.numbers.get(predicate.value)
        if number is None:
            number = cluster.numbers[predicate.value] = self._numbers.allocate(predicate)
            if self._sorted(predicate):
                place = bisect_left(cluster.constants, predicate.value)
                cluster.constants.insert(place, predicate.value)
                cluster.sorted_numbers.insert(place, number)
        else:
            self._numbers.retain(number)
        return number

    def remove(self, predicate: Predicate) -> int:
        operators = self._clusters[predicate.attribute]
        cluster = operators[predicate.operator]
        number = cluster.numbers[predicate.value]
        if self._numbers.release(number):
            del cluster.numbers[predicate.value]
            if self._sorted(predicate):
                place = bisect_left(cluster.constants, predicate.value)
                del cluster.constants[place], cluster.sorted_numbers[place]
            if not cluster.numbers:
                del operators[predicate.operator]
        return number

    def _sorted(self, predicate: Predicate) -> bool:
        partial = isinstance(self._schema.domain(predicate.attribute), (EnumeratedDomain, HierarchicalDomain))
        return predicate.operator in ORDER_OPERATORS and not partial

    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied:
        groups: Satisfied = []
        for attribute, values in event.values.items():
            operators = self._clusters.get(attribute)
            if not operators:
                continue
            if Operator.CONTAINS in operators:
                counters.predicates += len(values)
                numbers = operators[Operator.CONTAINS].numbers
                groups.append([[numbers[value] for value in values if value in numbers]])
            groups.append([self._of_value(attribute, operators, value, counters) for value in values])
        return groups

    def _of_value(
        self, attribute: str, operators: dict[Operator, _Cluster], value: Any, counters: AttributeCounters
    ) -> list[int]:
        domain = self._schema.domain(attribute)
        found: list[int] = []
        for operator, cluster in operators.items():
            numbers = cluster.numbers
            if operator is Operator.CONTAINS:
                continue
            if operator is Operator.EQUAL:
                counters.predicates += 1
                if value in numbers:
                    found.append(numbers[value])
            elif operator is Operator.UNEQUAL:
                counters.predicates += 1
                found.extend(number for constant, number in numbers.items() if constant != value)
            elif isinstance(domain, (EnumeratedDomain, HierarchicalDomain)):
                above = domain.satisfied_constants(value, operator)
                constants = [each for each in above if each in numbers]
                counters.predicates += len(constants)
                found.extend(numbers[constant] for constant in constants)
            else:
                counters.predicates += 1 + int(math.log2(len(cluster.constants)))
                found.extend(cluster.sorted_numbers[_run(cluster.constants, operator, value)])
        return found


def _run(constants: list[Any], operator: Operator, value: Any) -> slice:
    """Return the slice of a sorted list whose constants c satisfy `value operator c`.


    >>> _run([1, 5, 7], Operator.ABOVE, 5), _run([1, 5, 7], Operator.AT_MOST, 5)
    (slice(None, 1, None), slice(1, None, None))
    """
    match operator:
        case Operator.BELOW:
            return slice(bisect_right(constants, value), None)
        case Operator.AT_MOST:
            return slice(bisect_left(constants, value), None)
        case Operator.ABOVE:
            return slice(bisect_left(constants, value))
        case _:
            return slice(bisect_right(constants, value))
