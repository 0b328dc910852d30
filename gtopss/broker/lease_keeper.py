"""Extend the leases of publications that are being matched, so that a long batch is not lost to another broker."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gtopss.broker.errors import StoreError
from gtopss.broker.store import publication_rows
from gtopss.broker.store.store import Store

BEATS_PER_LEASE = 3
"""How often a lease is extended before it would run out."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Held:
    numbers: set[int]
    lease: float
    share: int
    extended_at: float


class LeaseKeeper:
    """Holds leases by extending them, from a thread that is started with the first one. Thread-safe."""

    def __init__(self, store: Store, clock: Callable[[], float], shortest_lease: float) -> None:
        """`shortest_lease` is the time of the shortest lease that will be held."""
        self._store, self._clock = store, clock
        self.pause_seconds = shortest_lease / BEATS_PER_LEASE / 2
        """The time between two looks at the leases."""
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def keeping(self, holder: str, numbers: Sequence[int], lease: float, *, share: int) -> Iterator[None]:
        """Hold the lease of claimed publications during the block."""
        self.keep(holder, numbers, lease, share=share)
        try:
            yield
        finally:
            self.forget(holder, numbers)

    def keep(self, holder: str, numbers: Sequence[int], lease: float, *, share: int) -> None:
        """Hold the lease of publications that were claimed now, until they are forgotten."""
        if not numbers or self._closed.is_set():
            return
        with self._lock:
            self._held[holder] = _Held(set(numbers), lease, share, self._clock())
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gtopss-leases", daemon=True)
                self._thread.start()

    def forget(self, holder: str, numbers: Sequence[int]) -> None:
        """Let the lease of publications run out."""
        with self._lock:
            held = self._held.get(holder)
            if held is not None:
                held.numbers.difference_update(numbers)
                if not held.numbers:
                    del self._held[holder]

    def extend_due(self) -> int:
        """Extend the leases of which a third has passed. Return how many publications are held longer."""
        now = self._clock()
        with self._lock:
            due = [
                (holder, sorted(each.numbers), each)
                for holder, each in self._held.items()
                if now - each.extended_at >= each.lease / BEATS_PER_LEASE
            ]
        extended = 0
        for holder, numbers, each in due:
            extended += self._store.write(
                lambda connection, holder=holder, numbers=numbers, each=each: publication_rows.extend(  # type: ignore[misc]
                    connection, holder, numbers, now + each.lease, share=each.share
                )
            )
            each.extended_at = now
        return extended

    def close(self) -> None:
        """Extend no leases any longer."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(self.pause_seconds):
            try:
                self.extend_due()
            except StoreError as error:
                _log.warning("leases were not extended, and are tried again: %s", error)
