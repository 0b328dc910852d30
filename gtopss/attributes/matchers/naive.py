"""Every subscription against every event (Le Subscribe, section 3.1, Figure 1); the oracle of all the others."""

from __future__ import annotations

from gtopss.attributes.binding import satisfies
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import EVERYTHING, Abilities, AttributeReport, Register
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.attributes.size import size_of


class NaiveMatcher:
    """Tests the predicates of one subscription after the other, and leaves each at its first that fails."""

    abilities = Abilities(EVERYTHING, comparisons=True)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._register = Register("naive", self.abilities, schema)

    def __len__(self) -> int:
        return len(self._register)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._register.admit(subscription)

    def remove(self, subscription_id: str) -> None:
        self._register.release(subscription_id)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_values(event)
        counters = AttributeCounters()
        found = (each.id for each in self._register if satisfies(event, each, self._schema, counters))
        return AttributeReport(frozenset(found), counters)

    def structure_bytes(self) -> int:
        """Its subscriptions: it has no other structure."""
        return size_of(self._register, without=(self._schema, self.abilities))
