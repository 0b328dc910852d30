"""What a check says about a subscription."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake in a subscription, or what may be one. `likely` is False where it may well be meant."""

    subscription_id: str
    message: str
    likely: bool = True

    def __str__(self) -> str:
        return f"subscription {self.subscription_id!r}: {self.message}"
