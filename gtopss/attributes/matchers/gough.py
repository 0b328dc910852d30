"""The Gough algorithm (Gough and Smith, ACSC 1995, as told in Le Subscribe, section 3.1, Figure 3).

The subscriptions become a tree with a level for each attribute. The constants that the subscriptions of a node name
cut the attribute's domain into pieces, and each piece has an edge to the subscriptions that can still match; a leaf
holds those that do. An event follows one path, by a binary search at each level: fastest to match, and a subscription
is stored on many paths. "[7] suggests that new modifications ... are made by constructing the subscription tree from
scratch": so it is here, at the next match.

Ours, since the text is silent: an event that lacks the attribute follows an edge of its own, and an event with several
values follows the path of each. `contains` asks no single value and has no place in the tree.
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
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of

_PIECES = NumericDomain("pieces")


@dataclass(slots=True)
class _Node:
    """What remains of the subscriptions after some attributes; a leaf has no level left."""

    attribute: str | None
    subscriptions: tuple[str, ...] = ()  # of a leaf
    missing: _Node | None = None
    constants: list[Any] = field(default_factory=list)  # of a total order, sorted
    pieces: list[_Node | None] = field(default_factory=list)  # before, at and after each constant
    by_value: dict[Value, _Node | None] = field(default_factory=dict)  # of any other domain

    def next(self, value: Any, counters: AttributeCounters) -> _Node | None:
        if self.by_value:
            counters.predicates += 1
            return self.by_value[value]
        counters.predicates += 1 + int(math.log2(len(self.constants)))
        place = bisect_left(self.constants, value)
        at = place < len(self.constants) and self.constants[place] == value
        return self.pieces[2 * place + at]


class GoughMatcher:
    """One path of a tree per event; built anew after each change."""

    abilities = Abilities({kind: operators - {Operator.CONTAINS} for kind, operators in EVERYTHING.items()})

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._register = Register("gough", self.abilities, schema)
        self._root: _Node | None = None
        self._built_for = -1  # event types; the only domain that grows

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)
        self._built_for = -1

    def remove(self, subscription_id: str) -> None:
        self._register.release(subscription_id)
        self._built_for = -1

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
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
        return size_of(self._root)

    def _refresh(self) -> None:
        if self._built_for == len(self._schema.event_types):
            return
        used = {name for each in self._register for name in each.attributes}
        order = [name for name in self._schema.attributes if name in used]
        self._root = self._build(tuple(self._register), order)
        self._built_for = len(self._schema.event_types)

    def _build(self, alive: Sequence[AttributeSubscription], order: list[str]) -> _Node | None:
        """The subtree for the subscriptions that can still match, over the attributes that are left."""
        if not alive:
            return None
        asked = {name for each in alive for name in each.attributes}
        order = [name for name in order if name in asked]
        if not order:
            return _Node(None, tuple(each.id for each in alive))
        attribute, rest = order[0], order[1:]
        tests = [[test for test in each.predicates if test.attribute == attribute] for each in alive]
        built: dict[tuple[int, ...], _Node | None] = {}

        def child(chosen: Iterator[int]) -> _Node | None:
            """Pieces that leave the same subscriptions share a child."""
            kept = tuple(chosen)
            if kept not in built:
                built[kept] = self._build([alive[i] for i in kept], rest)
            return built[kept]

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
    """Whether a piece satisfies the tests: pieces are numbered in the domain's order, so their numbers compare."""
    return all(_PIECES.holds(piece, test.operator, piece_of[test.value]) for test in tests)
