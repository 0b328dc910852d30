"""Changes of a store for tests: rows with a name, and a change that waits."""

from __future__ import annotations

import threading

from sqlalchemy import Connection, insert, select

from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import counters


def add(connection: Connection, *names: str) -> list[str]:
    """Add rows with these names, and return the names."""
    for name in names:
        connection.execute(insert(counters).values(name=name, value=1))
    return list(names)


def names(connection: Connection) -> set[str]:
    """Return the names of all rows."""
    return set(connection.execute(select(counters.c.name)).scalars())


def hold(store: Store) -> threading.Event:
    """Make the writing thread wait until the event is set, so that what is submitted meanwhile becomes one group."""
    started, released = threading.Event(), threading.Event()

    def wait(connection: Connection) -> None:
        started.set()
        assert released.wait(60)

    store.submit(wait)
    assert started.wait(60)
    return released
