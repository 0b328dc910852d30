"""The operations of subscribers: subscribe, unsubscribe, renew (the paper's), replace, pause and resume.

Who presents the ticket may change a subscription (`authorisation.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from gtopss.broker.authorisation import row_of_ticket
from gtopss.broker.config import BrokerConfig, SubscriptionOptions
from gtopss.broker.errors import InvalidTicket
from gtopss.broker.owners import use_quota
from gtopss.broker.shares.placement import Placement
from gtopss.broker.store import change_rows, subscription_rows
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.tickets import new_reader_token, new_ticket, secret_hash

T = TypeVar("T")

NOTICE_SHARE = 0.1
"""Share of the validity that is left when the owner is told that the subscription will expire."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredText:
    """The columns of a subscription's text."""

    query: str
    """As it was written."""
    form: str
    calls_operators: bool
    steps: float


@dataclass(frozen=True, slots=True)
class NewSubscription:
    """What is stored of a new subscription."""

    id: str
    owner: str
    text: StoredText
    validity: float | None
    options: SubscriptionOptions


class AddedSubscription(NamedTuple):
    """A subscription that was stored, its ticket, and how many notifications it has already."""

    row: SubscriptionRow
    ticket: str
    backfilled: int


FirstNotifications = Callable[[Connection, SubscriptionRow], int]
"""Writes the first notifications of a subscription, in the transaction that adds it; returns how many."""


class Subscribing:
    """Change the rows of subscriptions. Thread-safe."""

    def __init__(
        self, store: Store, config: BrokerConfig, clock: Callable[[], float], placement: Placement | None = None
    ) -> None:
        """`placement` gives subscriptions a share, where they are divided into shares."""
        self._store, self._config, self._clock, self._placement = store, config, clock, placement

    def add(self, new: NewSubscription, backfill: FirstNotifications = lambda connection, row: 0) -> AddedSubscription:
        """Store a subscription and what `backfill` adds to it, in one transaction. Raises QuotaExceeded."""
        ticket = new_ticket()
        place = None if self._placement is None else self._placement.choose(new.text.query, new.text.form)

        def change(connection: Connection) -> AddedSubscription:
            use_quota(connection, new.owner, subscriptions=1, steps=new.text.steps)
            now = self._clock()
            row = SubscriptionRow(
                id=new.id,
                owner=new.owner,
                **asdict(new.text),
                ticket_hash=secret_hash(ticket),
                created_at=now,
                **_validity_columns(new.validity, now),
                since_change=change_rows.append(connection, [new.id], now),
                digest=new.options.digest,
                at_most=new.options.at_most,
                at_most_period=new.options.at_most_period,
                join_articles=new.options.join_articles,
            )
            subscription_rows.insert(connection, row)
            if self._placement is not None:
                self._placement.add(connection, row.id, place)
            return AddedSubscription(row, ticket, backfill(connection, row))

        added = self._store.write(change)
        _log.info("subscribed", extra={"subscription": new.id, "owner": new.owner})
        return added

    def authorised(self, id: str, ticket: str) -> SubscriptionRow:
        """Return the active subscription that a ticket is for. Raises InvalidTicket."""
        return self._store.read(lambda connection: self._row(connection, id, ticket, lock=False))

    def authorise_change(self, connection: Connection, id: str, ticket: str) -> SubscriptionRow:
        """Return the active subscription that a ticket is for, with its row locked. Raises InvalidTicket."""
        return self._row(connection, id, ticket, lock=True)

    def reader(self, id: str, ticket: str) -> SubscriptionRow:
        """Return the subscription of a ticket or of a reader's token, also after its end. Raises InvalidTicket."""
        return self._store.read(lambda connection: row_of_ticket(connection, id, ticket, or_token=True))

    def new_reader(self, id: str, ticket: str) -> str:
        """Return a token that may only read the notifications; the one before it is revoked. Raises InvalidTicket."""
        token = new_reader_token()
        self._set_reader(id, ticket, "made a token for reading", secret_hash(token))
        return token

    def revoke_reader(self, id: str, ticket: str) -> None:
        """Revoke the token that may only read. Raises InvalidTicket."""
        self._set_reader(id, ticket, "revoked the token for reading", None)

    def _set_reader(self, id: str, ticket: str, done: str, reader_hash: bytes | None) -> None:
        def change(connection: Connection, row: SubscriptionRow, now: float) -> None:
            subscription_rows.update(connection, row.id, {"reader_hash": reader_hash})

        self._change(id, ticket, done, change)

    def renew(self, id: str, ticket: str, validity: float | None) -> SubscriptionRow:
        """Make a subscription valid from now on, for as long as before or for another time. Its ticket stays."""

        def change(connection: Connection, row: SubscriptionRow, now: float) -> SubscriptionRow:
            before = float("inf") if row.validity is None else row.validity
            granted = self._config.granted_validity(before if validity is None else validity)
            columns = _validity_columns(granted, now)
            subscription_rows.update(connection, row.id, columns)
            return replace(row, **columns)

        return self._change(id, ticket, "renewed", change)

    def replace(self, id: str, ticket: str, text: StoredText) -> SubscriptionRow:
        """Give a subscription another text under the same id and ticket. Raises InvalidTicket or QuotaExceeded.

        A replacement that begins or ceases to call operators takes part from the publications that are accepted after
        it, because the two kinds are matched at different times.
        """
        keys = None if self._placement is None else self._placement.new_keys(text.query, text.form)

        def change(connection: Connection, row: SubscriptionRow, now: float) -> SubscriptionRow:
            use_quota(connection, row.owner, subscriptions=0, steps=text.steps - row.steps)
            number = change_rows.append(connection, [row.id], now)
            columns = asdict(text)
            if text.calls_operators != row.calls_operators:
                columns["since_change"] = number
            subscription_rows.update(connection, row.id, columns)
            if self._placement is not None:
                self._placement.replace(connection, row.id, keys)
            return replace(row, **columns)

        return self._change(id, ticket, "replaced", change)

    def unsubscribe(self, id: str, ticket: str) -> None:
        """Delete a subscription with its notifications, targets and dead letters. Raises InvalidTicket."""

        def change(connection: Connection, row: SubscriptionRow, now: float) -> None:
            subscription_rows.delete(connection, [row.id])
            use_quota(connection, row.owner, subscriptions=-1, steps=-row.steps)
            change_rows.append(connection, [row.id], now)

        self._change(id, ticket, "unsubscribed", change)

    def set_paused(self, id: str, ticket: str, paused: bool) -> None:
        """Match a subscription no longer, or again. Raises InvalidTicket."""

        def change(connection: Connection, row: SubscriptionRow, now: float) -> None:
            subscription_rows.update(connection, row.id, {"paused": paused})

        self._change(id, ticket, "paused" if paused else "resumed", change)

    def _change(self, id: str, ticket: str, done: str, change: Callable[[Connection, SubscriptionRow, float], T]) -> T:
        """Run a change of an authorised subscription in a transaction, and log it."""
        self.authorised(id, ticket)  # so that wrong tickets cost no write

        def authorised_change(connection: Connection) -> T:
            return change(connection, self.authorise_change(connection, id, ticket), self._clock())

        result = self._store.write(authorised_change)
        _log.info(done, extra={"subscription": id})
        return result

    def _row(self, connection: Connection, id: str, ticket: str, *, lock: bool) -> SubscriptionRow:
        row = row_of_ticket(connection, id, ticket, lock=lock)
        if not row.is_active(self._clock()):
            raise InvalidTicket
        return row


def _validity_columns(validity: float | None, now: float) -> Mapping[str, Any]:
    if validity is None:
        return {"validity": None, "expires_at": None, "expiring_at": None}
    end = now + validity
    return {"validity": validity, "expires_at": end, "expiring_at": end - NOTICE_SHARE * validity}
