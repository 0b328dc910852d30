"""Claim rows for a while, so that several brokers share work and none of it is done twice or forgotten.

Tables with work (publications to match, targets to deliver to, feeds to fetch) have the columns `lease_holder` and
`lease_until`. A broker claims rows in one change, works outside of the database, and completes the rows in a second
change, which fails with LeaseLost if the lease has run out and somebody else has claimed a row since. A broker that
crashes loses its leases when they run out.

PostgreSQL skips rows that another broker is claiming at the same moment (FOR UPDATE SKIP LOCKED); SQLite has one
writer. Times are those of the brokers' clocks, so a lease must be longer than the clocks of several machines differ.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, Table, Update, select, true, update

from gtopss.broker.errors import LeaseLost
from gtopss.broker.store.upserts import among

CLAIMED_ROWS = 64
"""Rows that are claimed at a time: one by one they would cost 64 times as many commits."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on the rows of one claim until a time."""

    table: Table
    holder: str
    """Names the broker and the claim, so that two claims of one broker are different holders."""
    until: float


@dataclass(frozen=True, slots=True)
class Claim:
    """Rows that were claimed, in the order that was asked for, with all their columns."""

    lease: Lease
    rows: Sequence[Row[Any]]


@dataclass(frozen=True, slots=True)
class Work:
    """What may be claimed of a table."""

    table: Table
    waiting: ColumnElement[bool]
    """Tells which rows have work to be done, and of a key of several columns, the values of all but the last."""
    order: Column[Any]
    """The rows with the lowest value are claimed first. Not NULL where there is work."""
    size: ColumnElement[int] | None = None
    """The bytes of a row, if `max_size` limits those of one claim."""
    max_size: int = 0


def claim(
    connection: Connection, work: Work, *, broker: str, now: float, until: float, limit: int = CLAIMED_ROWS
) -> Claim:
    """Claim at most `limit` rows that wait and that nobody holds, or whose lease has run out by `now`.

    With `work.max_size` they have at most so many bytes together, except a single row that has more.
    """
    table, key = work.table, _key(work.table)
    lease = Lease(table, f"{broker}/{secrets.token_hex(8)}", until)
    free = (
        select(key, *(() if work.size is None else (work.size,)))
        .where(work.waiting, table.c.lease_until <= now)
        .order_by(work.order)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    statement = (
        update(table)
        .where(work.waiting, _chosen(connection, work, free, key))
        .values(lease_holder=lease.holder, lease_until=until)
        .returning(*table.c)
    )
    rows = connection.execute(statement).all()
    position = list(table.c).index(work.order)
    return Claim(lease, sorted(rows, key=lambda row: row[position]))


def _chosen(connection: Connection, work: Work, free: Select[Any], key: Column[Any]) -> ColumnElement[bool]:
    """Return the condition of the rows to claim."""
    if work.size is None:  # run once; a subquery could be run for each row, and claim more than the limit
        return key.in_(select(free.cte("chosen").c[key.name]))
    keys: list[Any] = []
    total = 0
    for found, size in connection.execute(free).all():
        total += size
        if keys and total > work.max_size:
            break
        keys.append(found)
    return among(connection, key, keys)


def complete(connection: Connection, lease: Lease, keys: Iterable[Any], values: dict[str, Any]) -> None:
    """Set the columns of rows that are still held. Raises LeaseLost if one is not, so that the change is undone.

    A lease that has run out is still held as long as nobody else has claimed the row. The rows stay leased until
    `lease_until`; pass `RELEASED` among the values to let others claim them at once.
    """
    wanted = list(keys)
    held = connection.execute(_held(connection, lease, wanted).values(**values)).rowcount
    if held != len(wanted):
        raise LeaseLost(lease.table.name, len(wanted) - held)


class ClaimedRow(Protocol):
    """A row that was claimed, as an object."""

    @property
    def lease_holder(self) -> str | None: ...

    @property
    def lease_until(self) -> float: ...


def lease_of(table: Table, claimed: ClaimedRow) -> Lease:
    """Return the lease by which a row was claimed."""
    return Lease(table, claimed.lease_holder or "", claimed.lease_until)


def next_due(connection: Connection, table: Table, now: float) -> float | None:
    """Return when the next row of a table with the column `due_at` is due that nobody holds now; None if there is none.

    A row whose `due_at` is NULL is never due.
    """
    free = select(table.c.due_at).where(table.c.due_at.is_not(None), table.c.lease_until <= now)
    return connection.scalar(free.order_by(table.c.due_at).limit(1))


def claim_due(
    connection: Connection,
    table: Table,
    broker: str,
    *,
    now: float,
    until: float,
    limit: int,
    among: ColumnElement[bool] | None = None,
) -> Sequence[Row[Any]]:
    """Claim up to `limit` rows that are due, the longest due first; with `among`, only of these."""
    due = Work(table, (table.c.due_at <= now) & (true() if among is None else among), table.c.due_at)
    return claim(connection, due, broker=broker, now=now, until=until, limit=limit).rows


RELEASED: dict[str, Any] = {"lease_holder": None, "lease_until": 0.0}
"""The values of a row that nobody holds."""


def release(connection: Connection, lease: Lease, keys: Iterable[Any]) -> None:
    """Let others claim the rows. Rows with another holder are left alone."""
    connection.execute(_held(connection, lease, list(keys)).values(**RELEASED))


def _held(connection: Connection, lease: Lease, keys: list[Any]) -> Update:
    held = lease.table.c.lease_holder == lease.holder
    return update(lease.table).where(among(connection, _key(lease.table), keys), held)


def _key(table: Table) -> Column[Any]:
    """Return the last column of the primary key; `Work.waiting` fixes the others."""
    return list(table.primary_key)[-1]
