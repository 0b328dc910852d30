"""Figures about a store that are cheap to read: each is a counter, or found by an index."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from gtopss.broker.store import publication_rows
from gtopss.broker.store.subscription_rows import SubscriptionRow, get_many
from gtopss.broker.store.tables import dead_letters, feeds, owners, publications, subscriptions, targets
from gtopss.broker.store.target_rows import TargetState


@dataclass(frozen=True, slots=True)
class StoreStatistics:
    """How much a store has, and how much waits."""

    subscriptions: int
    """Active ones."""
    publications: int
    """Accepted since the store was created: the number of the newest one."""
    publications_waiting: int
    oldest_waiting_at: float | None
    targets: int
    targets_due: int
    targets_disabled: int
    dead_letters: int
    feeds: int
    feeds_failing: int


def read_statistics(connection: Connection, now: float) -> StoreStatistics:
    """Return the figures of a store."""

    def count(*conditions: object) -> int:
        return int(connection.execute(select(func.count()).where(*conditions)).scalar_one())  # type: ignore[arg-type]

    return StoreStatistics(
        subscriptions=int(connection.execute(select(func.sum(owners.c.subscriptions))).scalar() or 0),
        publications=int(connection.execute(select(func.max(publications.c.number))).scalar() or 0),
        publications_waiting=publication_rows.count_waiting(connection),
        oldest_waiting_at=publication_rows.oldest_waiting(connection),
        targets=count(targets.c.id.is_not(None)),
        targets_due=count(targets.c.due_at <= now),
        targets_disabled=count(targets.c.state == int(TargetState.DISABLED)),
        dead_letters=count(dead_letters.c.target.is_not(None)),
        feeds=count(feeds.c.url.is_not(None)),
        feeds_failing=count(feeds.c.failures > 0),
    )


def busiest(connection: Connection, limit: int) -> list[SubscriptionRow]:
    """Return the subscriptions that have had the most notifications."""
    most = select(subscriptions.c.id).order_by(subscriptions.c.last_sequence.desc(), subscriptions.c.id).limit(limit)
    rows = get_many(connection, list(connection.execute(most).scalars()))
    return sorted(rows.values(), key=lambda row: (-row.last_sequence, row.id))
