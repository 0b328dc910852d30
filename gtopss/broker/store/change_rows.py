"""Rows of changes: the numbered log of additions, replacements and removals of subscriptions.

Numbers are consecutive and follow the order of commits (gtopss.broker.store.counters).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, select

from gtopss.broker.store import counters
from gtopss.broker.store.tables import changes
from gtopss.broker.store.tables import counters as counters_table
from gtopss.broker.store.upserts import insert_or_ignore

_NUMBER, _STORE = "change", "store"


class ChangeRow(NamedTuple):
    """One change of a subscription; what changed is in the subscription's row."""

    number: int
    subscription: str
    at: float


def create_store_number(connection: Connection) -> None:
    """Create the random number that tells this database from others, if it is missing."""
    connection.execute(insert_or_ignore(connection, counters_table), {"name": _STORE, "value": secrets.randbits(62)})


def append(connection: Connection, subscriptions: Iterable[str], at: float) -> int:
    """Log a change of each subscription, and return the number of the last one."""
    ids = list(subscriptions)
    if not ids:
        return newest(connection)
    last = counters.advance(connection, _NUMBER, len(ids))
    first = last - len(ids) + 1
    rows = [{"number": first + place, "subscription": id, "at": at} for place, id in enumerate(ids)]
    connection.execute(changes.insert(), rows)
    return last


def newest(connection: Connection) -> int:
    """Return the number of the newest change; 0 if there is none."""
    return counters.current(connection, _NUMBER)


def store_number(connection: Connection) -> int:
    """Return the random number of this database."""
    return counters.current(connection, _STORE)


def after(connection: Connection, number: int, limit: int) -> list[ChangeRow]:
    """Return the changes after a number, in their order."""
    query = select(changes).where(changes.c.number > number).order_by(changes.c.number).limit(limit)
    return [ChangeRow(*row) for row in connection.execute(query)]


def get(connection: Connection, number: int) -> ChangeRow | None:
    """Return one change; None if there is none with this number, or it was deleted."""
    found = connection.execute(select(changes).where(changes.c.number == number)).first()
    return None if found is None else ChangeRow(*found)
