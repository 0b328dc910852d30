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
| hit vector                              | what the association counts                                          |
| subscription-predicate count vector     | `Slots.wanted`                                                       |

Stage 1 finds the satisfied predicates, stage 2 adds up hits and compares them with what each subscription wants. The
paper hands a bit vector of predicates from one stage to the other; here it is lists of their numbers, one for each
value that an attribute may be bound to, because of an attribute with several values the best must be taken. Numbers of
predicates and slots of subscriptions are recycled, as in section 3. For removal the list-based form needs the
predicates of a subscription; the paper keeps a table for that, here they are in the register.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import ORDER, SAME, Kind
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.matchers.associations import Association, BitMatrix, ByteMatrix
from gtopss.attributes.matchers.hits import Postings
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.predicate_lists import PredicateLists
from gtopss.attributes.matchers.predicate_tables import PredicateTables
from gtopss.attributes.matchers.slots import Slots
from gtopss.attributes.predicates import AttributeSubscription, Predicate
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of


class PredicateIndex(Protocol):
    """Distinct predicates by number."""

    def insert(self, predicate: Predicate) -> int: ...
    def remove(self, predicate: Predicate) -> int: ...
    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied: ...


_ASSOCIATIONS: dict[str, type[ByteMatrix] | type[BitMatrix] | type[Postings]] = {
    "bytes": ByteMatrix,
    "bits": BitMatrix,
    "lists": Postings,
}


class CountingMatcher:
    """Both stages; what differs is the index of stage 1."""

    abilities: Abilities

    def __init__(self, name: str, schema: Schema, predicates: PredicateIndex, association: str) -> None:
        self._schema = schema
        self._register = Register(name, self.abilities, schema)
        self._slots = Slots()
        self._predicates = predicates
        self._association: Association = _ASSOCIATIONS[association]()

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)
        slot = self._slots.take(subscription.id, len(subscription.predicates))
        for predicate in subscription.predicates:
            self._association.add(self._predicates.insert(predicate), slot)

    def remove(self, subscription_id: str) -> None:
        subscription = self._register.release(subscription_id)
        slot = self._slots.give_back(subscription_id)
        for predicate in subscription.predicates:
            self._association.discard(self._predicates.remove(predicate), slot)

    def satisfied(self, event: Event, counters: AttributeCounters) -> Satisfied:
        """Stage 1 alone: what Figure 2 measures."""
        return self._predicates.satisfied(event, counters)

    def matched_slots(self, satisfied: Satisfied, counters: AttributeCounters) -> NDArray[np.int64]:
        """Stage 2 alone: what Figure 3 measures. Its answers are numbers, as the paper's are."""
        hits = self._association.count(satisfied, len(self._slots), counters)
        counters.comparisons += len(self._register)
        return np.flatnonzero(hits == self._slots.wanted_array())

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        counters = AttributeCounters()
        matched = self.matched_slots(self.satisfied(event, counters), counters)
        return AttributeReport(self._slots.ids(matched.tolist()), counters)

    def predicate_bytes(self) -> int:
        """Of stage 1 alone."""
        return size_of(self._predicates, without=(self._schema, *self._schema.domains))

    def structure_bytes(self) -> int:
        own = size_of(self._slots, self._association)
        return own + self.predicate_bytes()


class TableCountingMatcher(CountingMatcher):
    """Predicate tables; only over domains whose values can be listed."""

    abilities = Abilities(
        {kind: operators for kind, operators in EVERYTHING.items() if kind != Kind.STRING}, endless=False
    )

    def __init__(self, schema: Schema, association: Literal["bytes", "bits", "lists"]) -> None:
        super().__init__(f"topss-table-{association}", schema, PredicateTables(schema), association)


class ListCountingMatcher(CountingMatcher):
    """Ordered lists; of domains without a total order only equality can be listed."""

    abilities = Abilities(
        {
            Kind.NUMERIC: SAME | ORDER,
            Kind.STRING: SAME | ORDER,
            Kind.ENUMERATED: SAME,
            Kind.HIERARCHICAL: SAME,
        }
    )

    def __init__(self, schema: Schema, association: Literal["bytes", "bits", "lists"]) -> None:
        super().__init__(f"topss-list-{association}", schema, PredicateLists(), association)
