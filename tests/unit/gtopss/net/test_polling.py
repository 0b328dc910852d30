from __future__ import annotations

import threading

import pytest

from gtopss.net import BlockedAddress, FetchLimits, InvalidURL, PollResult, Validators, fetch_all, poll

FEED = "http://feeds.example/rss"


class TestPoll:
    def test_our_own_refusals_are_no_failures_of_the_server(self, internet, state) -> None:
        internet.name("inward.example", ["10.0.0.1"])
        with pytest.raises(BlockedAddress):
            poll("http://inward.example/", connector=internet.connector(), state=state)
        assert state.record("http://inward.example/").failures == 0

    def test_a_permanent_redirect_is_recorded_by_the_commit(self, internet, http, redirect, state) -> None:
        internet.server.routes |= {"/rss": redirect("/new", "308 Permanent"), "/new": http(b"")}
        response = poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).permanent_url is None
        state.commit(response)
        assert state.record(FEED).permanent_url == "http://feeds.example/new"
        state.forget(FEED)
        assert state.record(FEED).permanent_url is None

    def test_a_bad_url_is_not_remembered(self, internet, state) -> None:
        with pytest.raises(InvalidURL):
            poll("nonsense", connector=internet.connector(), state=state)
        assert state.record("nonsense").failures == 0


class TestFetchAll:
    def test_hanging_and_failing_urls_do_not_delay_the_rest(self, internet, http, trap) -> None:
        for number in range(20):
            internet.name(f"h{number}.example")
            internet.server.routes[f"/{number}"] = http(f"body {number}".encode())
        internet.server.routes["/7"] = internet.server.drip(b"a", first=b"HTTP/1.1 200 OK\r\n\r\n")
        urls = [f"http://h{number}.example/{number}" for number in range(20)]
        bad = ["not a url", f"http://127.0.0.1:{trap.port}/", "http://nowhere.example/", "file:///etc/passwd"]
        results = list(
            fetch_all([*urls, *bad], connector=internet.connector(limits=FetchLimits(total_seconds=0.8)), workers=8)
        )
        assert sorted(result.url for result in results) == sorted([*urls, *bad])
        good = {result.url: result.response.body for result in results if result.response is not None}
        assert good == {url: f"body {n}".encode() for n, url in enumerate(urls) if n != 7}
        assert results[-1].url == urls[7]
        failed = {result.url: type(result.error).__name__ for result in results if result.error is not None}
        assert failed == {
            urls[7]: "DeadlineExceeded",
            bad[0]: "InvalidURL",
            bad[1]: "BlockedAddress",
            bad[2]: "ConnectionFailed",
            bad[3]: "UnsupportedScheme",
        }

    def test_at_most_per_host_requests_run_at_once(self, internet) -> None:
        under_way, most, lock, three = [0], [0], threading.Lock(), threading.Event()

        def answer(connection) -> None:
            with lock:
                under_way[0] += 1
                most[0] = max(most[0], under_way[0])
                if under_way[0] > 2:
                    three.set()
            three.wait(0.1)
            with lock:
                under_way[0] -= 1
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        urls = [f"http://feeds.example/{n}" for n in range(6)]
        internet.server.routes = dict.fromkeys((f"/{n}" for n in range(6)), answer)
        results = list(fetch_all(urls, connector=internet.connector(), per_host=2))
        assert len(results) == 6
        assert most == [2]

    def test_state_is_recorded_for_each_url(self, internet, http, state) -> None:
        internet.server.routes |= {"/rss": http(b"a", 'ETag: "1"'), "/bad": http(b"", status="500 Oops")}
        urls = [FEED, "http://feeds.example/bad"]
        for result in fetch_all(urls, connector=internet.connector(), state=state):
            if result.response is not None:
                state.commit(result.response)
        assert state.record(FEED).validators == Validators(FEED, '"1"')
        assert state.record(urls[1]).failures == 1

    def test_a_consumer_that_stops_early_stops_the_rest(self, internet, http) -> None:
        internet.server.routes["/rss"] = http(b"a")
        results = fetch_all([FEED] * 100, connector=internet.connector(), workers=2)
        assert isinstance(next(results), PollResult)
        results.close()
        assert len(internet.server.requests) < 10

    def test_a_bug_becomes_the_error_of_a_result(self, internet) -> None:
        def dial(*arguments):
            raise RuntimeError("a bug")

        connector = internet.connector()
        object.__setattr__(connector, "dial", dial)
        (result,) = fetch_all([FEED], connector=connector)
        assert isinstance(result.error, RuntimeError)
