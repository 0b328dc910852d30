"""When a URL may be fetched again: after a success, after a failure, and when the server asks for a pause."""

from __future__ import annotations

from dataclasses import dataclass

from gtopss.net.errors import FetchError, Gone, UnsuccessfulStatus


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait before the next fetch of a URL, in seconds."""

    max_wait_seconds: float = 24 * 3600.0
    """Upper bound of every wait, whatever Retry-After says; also the wait after 410 Gone."""
    max_freshness_seconds: float = 3600.0
    """Upper bound for Cache-Control's max-age: many servers set a year without meaning it."""
    first_backoff_seconds: float = 60.0
    """Wait after one failure; it doubles after each further failure."""
    max_backoff_seconds: float = 6 * 3600.0
    """Upper bound of the doubling wait."""

    def after_success(self, fresh_seconds: float) -> float:
        """Return the wait after a committed response that the server declared fresh for `fresh_seconds`."""
        return min(fresh_seconds, self.max_freshness_seconds)

    def after_failure(self, error: FetchError, failures: int) -> float:
        """Return the wait after the `failures`-th failure in a row.

        The server's Retry-After wins over the backoff; 410 Gone wins over both.
        """
        if isinstance(error, Gone):
            return self.max_wait_seconds
        requested = error.retry_after if isinstance(error, UnsuccessfulStatus) else None
        return min(self.backoff(failures) if requested is None else requested, self.max_wait_seconds)

    def backoff(self, failures: int) -> float:
        """Return the exponential backoff after `failures` failures in a row.

        >>> [RetryPolicy().backoff(n) for n in (1, 2, 3, 99)]
        [60.0, 120.0, 240.0, 21600.0]
        """
        return float(min(self.first_backoff_seconds * 2 ** min(failures - 1, 40), self.max_backoff_seconds))
