from __future__ import annotations

import pytest

from gtopss.broker.delivery.retries import MAX_RETRY_AFTER_SECONDS, DeliveryRetries


@pytest.mark.parametrize(("random", "factor"), [(0.0, 0.8), (0.5, 1.0), (1.0, 1.2)])
def test_waits_have_jitter_and_take_more_than_a_day_together(random: float, factor: float) -> None:
    retries = DeliveryRetries(random=lambda: random)
    waits = [retries.wait(failures) for failures in range(1, 10)]
    assert waits == pytest.approx([delay * factor for delay in retries.delays])
    assert sum(waits) > 2 * 24 * 3600
    assert retries.wait(10) is None


def test_retry_after_makes_a_wait_longer_but_not_longer_than_a_day() -> None:
    retries = DeliveryRetries(jitter=0.0)
    assert retries.wait(1, 100.0) == 100.0
    assert retries.wait(2, 1.0) == 300.0
    assert retries.wait(1, 1e12) == MAX_RETRY_AFTER_SECONDS
