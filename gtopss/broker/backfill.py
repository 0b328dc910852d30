"""Backfill: what a new subscription matches among the retained publications, as notifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from gtopss.broker.match_recording import MatchedPublication, found_matches, record
from gtopss.broker.store import publication_rows
from gtopss.broker.store.publication_rows import PublicationRow
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.subscription_texts import Form, add_quietly, parse_text
from gtopss.engine import Engine

MAX_BACKFILL_BYTES = 64 * 2**20
"""Text of the publications that a backfill looks at; fewer are looked at if they are large."""
_BATCH = 256


@dataclass(frozen=True, slots=True)
class RetainedMatches:
    """What a subscription matches among the publications that were retained before it was registered."""

    trial: Engine
    """Has this subscription only."""
    read: Mapping[int, MatchedPublication]
    """The publications that were looked at, by number."""


@dataclass(frozen=True, slots=True)
class Backfill:
    """Matches new subscriptions against the publications that were accepted before them. Thread-safe.

    The subscription and its first notifications are stored by one transaction. The publications are matched before it,
    so that it is short; only those that were accepted meanwhile are matched during it.
    """

    store: Store
    engine: Engine
    """Has no subscriptions; only its settings and taxonomy are used."""
    publications: int
    clock: Callable[[], float]

    def matches(self, query: str, form: Form, id: str) -> RetainedMatches:
        """Match the retained publications with a subscription that is not registered yet."""
        trial = self.engine.without_subscriptions()
        add_quietly(trial, parse_text(query, form, id, trial))
        rows = self.store.read(
            lambda connection: publication_rows.newest(connection, self.publications, bytes_limit=MAX_BACKFILL_BYTES)
        )
        return RetainedMatches(trial, _matched(trial, rows))

    def write(self, connection: Connection, subscription: SubscriptionRow, found: RetainedMatches) -> int:
        """Write the notifications of a subscription in the transaction that registers it. Return how many there are."""
        before = subscription.since_change
        numbers = publication_rows.newest_numbers(connection, self.publications, before_change=before)
        oldest = min(found.read, default=0)  # older ones were left out because of their size
        missed = [number for number in numbers if number > oldest and number not in found.read]
        later = _matched(found.trial, list(publication_rows.get_many(connection, missed).values()))
        known = {**found.read, **later}
        matched = [known[number] for number in numbers if number in known]
        return record(connection, matched, self.clock(), backfill=True)


def _matched(trial: Engine, rows: Sequence[PublicationRow]) -> dict[int, MatchedPublication]:
    reports = trial.match_many((row.publication() for row in rows), batch=_BATCH)
    return {
        row.number: MatchedPublication(row, found_matches(report)) for row, report in zip(rows, reports, strict=True)
    }
