"""Remember the prefixes that subscriptions declare, for showing their terms."""

from __future__ import annotations

from typing import TypeAlias

from gtopss.model import Subscription
from sparqlish import PREFIXES

MAX_PREFIXED_SUBSCRIPTIONS = 100_000
"""Subscriptions whose prefixes an engine remembers, about 100 bytes each; the IRIs of others are shown whole."""
PrefixPairs: TypeAlias = tuple[tuple[str, str], ...]


class ShownPrefixes:
    """Map ids of subscriptions to prefixes. A pickled copy is empty: a report that is sent needs no engine."""

    def __init__(self) -> None:
        self._pairs: dict[str, PrefixPairs] = {}
        self._shared: dict[PrefixPairs, PrefixPairs] = {}  # most subscriptions declare the same ones

    def add(self, subscription: Subscription) -> None:
        pairs = subscription.prefixes
        if pairs and len(self._pairs) < MAX_PREFIXED_SUBSCRIPTIONS:
            self._pairs[subscription.id] = self._shared.setdefault(pairs, pairs)

    def remove(self, subscription_id: str) -> None:
        self._pairs.pop(subscription_id, None)

    def __call__(self, subscription_id: str) -> dict[str, str]:
        """Return the preset prefixes and those that the subscription declares."""
        return {**PREFIXES, **dict(self._pairs.get(subscription_id, ()))}

    def __reduce__(self) -> tuple[type[ShownPrefixes], tuple[()]]:
        return ShownPrefixes, ()
