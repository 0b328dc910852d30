"""The equality-preferred algorithm (Le Subscribe, section 3.1, Figure 4).

| paper                  | here                                                                              |
|------------------------|-----------------------------------------------------------------------------------|
| eqsubmatch             | `EqualityClusters.satisfied`                                                      |
| partial_satisfied_sub  | the slots that it yields                                                          |
| neqsub                 | `_without_equality`                                                               |
| n_neqpreds             | `SubscriptionSlots.required_hits`: the predicates that the equalities do not decide |

Clusters find the subscriptions whose equalities hold. Only nonequality predicates are counted, and hit counts are
compared only for the subscriptions from the clusters and for those without an equality.
"""

from __future__ import annotations

import numpy as np

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.equalities import EqualityClusters, split_equalities
from gtopss.attributes.matchers.hit_counting import Postings
from gtopss.attributes.matchers.predicate_clusters import PredicateClusters
from gtopss.attributes.matchers.subscription_slots import SlotSet, SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class EqualityPreferredMatcher:
    """Find subscriptions by the cluster of their equalities, and count their other satisfied predicates."""

    capabilities = AttributeCapabilities(ALL_OPERATORS)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("equality-preferred", self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._equalities = EqualityClusters()
        self._without_equality = SlotSet()
        self._clusters = PredicateClusters(schema)
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        split = split_equalities(subscription, self._schema)
        if split is None:
            return
        slot = self._slots.allocate(subscription.id, len(split.remaining))
        for predicate in split.remaining:
            self._postings.add(self._clusters.insert(predicate), slot)
        if split.equalities:
            self._equalities.add(split.equalities, slot)
        else:
            self._without_equality.add(slot)

    def remove(self, subscription_id: str) -> None:
        split = split_equalities(self._subscriptions.remove(subscription_id), self._schema)
        if split is None:
            return
        slot = self._slots.release(subscription_id)
        for predicate in split.remaining:
            self._postings.discard(self._clusters.remove(predicate), slot)
        if split.equalities:
            self._equalities.discard(split.equalities, slot)
        self._without_equality.discard(slot)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        partial = np.fromiter(self._equalities.satisfied(event, counters), np.int64)
        satisfied = self._clusters.satisfied(event, counters)
        hits = self._postings.count(satisfied, len(self._slots), counters)
        candidates = np.concatenate([partial, self._without_equality.as_array()])
        counters.comparisons += len(candidates)
        matched = candidates[hits[candidates] == self._slots.required_hits()[candidates]]
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def structure_bytes(self) -> int:
        parts = (self._slots, self._equalities, self._without_equality, self._clusters, self._postings)
        return deep_size(*parts, without=(self._schema,))
