"""Store subscriptions as they were written, where the matcher holds a rewritten form of them."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from gtopss.model import Subscription, Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec


class SubscriptionRegistry:
    """Map ids to subscriptions as written, compactly, and to the reasons why branches can never match.

    Only subscriptions that differ from their form in the matcher are here. Not thread-safe: the engine's lock
    protects it.
    """

    def __init__(self) -> None:
        self._terms = _TermNumbers()
        self._codec = SubscriptionCodec(self._terms.number, self._terms.text)
        self._encoded: dict[str, EncodedSubscription] = {}
        self._impossible: dict[str, tuple[str, ...]] = {}
        self._never_matching: set[str] = set()
        self._queries: set[str] = set()
        self.uses_now = False
        """Whether some subscription called NOW since the engine was created, so that publications need a time."""

    def __contains__(self, subscription_id: str) -> bool:
        return subscription_id in self._encoded

    def add(self, subscription: Subscription, impossible: tuple[str, ...], *, never_matches: bool) -> None:
        """Store a subscription as written. `impossible` says, per branch that can never match, why."""
        encoded = self._encoded[subscription.id] = self._codec.encode(subscription)
        self._terms.use(encoded.numbers())
        if impossible:
            self._impossible[subscription.id] = impossible
        if never_matches:
            self._never_matching.add(subscription.id)
        elif subscription.query is not None:
            self._queries.add(subscription.id)

    def get(self, subscription_id: str) -> Subscription | None:
        """Return the subscription as written; None if its form in the matcher is the one written."""
        encoded = self._encoded.get(subscription_id)
        return None if encoded is None else self._codec.decode(encoded)

    def impossible_branches(self, subscription_id: str) -> tuple[str, ...]:
        """Return why branches of the subscription can never match."""
        return self._impossible.get(subscription_id, ())

    def queries(self) -> Set[str]:
        """Return a view of the ids of the subscriptions that have a query and can match."""
        return self._queries

    def never_matching(self) -> Set[str]:
        """Return a view of the ids of the subscriptions that can never match: no matcher holds them."""
        return self._never_matching

    def remove(self, subscription_id: str) -> None:
        """Remove a subscription if it is here."""
        encoded = self._encoded.pop(subscription_id, None)
        if encoded is not None:
            self._terms.release(encoded.numbers())
        self._impossible.pop(subscription_id, None)
        self._never_matching.discard(subscription_id)
        self._queries.discard(subscription_id)

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


class _TermNumbers:
    """Number the terms of subscriptions. The number of a term that no subscription has any longer is reused."""

    def __init__(self) -> None:
        self._numbers: dict[Term, int] = {}
        self._terms: list[Term | None] = []
        self._uses: list[int] = []
        self._free: list[int] = []

    def number(self, term: Term) -> int:
        """Return the number of a term; `use` must be called with it before the next `release`."""
        known = self._numbers.get(term)
        if known is None:
            if not self._free:
                self._free.append(len(self._terms))
                self._terms.append(None)
                self._uses.append(0)
            known = self._numbers[term] = self._free.pop()
            self._terms[known] = term
        return known

    def text(self, number: int) -> Term:
        term = self._terms[number]
        assert term is not None
        return term

    def use(self, numbers: Iterable[int]) -> None:
        """Count one more subscription that has these terms."""
        for number in numbers:
            self._uses[number] += 1

    def release(self, numbers: Iterable[int]) -> None:
        """Count one subscription less that has these terms."""
        for number in numbers:
            self._uses[number] -= 1
            term = self._terms[number]
            if not self._uses[number] and term is not None:
                del self._numbers[term]
                self._terms[number] = None
                self._free.append(number)
