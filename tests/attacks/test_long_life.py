"""An engine whose subscriptions come and go for years does not grow.

GTOPSS_SOAK=1 adds and removes a million subscriptions: about a quarter of an hour.
"""

from __future__ import annotations

import pytest
from conftest import SOAK
from support.churn import churn_in_other_process

CYCLES = 1_000_000 if SOAK else 8_000
MAX_GROWTH_BYTES = 50_000_000 if SOAK else 10_000_000


@pytest.mark.slow
def test_subscriptions_that_come_and_go_leave_nothing_behind() -> None:
    """Each has a new shape and new constants; else each would leave kilobytes."""
    assert churn_in_other_process(CYCLES, timeout=2 * 3600) < MAX_GROWTH_BYTES
