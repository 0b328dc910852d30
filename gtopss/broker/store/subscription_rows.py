"""Rows of subscriptions, and of everything that belongs to one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, bindparam, false, select

from gtopss.broker.store.tables import dead_letters, notifications, subscription_shares, subscriptions, targets
from gtopss.broker.store.upserts import among, in_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionRow:
    """One subscription; the table explains the columns."""

    id: str
    owner: str
    query: str
    form: str
    calls_operators: bool = False
    steps: float = 0.0
    ticket_hash: bytes
    created_at: float
    validity: float | None
    expires_at: float | None
    expiring_at: float | None
    paused: bool = False
    expired: bool = False
    since_change: int
    last_sequence: int = 0
    digest: float | None = None
    at_most: int | None = None
    at_most_period: float | None = None
    join_articles: bool = False
    reader_hash: bytes | None = None

    def is_active(self, now: float) -> bool:
        """Return whether the subscription exists for everybody: its end is exact, whenever it is removed."""
        return not self.expired and (self.expires_at is None or now < self.expires_at)


class Receiver(NamedTuple):
    """What decides whether a subscription receives a publication, and under which number."""

    id: str
    since_change: int
    expires_at: float | None
    paused: bool
    expired: bool
    join_articles: bool
    last_sequence: int


_RECEIVER = [subscriptions.c[name] for name in Receiver._fields]
_NAMES = [field.name for field in fields(SubscriptionRow)]
_COLUMNS = [subscriptions.c[name] for name in _NAMES]


def _row(values: Iterable[Any]) -> SubscriptionRow:
    return SubscriptionRow(**dict(zip(_NAMES, values, strict=True)))


def insert(connection: Connection, row: SubscriptionRow) -> None:
    """Add a subscription."""
    connection.execute(subscriptions.insert(), {name: getattr(row, name) for name in _NAMES})


def get(connection: Connection, id: str, *, lock: bool = False) -> SubscriptionRow | None:
    """Return a subscription by its id. With `lock`, nobody else changes it until the transaction ends."""
    query = select(*_COLUMNS).where(subscriptions.c.id == id)
    found = connection.execute(query.with_for_update() if lock else query).first()
    return None if found is None else _row(found)


class SecretHashes(NamedTuple):
    """The hashes of a subscription's ticket and of the token that may only read; None if there are none."""

    ticket: bytes | None
    reader: bytes | None


def secret_hashes(connection: Connection, id: str) -> SecretHashes:
    """Return the hashes of a subscription's secrets. One that is not there takes as long as one that is."""
    ticket, reader = connection.execute(_SECRET_HASHES, {"of": id}).one()
    return SecretHashes(ticket, reader)


def _secret_hash(name: str) -> Any:
    return select(subscriptions.c[name]).where(subscriptions.c.id == bindparam("of")).scalar_subquery()


_SECRET_HASHES = select(_secret_hash("ticket_hash"), _secret_hash("reader_hash"))


def get_many(connection: Connection, ids: Collection[str], *, lock: bool = False) -> dict[str, SubscriptionRow]:
    """Return subscriptions by their ids. Rows are locked in the order of ids, so that two brokers cannot deadlock."""
    rows: dict[str, SubscriptionRow] = {}
    for part in in_parts(sorted(ids)):
        query = select(*_COLUMNS).where(among(connection, subscriptions.c.id, part)).order_by(subscriptions.c.id)
        for found in connection.execute(query.with_for_update() if lock else query):
            rows[found.id] = _row(found)
    return rows


def receivers(connection: Connection, ids: Collection[str]) -> dict[str, Receiver]:
    """Return what matching needs of subscriptions, and lock their rows in the order of ids."""
    rows: dict[str, Receiver] = {}
    for part in in_parts(sorted(ids)):
        query = (
            select(*_RECEIVER)
            .where(among(connection, subscriptions.c.id, part))
            .order_by(subscriptions.c.id)
            .with_for_update()
        )
        for found in connection.execute(query):
            rows[found[0]] = Receiver(*found)
    return rows


def update(connection: Connection, id: str, values: Mapping[str, Any]) -> None:
    """Replace columns of a subscription."""
    connection.execute(subscriptions.update().where(subscriptions.c.id == id).values(dict(values)))


def set_last_sequences(connection: Connection, last_sequences: Mapping[str, int]) -> None:
    """Store the numbers of the newest notifications."""
    if not last_sequences:
        return
    ids = sorted(last_sequences)
    if connection.dialect.name == "postgresql":  # one round trip; SQLite has none to save
        numbers = [last_sequences[id] for id in ids]
        connection.exec_driver_sql(_SET_LAST_SEQUENCES, (ids, numbers))
    else:
        rows = [(last_sequences[id], id) for id in ids]
        connection.exec_driver_sql("UPDATE subscriptions SET last_sequence = ? WHERE id = ?", rows)


_SET_LAST_SEQUENCES = (
    "UPDATE subscriptions SET last_sequence = given.last FROM unnest(%b::text[], %b::bigint[]) AS given (id, last) "
    "WHERE subscriptions.id = given.id"
)


def last_sequences(connection: Connection, ids: Collection[str]) -> dict[str, int]:
    """Return the numbers of the newest notifications of subscriptions."""
    query = select(subscriptions.c.id, subscriptions.c.last_sequence)
    return {
        row.id: row.last_sequence
        for part in in_parts(ids)
        for row in connection.execute(query.where(among(connection, subscriptions.c.id, part)))
    }


def of_owner(connection: Connection, owner: str, *, limit: int | None = None) -> list[SubscriptionRow]:
    """Return the subscriptions of an owner that were not removed, the newest first."""
    query = select(*_COLUMNS).where(subscriptions.c.owner == owner, subscriptions.c.expired == false())
    query = query.order_by(subscriptions.c.created_at.desc(), subscriptions.c.id).limit(limit)
    return [_row(found) for found in connection.execute(query)]


def newest(connection: Connection, limit: int) -> list[SubscriptionRow]:
    """Return subscriptions of all owners that were not removed, the newest first."""
    query = select(*_COLUMNS).where(subscriptions.c.expired == false())
    ordered = query.order_by(subscriptions.c.since_change.desc(), subscriptions.c.id).limit(limit)
    return [_row(found) for found in connection.execute(ordered)]


def ids_of_owner(connection: Connection, owner: str) -> list[str]:
    """Return the ids of all subscriptions of an owner, expired ones included."""
    return list(connection.execute(select(subscriptions.c.id).where(subscriptions.c.owner == owner)).scalars())


def texts(connection: Connection, *, calls_operators: bool, after: str = "", limit: int) -> list[tuple[str, str, str]]:
    """Return id, form and query of subscriptions that were not removed, in the order of ids, after an id."""
    query = select(subscriptions.c.id, subscriptions.c.form, subscriptions.c.query).where(
        subscriptions.c.calls_operators == calls_operators,
        subscriptions.c.expired == false(),
        subscriptions.c.id > after,
    )
    found = connection.execute(query.order_by(subscriptions.c.id).limit(limit))
    return [(row[0], row[1], row[2]) for row in found]


# "= 0" and not "IS 0": SQLite would choose the index of those that have not expired, which are nearly all. The order is
# that of the index of those with operators: PostgreSQL without statistics of the table would read all of its rows.
_FIRST_WITH_OPERATORS = (
    select(subscriptions.c.id)
    .where(subscriptions.c.calls_operators.is_(True), subscriptions.c.expired == false())
    .order_by(subscriptions.c.id)
    .limit(1)
)


def any_calls_operators(connection: Connection) -> bool:
    """Return whether a subscription that was not removed calls operators."""
    return connection.execute(_FIRST_WITH_OPERATORS).first() is not None


def due_notices(connection: Connection, now: float, limit: int) -> list[SubscriptionRow]:
    """Return subscriptions for which a notice of their end is due, in the order of ids. Their rows are locked."""
    return _due(connection, subscriptions.c.expiring_at, now, limit)


def due_ends(connection: Connection, now: float, limit: int) -> list[SubscriptionRow]:
    """Return subscriptions that ended until now and were not removed, in the order of ids. Their rows are locked."""
    return _due(connection, subscriptions.c.expires_at, now, limit)


def _due(connection: Connection, time: Column[Any], now: float, limit: int) -> list[SubscriptionRow]:
    # The first by time, which has an index: to find the first by id the whole table would be read at each look.
    query = select(*_COLUMNS).where(time <= now, subscriptions.c.expired.is_(False))
    query = query.order_by(time).limit(limit).with_for_update(skip_locked=True)
    return sorted((_row(found) for found in connection.execute(query)), key=lambda row: row.id)


def expired_before(connection: Connection, time: float, limit: int) -> list[SubscriptionRow]:
    """Return removed subscriptions that ended before a time."""
    query = select(*_COLUMNS).where(subscriptions.c.expired, subscriptions.c.expires_at < time)
    return [_row(found) for found in connection.execute(query.order_by(subscriptions.c.id).limit(limit))]


def with_undelivered(connection: Connection, ids: Collection[str]) -> set[str]:
    """Return those of the subscriptions that have a target which is active and has not got all notifications."""
    query = select(targets.c.subscription).join(subscriptions, subscriptions.c.id == targets.c.subscription)
    waiting = (targets.c.state == 1) & (targets.c.delivered_sequence < subscriptions.c.last_sequence)
    return {
        id
        for part in in_parts(ids)
        for id in connection.execute(query.where(among(connection, subscriptions.c.id, part), waiting)).scalars()
    }


def delete(connection: Connection, ids: Collection[str]) -> None:
    """Delete subscriptions with their notifications, targets and dead letters."""
    for part in in_parts(sorted(ids)):
        for table in (dead_letters, targets, notifications, subscription_shares):
            connection.execute(table.delete().where(table.c.subscription.in_(part)))
        connection.execute(subscriptions.delete().where(among(connection, subscriptions.c.id, part)))
