"""Store subscriptions as they were written, where the matcher holds a rewritten form of them."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from gtopss.model import Subscription, Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec


class SubscriptionRegistry:
    """Map ids to subscriptions as written, compactly, and to the reasons why branches can never match.

    Only subscriptions that differ from their form in the matcher are here. Not thread-safe: the engine's lock
    protects it.
    """

    def __init__(self) -> None:
        self._term_numbers: dict[Term, int] = {}
        self._terms: list[Term] = []
        self._codec = SubscriptionCodec(self._number, self._terms.__getitem__)
        self._encoded: dict[str, EncodedSubscription] = {}
        self._impossible: dict[str, tuple[str, ...]] = {}
        self._never_matching: set[str] = set()
        self.uses_now = False
        """Whether some subscription called NOW since the engine was created, so that publications need a time."""

    def _number(self, term: Term) -> int:
        number = self._term_numbers.setdefault(term, len(self._terms))
        if number == len(self._terms):
            self._terms.append(term)
        return number

    def __contains__(self, subscription_id: str) -> bool:
        return subscription_id in self._encoded

    def add(self, subscription: Subscription, impossible: tuple[str, ...], *, never_matches: bool) -> None:
        """Store a subscription as written. `impossible` says, per branch that can never match, why."""
        self._encoded[subscription.id] = self._codec.encode(subscription)
        if impossible:
            self._impossible[subscription.id] = impossible
        if never_matches:
            self._never_matching.add(subscription.id)

    def get(self, subscription_id: str) -> Subscription | None:
        """Return the subscription as written; None if its form in the matcher is the one written."""
        encoded = self._encoded.get(subscription_id)
        return None if encoded is None else self._codec.decode(encoded)

    def impossible_branches(self, subscription_id: str) -> tuple[str, ...]:
        """Return why branches of the subscription can never match."""
        return self._impossible.get(subscription_id, ())

    def never_matching(self) -> Set[str]:
        """Return a view of the ids of the subscriptions that can never match: no matcher holds them."""
        return self._never_matching

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription if it is here."""
        self._encoded.pop(subscription_id, None)
        self._impossible.pop(subscription_id, None)
        self._never_matching.discard(subscription_id)

    def to_json(self) -> dict[str, Any]:
        subscriptions = [
            [self._codec.decode(encoded).to_json(), self._impossible.get(id, ()), id in self._never_matching]
            for id, encoded in self._encoded.items()
        ]
        return {"uses_now": self.uses_now, "subscriptions": subscriptions}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SubscriptionRegistry:
        registry = cls()
        registry.uses_now = data["uses_now"]
        for subscription, impossible, never_matches in data["subscriptions"]:
            registry.add(Subscription.from_json(subscription), tuple(impossible), never_matches=never_matches)
        return registry
