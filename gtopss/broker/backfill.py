"""Backfill: what a new subscription matches among the retained publications, as notifications."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection

from gtopss.broker.match_recording import MatchedPublication, found_matches, record
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import PublicationRow
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.subscription_texts import add_quietly, parse_text
from gtopss.engine import Engine

MAX_BACKFILL_BYTES = 64 * 2**20
"""Text of the publications that a backfill looks at; fewer are looked at if they are large."""
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Backfill:
    """Matches new subscriptions against the publications that were accepted before them. Thread-safe."""

    store: Store
    engine: Engine
    """Has no subscriptions; only its settings and taxonomy are used."""
    publications: int
    clock: Callable[[], float]

    def run(self, subscription: SubscriptionRow) -> int:
        """Write the notifications of a subscription that was just registered. Return how many there are.

        Operators are not called: a subscription that calls some has no backfill.
        """
        if subscription.calls_operators:
            return 0
        rows = self.store.read(lambda connection: self._rows(connection, subscription))
        trial = self.engine.without_subscriptions()
        add_quietly(trial, parse_text(subscription.query, subscription.form, subscription.id, trial))
        reports = trial.match_many((row.publication() for row in rows), batch=_BATCH)
        matched = [MatchedPublication(row, found_matches(report)) for row, report in zip(rows, reports, strict=True)]
        return self.store.write(lambda connection: record(connection, matched, self.clock(), backfill=True))

    def _rows(self, connection: Connection, subscription: SubscriptionRow) -> list[PublicationRow]:
        return publication_rows.newest(
            connection, self.publications, before_change=subscription.since_change, bytes_limit=MAX_BACKFILL_BYTES
        )
