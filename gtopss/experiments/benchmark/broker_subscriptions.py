"""Fill the store of a broker with many subscriptions, for measurements."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Connection

from gtopss.broker.broker import Broker
from gtopss.broker.config import DAY
from gtopss.broker.store import change_rows
from gtopss.broker.store.bulk_inserts import insert_rows
from gtopss.broker.store.owner_rows import ANONYMOUS
from gtopss.broker.store.store import Store
from gtopss.engine import Engine
from gtopss.model import Subscription

_ROWS_PER_CHANGE = 5_000
_COLUMNS = ("id", "owner", "query", "form", "ticket_hash", "created_at", "validity", "expires_at", "since_change")


def text_of(subscription: Subscription) -> str:
    """Return the text of a subscription whose only branch has no constraints."""
    (branch,) = subscription.branches
    return f"SELECT * {{ {' . '.join(map(' '.join, branch.edges()))} }}"


def store_texts(store: Store, given: Sequence[tuple[str, str]]) -> int:
    """Store subscriptions, ids and queries, as `Broker.subscribe` does, many in one transaction.

    They end in a day or later. Return the number of the last change.
    """
    Broker(store, Engine()).close()  # creates the counters and the anonymous owner
    now, last = time.time(), 0
    for start in range(0, len(given), _ROWS_PER_CHANGE):
        part = given[start : start + _ROWS_PER_CHANGE]

        def change(connection: Connection, part: Sequence[tuple[str, str]] = part, start: int = start) -> int:
            last = change_rows.append(connection, [id for id, _ in part], now)
            first = last - len(part) + 1
            rows = [
                (id, ANONYMOUS, query, "sparql", b"", now, DAY, now + DAY + start + place, first + place)
                for place, (id, query) in enumerate(part)
            ]
            insert_rows(connection, "subscriptions", _COLUMNS, rows)
            return last

        last = store.write(change)
    return last
