"""The Gough algorithm (Gough and Smith, ACSC 1995, as described in Le Subscribe, section 3.1, Figure 3).

The subscriptions form a tree with a level for each attribute. The constants in the subscriptions of a node divide the
attribute's domain into pieces, and each piece has an edge to the subscriptions that can still match; a leaf holds those
that do. An event follows one path, with a binary search at each level. Matching is fast, but a subscription is stored
on many paths. "[7] suggests that new modifications ... are made by constructing the subscription tree from scratch":
here the next match does so.

The paper does not say what follows: an event that lacks the attribute follows a separate edge, and an event with
several values follows the path of each. `contains` does not test a single value, so the tree does not support it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import (
    Domain,
    EnumeratedDomain,
    EventTypes,
    HierarchicalDomain,
    NumericDomain,
    Operator,
    Value,
)
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size

_PIECES = NumericDomain("pieces")


@dataclass(slots=True)
class _Node:
    """The subscriptions that can still match after the attributes above. A leaf has no attribute."""

    attribute: str | None
    subscriptions: tuple[str, ...] = ()  # only in a leaf
    missing: _Node | None = None  # the child for events without the attribute
    constants: list[Any] = field(default_factory=list)  # sorted; only for a totally ordered domain
    pieces: list[_Node | None] = field(default_factory=list)  # children before, at and after each constant
    by_value: dict[Value, _Node | None] = field(default_factory=dict)  # children of any other domain

    def next(self, value: Any, counters: AttributeCounters) -> _Node | None:
        if self.by_value:
            counters.predicates += 1
            return self.by_value[value]
        counters.predicates += 1 + int(math.log2(len(self.constants)))
        place = bisect_left(self.constants, value)
        at = place < len(self.constants) and self.constants[place] == value
        return self.pieces[2 * place + at]


class GoughMatcher:
    """Follow one path of a tree per event. The tree is rebuilt at the first match after a change."""

    capabilities = AttributeCapabilities(
        {kind: operators - {Operator.CONTAINS} for kind, operators in ALL_OPERATORS.items()}
    )

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("gough", self.capabilities, schema)
        self._root: _Node | None = None
        self._built_for = -1  # event types when the tree was built; theirs is the only domain that grows

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        self._built_for = -1

    def remove(self, subscription_id: str) -> None:
        self._subscriptions.remove(subscription_id)
        self._built_for = -1

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        self._refresh()
        counters = AttributeCounters()
        found: set[str] = set()
        stack = [self._root]
        while stack:
            node = stack.pop()
            if node is None:
                continue
            counters.nodes += 1
            if node.attribute is None:
                found.update(node.subscriptions)
            elif node.attribute in event.values:
                stack.extend(node.next(value, counters) for value in event.values[node.attribute])
            else:
                stack.append(node.missing)
        return AttributeReport(frozenset(found), counters)

    def structure_bytes(self) -> int:
        self._refresh()
        return deep_size(self._root)

    def _refresh(self) -> None:
        if self._built_for == len(self._schema.event_types):
            return
        used = {name for each in self._subscriptions for name in each.attributes}
        order = [name for name in self._schema.attributes if name in used]
        self._root = self._build(tuple(self._subscriptions), order)
        self._built_for = len(self._schema.event_types)

    def _build(self, candidates: Sequence[AttributeSubscription], order: list[str]) -> _Node | None:
        """Return the subtree over the remaining attributes for the subscriptions that can still match."""
        if not candidates:
            return None
        tested = {name for each in candidates for name in each.attributes}
        order = [name for name in order if name in tested]
        if not order:
            return _Node(None, tuple(each.id for each in candidates))
        attribute, rest = order[0], order[1:]
        tests = [[test for test in each.predicates if test.attribute == attribute] for each in candidates]
        built: dict[tuple[int, ...], _Node | None] = {}

        def child(chosen: Iterator[int]) -> _Node | None:
            """Return the child for some candidates; pieces with the same candidates share a child."""
            numbers = tuple(chosen)
            if numbers not in built:
                built[numbers] = self._build([candidates[i] for i in numbers], rest)
            return built[numbers]

        node = _Node(attribute, missing=child(i for i, each in enumerate(tests) if not each))
        domain = self._schema.domain(attribute)
        if isinstance(domain, (EnumeratedDomain, HierarchicalDomain, EventTypes)):
            for value in domain.values():
                node.by_value[value] = child(i for i, each in enumerate(tests) if _all_hold(domain, value, each))
            return node
        node.constants = sorted({test.value for each in tests for test in each})
        piece_of = {constant: 2 * place + 1 for place, constant in enumerate(node.constants)}
        for piece in range(2 * len(node.constants) + 1):
            node.pieces.append(child(i for i, each in enumerate(tests) if _covers(piece, each, piece_of)))
        return node


def _all_hold(domain: Domain, value: Any, tests: list[Predicate]) -> bool:
    return all(domain.holds(value, test.operator, test.value) for test in tests)


def _covers(piece: int, tests: list[Predicate], piece_of: dict[Value, int]) -> bool:
    """Return whether a piece satisfies the tests. Pieces are numbered in the domain's order, so numbers compare."""
    return all(_PIECES.holds(piece, test.operator, piece_of[test.value]) for test in tests)
