"""The step that routes publications to shares, where there are several.

    claim publications that are not routed ──> router ──> one transaction: a task for each share

A publication is accepted before it is routed, and any broker routes it. It is matched when no task of it is left. It
may have none at once: then no subscription can match it.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from gtopss.broker.config import BrokerConfig
from gtopss.broker.lease_keeper import LeaseKeeper
from gtopss.broker.shares.router import Router
from gtopss.broker.store import publication_rows, route_rows
from gtopss.broker.store.publication_rows import UNROUTED, ClaimedPublications
from gtopss.broker.store.store import Store


class Routing:
    """Routes waiting publications. Thread-safe."""

    def __init__(
        self,
        store: Store,
        config: BrokerConfig,
        clock: Callable[[], float],
        *,
        broker_id: str,
        router: Router,
        leases: LeaseKeeper,
        is_divided: Callable[[], bool],
        routed: Callable[[], None] = lambda: None,
    ) -> None:
        """`is_divided` says whether publications may wait to be routed. `routed` is called after some were."""
        self._store, self._config, self._clock, self._broker_id = store, config, clock, broker_id
        self._router, self._leases, self._is_divided, self._routed = router, leases, is_divided, routed

    def route_step(self) -> int:
        """Claim a batch of publications and route it. Return the size of the batch."""
        if not self._is_divided():
            return 0
        holder, rows, newest_change = self._store.write(self._claim)
        if not rows:
            return 0
        numbers = [row.number for row in rows]
        with self._leases.keeping(holder, numbers, self._config.match_lease, share=UNROUTED):
            publications = [row.publication() for row in rows]
            division, shares = self._router.route(publications, newest_change)
            routed = dict(zip(numbers, shares, strict=True))
            self._store.write(lambda connection: route_rows.finish_routing(connection, holder, routed, division.epoch))
        self._routed()
        return len(rows)

    def _claim(self, connection: Connection) -> ClaimedPublications:
        now = self._clock()
        return publication_rows.claim(
            connection,
            self._broker_id,
            now=now,
            until=now + self._config.match_lease,
            limit=self._config.match_batch,
            share=UNROUTED,
        )
