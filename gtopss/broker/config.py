"""Hold every setting of a broker in one frozen object."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from gtopss.broker.errors import InvalidSetting, NotPermitted
from gtopss.broker.store.retention import Retention

DAY = 86_400.0
"""Seconds."""
MIN_VALIDITY_SECONDS = 1.0
"""Shortest validity that a subscriber may ask for."""
MAX_PERIOD_SECONDS = 100 * 366 * DAY
"""Longest `digest` and `at_most_period`: about a hundred years, so that its end is a date."""
MAX_DELIVERIES = 2**31 - 1
"""Largest `at_most`: the database stores it as a 32-bit integer."""
MIN_MATCH_BATCH = 50
"""Smallest `match_batch`: with fewer publications, claiming them would take a large part of the time."""


def shown_period(seconds: float) -> str:
    """Return a period as people read it.

    >>> shown_period(366 * DAY), shown_period(90), shown_period(31_622_401)
    ('366 days', '90 seconds', '31,622,401 seconds')
    """
    return f"{seconds / DAY:g} days" if seconds > DAY and seconds % DAY == 0 else f"{seconds:,.12g} seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerConfig:
    """Every setting of a broker. Raises InvalidSetting for a value that cannot be used. Times are in seconds.

    >>> BrokerConfig(max_validity=7 * DAY).granted_validity(None)
    86400.0
    """

    anonymous_subscribing: bool = True
    """Accept subscriptions without an API key; all of them share one quota."""
    anonymous_publishing: bool = True
    """Accept publications without an API key."""
    default_validity: float = DAY
    """Validity of a subscription that asks for none: the paper's default."""
    max_validity: float = 366 * DAY
    """Longest validity; `allow_no_end` allows subscriptions without an end all the same."""
    allow_no_end: bool = False
    """Accept subscriptions that do not expire (`validity=math.inf`)."""
    anonymous_max_subscriptions: int = 10_000
    """Quota of all subscriptions without a key together."""
    anonymous_max_steps: float | None = None
    """Quota of the steps per publication of all subscriptions without a key together; None for no limit."""
    owner_max_subscriptions: int = 10_000
    """Quota of an owner that is created without one."""
    owner_max_steps: float | None = None
    """Quota of the steps per publication of an owner that is created without one; None for no limit."""
    dry_run_publications: int = 200
    """The newest publications that a new subscription is tried on."""
    backfill_publications: int = 1_000
    """The newest publications that a backfill looks at."""
    match_batch: int = 256
    """Publications that are claimed and matched together."""
    match_lease: float = 60.0
    """Time after which other brokers may claim publications that this one has claimed and not matched."""
    max_shares: int = 1
    """Shares of the subscriptions that this broker holds at most, where there are several (`Broker.set_shares`)."""
    share_lease: float = 30.0
    """Time after which other brokers may hold the shares of one that has ended."""
    operator_batch: int = 50
    """Publications that are claimed together for subscriptions that call operators."""
    operator_threads: int = 4
    """Threads that match publications with subscriptions that call operators, one publication at a time."""
    operator_patience: float = 1.0
    """Time after which a publication that waits for a slow operator holds up no other: a further thread is started."""
    max_operator_threads: int = 64
    """Threads of `operator_threads` and `operator_patience` together. Each has an engine of its own."""
    operator_lease: float = 900.0
    """The same as `match_lease` for subscriptions that call operators."""
    operator_retry: float = 60.0
    """Pause before a publication for which an operator gave no answer is matched again."""
    max_operator_attempts: int = 3
    """Times that a publication is matched with subscriptions that call operators, while answers are missing."""
    retention: Retention = field(default_factory=Retention)
    """How much is kept of publications, notifications, dead letters, changes and items of feeds."""
    snapshot_folder: Path | None = None
    """Where the engine is saved for the next start; None to build it from the database at each start."""
    snapshot_changes: int = 5_000
    """Changes after which the engine is saved again."""
    snapshot_interval: float = 600.0
    """Time after which the engine is saved again if there was any change."""
    expired_retention: float = 7 * DAY
    """How long the last notifications of a subscription can be read after its end."""
    reader_processes: int = 1
    """Processes that parse published documents."""

    def __post_init__(self) -> None:
        for name in ("default_validity", "max_validity"):
            self._check(
                name, getattr(self, name) >= MIN_VALIDITY_SECONDS, f"it must be at least {MIN_VALIDITY_SECONDS:g} s"
            )
        if not self.allow_no_end:
            self._check(
                "max_validity", math.isfinite(self.max_validity), "it must be finite unless allow_no_end is True"
            )
        self._check(
            "default_validity", self.default_validity <= self.max_validity, "it must not be more than max_validity"
        )
        self._check("match_batch", self.match_batch >= MIN_MATCH_BATCH, f"it must be at least {MIN_MATCH_BATCH}")
        for name in (
            "match_lease",
            "share_lease",
            "operator_lease",
            "operator_patience",
            "operator_retry",
            "snapshot_interval",
        ):
            self._check(name, 0 < getattr(self, name) < math.inf, "it must be a positive number of seconds")
        for name in (
            "max_shares",
            "operator_batch",
            "operator_threads",
            "max_operator_attempts",
            "snapshot_changes",
            "reader_processes",
        ):
            self._check(name, getattr(self, name) >= 1, "it must be at least 1")
        self._check(
            "max_operator_threads",
            self.max_operator_threads >= self.operator_threads,
            "it must not be less than operator_threads",
        )
        for name in ("dry_run_publications", "backfill_publications", "expired_retention"):
            self._check(name, getattr(self, name) >= 0, "it must not be negative")

    def _check(self, name: str, is_right: bool, reason: str) -> None:
        if not is_right:
            raise InvalidSetting(name, getattr(self, name), reason)

    def granted_validity(self, wanted: float | None) -> float | None:
        """Return the validity that a subscription gets, None for no end.

        None asks for the default, and infinity for no end. Raises InvalidSetting or NotPermitted.
        """
        if wanted is None:
            return self.default_validity
        if isinstance(wanted, bool) or not isinstance(wanted, (int, float)) or not wanted >= MIN_VALIDITY_SECONDS:
            raise InvalidSetting(
                "validity", wanted, f"it must be a number of seconds, at least {MIN_VALIDITY_SECONDS:g}"
            )
        if wanted == math.inf:
            if not self.allow_no_end:
                raise NotPermitted(
                    f"this broker requires an expiry time: give a validity of at most {shown_period(self.max_validity)}"
                )
            return None
        longest = min(self.max_validity, MAX_PERIOD_SECONDS)
        if wanted > longest:
            raise NotPermitted(f"the longest validity here is {shown_period(longest)}: use it, and renew later")
        return float(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionOptions:
    """How the notifications of a subscription are delivered. Nothing is dropped, only joined. Times are in seconds."""

    digest: float | None = None
    """Join the notifications of each period of this length into one delivery."""
    at_most: int | None = None
    """Number of deliveries allowed within `at_most_period`; further notifications are joined."""
    at_most_period: float | None = None
    join_articles: bool = False
    """Join the notifications of the same article from several feeds into one."""

    def __post_init__(self) -> None:
        for name, most in (
            ("digest", MAX_PERIOD_SECONDS),
            ("at_most", MAX_DELIVERIES),
            ("at_most_period", MAX_PERIOD_SECONDS),
        ):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and 0 < value <= most):
                raise InvalidSetting(name, value, f"it must be a positive number, at most {most:.0f}")
        if (self.at_most is None) != (self.at_most_period is None):
            raise InvalidSetting("at_most", self.at_most, "give at_most and at_most_period together")
        if self.at_most is not None and self.at_most != int(self.at_most):
            raise InvalidSetting("at_most", self.at_most, "it must be a whole number of deliveries")
