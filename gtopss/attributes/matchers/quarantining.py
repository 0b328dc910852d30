"""Equality-preferred with nonequality quarantining (Le Subscribe, section 3.1, Figure 5).

| paper            | here                                                                  |
|------------------|-----------------------------------------------------------------------|
| eqsubmatch       | `EqualityClusters.satisfied`                                          |
| match(s, e)      | `all_hold`, on the predicates that the equalities do not decide       |
| neqsub           | the subscriptions of `_quarantine`, a fair predicate matcher          |
| pred_to_neqsubs  | its postings                                                          |

Hits are counted only for subscriptions without an equality. The nonequality predicates of the others are evaluated one
by one, once their equalities hold.
"""

from __future__ import annotations

from gtopss.attributes.binding import all_hold
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.equalities import EqualityClusters, split_equalities
from gtopss.attributes.matchers.fair_predicate import FairPredicateMatcher
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class QuarantiningMatcher:
    """Find subscriptions by their equalities, then test their other predicates; count only if there is no equality."""

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("quarantining", self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._equalities = EqualityClusters()
        self._remaining: dict[int, tuple[Predicate, ...]] = {}
        self._quarantine = FairPredicateMatcher(schema)

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        split = split_equalities(subscription, self._schema)
        if split is None:
            return
        if not split.equalities:
            self._quarantine.insert(subscription)
            return
        slot = self._slots.allocate(subscription.id, len(split.remaining))
        self._equalities.add(split.equalities, slot)
        self._remaining[slot] = split.remaining

    def remove(self, subscription_id: str) -> None:
        split = split_equalities(self._subscriptions.remove(subscription_id), self._schema)
        if split is None:
            return
        if not split.equalities:
            self._quarantine.remove(subscription_id)
            return
        slot = self._slots.release(subscription_id)
        self._equalities.discard(split.equalities, slot)
        del self._remaining[slot]

    def match(self, event: Event) -> AttributeReport:
        report = self._quarantine.match(event)
        counters = report.counters
        matched = self._slots.ids(
            slot
            for slot in self._equalities.satisfied(event, counters)
            if self._holds(event, self._remaining[slot], counters)
        )
        return AttributeReport(report.subscription_ids | matched, counters)

    def _holds(self, event: Event, predicates: tuple[Predicate, ...], counters: AttributeCounters) -> bool:
        return all_hold(event, predicates, self._schema, counters)

    def structure_bytes(self) -> int:
        own = deep_size(self._slots, self._equalities, self._remaining, without=(self._schema,))
        return own + self._quarantine.structure_bytes()
