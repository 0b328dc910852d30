from __future__ import annotations

from gtopss.broker.feeds.poll_policy import PollPolicy
from gtopss.net import ConnectionFailed, HostBusy, UnsuccessfulStatus


def test_jitter_makes_waits_longer_and_never_shorter() -> None:
    for random, factor in ((0.0, 1.0), (1.0, 1.1)):
        policy = PollPolicy(interval_seconds=1_000, random=lambda random=random: random)
        assert policy.after_success(0) == 1_000 * factor
        assert policy.after_success(5_000) == 5_000 * factor
        assert policy.after_failure(ConnectionFailed("u", "r"), 1) == 300 * factor
        assert policy.after_failure(UnsuccessfulStatus("u", 429, retry_after=7_000), 1) == 7_000 * factor
        assert policy.after_failure(HostBusy("u", "h", 2), 1) == 5 * factor
