"""Split a subscription into a shape and its parameters, so that a database can have one table per shape.

The subscriptions of one program have few shapes and many constants. Variables are named by their first use in an order
of edges that does not depend on how the subscription was written, apart from ties: two spellings of one shape may stay
two shapes, which costs an additional table. (Spark's shapes, `gtopss.spark`, are canonical and parametrise properties.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

from gtopss.experiments.workloads import Workload
from gtopss.model import Subscription, Term, Triple
from gtopss.model.expressions import COMPARISONS, IS_A, Call
from gtopss.model.terms import is_variable

RANGES = COMPARISONS - {"=", "!="}
MAX_FIXED_PROPERTY_SHAPES = 200  # above this number of shapes, properties become parameters too

Part: TypeAlias = str
"""A fixed term, a variable `?0`, or a parameter `$0`."""


@dataclass(frozen=True, slots=True)
class ShapeTest:
    """`?variable function $parameter`."""

    function: str
    variable: Part
    parameter: Part


@dataclass(frozen=True, slots=True)
class Shape:
    """The edges and tests that subscriptions share, and the number of constants in which they differ."""

    edges: tuple[tuple[Part, Part, Part], ...]
    tests: tuple[ShapeTest, ...]
    parameters: int

    def by_property(self) -> bool:
        """Return whether its properties are fixed, not parameters."""
        return not any(property[0] == "$" for _, property, _ in self.edges)

    def ranges(self) -> list[ShapeTest]:
        return [test for test in self.tests if test.function in RANGES]

    def is_a(self) -> list[ShapeTest]:
        return [test for test in self.tests if test.function in IS_A]


@dataclass(slots=True)
class ShapeGroup:
    """The subscriptions of one shape: for each, its index in the list of ids and its parameters."""

    shape: Shape
    rows: list[tuple[int, tuple[Term, ...]]] = field(default_factory=list)


def group_by_shape(subscriptions: Iterable[Subscription]) -> tuple[list[str], list[ShapeGroup]]:
    """Return the ids, and the subscriptions by shape. Properties are parameters only if there are too many shapes."""
    listed = list(subscriptions)
    groups = _group(listed, properties=False)
    if len(groups) > MAX_FIXED_PROPERTY_SHAPES:
        groups = _group(listed, properties=True)
    return [each.id for each in listed], groups


def declined_without_shapes(workload: Workload, largest: int) -> str | None:
    """Return why a peer that works by shape is not run if nearly every subscription has its own shape."""
    if workload.name not in ("b", "c") or workload.size <= largest:
        return None
    return f"not run above {largest:,}: a table and a query for nearly every subscription"


def _group(subscriptions: list[Subscription], *, properties: bool) -> list[ShapeGroup]:
    groups: dict[Shape, ShapeGroup] = {}
    for number, subscription in enumerate(subscriptions):
        shape, parameters = split_shape(subscription, properties=properties)
        if (group := groups.get(shape)) is None:
            group = groups[shape] = ShapeGroup(shape)
        group.rows.append((number, parameters))
    return list(groups.values())


def split_shape(subscription: Subscription, *, properties: bool = False) -> tuple[Shape, tuple[Term, ...]]:
    """Return the shape of a subscription, and its constants.

    >>> shape, constants = split_shape(Subscription("s", [("?x", "<urn:by>", "<urn:ann>")]))
    >>> shape.edges, constants
    ((('?0', '<urn:by>', '$0'),), ('<urn:ann>',))
    """
    (branch,) = subscription.branches
    names: dict[Term, str] = {}
    constants: list[Term] = []
    numbers = count()

    def part(term: Term, fixed: bool) -> Part:
        if is_variable(term):
            return names.setdefault(term, f"?{len(names)}")
        if fixed:
            return term
        constants.append(term)
        return f"${next(numbers)}"

    edges = [
        (part(s, False), part(p, not properties), part(o, False))
        for s, p, o in most_bound_first(branch.edges(), tied_by_property=not properties)
    ]
    tests = []
    for test in sorted(branch.constraints(), key=lambda each: each.function):
        variable, constant = _operands(test)
        tests.append(ShapeTest(test.function, part(variable, False), part(constant, False)))
    return Shape(tuple(edges), tuple(tests), len(constants)), tuple(constants)


def most_bound_first(edges: Iterable[Triple], *, tied_by_property: bool = False) -> list[Triple]:
    """Sort edges: the one with the most constants first, then always the one with the fewest unbound variables."""
    remaining = sorted(edges, key=lambda each: each[1] if tied_by_property else "")
    ordered: list[Triple] = []
    bound: set[Term] = set()
    while remaining:
        edge = min(remaining, key=lambda each: sum(is_variable(part) and part not in bound for part in each))
        remaining.remove(edge)
        ordered.append(edge)
        bound.update(edge)
    return ordered


def _operands(test: Call) -> tuple[Term, Term]:
    variable, constant = test.arguments
    if isinstance(variable, Call) or isinstance(constant, Call) or test.function not in RANGES | IS_A:
        raise ValueError(f"{test} is not a comparison of a variable with a constant")
    return variable, constant
