"""When a feed is fetched again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from gtopss.net import FetchError, HostBusy, RetryPolicy

_DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class PollPolicy:
    """How often feeds are fetched. All times are in seconds.

    A feed is fetched every `interval_seconds`, or as rarely as it asks for, but at least once a day.
    """

    interval_seconds: float = 1_800.0
    retry: RetryPolicy = field(
        default_factory=lambda: RetryPolicy(
            first_backoff_seconds=300.0, max_backoff_seconds=_DAY, max_freshness_seconds=_DAY, max_wait_seconds=_DAY
        )
    )
    jitter: float = 0.1
    """Each wait is longer by up to this part of it, so that feeds do not stay in step."""
    pushing_seconds: float = _DAY
    """The wait of a feed whose hub sends what is new."""
    busy_host_seconds: float = 5.0
    """The wait of a feed whose host has enough requests running."""
    permanent_redirect_seconds: float = 7 * _DAY
    """For how long a permanent redirect must have been the same before its target is requested directly. A redirect
    may be the work of somebody who has the server for an hour."""
    random: Callable[[], float] = random.random

    def after_success(self, asked_seconds: float) -> float:
        """Return the wait after a fetch; `asked_seconds` is the longest that the server or the feed asks for."""
        return self._with_jitter(max(self.interval_seconds, self.retry.after_success(asked_seconds)))

    def while_pushing(self) -> float:
        """Return the wait of a feed whose hub sends what is new."""
        return self._with_jitter(self.pushing_seconds)

    def after_failure(self, error: Exception, failures: int) -> float:
        """Return the wait after the `failures`-th failure in a row. A server's Retry-After is obeyed, up to a day."""
        if isinstance(error, HostBusy):
            return self._with_jitter(self.busy_host_seconds)
        if isinstance(error, FetchError):
            return self._with_jitter(self.retry.after_failure(error, failures))
        return self._with_jitter(self.retry.backoff(failures))

    def _with_jitter(self, seconds: float) -> float:
        return seconds * (1 + self.jitter * self.random())
