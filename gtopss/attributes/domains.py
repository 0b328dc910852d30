"""The domains of attributes (Le Subscribe, section 2.1): numeric, string, enumerated and hierarchical.

A domain defines its values, the operators that apply to them, and what the operators mean. Numbers and strings are
totally ordered. An enumerated domain may have a partial order. A hierarchical domain has the order of a taxonomy, in
which `<` and `<=` are "is a kind of" (section 2.3): `<=`, also written `is-a`, holds between a value and itself, as the
project's `isA` does, and `<` does not. The paper calls both "the standard is a kind of relationship".

A hierarchy is read once, when the domain is made. Later changes of the taxonomy have no effect, so matchers may rely
on the order while subscriptions are registered.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

import networkx as nx

from gtopss.attributes.errors import InvalidSchema
from ontology import Taxonomy

Value: TypeAlias = int | float | str


class DomainKind(StrEnum):
    NUMERIC = "numeric"
    STRING = "string"
    ENUMERATED = "enumerated"
    HIERARCHICAL = "hierarchical"


class Operator(StrEnum):
    """The operators of predicates. `contains` tests the event's set of values, the others a single value."""

    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    IS_A = "is-a"
    CONTAINS = "contains"


EQUALITY_OPERATORS = frozenset({Operator.EQUAL, Operator.UNEQUAL, Operator.CONTAINS})
ORDER_OPERATORS = frozenset({Operator.BELOW, Operator.AT_MOST, Operator.ABOVE, Operator.AT_LEAST})

_COMPARE: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.BELOW: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.ABOVE: operator.gt,
    Operator.AT_LEAST: operator.ge,
    Operator.CONTAINS: operator.eq,
}


@dataclass(frozen=True, slots=True)
class NumericDomain:
    """Numbers that a double holds exactly, so that every matcher, also one in a database, compares them alike.

    With both bounds and `whole`, the domain is finite, which ToPSS's predicate tables require.

    >>> 3 in NumericDomain("dice", 1, 6, whole=True), 2.5 in NumericDomain("dice", 1, 6, whole=True)
    (True, False)
    """

    name: str
    low: float | None = None
    high: float | None = None
    whole: bool = False

    kind = DomainKind.NUMERIC
    operators = EQUALITY_OPERATORS | ORDER_OPERATORS

    def __contains__(self, value: object) -> bool:
        if type(value) is not int and type(value) is not float:
            return False
        try:
            exact = math.isfinite(value) and float(value) == value
        except OverflowError:
            return False
        if not exact or (self.whole and value != int(value)):
            return False
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def holds(self, value: Any, operator: Operator, constant: Any) -> bool:
        return _COMPARE[operator](value, constant)

    def values(self) -> Collection[Value] | None:
        """Return all values in order, or None if the domain is infinite."""
        if not self.whole or self.low is None or self.high is None:
            return None
        return range(math.ceil(self.low), math.floor(self.high) + 1)


@dataclass(frozen=True, slots=True)
class StringDomain:
    """Strings, ordered by code point."""

    name: str

    kind = DomainKind.STRING
    operators = EQUALITY_OPERATORS | ORDER_OPERATORS

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str)

    def holds(self, value: Any, operator: Operator, constant: Any) -> bool:
        return _COMPARE[operator](value, constant)

    def values(self) -> None:
        return None


class _PartiallyOrderedDomain:
    """Values with, for each, the set of values above it and the set below it. Both sets include the value itself."""

    def __init__(self, name: str, above: Mapping[str, frozenset[str]], operators: frozenset[Operator]) -> None:
        self.name, self.operators, self._above = name, operators, dict(above)
        below: dict[str, set[str]] = {value: set() for value in above}
        for value, others in above.items():
            for other in others:
                below[other].add(value)
        self._below = {value: frozenset(others) for value, others in below.items()}

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self._above

    def above(self, value: str) -> frozenset[str]:
        """Return the value and all values above it."""
        return self._above[value]

    def below(self, value: str) -> frozenset[str]:
        """Return the value and all values below it."""
        return self._below[value]

    def values(self) -> Collection[Value]:
        return self._above.keys()

    def holds(self, value: Any, operator: Operator, constant: Any) -> bool:
        match operator:
            case Operator.EQUAL | Operator.CONTAINS:
                return bool(value == constant)
            case Operator.UNEQUAL:
                return bool(value != constant)
            case Operator.AT_MOST | Operator.IS_A:
                return constant in self._above[value]
            case Operator.BELOW:
                return value != constant and constant in self._above[value]
            case Operator.AT_LEAST:
                return value in self._above[constant]
            case Operator.ABOVE:
                return value != constant and value in self._above[constant]

    def satisfied_constants(self, value: str, operator: Operator) -> Iterable[str]:
        """Return the constants c for which `value operator c` holds. Only for the operators of the order."""
        match operator:
            case Operator.AT_MOST | Operator.IS_A:
                return self._above[value]
            case Operator.BELOW:
                return self._above[value] - {value}
            case Operator.AT_LEAST:
                return self._below[value]
            case Operator.ABOVE:
                return self._below[value] - {value}
        raise ValueError(operator)


class EnumeratedDomain(_PartiallyOrderedDomain):
    """A set of identifiers, with a partial order if pairs `(lower, higher)` are given.

    >>> sizes = EnumeratedDomain("size", ["S", "M", "L", "one-size"], [("S", "M"), ("M", "L")])
    >>> sizes.holds("S", Operator.BELOW, "L"), sizes.holds("S", Operator.BELOW, "one-size")
    (True, False)
    """

    kind = DomainKind.ENUMERATED

    def __init__(self, name: str, values: Iterable[str], order: Iterable[tuple[str, str]] = ()) -> None:
        self.order = tuple(order)
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(values)
        known = set(graph)
        for pair in self.order:
            if not known.issuperset(pair):
                reason = f"its order compares {pair[0]!r} with {pair[1]!r}, but not both are values of the domain"
                raise InvalidSchema(name, reason)
            graph.add_edge(*pair)
        if not nx.is_directed_acyclic_graph(graph):
            raise InvalidSchema(name, "its order has a cycle, so a value would be below itself")
        above = {value: frozenset(nx.descendants(graph, value)) | {value} for value in graph}
        super().__init__(name, above, EQUALITY_OPERATORS | ORDER_OPERATORS if self.order else EQUALITY_OPERATORS)


class HierarchicalDomain(_PartiallyOrderedDomain):
    """The classes and instances of a taxonomy, each below the classes that it belongs to."""

    kind = DomainKind.HIERARCHICAL

    def __init__(self, name: str, taxonomy: Taxonomy) -> None:
        self.edges = tuple(taxonomy.edges())
        names = dict.fromkeys([*sorted(taxonomy.classes), *(child for child, _, _ in self.edges)])
        equal = next((each for each in taxonomy.classes if taxonomy.equivalents(each)), None)
        if equal is not None:
            other = min(taxonomy.equivalents(equal))
            reason = f"{equal!r} and {other!r} are equivalent classes: a hierarchical domain needs one name for both"
            raise InvalidSchema(name, reason)
        above = {each: taxonomy.ancestors(each) | {each} for each in names}
        super().__init__(name, above, EQUALITY_OPERATORS | ORDER_OPERATORS | {Operator.IS_A})


@dataclass(frozen=True, slots=True)
class EventTypes:
    """ET, the domain of the attribute `event_type`. It grows when the schema gets new event types."""

    name: str
    known: dict[str, Any] = field(repr=False)

    kind = DomainKind.ENUMERATED
    operators = EQUALITY_OPERATORS

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self.known

    def holds(self, value: Any, operator: Operator, constant: Any) -> bool:
        return _COMPARE[operator](value, constant)

    def values(self) -> Collection[Value]:
        return self.known.keys()


Domain: TypeAlias = NumericDomain | StringDomain | EnumeratedDomain | HierarchicalDomain | EventTypes


class DomainLookup(Protocol):
    """What evaluation needs of a schema."""

    def domain(self, attribute: str) -> Domain:
        """Return the domain of an attribute."""
        ...
