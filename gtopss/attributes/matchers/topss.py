"""Counting with a choice of predicate index and of association (ToPSS, sections 3 and 5).

The paper is Ashayer, Leung, Jacobsen: "Predicate Matching and Subscription Matching in Publish/Subscribe Systems",
2002. Our copy begins on its second page, so that title and authors are not from it.

| paper                                   | here                                                                 |
|-----------------------------------------|----------------------------------------------------------------------|
| table-based predicate data structure    | `PredicateTables`                                                    |
| ordered linked lists                    | `PredicateLists`                                                     |
| "regular" matching                      | `ByteMatrix`                                                         |
| bit-wise matching                       | `BitMatrix`                                                          |
| list-based matching                     | `Postings`                                                           |
| hit vector                              | the result of `Association.count`                                    |
| subscription-predicate count vector     | `SubscriptionSlots.required_hits`                                    |

Stage 1 finds the satisfied predicates; stage 2 adds up hits and compares them with the required hits of each
subscription. The paper passes a bit vector of predicates from one stage to the other. Here it is lists of predicate
numbers, one for each value that an attribute may be bound to, because only the best value of an attribute counts.
Predicate numbers and subscription slots are reused, as in section 3. For removal, the list-based form needs the
predicates of a subscription; the paper has a table for that, here they are in `RegisteredSubscriptions`.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import EQUALITY_OPERATORS, ORDER_OPERATORS, DomainKind
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.associations import Association, BitMatrix, ByteMatrix
from gtopss.attributes.matchers.hit_counting import Postings
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.predicate_lists import PredicateLists
from gtopss.attributes.matchers.predicate_tables import PredicateTables
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class PredicateIndex(Protocol):
    """An index of distinct predicates, identified by numbers."""

    def insert(self, predicate: Predicate) -> int: ...
    def remove(self, predicate: Predicate) -> int: ...
    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied: ...


_ASSOCIATIONS: dict[str, type[ByteMatrix] | type[BitMatrix] | type[Postings]] = {
    "bytes": ByteMatrix,
    "bits": BitMatrix,
    "lists": Postings,
}


class CountingMatcher:
    """Match in two stages. Subclasses choose the predicate index of stage 1."""

    capabilities: AttributeCapabilities

    def __init__(self, name: str, schema: Schema, predicates: PredicateIndex, association: str) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions(name, self.capabilities, schema)
        self._slots = SubscriptionSlots()
        self._predicates = predicates
        self._association: Association = _ASSOCIATIONS[association]()

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        slot = self._slots.allocate(subscription.id, len(subscription.predicates))
        for predicate in subscription.predicates:
            self._association.add(self._predicates.insert(predicate), slot)

    def remove(self, subscription_id: str) -> None:
        subscription = self._subscriptions.remove(subscription_id)
        slot = self._slots.release(subscription_id)
        for predicate in subscription.predicates:
            self._association.discard(self._predicates.remove(predicate), slot)

    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied:
        """Run stage 1 alone."""
        return self._predicates.satisfied(event, counters)

    def matched_slots(self, satisfied: Satisfied, counters: AttributeCounters) -> NDArray[np.int64]:
        """Run stage 2 alone, which Figure 3 measures; return subscription slots, as the paper does."""
        hits = self._association.count(satisfied, len(self._slots), counters)
        counters.comparisons += len(self._subscriptions)
        return np.flatnonzero(hits == self._slots.required_hits())

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        counters = AttributeCounters()
        matched = self.matched_slots(self.satisfied(event, counters), counters)
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def predicate_bytes(self) -> int:
        """Return the bytes of the predicate index of stage 1."""
        return deep_size(self._predicates, without=(self._schema, *self._schema.domains))

    def structure_bytes(self) -> int:
        own = deep_size(self._slots, self._association)
        return own + self.predicate_bytes()


class TableCountingMatcher(CountingMatcher):
    """Match with predicate tables, which need finite domains."""

    capabilities = AttributeCapabilities(
        {kind: operators for kind, operators in ALL_OPERATORS.items() if kind != DomainKind.STRING},
        infinite_domains=False,
    )

    def __init__(self, schema: Schema, association: Literal["bytes", "bits", "lists"]) -> None:
        super().__init__(f"topss-table-{association}", schema, PredicateTables(schema), association)


class ListCountingMatcher(CountingMatcher):
    """Match with ordered lists. Domains without a total order support only equality operators."""

    capabilities = AttributeCapabilities(
        {
            DomainKind.NUMERIC: EQUALITY_OPERATORS | ORDER_OPERATORS,
            DomainKind.STRING: EQUALITY_OPERATORS | ORDER_OPERATORS,
            DomainKind.ENUMERATED: EQUALITY_OPERATORS,
            DomainKind.HIERARCHICAL: EQUALITY_OPERATORS,
        }
    )

    def __init__(self, schema: Schema, association: Literal["bytes", "bits", "lists"]) -> None:
        super().__init__(f"topss-list-{association}", schema, PredicateLists(), association)
