"""Decide which notifications the next delivery of a target has, and when it is due.

Without settings, each notification is delivered by itself, at once. `digest` joins what arrives within a period.
`at_most` allows a number of deliveries in a period; if more notifications wait than deliveries are left, they are
joined. Nothing is dropped. A notice does not wait for the end of a digest: the subscription might end before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gtopss.broker.match_recording import MATCH
from gtopss.broker.store.notification_rows import NotificationRow
from gtopss.broker.store.target_rows import Target


@dataclass(frozen=True, slots=True)
class DeliverySettings:
    """How a subscription wants its notifications: `digest` and `at_most_period` in seconds."""

    digest: float | None = None
    at_most: int | None = None
    at_most_period: float | None = None


@dataclass(frozen=True, slots=True)
class Send:
    """Deliver the first `count` notifications that wait, as one message."""

    count: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Deliver nothing before this time, in Unix seconds."""

    until: float


def plan(settings: DeliverySettings, target: Target, waiting: Sequence[NotificationRow], now: float) -> Send | Wait:
    """Return what to do with the notifications that wait, of which there is at least one."""
    if target.attempted_sequence is not None:  # an attempt that failed is repeated as it was
        return Send(sum(1 for row in waiting if row.sequence <= target.attempted_sequence))
    if settings.digest is not None and all(row.kind == MATCH for row in waiting):
        # A time in the future means that the clock was wrong, then or now.
        end = min(waiting[0].created_at, now) + settings.digest
        if now < end:
            return Wait(end)
    left = deliveries_left(settings, target, now)
    if left is not None and left <= 0 and target.period_start is not None and settings.at_most_period is not None:
        return Wait(target.period_start + settings.at_most_period)
    joined = settings.digest is not None or (left is not None and len(waiting) > left)
    return Send(len(waiting) if joined else 1)


def deliveries_left(settings: DeliverySettings, target: Target, now: float) -> int | None:
    """Return how many deliveries `at_most` allows in the current period; None without a limit."""
    if settings.at_most is None or settings.at_most_period is None:
        return None
    return settings.at_most - (0 if _period_is_over(settings, target, now) else target.period_deliveries)


def count_delivery(settings: DeliverySettings, target: Target, now: float) -> tuple[float | None, int]:
    """Return the start of the period and the deliveries in it, after one more."""
    if settings.at_most is None:
        return None, 0
    if _period_is_over(settings, target, now):
        return now, 1
    return target.period_start, target.period_deliveries + 1


def _period_is_over(settings: DeliverySettings, target: Target, now: float) -> bool:
    period, start = settings.at_most_period or 0.0, target.period_start
    return start is None or not start <= now < start + period
