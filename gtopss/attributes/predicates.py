"""Attribute subscriptions: conjunctions of predicates (Le Subscribe, section 2.3; ToPSS, section 2).

`Predicate(price, <, 10)` tests an attribute against a constant. `Comparison(bid, >, price)` tests one attribute against
another; of the papers' systems Neon has it (Le Subscribe, section 3, "easily extended").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from gtopss.attributes.domains import Operator, Value
from gtopss.errors import InvalidSubscription


@dataclass(frozen=True, slots=True)
class Predicate:
    """`attribute operator value`; the operator may be given as text.

    >>> str(Predicate("price", "<", 10))
    'price < 10'
    """

    attribute: str
    operator: Operator
    value: Value

    def __init__(self, attribute: str, operator: Operator | str, value: Value) -> None:
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "operator", Operator(operator))
        object.__setattr__(self, "value", value)

    def __str__(self) -> str:
        return f"{self.attribute} {self.operator} {self.value!r}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right`, where both are attributes of the event."""

    left: str
    operator: Operator
    right: str

    def __init__(self, left: str, operator: Operator | str, right: str) -> None:
        object.__setattr__(self, "left", left)
        object.__setattr__(self, "operator", Operator(operator))
        object.__setattr__(self, "right", right)

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


AttributeTest: TypeAlias = Predicate | Comparison


@dataclass(frozen=True)
class AttributeSubscription:
    """A conjunction of predicates and comparisons with an id. Repeated tests are dropped.

    >>> cheap = AttributeSubscription("s1", [Predicate("price", "<", 10), Comparison("bid", ">", "price")])
    >>> cheap.attributes
    ('price', 'bid')
    """

    id: str
    tests: tuple[AttributeTest, ...]

    def __init__(self, id: str, tests: Iterable[AttributeTest]) -> None:
        if not isinstance(id, str) or not id:
            raise InvalidSubscription(repr(id), "its id must be a string that is not empty")
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "tests", tuple(dict.fromkeys(tests)))
        if not self.tests:
            raise InvalidSubscription(id, "it has no predicate, so it would match every event")

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        return tuple(test for test in self.tests if isinstance(test, Predicate))

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(test for test in self.tests if isinstance(test, Comparison))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The tested attributes, each once, in the order in which they first appear."""
        names = (
            name
            for test in self.tests
            for name in ((test.attribute,) if isinstance(test, Predicate) else (test.left, test.right))
        )
        return tuple(dict.fromkeys(names))
