"""How long to wait after a failed delivery, and when to give it up."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

MAX_RETRY_AFTER_SECONDS = 24 * 3600.0
"""The longest pause that a receiver can ask for with Retry-After."""


@dataclass(frozen=True, slots=True)
class DeliveryRetries:
    """The waits between attempts, in seconds, as Standard Webhooks recommends them: ten attempts in three days."""

    delays: tuple[float, ...] = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
    verification_delays: tuple[float, ...] = (5, 300, 1_800, 7_200, 18_000)
    """The waits between attempts to verify a target. It is a request to somebody who has not agreed yet."""
    jitter: float = 0.2
    """Each wait is longer or shorter by up to this part of it, so that not all failed deliveries come back at once."""
    random: Callable[[], float] = random.random

    def wait(self, failures: int, retry_after: float | None = None, *, verifying: bool = False) -> float | None:
        """Return the wait after this many failures in a row; None to give up.

        A receiver's Retry-After makes a wait longer, not shorter.

        >>> retries = DeliveryRetries(random=lambda: 0.5)
        >>> retries.wait(1), retries.wait(2, retry_after=600.0), retries.wait(9), retries.wait(10)
        (5.0, 600.0, 86400.0, None)
        """
        delays = self.verification_delays if verifying else self.delays
        if failures > len(delays):
            return None
        wait = delays[failures - 1] * (1 + self.jitter * (2 * self.random() - 1))
        return max(wait, min(retry_after or 0.0, MAX_RETRY_AFTER_SECONDS))
