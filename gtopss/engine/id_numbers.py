"""Number the subscriptions and publications that have no id."""

from __future__ import annotations

import threading


class IdNumbers:
    """Numbers that are given once each. Thread-safe.

    >>> numbers = IdNumbers(5)
    >>> next(numbers), numbers.take(3), next(numbers)
    (5, range(6, 9), 9)
    """

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self._lock = threading.Lock()

    def __next__(self) -> int:
        return self.take(1).start

    def take(self, count: int) -> range:
        """Return that many successive numbers."""
        with self._lock:
            first, self._next = self._next, self._next + count
        return range(first, first + count)
