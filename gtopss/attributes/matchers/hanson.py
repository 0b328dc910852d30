"""The Hanson algorithm (Hanson et al., SIGMOD 1990, as told in Le Subscribe, section 3.1, Figure 6).

| paper           | here                                                                                |
|-----------------|-------------------------------------------------------------------------------------|
| ibs[a]          | `IntervalTree`, one per attribute                                                   |
| partial_matched | the names that the trees give                                                       |
| predicates[s]   | `_rest`: what the interval in the tree does not say                                 |

A subscription is reached through its most selective predicate. "This algorithm requires a knowledge about the
selectivity of each predicate"; the text gives none, so ours is: an equality before a bounded interval before one that
is open on a side; among equals the one written first. The predicates of an attribute are one interval, as Hanson's
clauses are. What is no interval of a total order (`!=`, `contains`, is-a, comparisons of attributes) is tested
afterwards; a subscription of nothing else is tested at every event, as Hanson does with clauses he cannot index.
"""

from __future__ import annotations

from functools import reduce

from gtopss.attributes.binding import satisfies
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Kind, Operator, Value
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.matchers.interval_tree import Interval, IntervalTree
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of


class HansonMatcher:
    """An interval tree per attribute for the most selective predicates, then the others one by one."""

    abilities = Abilities(EVERYTHING, comparisons=True)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._register = Register("hanson", self.abilities, schema)
        self._trees: dict[str, IntervalTree] = {}
        self._rest: dict[str, AttributeSubscription | None] = {}
        self._unindexed: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)
        intervals = self._intervals(subscription)
        if any(interval.empty for interval in intervals.values()):
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
        subscription = self._register.release(subscription_id)
        self._unindexed.pop(subscription_id, None)
        if subscription_id in self._rest:
            del self._rest[subscription_id]
            intervals = self._intervals(subscription)
            attribute = min(intervals, key=lambda name: _rank(intervals[name]))
            self._trees[attribute].remove(subscription_id, intervals[attribute])

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        counters = AttributeCounters()
        found = {name for name in self._unindexed if satisfies(event, self._register[name], self._schema, counters)}
        for attribute, tree in self._trees.items():
            values = event.values.get(attribute, frozenset())
            partial = {name for value in values for name in tree.containing(value, counters)}
            # With several values the binding that the tree found need not satisfy the rest: all is asked again.
            found.update(name for name in partial if self._verify(event, name, len(values) > 1, counters))
        return AttributeReport(frozenset(found), counters)

    def _verify(self, event: Event, name: str, whole: bool, counters: AttributeCounters) -> bool:
        asked = self._register[name] if whole else self._rest[name]
        return asked is None or satisfies(event, asked, self._schema, counters)

    def structure_bytes(self) -> int:
        return size_of(self._trees, self._rest, self._unindexed)

    def _intervals(self, subscription: AttributeSubscription) -> dict[str, Interval]:
        """For each attribute that has them, the interval that its predicates allow together."""
        made: dict[str, list[Interval]] = {}
        for predicate in subscription.predicates:
            if self._is_interval(predicate):
                made.setdefault(predicate.attribute, []).append(_interval(predicate.operator, predicate.value))
        return {name: reduce(Interval.meet, each) for name, each in made.items()}

    def _is_interval(self, predicate: Predicate) -> bool:
        if predicate.operator is Operator.EQUAL:
            return True
        total = self._schema.domain(predicate.attribute).kind in (Kind.NUMERIC, Kind.STRING)
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
    """The lower, the more selective it is taken to be."""
    if interval.low is None or interval.high is None:
        return 2
    return 0 if interval.low == interval.high else 1
