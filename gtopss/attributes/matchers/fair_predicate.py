"""The fair predicate algorithm (Le Subscribe, section 3.1, Figure 2).

| paper                                       | here                                            |
|---------------------------------------------|-------------------------------------------------|
| eqpredmatch, lesspredmatch, greaterpredmatch | `PredicateClusters.satisfied`                  |
| pred_to_subs                                | `Postings`                                      |
| hitcount                                    | the result of `Postings.count`                  |
| #subscriptions[i]preds                      | `SubscriptionSlots.required_hits`               |

Two mistakes are corrected:

1. The text swaps lesspredmatch and greaterpredmatch. For the predicates "less than", it looks for "the predicate with
   the greatest value less than or equal to the attribute value", and takes all "that are placed before". These are the
   satisfied predicates "greater than". The satisfied predicates "less than" are placed after, as in the paper's own
   example: if (price <= 10) holds, (price <= 20) holds.
2. Line 14 of Figure 2 has an i that no line binds. It stands for s.

Every predicate is evaluated at most once; then hits are added up, and compared for every subscription. For an attribute
with several values, the hits of its best value count: the total is complete if and only if one value satisfies all
predicates on the attribute.
"""

from __future__ import annotations

import numpy as np

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.hit_counting import Postings
from gtopss.attributes.matchers.predicate_clusters import PredicateClusters
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class FairPredicateMatcher:
    """Count the satisfied predicates of all subscriptions."""

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("fair-predicate", self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._clusters = PredicateClusters(schema)
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        slot = self._slots.allocate(subscription.id, len(subscription.predicates))
        for predicate in subscription.predicates:
            self._postings.add(self._clusters.insert(predicate), slot)

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        slot = self._slots.release(subscription_id)
        for predicate in subscription.predicates:
            self._postings.discard(self._clusters.remove(predicate), slot)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        satisfied = self._clusters.satisfied(event, counters)
        hits = self._postings.count(satisfied, len(self._slots), counters)
        counters.comparisons += len(self._subscriptions)
        matched = np.flatnonzero(hits == self._slots.required_hits())
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def structure_bytes(self) -> int:
        return deep_size(self._slots, self._clusters, self._postings, without=(self._schema,))
