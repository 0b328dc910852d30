from __future__ import annotations

import pytest

from gtopss.net import BadResponse, FetchState, Gone, NotDue, RetryPolicy, UnsuccessfulStatus, poll

FEED = "http://feeds.example/rss"


class TestRetryPolicy:
    @pytest.mark.parametrize("status", ["429 Too Many", "503 Unavailable"])
    @pytest.mark.parametrize(
        ("value", "wait"),
        [
            ("120", 120),
            ("Tue, 14 Nov 2023 22:15:20 GMT", 120),
            ("Mon, 13 Nov 2023 00:00:00 GMT", 0),
            ("99999999999999999999", 86400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 86400),
            ("soon", 60),
            ("-5", 60),
        ],
    )
    def test_retry_after_is_honoured_and_capped(self, internet, http, state, clock, status, value, wait) -> None:
        internet.server.routes["/rss"] = http(b"", f"Retry-After: {value}", status=status)
        with pytest.raises(UnsuccessfulStatus):
            poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).not_before == clock.now + wait
        if wait:
            clock.now += wait - 1
            with pytest.raises(NotDue) as caught:
                poll(FEED, connector=internet.connector(), state=state)
            assert caught.value.not_before == clock.now + 1
        clock.now += 1
        internet.server.routes["/rss"] = http(b"back")
        assert poll(FEED, connector=internet.connector(), state=state).body == b"back"
        assert len(internet.server.requests) == 2

    def test_failures_double_the_wait_until_a_commit(self, internet, http, state, clock) -> None:
        internet.server.routes["/rss"] = http(b"", status="500 Oops")
        for wait in (60, 120, 240):
            with pytest.raises(UnsuccessfulStatus):
                poll(FEED, connector=internet.connector(), state=state)
            assert state.record(FEED).not_before == clock.now + wait
            clock.now += wait
        assert state.record(FEED).failures == 3
        internet.server.routes["/rss"] = http(b"fine")
        response = poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).failures == 3
        state.commit(response)
        assert state.record(FEED).failures == 0

    @pytest.mark.parametrize(
        ("control", "wait"),
        [
            ("max-age=600", 600),
            ("public, Max-Age=600, s-maxage=5", 600),
            ("max-age=31536000", 3600),
            ("no-cache, max-age=600", 0),
            ("s-maxage=600", 0),
            ("max-age=x", 0),
        ],
    )
    def test_freshness_is_honoured_and_capped(self, internet, http, state, clock, control: str, wait: float) -> None:
        internet.server.routes["/rss"] = http(b"", f"Cache-Control: {control}")
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        assert state.record(FEED).not_before == clock.now + wait

    def test_a_clock_that_was_wrong_does_not_silence_a_feed(self, internet, http, state, clock) -> None:
        internet.server.routes["/rss"] = http(b"", "Cache-Control: max-age=600")
        clock.now += 10 * 365 * 86400
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        clock.now -= 10 * 365 * 86400
        assert poll(FEED, connector=internet.connector(), state=state).status == 200

    def test_gone_is_recorded_and_fetched_again_a_day_later(self, internet, http, state, clock) -> None:
        internet.server.routes["/rss"] = http(b"", status="410 Gone")
        with pytest.raises(Gone):
            poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).gone
        clock.now += 86400
        internet.server.routes["/rss"] = http(b"back")
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        assert not state.record(FEED).gone

    def test_waits_can_be_configured(self, clock) -> None:
        with FetchState(clock=clock, retry_policy=RetryPolicy(first_backoff_seconds=1, max_backoff_seconds=3)) as state:
            for wait in (1, 2, 3, 3):
                state.fail(FEED, BadResponse(FEED, "no"))
                assert state.record(FEED).not_before == clock.now + wait
