from __future__ import annotations

import pytest

from gtopss.operators import OperatorLimits


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (OperatorLimits(), 1.0),
        (OperatorLimits(patience=0.2), 0.2),
        (OperatorLimits(seconds=100), 1.0),
        (OperatorLimits(seconds=5), 0.5),  # one slow call must not use up the time of all
    ],
)
def test_a_call_is_slow_after_the_patience_or_a_tenth_of_the_time(limits: OperatorLimits, seconds: float) -> None:
    assert limits.slow_call_seconds == seconds
