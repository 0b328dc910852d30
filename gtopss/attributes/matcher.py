"""The one protocol that every attribute matcher obeys, and what they share at their doors.

`tests/contract/test_attribute_matchers.py` holds them to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import ORDER, SAME, Kind, Operator
from gtopss.attributes.events import Event
from gtopss.attributes.predicates import AttributeSubscription
from gtopss.attributes.schema import Schema
from gtopss.errors import DuplicateSubscription, SubscriptionNotFound, UnsupportedSubscription


@dataclass(frozen=True, slots=True)
class AttributeReport:
    """The ids of the subscriptions that one event satisfies, and what finding them took."""

    subscription_ids: frozenset[str]
    counters: AttributeCounters


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a matcher can answer: operators by kind of domain, comparisons of attributes, endless domains."""

    operators: Mapping[Kind, frozenset[Operator]]
    comparisons: bool = False
    endless: bool = True  # False: only domains whose values can be listed

    def objection(self, subscription: AttributeSubscription, schema: Schema) -> str | None:
        """Why a subscription cannot be answered."""
        if subscription.comparisons and not self.comparisons:
            return f"it compares two attributes: {subscription.comparisons[0]}"
        for predicate in subscription.predicates:
            domain = schema.domain(predicate.attribute)
            if predicate.operator not in self.operators.get(domain.kind, ()):
                return f"it cannot do {predicate.operator} on a {domain.kind} domain: {predicate}"
            if not self.endless and domain.values() is None:
                return f"the domain {domain.name!r} has no last value: {predicate}"
        return None


EVERYTHING: Mapping[Kind, frozenset[Operator]] = {
    Kind.NUMERIC: SAME | ORDER,
    Kind.STRING: SAME | ORDER,
    Kind.ENUMERATED: SAME | ORDER,
    Kind.HIERARCHICAL: SAME | ORDER | {Operator.IS_A},
}


class AttributeMatcher(Protocol):
    """Keeps subscriptions and finds those that an event satisfies."""

    @property
    def abilities(self) -> Abilities:
        """What it can answer; it refuses the rest."""
        ...

    def insert(self, subscription: AttributeSubscription) -> None:
        """Register; InvalidSubscription, DuplicateSubscription or UnsupportedSubscription if that cannot be."""

    def remove(self, subscription_id: str) -> None:
        """Forget it, as if it had never been; SubscriptionNotFound if it is not there."""

    def match(self, event: Event) -> AttributeReport:
        """All subscriptions that the event satisfies; InvalidEvent if a value is not in its domain."""
        ...

    def structure_bytes(self) -> int:
        """The memory of what the matcher built; the subscriptions themselves are the caller's (see `Register`)."""
        ...

    def __len__(self) -> int:
        """How many subscriptions are registered."""
        ...


class Register:
    """The door of a matcher: what is registered, by id, and the checks that all matchers make alike."""

    def __init__(self, matcher: str, abilities: Abilities, schema: Schema) -> None:
        self._matcher, self._abilities, self._schema = matcher, abilities, schema
        self._subscriptions: dict[str, AttributeSubscription] = {}

    def admit(self, subscription: AttributeSubscription) -> None:
        self._schema.check_subscription(subscription)
        objection = self._abilities.objection(subscription, self._schema)
        if objection is not None:
            raise UnsupportedSubscription(subscription.id, self._matcher, objection)
        if subscription.id in self._subscriptions:
            raise DuplicateSubscription(subscription.id)
        self._subscriptions[subscription.id] = subscription

    def admit_all(self, subscriptions: Iterable[AttributeSubscription]) -> list[AttributeSubscription]:
        """Admit many; none of them if one is refused."""
        admitted: list[AttributeSubscription] = []
        try:
            for subscription in subscriptions:
                self.admit(subscription)
                admitted.append(subscription)
        except ValueError:
            for subscription in admitted:
                self.release(subscription.id)
            raise
        return admitted

    def release(self, subscription_id: str) -> AttributeSubscription:
        if subscription_id not in self._subscriptions:
            raise SubscriptionNotFound(subscription_id)
        return self._subscriptions.pop(subscription_id)

    def __getitem__(self, subscription_id: str) -> AttributeSubscription:
        return self._subscriptions[subscription_id]

    def __iter__(self) -> Iterator[AttributeSubscription]:
        return iter(self._subscriptions.values())

    def __len__(self) -> int:
        return len(self._subscriptions)
