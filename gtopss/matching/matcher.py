"""The one protocol that every matcher obeys; `tests/contract` holds them to it."""

from __future__ import annotations

from typing import Protocol

from gtopss.model import MatchReport, Publication, Subscription

ROW_LIMIT = 10_000
"""Solutions per match unless the caller says otherwise; above it a match is flagged as truncated."""


class Matcher(Protocol):
    """Keeps subscriptions and finds those that a publication satisfies."""

    def add(self, subscription: Subscription) -> None:
        """Register; DuplicateSubscription if the id is taken, UnsupportedSubscription if it cannot be answered."""

    def remove(self, subscription_id: str) -> None:
        """Forget it, as if it had never been; SubscriptionNotFound if it is not there."""

    def subscription(self, subscription_id: str) -> Subscription:
        """What was added under this id; SubscriptionNotFound if it is not there."""
        ...

    def ids(self) -> tuple[str, ...]:
        """The ids of all that is registered."""
        ...

    def match(self, publication: Publication, row_limit: int = ROW_LIMIT) -> MatchReport:
        """All subscriptions that the publication satisfies, each with at most `row_limit` solutions.

        With `row_limit=0` only the fact is wanted: matches come without solutions and are never truncated.
        """
        ...

    def __len__(self) -> int:
        """How many subscriptions are registered."""
        ...
