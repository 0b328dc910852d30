"""The fair predicate algorithm (Le Subscribe, section 3.1, Figure 2).

| paper                                       | here                                            |
|---------------------------------------------|-------------------------------------------------|
| eqpredmatch, lesspredmatch, greaterpredmatch | `PredicateClusters.satisfied`                  |
| pred_to_subs                                | `Postings`                                      |
| hitcount                                    | what `Postings.count` returns                   |
| #subscriptions[i]preds                      | `Slots.wanted`                                  |

Every predicate is evaluated at most once; then hits are added up, and compared for every subscription there is. With
several values to an attribute the sum takes the best value's hits: it is complete if and only if one value satisfies
all predicates on the attribute.
"""

from __future__ import annotations

import numpy as np

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.matchers.hits import Postings
from gtopss.attributes.matchers.predicate_clusters import PredicateClusters
from gtopss.attributes.matchers.slots import Slots
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of


class FairPredicateMatcher:
    """Counts the satisfied predicates of all subscriptions."""

    abilities = Abilities(EVERYTHING)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._register = Register("fair-predicate", self.abilities, schema)
        self._slots = Slots()
        self._clusters = PredicateClusters(schema)
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)
        slot = self._slots.take(subscription.id, len(subscription.predicates))
        for predicate in subscription.predicates:
            self._postings.add(self._clusters.insert(predicate), slot)

    def remove(self, subscription_id: str) -> None:
        subscription = self._register.release(subscription_id)
        slot = self._slots.give_back(subscription_id)
        for predicate in subscription.predicates:
            self._postings.discard(self._clusters.remove(predicate), slot)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        counters = AttributeCounters()
        satisfied = self._clusters.satisfied(event, counters)
        hits = self._postings.count(satisfied, len(self._slots), counters)
        counters.comparisons += len(self._register)
        matched = np.flatnonzero(hits == self._slots.wanted_array())
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def structure_bytes(self) -> int:
        return size_of(self._slots, self._clusters, self._postings, without=(self._schema,))
