"""The Neon algorithm (NEONRules, as described in Le Subscribe, section 3.1, Figure 8), with comparisons of attributes.

| paper          | here                                                                                       |
|----------------|--------------------------------------------------------------------------------------------|
| operations     | the keys of `_operations`: event type, attribute, comparison                               |
| predicates     | its values: a row (subscription, constant) for every predicate of every subscription       |
| n_predicates   | `_required_hits`                                                                           |
| and            | `count` in `match`                                                                         |

Equal predicates are not shared: the index finds the rows of an operation, and "each located predicate must be evaluated
afterwards". A subscription belongs to the event type in its first `event_type contains t` (or `= t`), and is evaluated
only for events of that type; a subscription without an event type is evaluated for all events.

A comparison of two attributes is a row like the others. Counting is exact while attributes have one value each. For an
attribute with several values, the best value's count is taken. That does not show which values two comparisons agreed
on, so a subscription with comparisons is then verified.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from typing import TypeAlias

from gtopss.attributes.binding import satisfies
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Operator, Value
from gtopss.attributes.events import Event, Values
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import EVENT_TYPE, Schema
from gtopss.deep_size import deep_size

_Rows: TypeAlias = dict[tuple[str, Value], None]
"""(subscription, constant), or (subscription, other attribute) for a comparison."""


class _Attribute:
    """The operations of one event type and attribute."""

    __slots__ = ("compared", "constant")

    def __init__(self) -> None:
        self.constant: dict[Operator, _Rows] = {}
        self.compared: dict[Operator, _Rows] = {}


class NeonMatcher:
    """Find predicate rows by event type, attribute and operator, and count hits per subscription."""

    capabilities = AttributeCapabilities(ALL_OPERATORS, comparisons=True)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("neon", self.capabilities, schema)
        self._operations: dict[str | None, dict[str, _Attribute]] = {}
        self._required_hits: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        attributes = self._operations.setdefault(_event_type(subscription), {})
        for predicate in subscription.predicates:
            rows = attributes.setdefault(predicate.attribute, _Attribute()).constant
            rows.setdefault(predicate.operator, {})[subscription.id, predicate.value] = None
        for each in subscription.comparisons:
            rows = attributes.setdefault(each.left, _Attribute()).compared
            rows.setdefault(each.operator, {})[subscription.id, each.right] = None
        self._required_hits[subscription.id] = len(subscription.tests)

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        attributes = self._operations[_event_type(subscription)]
        for predicate in subscription.predicates:
            _drop(attributes[predicate.attribute].constant, predicate.operator, subscription_id, predicate.value)
        for each in subscription.comparisons:
            _drop(attributes[each.left].compared, each.operator, subscription_id, each.right)
        del self._required_hits[subscription_id]

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        count: Counter[str] = Counter()
        for event_type in (None, *event.values.get(EVENT_TYPE, ())):
            for name, operations in self._operations.get(_text(event_type), {}).items():
                counters.nodes += len(operations.constant) + len(operations.compared)
                values = event.values.get(name)
                if values is not None:
                    # Counter's `|` takes the larger count: the best of the attribute's values.
                    count += reduce(or_, [self._bound(name, operations, value, counters) for value in values])
                    count += self._unbound(operations, values, event, name, counters)
        counters.comparisons += len(count)
        full = [name for name, hits in count.items() if hits == self._required_hits[name]]
        return AttributeReport(frozenset(each for each in full if self._is_verified(each, event, counters)), counters)

    def _bound(self, name: str, operations: _Attribute, value: Value, counters: AttributeCounters) -> Counter[str]:
        """Return the hits of one value of an attribute."""
        domain = self._schema.domain(name)
        hits: Counter[str] = Counter()
        for operator, rows in operations.constant.items():
            if operator is not Operator.CONTAINS:
                counters.predicates += len(rows)
                hits.update(id for id, constant in rows if domain.holds(value, operator, constant))
        counters.additions += hits.total()
        return hits

    def _unbound(
        self, operations: _Attribute, values: Values, event: Event, name: str, counters: AttributeCounters
    ) -> Counter[str]:
        """Return the hits that do not depend on one value: `contains`, and comparisons with other attributes."""
        domain = self._schema.domain(name)
        contains = operations.constant.get(Operator.CONTAINS, {})
        hits = Counter(id for id, constant in contains if constant in values)
        counters.predicates += len(contains)
        for operator, rows in operations.compared.items():
            counters.predicates += len(rows)
            for id, other in rows:
                others = event.values.get(str(other), ())
                hits[id] += any(domain.holds(left, operator, right) for left in values for right in others)
        counters.additions += hits.total()
        return hits

    def _is_verified(self, subscription_id: str, event: Event, counters: AttributeCounters) -> bool:
        """Verify a subscription with comparisons if there are several bindings; otherwise counting is exact."""
        subscription = self._subscriptions[subscription_id]
        if not subscription.comparisons or event.is_single_valued:
            return True
        return satisfies(event, subscription, self._schema, counters)

    def structure_bytes(self) -> int:
        return deep_size(self._operations, self._required_hits)


def _event_type(subscription: AttributeSubscription) -> str | None:
    """Return the event type in a subscription's first `contains` or `=` predicate on `event_type`."""
    for predicate in subscription.predicates:
        if predicate.attribute == EVENT_TYPE and predicate.operator in (Operator.CONTAINS, Operator.EQUAL):
            return str(predicate.value)
    return None


def _text(value: Value | None) -> str | None:
    return None if value is None else str(value)


def _drop(operations: dict[Operator, _Rows], operator: Operator, subscription_id: str, operand: Value) -> None:
    del operations[operator][subscription_id, operand]
    if not operations[operator]:
        del operations[operator]
