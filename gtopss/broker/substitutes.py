"""Start another thread for the work that is left when a task takes long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gtopss.broker.errors import StoreError


class Substitutes:
    """Threads that run while tasks take long. Thread-safe."""

    def __init__(self, patience: float, most: int, name: str) -> None:
        """`patience` is in seconds; at most `most` substitutes run at once."""
        self._patience, self._most, self._name = patience, most, name
        self._running: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def stand_by(self, work: Callable[[], object]) -> Iterator[None]:
        """Run `work` in a thread if the block takes longer than the patience."""
        timer = threading.Timer(self._patience, self._start, [work])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def close(self) -> None:
        """Start no more, and wait for those that run."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for each in running:
            each.join()

    def _start(self, work: Callable[[], object]) -> None:
        with self._lock:
            if self._closed or len(self._running) >= self._most:
                return
            made = threading.Thread(target=self._run, args=[work], name=self._name, daemon=True)
            self._running.add(made)
            made.start()

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except StoreError:  # the thread that it stands in for says so, and what was claimed is claimed again
            pass
        finally:
            with self._lock:
                self._running.discard(threading.current_thread())
