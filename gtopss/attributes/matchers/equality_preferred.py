"""The equality-preferred algorithm (Le Subscribe, section 3.1, Figure 4).

| paper                  | here                                                            |
|------------------------|-----------------------------------------------------------------|
| eqsubmatch             | `EqualityClusters.satisfied`                                    |
| partial_satisfied_sub  | what it yields                                                  |
| neqsub                 | `_without_equality`                                             |
| n_neqpreds             | `Slots.wanted`: the predicates that the equalities leave open   |

Equalities are found together by their cluster; only nonequality predicates are counted, and compared only for the
subscriptions that the clusters gave and for those that have no equality.
"""

from __future__ import annotations

import numpy as np

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.matchers.equalities import EqualityClusters, settle
from gtopss.attributes.matchers.hits import Postings
from gtopss.attributes.matchers.predicate_clusters import PredicateClusters
from gtopss.attributes.matchers.slots import Slots, SlotSet
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of


class EqualityPreferredMatcher:
    """Finds equalities by cluster, and counts the rest."""

    abilities = Abilities(EVERYTHING)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._register = Register("equality-preferred", self.abilities, schema)
        self._slots = Slots()
        self._equalities = EqualityClusters()
        self._without_equality = SlotSet()
        self._clusters = PredicateClusters(schema)
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)
        settled = settle(subscription, self._schema)
        if settled is None:
            return
        slot = self._slots.take(subscription.id, len(settled.open))
        for predicate in settled.open:
            self._postings.add(self._clusters.insert(predicate), slot)
        if settled.equal:
            self._equalities.add(settled.equal, slot)
        else:
            self._without_equality.add(slot)

    def remove(self, subscription_id: str) -> None:
        settled = settle(self._register.release(subscription_id), self._schema)
        if settled is None:
            return
        slot = self._slots.give_back(subscription_id)
        for predicate in settled.open:
            self._postings.discard(self._clusters.remove(predicate), slot)
        if settled.equal:
            self._equalities.discard(settled.equal, slot)
        self._without_equality.discard(slot)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        counters = AttributeCounters()
        partial = np.fromiter(self._equalities.satisfied(event, counters), np.int64)
        satisfied = self._clusters.satisfied(event, counters)
        hits = self._postings.count(satisfied, len(self._slots), counters)
        candidates = np.concatenate([partial, self._without_equality.as_array()])
        counters.comparisons += len(candidates)
        matched = candidates[hits[candidates] == self._slots.wanted_array()[candidates]]
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def structure_bytes(self) -> int:
        parts = (self._slots, self._equalities, self._without_equality, self._clusters, self._postings)
        return size_of(*parts, without=(self._schema,))
