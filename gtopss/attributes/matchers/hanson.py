"""The Hanson algorithm (Hanson et al., SIGMOD 1990, as described in Le Subscribe, section 3.1, Figure 6).

| paper           | here                                                                                |
|-----------------|-------------------------------------------------------------------------------------|
| ibs[a]          | `IntervalTree`, one per attribute                                                   |
| partial_matched | the subscription ids from the trees                                                 |
| predicates[s]   | `_rest`: the tests that the interval in the tree does not cover                     |

A subscription is indexed by its most selective predicate. "This algorithm requires a knowledge about the selectivity
of each predicate"; the paper gives none. This implementation prefers an equality to a bounded interval, and that to an
interval with one end; ties go to the predicate written first. The predicates of an attribute form one interval, as
Hanson's clauses do. Tests that are no interval of a total order (`!=`, `contains`, is-a, comparisons of attributes) are
evaluated afterwards. A subscription with only such tests is evaluated at every event, as Hanson does with clauses that
cannot be indexed.
"""

from __future__ import annotations

from functools import reduce

from gtopss.attributes.binding import satisfies
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import DomainKind, Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.interval_tree import Interval, IntervalTree
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class HansonMatcher:
    """Find candidates in an interval tree per attribute, then evaluate their other predicates one by one."""

    capabilities = AttributeCapabilities(ALL_OPERATORS, comparisons=True)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("hanson", self.capabilities, schema)
        self._trees: dict[str, IntervalTree] = {}
        self._rest: dict[str, AttributeSubscription | None] = {}
        self._unindexed: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        intervals = self._intervals(subscription)
        if any(interval.is_empty for interval in intervals.values()):
            return
        if not intervals:
            self._unindexed[subscription.id] = None
            return
        attribute = min(intervals, key=lambda name: _rank(intervals[name]))
        self._trees.setdefault(attribute, IntervalTree()).insert(subscription.id, intervals[attribute])
        rest = [
            test
            for test in subscription.tests
            if not isinstance(test, Predicate) or test.attribute != attribute or not self._is_interval(test)
        ]
        self._rest[subscription.id] = AttributeSubscription(subscription.id, rest) if rest else None

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        self._unindexed.pop(subscription_id, None)
        if subscription_id in self._rest:
            del self._rest[subscription_id]
            intervals = self._intervals(subscription)
            attribute = min(intervals, key=lambda name: _rank(intervals[name]))
            self._trees[attribute].remove(subscription_id, intervals[attribute])

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        found = {
            name for name in self._unindexed if satisfies(event, self._subscriptions[name], self._schema, counters)
        }
        for attribute, tree in self._trees.items():
            values = event.values.get(attribute, frozenset())
            partial = {name for value in values for name in tree.containing(value, counters)}
            # With several values, the binding that the tree found need not satisfy the rest, so all tests run again.
            found.update(name for name in partial if self._verify(event, name, len(values) > 1, counters))
        return AttributeReport(frozenset(found), counters)

    def _verify(self, event: Event, name: str, whole: bool, counters: AttributeCounters) -> bool:
        remaining = self._subscriptions[name] if whole else self._rest[name]
        return remaining is None or satisfies(event, remaining, self._schema, counters)

    def structure_bytes(self) -> int:
        return deep_size(self._trees, self._rest, self._unindexed)

    def _intervals(self, subscription: AttributeSubscription) -> dict[str, Interval]:
        """Return, for each attribute with interval predicates, the intersection of their intervals."""
        intervals: dict[str, list[Interval]] = {}
        for predicate in subscription.predicates:
            if self._is_interval(predicate):
                intervals.setdefault(predicate.attribute, []).append(_interval(predicate.operator, predicate.value))
        return {name: reduce(Interval.intersection, each) for name, each in intervals.items()}

    def _is_interval(self, predicate: Predicate) -> bool:
        if predicate.operator is Operator.EQUAL:
            return True
        total = self._schema.domain(predicate.attribute).kind in (DomainKind.NUMERIC, DomainKind.STRING)
        return total and predicate.operator not in (Operator.UNEQUAL, Operator.CONTAINS)


def _interval(operator: Operator, constant: Value) -> Interval:
    match operator:
        case Operator.EQUAL:
            return Interval(constant, True, constant, True)
        case Operator.BELOW:
            return Interval(high=constant)
        case Operator.AT_MOST:
            return Interval(high=constant, high_closed=True)
        case Operator.ABOVE:
            return Interval(low=constant)
        case _:
            return Interval(low=constant, low_closed=True)


def _rank(interval: Interval) -> int:
    """Return the assumed selectivity rank of an interval; lower is more selective."""
    if interval.low is None or interval.high is None:
        return 2
    return 0 if interval.low == interval.high else 1
