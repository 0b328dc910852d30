"""Limits on the time and size of one fetch, and the deadline that enforces the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from gtopss.net.errors import DeadlineExceeded


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Limits for one fetch. Above a limit the connection is closed and the error names the limit."""

    total_seconds: float = 30.0
    """Time for the whole fetch: lookups, connections, redirects, headers and body."""
    connect_seconds: float = 10.0
    """Time for one connection attempt to one address."""
    wire_bytes: int = 10 * 1024 * 1024
    """Size of the body as it is sent, before decompression."""
    decoded_bytes: int = 10 * 1024 * 1024
    """Size of the body after decompression."""
    header_bytes: int = 32 * 1024
    """Size of all response headers."""
    header_count: int = 100
    """Number of response headers."""
    redirects: int = 5
    """Number of redirects that are followed."""


class Deadline:
    """The end of a whole fetch. Lookups, connections, redirects, headers and body share one deadline."""

    __slots__ = ("_clock", "_expires_at", "seconds", "url")

    def __init__(self, seconds: float, *, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.url, self._clock = seconds, url, clock
        self._expires_at = clock() + seconds

    def remaining(self, stage: str) -> float:
        """Return the seconds left, always more than zero. Raise DeadlineExceeded if none are left."""
        left = self._expires_at - self._clock()
        if left <= 0:
            raise self.exceeded(stage)
        return left

    def exceeded(self, stage: str) -> DeadlineExceeded:
        """Return the error for a fetch that ran out of time during `stage`."""
        return DeadlineExceeded(self.url, self.seconds, stage)
