"""The end of subscriptions: a notice when a tenth of the validity is left, and the removal.

A subscription ends at the moment at which it expires, whenever this step runs. It is removed from the engine when
no publication waits that was received before that moment. Its last notifications are still delivered, and can be read
for a while.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from gtopss.broker.config import BrokerConfig
from gtopss.broker.match_recording import record_notices
from gtopss.broker.owners import use_quota
from gtopss.broker.store import change_rows, publication_rows, subscription_rows, writer_rows
from gtopss.broker.store.store import Store

EXPIRING, EXPIRED = "expiring", "expired"
"""The kinds of the notices."""
SHARED_DELAY_SECONDS = 5.0
"""Time after its end at which a subscription is removed from a store that several brokers write, because their clocks
differ. A publication that was received before the end and is not committed yet is waited for, however long it takes."""
ROWS_PER_STEP = 1_000
"""Subscriptions that one step handles in one transaction."""
_log = logging.getLogger(__name__)


class Expiry:
    """Runs the steps of expiry. Thread-safe, also beside other brokers."""

    def __init__(
        self,
        store: Store,
        config: BrokerConfig,
        clock: Callable[[], float],
        *,
        written: Callable[[Sequence[str]], None] = lambda ids: None,
    ) -> None:
        """`written` is called with the ids of subscriptions that have a new notice, after it is stored."""
        self._store, self._config, self._clock, self._written = store, config, clock, written

    def notice_step(self) -> int:
        """Tell owners that subscriptions are about to expire. Return how many were handled."""
        return self._run(self._notices, EXPIRING)

    def removal_step(self) -> int:
        """Remove subscriptions that have expired. Return how many were removed."""
        return self._run(self._removals, EXPIRED)

    def purge_step(self) -> int:
        """Delete the rows of removed subscriptions after their retention, when all was delivered. Return how many."""

        def change(connection: Connection) -> int:
            before = self._clock() - self._config.expired_retention
            ids = [row.id for row in subscription_rows.expired_before(connection, before, ROWS_PER_STEP)]
            left = subscription_rows.with_undelivered(connection, ids)
            subscription_rows.delete(connection, [id for id in ids if id not in left])
            return len(ids) - len(left)

        return self._store.write(change)

    def _run(self, change: Callable[[Connection], list[str]], kind: str) -> int:
        ids = self._store.write(change)
        for id in ids:
            _log.info("a subscription is %s", kind, extra={"subscription": id})
        self._written(ids)
        return len(ids)

    def _notices(self, connection: Connection) -> list[str]:
        now = self._clock()
        rows = subscription_rows.due_notices(connection, now, ROWS_PER_STEP)
        for row in rows:
            subscription_rows.update(connection, row.id, {"expiring_at": None})
        in_time = [row for row in rows if row.is_active(now)]
        record_notices(connection, ((row, EXPIRING) for row in in_time), now)
        return [row.id for row in in_time]

    def _removals(self, connection: Connection) -> list[str]:
        now = self._clock()
        settled = now
        if connection.dialect.name == "postgresql":
            open_since = writer_rows.oldest_open_group(connection)
            settled = (now if open_since is None else min(now, open_since)) - SHARED_DELAY_SECONDS
        # Read afterwards: what was committed meanwhile is seen.
        waiting_since = publication_rows.oldest_waiting(connection)
        until = settled if waiting_since is None else min(settled, waiting_since)
        rows = subscription_rows.due_ends(connection, until, ROWS_PER_STEP)
        record_notices(connection, ((row, EXPIRED) for row in rows), now)
        for row in rows:
            subscription_rows.update(connection, row.id, {"expired": True, "expiring_at": None})
            use_quota(connection, row.owner, subscriptions=-1, steps=-row.steps)
        if rows:
            change_rows.append(connection, [row.id for row in rows], now)
        return [row.id for row in rows]
