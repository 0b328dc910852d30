"""Claim rows that are due, by lease, and work on each in a thread: deliveries to attempt, feeds to fetch."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy import Connection

from gtopss.broker.errors import LeaseLost, StoreError
from gtopss.broker.host_pool import HostPool
from gtopss.broker.store.store import Store

Row = TypeVar("Row")

_FREE_THREAD_SECONDS = 1.0  # after this the caller may do something else, such as stop
_log = logging.getLogger(__name__)


class DueWork(ABC, Generic[Row]):
    """Work on the rows of a table when they are due, beside other brokers. Thread-safe."""

    def __init__(
        self,
        store: Store,
        pool: HostPool,
        lease_seconds: float,
        clock: Callable[[], float],
        broker_id: str,
        *,
        busy_host_seconds: float,
    ) -> None:
        """`broker_id` names the broker in its leases, among those that share the store.

        A row whose host has enough threads is due again after `busy_host_seconds`, or later if others of it wait too.
        """
        self._busy_host_seconds = busy_host_seconds
        self._store, self._pool, self._lease_seconds, self._clock = store, pool, lease_seconds, clock
        self._broker_id = broker_id
        self._is_closed = False

    def start_due(self) -> int:
        """Claim rows that are due, at most as many as there are free threads, and begin each in a thread.

        If no thread is free, it waits a little for one. Return how many were claimed.
        """
        free = self._pool.free(_FREE_THREAD_SECONDS)
        if free <= 0 or self._is_closed:
            return 0
        now = self._clock()
        claimed = self._store.write(
            lambda connection: self._claim(connection, now=now, until=now + self._lease_seconds, limit=free)
        )
        postponed: Counter[str] = Counter()
        for row in claimed:
            host = self._host(row)
            if not self._start(host, row):
                postponed[host] += 1
                self._postpone(row, postponed[host])
        return len(claimed)

    def run_due(self) -> int:
        """Do everything that is due, and wait until it is done. Return how many rows were claimed."""
        total = 0
        while claimed := self.start_due():
            total += claimed
            self.wait()
        return total

    def wait(self) -> None:
        """Wait until what runs now is done."""
        self._pool.wait()

    def next_due(self) -> float | None:
        """Return when the next row is due that nobody holds, in Unix seconds; None if there is none."""
        now = self._clock()
        return self._store.read(lambda connection: self._next_due(connection, now))

    def close(self) -> None:
        """Finish what runs, and begin nothing else."""
        self._is_closed = True
        self._pool.close()

    def _start(self, host: str, row: Row) -> bool:
        def run() -> None:
            try:
                self._run(row)
            except LeaseLost:
                _log.info("the work was claimed again before it was recorded", extra=self._ids(row))
            except StoreError as error:  # it says all in one line; the lease runs out, and the row is claimed again
                _log.error("the work was interrupted: %s", error, extra=self._ids(row))
            except Exception:
                _log.exception("the work was interrupted", extra=self._ids(row))

        return self._pool.start(host, run)

    @abstractmethod
    def _claim(self, connection: Connection, *, now: float, until: float, limit: int) -> list[Row]:
        """Claim rows that are due."""

    @abstractmethod
    def _next_due(self, connection: Connection, now: float) -> float | None:
        """Return when the next row is due that nobody holds."""

    @abstractmethod
    def _host(self, row: Row) -> str:
        """Return the host that the work is done with: a few rows of one host are worked on at once."""

    @abstractmethod
    def _run(self, row: Row) -> None:
        """Do the work, and record it."""

    def _postpone(self, row: Row, place: int) -> None:
        """Give a row back whose host is busy; it is the `place`-th one of this host."""
        due_at = self._clock() + self._busy_host_seconds * (1 + place / self._pool.per_host)
        self._store.submit(lambda connection: self._give_back(connection, row, due_at))

    @abstractmethod
    def _give_back(self, connection: Connection, row: Row, due_at: float) -> None:
        """End the lease of a row, which is due at a time."""

    @abstractmethod
    def _ids(self, row: Row) -> dict[str, str]:
        """Return what identifies the row in a log."""
