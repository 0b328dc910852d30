"""Test every subscription against every event (Le Subscribe, section 3.1, Figure 1). The oracle for all matchers."""

from __future__ import annotations

from gtopss.attributes.binding import satisfies
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.events import Event
from gtopss.attributes.matcher import ALL_OPERATORS, AttributeCapabilities, AttributeReport, RegisteredSubscriptions
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.deep_size import deep_size


class NaiveMatcher:
    """Test the predicates of one subscription after the other, up to the first that fails."""

    capabilities = AttributeCapabilities(ALL_OPERATORS, comparisons=True)

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._subscriptions = RegisteredSubscriptions("naive", self.capabilities, schema)

    def __len__(self) -> int:
        return len(self._subscriptions)

    def insert(self, subscription: AttributeSubscription) -> None:
        self._subscriptions.add(subscription)

    def remove(self, subscription_id: str) -> None:
        self._subscriptions.remove(subscription_id)

    def match(self, event: Event) -> AttributeReport:
        self._schema.check_published(event)
        counters = AttributeCounters()
        found = (each.id for each in self._subscriptions if satisfies(event, each, self._schema, counters))
        return AttributeReport(frozenset(found), counters)

    def structure_bytes(self) -> int:
        """Return the bytes of its subscriptions, since it has no other data structure."""
        return deep_size(self._subscriptions, without=(self._schema, self.capabilities))
