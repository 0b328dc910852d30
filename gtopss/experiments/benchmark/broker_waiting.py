"""Wait until a broker has matched what was published."""

from __future__ import annotations

import time

from sqlalchemy import Connection, func, select

from gtopss.broker.store import publication_rows
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import publications
from gtopss.errors import GtopssError

_TIMEOUT_SECONDS = 600.0
_PAUSE_SECONDS = 0.05  # between two looks at the store, which take part of the processor that is measured


def wait_until_matched(store: Store, stored: int = 0) -> None:
    """Wait until at least `stored` publications are in the store, and none of them waits to be matched."""

    def is_done(connection: Connection) -> bool:
        if stored and connection.execute(select(func.count()).select_from(publications)).scalar_one() < stored:
            return False
        return publication_rows.count_waiting(connection) == 0

    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not store.read(is_done):
        if time.monotonic() > deadline:
            raise GtopssError(f"not all publications were stored and matched within {_TIMEOUT_SECONDS:g} seconds")
        time.sleep(_PAUSE_SECONDS)
