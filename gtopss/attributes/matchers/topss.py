"""Counting with a choice of predicate index and of association (ToPSS, sections 3 and 5).

The paper is Ashayer, Leung, Jacobsen: "Predicate Matching and Subscription Matching in Publish/Subscribe Systems",
2002. Our copy begins on its second page, so that title and authors are not from it.

| paper                                   | here                                                                 |
|-----------------------------------------|----------------------------------------------------------------------|
| table-based predicate data structure    | `PredicateTables`                                                    |
| ordered linked lists                    | `PredicateLists`                                                     |
| "regular" matching                      | `ByteMatrix`                                                         |
| bit-wise matching                       | `BitMatrix`                                                          |
| list-based matching                     | `SubscriptionLists`                                                  |
| re-allocation by a constant amount      | `SubscriptionLists(growth=REALLOCATED_ENTRIES)`                      |
| "the data structure required to support | `DeletionTable`; without it (`lists-without-deletion-table`), a      |
| efficient deletion"                     | removal searches the lists of all predicates                         |
| predicate bit vector                    | `PredicateBits`                                                      |
| hit vector                              | the result of `Association.count`, one byte for each subscription    |
| subscription-predicate count vector     | `SubscriptionSlots.required_hits`, one byte for each subscription    |

Stage 1 finds the satisfied predicates and sets their bits; stage 2 adds up hits and compares them with the required
hits of each subscription. Predicate numbers and subscription slots are reused, as in section 3. A subscription is
removed by its slot: the association gives the numbers of its predicates, from a column of a matrix or from the deletion
table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import EQUALITY_OPERATORS, ORDER_OPERATORS, DomainKind
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.matchers.associations import Association, BitMatrix, ByteMatrix
from gtopss.attributes.matchers.predicate_bits import PredicateBits
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.predicate_lists import PredicateLists
from gtopss.attributes.matchers.predicate_tables import PredicateTables
from gtopss.attributes.matchers.subscription_lists import SubscriptionLists
from gtopss.attributes.matchers.subscription_slots import SubscriptionSlots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class PredicateIndex(Protocol):
    """An index of distinct predicates, identified by numbers."""

    def insert(self, predicate: Predicate) -> int: ...
    def release(self, number: int) -> None: ...
    def __len__(self) -> int: ...
    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied: ...


REALLOCATED_ENTRIES = 1
"""Entries by which a list grows in `lists-constant`. The paper does not give its number: see `subscription_lists`."""

AssociationName: TypeAlias = Literal["bytes", "bits", "lists", "lists-constant", "lists-without-deletion-table"]
_ASSOCIATIONS: dict[AssociationName, Callable[[], Association]] = {
    "bytes": ByteMatrix,
    "bits": BitMatrix,
    "lists": SubscriptionLists,
    "lists-constant": lambda: SubscriptionLists(growth=REALLOCATED_ENTRIES),
    "lists-without-deletion-table": lambda: SubscriptionLists(deletion_table=False),
}


class CountingMatcher:
    """Match in two stages. Subclasses choose the predicate index of stage 1."""

    capabilities: AttributeCapabilities

    def __init__(self, name: str, schema: Schema, predicates: PredicateIndex, association: AssociationName) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions(name, self.capabilities, schema)
        self._slots = SubscriptionSlots(one_byte=True)
        self._predicates = predicates
        self._association = _ASSOCIATIONS[association]()

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)
        slot = self._slots.allocate(subscription.id, len(subscription.predicates))
        self._association.add([self._predicates.insert(predicate) for predicate in subscription.predicates], slot)

    def remove(self, subscription_id: str) -> None:
        self._subscriptions.remove(subscription_id)
        for number in self._association.clear(self._slots.release(subscription_id)):
            self._predicates.release(number)

    def satisfied(self, event: Event, counters: AttributeCounters) -> PredicateBits:
        """Run stage 1 alone."""
        return PredicateBits.of(self._predicates.satisfied(event, counters), len(self._predicates))

    def matched_slots(self, bits: PredicateBits, counters: AttributeCounters) -> NDArray[np.int64]:
        """Run stage 2 alone, which Figure 3 measures; return subscription slots, as the paper does."""
        slots = self._slots
        hits = self._association.count(bits.satisfied(), len(slots), slots.count_type, counters)
        counters.comparisons += len(self._subscriptions)
        return np.flatnonzero(hits == self._slots.required_hits())

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
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

    def __init__(self, schema: Schema, association: AssociationName) -> None:
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

    def __init__(self, schema: Schema, association: AssociationName) -> None:
        super().__init__(f"topss-list-{association}", schema, PredicateLists(), association)
