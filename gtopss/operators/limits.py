"""Limits of operator calls: per publication (`OperatorLimits`), per call and per process.

An operator's own time limit is `timeout` in its declaration; `DEFAULT_TIMEOUT_SECONDS` applies if it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gtopss.operators.errors import InvalidOperatorLimits

DEFAULT_TIMEOUT_SECONDS = 10.0
"""Seconds that a call may take if its operator does not declare a timeout. Then its answer is unknown."""
MAX_ROWS_PER_CALL = 10_000
"""Rows that one call may return. More make the answer unknown: they would be joined with everything."""
MAX_JOINED_ROWS = 100_000
"""Combinations of rows that are joined for one conjunction. Beyond that it stays undecided."""
MAX_ABANDONED_CALLS = 16
"""Abandoned calls of one operator that may still be running. Beyond that the operator is not called."""
DEFAULT_ROW_LIMIT = 10_000
"""Rows that a match reports unless the caller says otherwise. Further rows are dropped and the match is truncated."""
DEFAULT_CACHE_ANSWERS = 10_000
"""Answers of pure operators that are cached. Beyond that the least recently used one is dropped."""


@dataclass(frozen=True, slots=True)
class OperatorLimits:
    """What the operators of one publication may use."""

    concurrency: int = 1
    """Calls that run at once. More are faster, but include calls that a pending answer would have made unnecessary."""
    seconds: float | None = None
    """Seconds after which undecided subscriptions stay undecided."""
    cost: float | None = None
    """Budget for all calls. It requires the adaptive strategy, which decides the most valuable subscriptions first."""
    values: Mapping[str, float] = field(default_factory=dict, hash=False)
    """The value of deciding a subscription, by its id; 1 by default. Read when the subscription is registered."""
    failures: int = 3
    """Timeouts after which an operator is not called again for this publication."""
    patience: float = 1.0
    """Seconds after which a call delays only calls of its own operator: other operators are called beside it, whatever
    `concurrency` is. At most a tenth of `seconds`, or one slow call would use up the time of all."""

    def check(self, strategy: str) -> None:
        """Raise InvalidOperatorLimits if a limit has a wrong value, or cannot be combined with the strategy."""
        if self.cost is not None and strategy != "adaptive":
            raise InvalidOperatorLimits(
                f"a cost limit needs the strategy adaptive, which decides the most valuable subscriptions first; "
                f"the strategy is {strategy}"
            )
        if self.concurrency < 1:
            raise InvalidOperatorLimits(f"concurrency is {self.concurrency}: it must be at least 1")

    @property
    def slow_call_seconds(self) -> float:
        """Seconds after which a call counts as slow."""
        return self.patience if self.seconds is None else min(self.patience, self.seconds / 10)
