"""Limit the requests that run at once on one host, wherever redirects lead."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from gtopss.net.errors import HostBusy


class HostSlots:
    """Allows `per_host` requests at once on one host. Thread-safe. Share one between all threads that fetch.

    A request that finds no free slot waits at most `max_wait_seconds`, and then raises HostBusy. So a thread that
    follows a redirect to a busy host is free again soon, and the caller tries again later.
    """

    def __init__(self, per_host: int, *, max_wait_seconds: float = 5.0) -> None:
        if per_host < 1:
            raise ValueError("per_host must be at least 1")
        self.per_host, self.max_wait_seconds = per_host, max_wait_seconds
        self._changed = threading.Condition()
        self._active: dict[str, int] = {}

    def active(self, host: str) -> int:
        """Return the number of requests that run on this host now."""
        with self._changed:
            return self._active.get(host, 0)

    @contextlib.contextmanager
    def slot(self, host: str, url: str, max_seconds: float) -> Iterator[None]:
        """Hold one of the host's slots. `url` is what the caller fetches, for the error."""
        with self._changed:
            wait = min(max_seconds, self.max_wait_seconds)
            if not self._changed.wait_for(lambda: self._active.get(host, 0) < self.per_host, wait):
                raise HostBusy(url, host, self.per_host)
            self._active[host] = self._active.get(host, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._active[host] -= 1
                if not self._active[host]:
                    del self._active[host]
                self._changed.notify_all()
