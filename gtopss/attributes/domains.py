"""The domains of attributes (Le Subscribe, section 2.1): numeric, string, enumerated and hierarchical.

A domain knows which values it has, which operators may be asked of them, and what those mean. Numbers and strings are
totally ordered. An enumerated domain may have a partial order; a hierarchical one has the order of a taxonomy, in
which `<` and `<=` are "is a kind of" (section 2.3): `<=`, also written `is-a`, holds of a value and itself as the
project's `isA` does, `<` does not. The paper calls both "the standard is a kind of relationship".

A hierarchy is read once, when the domain is made: matchers may rely on it while subscriptions are registered.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import networkx as nx

from gtopss.attributes.errors import InvalidSchema
from ontology import Taxonomy

Value: TypeAlias = int | float | str


class Kind(StrEnum):
    NUMERIC = "numeric"
    STRING = "string"
    ENUMERATED = "enumerated"
    HIERARCHICAL = "hierarchical"


class Operator(StrEnum):
    """What a predicate may ask. `contains` asks the event's set of values, every other one a single value."""

    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    IS_A = "is-a"
    CONTAINS = "contains"


SAME = frozenset({Operator.EQUAL, Operator.UNEQUAL, Operator.CONTAINS})
ORDER = frozenset({Operator.BELOW, Operator.AT_MOST, Operator.ABOVE, Operator.AT_LEAST})

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
    """Numbers that a double holds exactly, so that every matcher, a database's too, compares them alike.

    With both bounds and `whole`, the domain is finite, as ToPSS's predicate tables need it.

    >>> 3 in NumericDomain("dice", 1, 6, whole=True), 2.5 in NumericDomain("dice", 1, 6, whole=True)
    (True, False)
    """

    name: str
    low: float | None = None
    high: float | None = None
    whole: bool = False

    kind = Kind.NUMERIC
    operators = SAME | ORDER

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
        """Every value, in order, if there is an end to them."""
        if not self.whole or self.low is None or self.high is None:
            return None
        return range(math.ceil(self.low), math.floor(self.high) + 1)


@dataclass(frozen=True, slots=True)
class StringDomain:
    """Texts, ordered by code point."""

    name: str

    kind = Kind.STRING
    operators = SAME | ORDER

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str)

    def holds(self, value: Any, operator: Operator, constant: Any) -> bool:
        return _COMPARE[operator](value, constant)

    def values(self) -> None:
        return None


class _PartlyOrdered:
    """Values of which each knows what is above it and what is below it, itself included in both."""

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
        """The value and all that lie above it."""
        return self._above[value]

    def below(self, value: str) -> frozenset[str]:
        """The value and all that lie below it."""
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
        """The constants c for which `value operator c` holds, for the operators of the order."""
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


class EnumeratedDomain(_PartlyOrdered):
    """A set of identifiers, with a partial order if pairs `(lower, higher)` are given.

    >>> sizes = EnumeratedDomain("size", ["S", "M", "L", "one-size"], [("S", "M"), ("M", "L")])
    >>> sizes.holds("S", Operator.BELOW, "L"), sizes.holds("S", Operator.BELOW, "one-size")
    (True, False)
    """

    kind = Kind.ENUMERATED

    def __init__(self, name: str, values: Iterable[str], order: Iterable[tuple[str, str]] = ()) -> None:
        self.order = tuple(order)
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(values)
        known = set(graph)
        for pair in self.order:
            if not known.issuperset(pair):
                raise InvalidSchema(name, f"its order compares {pair[0]!r} with {pair[1]!r}, and lacks one of them")
            graph.add_edge(*pair)
        if not nx.is_directed_acyclic_graph(graph):
            raise InvalidSchema(name, "its order has a cycle, so that something would be below itself")
        above = {value: frozenset(nx.descendants(graph, value)) | {value} for value in graph}
        super().__init__(name, above, SAME | ORDER if self.order else SAME)


class HierarchicalDomain(_PartlyOrdered):
    """The classes and instances of a taxonomy, each below what it is a kind of."""

    kind = Kind.HIERARCHICAL

    def __init__(self, name: str, taxonomy: Taxonomy) -> None:
        self.edges = tuple(taxonomy.edges())
        names = dict.fromkeys([*sorted(taxonomy.classes), *(child for child, _, _ in self.edges)])
        equal = next((each for each in taxonomy.classes if taxonomy.equivalents(each)), None)
        if equal is not None:
            other = min(taxonomy.equivalents(equal))
            raise InvalidSchema(name, f"{equal!r} and {other!r} are equivalent: a hierarchy needs one name for both")
        above = {each: taxonomy.ancestors(each) | {each} for each in names}
        super().__init__(name, above, SAME | ORDER | {Operator.IS_A})


@dataclass(frozen=True, slots=True)
class EventTypes:
    """ET, the domain of the attribute `event_type`: it grows as the schema does."""

    name: str
    known: dict[str, Any] = field(repr=False)

    kind = Kind.ENUMERATED
    operators = SAME

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value in self.known

    def holds(self, value: Any, operator: Operator, constant: Any) -> bool:
        return _COMPARE[operator](value, constant)

    def values(self) -> Collection[Value]:
        return self.known.keys()


PartialOrder: TypeAlias = EnumeratedDomain | HierarchicalDomain
Domain: TypeAlias = NumericDomain | StringDomain | EnumeratedDomain | HierarchicalDomain | EventTypes
