"""The protocol of attribute matchers, and the registration checks that all of them share.

`tests/contract/test_attribute_matchers.py` tests every matcher against the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import EQUALITY_OPERATORS, ORDER_OPERATORS, DomainKind, Operator
from gtopss.attributes.events import Event
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.errors import DuplicateSubscription, SubscriptionNotFound, UnsupportedSubscription


@dataclass(frozen=True, slots=True)
class AttributeReport:
    """The ids of the subscriptions that one event satisfies, and counters of the work to find them."""

    subscription_ids: frozenset[str]
    counters: AttributeCounters


@dataclass(frozen=True, slots=True)
class AttributeCapabilities:
    """What a matcher supports: operators by kind of domain, comparisons of attributes, infinite domains."""

    operators: Mapping[DomainKind, frozenset[Operator]]
    comparisons: bool = False
    infinite_domains: bool = True  # False: only domains whose values can be listed

    def unsupported_reason(self, subscription: AttributeSubscription, schema: Schema) -> str | None:
        """Return why the matcher does not support a subscription, or None if it does."""
        if subscription.comparisons and not self.comparisons:
            return f"it does not support comparisons of two attributes: {subscription.comparisons[0]}"
        for predicate in subscription.predicates:
            domain = schema.domain(predicate.attribute)
            if predicate.operator not in self.operators.get(domain.kind, ()):
                return f"it does not support {predicate.operator} on a {domain.kind} domain: {predicate}"
            if not self.infinite_domains and domain.values() is None:
                return f"it needs a finite domain, and {domain.name!r} is infinite: {predicate}"
        return None


ALL_OPERATORS: Mapping[DomainKind, frozenset[Operator]] = {
    DomainKind.NUMERIC: EQUALITY_OPERATORS | ORDER_OPERATORS,
    DomainKind.STRING: EQUALITY_OPERATORS | ORDER_OPERATORS,
    DomainKind.ENUMERATED: EQUALITY_OPERATORS | ORDER_OPERATORS,
    DomainKind.HIERARCHICAL: EQUALITY_OPERATORS | ORDER_OPERATORS | {Operator.IS_A},
}
"""Every operator that a domain of each kind can have."""


class AttributeMatcher(Protocol):
    """Store subscriptions and find those that an event satisfies."""

    @property
    def capabilities(self) -> AttributeCapabilities:
        """What the matcher supports. `insert` refuses everything else with UnsupportedSubscription."""
        ...

    def insert(self, subscription: AttributeSubscription) -> None:
        """Register a subscription.

        Raises InvalidSubscription, DuplicateSubscription or UnsupportedSubscription and then stores nothing.
        """

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription; raise SubscriptionNotFound if it is not registered."""

    def match(self, event: Event) -> AttributeReport:
        """Return all subscriptions that the event satisfies; raise InvalidEvent if a value is not in its domain."""
        ...

    def structure_bytes(self) -> int:
        """Return the bytes of the matcher's data structures, without the subscriptions, which the caller owns."""
        ...

    def __len__(self) -> int:
        """Return the number of registered subscriptions."""
        ...


class RegisteredSubscriptions:
    """The subscriptions of a matcher by id, with the registration checks that all matchers share."""

    def __init__(self, matcher: str, capabilities: AttributeCapabilities, schema: Schema) -> None:
        self._matcher, self._capabilities, self._schema = matcher, capabilities, schema
        self._subscriptions: dict[str, AttributeSubscription] = {}

    def add(self, subscription: AttributeSubscription) -> None:
        """Check and store a subscription; raise as `AttributeMatcher.insert` does."""
        self._schema.check_subscription(subscription)
        reason = self._capabilities.unsupported_reason(subscription, self._schema)
        if reason is not None:
            raise UnsupportedSubscription(subscription.id, self._matcher, reason)
        if subscription.id in self._subscriptions:
            raise DuplicateSubscription(subscription.id)
        self._subscriptions[subscription.id] = subscription

    def add_all(self, subscriptions: Iterable[AttributeSubscription]) -> list[AttributeSubscription]:
        """Add all subscriptions, or none of them if one is refused."""
        added: list[AttributeSubscription] = []
        try:
            for subscription in subscriptions:
                self.add(subscription)
                added.append(subscription)
        except ValueError:
            for subscription in added:
                self.remove(subscription.id)
            raise
        return added

    def remove(self, subscription_id: str) -> AttributeSubscription:
        if subscription_id not in self._subscriptions:
            raise SubscriptionNotFound(subscription_id)
        return self._subscriptions.pop(subscription_id)

    def __getitem__(self, subscription_id: str) -> AttributeSubscription:
        return self._subscriptions[subscription_id]

    def __iter__(self) -> Iterator[AttributeSubscription]:
        return iter(self._subscriptions.values())

    def __len__(self) -> int:
        return len(self._subscriptions)
