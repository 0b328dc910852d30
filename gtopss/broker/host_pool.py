"""Threads for work that waits on other machines, a few of them at once for each host."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait


class HostPool:
    """Runs functions in threads, at most `threads` at once and `per_host` at once for one host. Thread-safe.

    So a host that answers slowly does not occupy all threads, whatever is addressed to it.
    """

    def __init__(self, threads: int, per_host: int, name: str) -> None:
        self._threads, self.per_host = threads, per_host
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Condition()
        self._running: set[Future[None]] = set()
        self._hosts: Counter[str] = Counter()

    def free(self, max_wait_seconds: float = 0.0) -> int:
        """Return how many threads have nothing to do. If there is none, wait for one, but not longer than this."""
        with self._lock:
            self._lock.wait_for(lambda: len(self._running) < self._threads, max_wait_seconds)
            return self._threads - len(self._running)

    def start(self, host: str, run: Callable[[], None]) -> bool:
        """Run a function in a thread. Return False, and do nothing, if the host has enough of them."""
        with self._lock:
            if self._hosts[host] >= self.per_host:
                return False
            self._hosts[host] += 1
        future = self._pool.submit(run)
        with self._lock:
            self._running.add(future)
        future.add_done_callback(lambda done: self._end(host, done))
        return True

    def wait(self) -> None:
        """Wait until the functions that run now are done."""
        with self._lock:
            running = set(self._running)
        wait(running)

    def close(self) -> None:
        """Wait until the functions that run are done; begin no others."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _end(self, host: str, done: Future[None]) -> None:
        with self._lock:
            self._running.discard(done)
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]
            self._lock.notify_all()
