"""A subscription as a shape and its parameters: what an expert would make a table and its rows.

Subscriptions of one program are few shapes with many constants. Variables are named by their first use in an order of
edges that does not depend on how the subscription was written, up to ties: two spellings of one shape may stay two, and
cost a table more.
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
MANY = 200  # shapes; above it properties become parameters too

Part: TypeAlias = str
"""A fixed term, a variable `?0`, or a parameter `$0`."""


@dataclass(frozen=True, slots=True)
class Test:
    """`?variable function $parameter`."""

    function: str
    variable: Part
    parameter: Part


@dataclass(frozen=True, slots=True)
class Shape:
    """The edges and tests that subscriptions have in common, and how many constants tell them apart."""

    edges: tuple[tuple[Part, Part, Part], ...]
    tests: tuple[Test, ...]
    parameters: int

    def by_property(self) -> bool:
        """Whether its properties are fixed, and not parameters."""
        return not any(property[0] == "$" for _, property, _ in self.edges)

    def ranges(self) -> list[Test]:
        return [test for test in self.tests if test.function in RANGES]

    def is_a(self) -> list[Test]:
        return [test for test in self.tests if test.function in IS_A]


@dataclass(slots=True)
class Group:
    """The subscriptions of one shape: numbers into the list of ids, and each one's parameters."""

    shape: Shape
    rows: list[tuple[int, tuple[Term, ...]]] = field(default_factory=list)


def grouped(subscriptions: Iterable[Subscription]) -> tuple[list[str], list[Group]]:
    """The ids, and the subscriptions by shape; properties are parameters only where shapes would be too many."""
    kept = list(subscriptions)
    groups = _grouped(kept, properties=False)
    if len(groups) > MANY:
        groups = _grouped(kept, properties=True)
    return [each.id for each in kept], groups


def shapeless(workload: Workload, largest: int) -> str | None:
    """Why a peer that works by shape is left out where nearly every subscription has its own."""
    if workload.name not in ("b", "c") or workload.size <= largest:
        return None
    return f"not run above {largest:,}: a table and a query for nearly every subscription"


def _grouped(subscriptions: list[Subscription], *, properties: bool) -> list[Group]:
    groups: dict[Shape, Group] = {}
    for number, subscription in enumerate(subscriptions):
        shape, parameters = shaped(subscription, properties=properties)
        if (group := groups.get(shape)) is None:
            group = groups[shape] = Group(shape)
        group.rows.append((number, parameters))
    return list(groups.values())


def shaped(subscription: Subscription, *, properties: bool = False) -> tuple[Shape, tuple[Term, ...]]:
    """The shape, and the constants that make it this subscription.

    >>> shape, constants = shaped(Subscription("s", [("?x", "<urn:by>", "<urn:ann>")]))
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
        variable, constant = _asked(test)
        tests.append(Test(test.function, part(variable, False), part(constant, False)))
    return Shape(tuple(edges), tuple(tests), len(constants)), tuple(constants)


def most_bound_first(edges: Iterable[Triple], *, tied_by_property: bool = False) -> list[Triple]:
    """The edge with the most constants first, then always one that knows most of its ends from those before it."""
    left, ordered, bound = (
        sorted(edges, key=lambda each: each[1] if tied_by_property else ""),
        list[Triple](),
        set[Term](),
    )
    while left:
        edge = min(left, key=lambda each: sum(is_variable(part) and part not in bound for part in each))
        left.remove(edge)
        ordered.append(edge)
        bound.update(edge)
    return ordered


def _asked(test: Call) -> tuple[Term, Term]:
    variable, constant = test.arguments
    if isinstance(variable, Call) or isinstance(constant, Call) or test.function not in RANGES | IS_A:
        raise ValueError(f"{test} is not a comparison of a variable with a constant")
    return variable, constant
