from __future__ import annotations

import pickle
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest

from gtopss.net import (
    BadResponse,
    BlockedAddress,
    FetchLimits,
    FetchState,
    Gone,
    InvalidURL,
    NotDue,
    PollResult,
    RetryPolicy,
    UnsuccessfulStatus,
    UnusableState,
    Validators,
    fetch,
    fetch_all,
    poll,
)

FEED = "http://feeds.example/rss"
LATER = "Date: Tue, 02 Jan 2024 00:00:00 GMT"
MODIFIED = "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"


COMMIT_AND_DIE = """
import os, pickle, sys
from gtopss.net import FetchState
FetchState(sys.argv[1]).commit(pickle.load(sys.stdin.buffer))
os._exit(9)
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path, clock):
    with FetchState(tmp_path / "state.sqlite", clock=clock) as state:
        yield state


def conditions(request: str) -> dict[str, str]:
    headers = dict(line.split(": ", 1) for line in request.strip().split("\r\n")[1:])
    return {name: value for name, value in headers.items() if name.startswith("If-")}


class TestCommit:
    def test_validators_are_sent_after_it_and_304_is_understood(self, internet, http, state) -> None:
        internet.server.routes["/rss"] = http(b"items", 'ETag: W/"1"', MODIFIED, LATER)
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        internet.server.routes["/rss"] = http(status="304 Not Modified", length=False)
        response = poll(FEED, connector=internet.connector(), state=state)
        assert (response.not_modified, response.body) == (True, b"")
        state.commit(response)
        poll(FEED, connector=internet.connector(), state=state)
        first, second, third = map(conditions, internet.server.requests)
        assert first == {}
        assert second == {"If-None-Match": 'W/"1"', "If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}
        assert third == second

    def test_without_it_the_items_come_again(self, internet, http, state) -> None:
        internet.server.routes["/rss"] = http(b"items", 'ETag: "1"')
        assert poll(FEED, connector=internet.connector(), state=state).body == b"items"
        assert poll(FEED, connector=internet.connector(), state=state).body == b"items"
        assert [conditions(request) for request in internet.server.requests] == [{}, {}]

    def test_an_older_commit_that_comes_late_repeats_items_and_loses_none(self, internet, http, state) -> None:
        internet.server.routes["/rss"] = http(b"one", 'ETag: "1"')
        one = poll(FEED, connector=internet.connector(), state=state)
        internet.server.routes["/rss"] = http(b"two", 'ETag: "2"')
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        state.commit(one)
        assert state.record(FEED).validators == Validators(FEED, '"1"')

    def test_a_body_cut_short_changes_nothing(self, internet, http, state) -> None:
        internet.server.routes["/rss"] = http(b"items", 'ETag: "1"')
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        internet.server.routes["/rss"] = b'HTTP/1.1 200 OK\r\nETag: "2"\r\nContent-Length: 10\r\n\r\nite'
        with pytest.raises(BadResponse):
            poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).validators == Validators(FEED, '"1"')

    def test_it_survives_a_reopened_file(self, internet, http, tmp_path, clock) -> None:
        internet.server.routes["/rss"] = http(b"items", 'ETag: "1"', "Cache-Control: max-age=60")
        with FetchState(tmp_path / "s", clock=clock) as state:
            state.commit(poll(FEED, connector=internet.connector(), state=state))
            kept = state.record(FEED)
        with FetchState(tmp_path / "s", clock=clock) as state:
            assert state.record(FEED) == kept
            assert kept.validators == Validators(FEED, '"1"')
            assert kept.not_before == clock.now + 60

    def test_it_survives_the_death_of_its_process_and_nothing_else_does(self, internet, http, tmp_path) -> None:
        internet.server.routes |= {"/rss": http(b"a", 'ETag: "1"'), "/other": http(b"b", 'ETag: "2"')}
        responses = [fetch(url, connector=internet.connector()) for url in (FEED, "http://feeds.example/other")]
        child = subprocess.run(
            [sys.executable, "-c", COMMIT_AND_DIE, str(tmp_path / "s")], input=pickle.dumps(responses[0]), timeout=30
        )
        assert child.returncode == 9
        with FetchState(tmp_path / "s") as state:
            assert state.record(FEED).validators == Validators(FEED, '"1"')
            assert state.record(responses[1].url).validators is None


class TestValidators:
    def test_go_only_to_the_url_that_gave_them(self, internet, http, redirect, state) -> None:
        internet.server.routes |= {"/rss": redirect("/a"), "/a": http(b"a", 'ETag: "1"'), "/b": http(b"b", 'ETag: "1"')}
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        poll(FEED, connector=internet.connector(), state=state)
        internet.server.routes["/rss"] = redirect("/b")
        poll(FEED, connector=internet.connector(), state=state)
        assert [conditions(request) for request in internet.server.requests] == [
            {}, {}, {}, {"If-None-Match": '"1"'}, {}, {},
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "headers",
        [
            ["Last-Modified: yesterday"],
            [MODIFIED, "Date: Mon, 01 Jan 2024 00:00:00 GMT"],
            ["ETag: " + "a" * 2000],
            ["ETag: \xe9"],
            ["ETag: "],
        ],
        ids=["no date", "same second", "long", "not ASCII", "empty"],
    )
    def test_that_cannot_be_trusted_are_not_kept(self, internet, http, headers: list[str]) -> None:
        internet.server.routes["/rss"] = http(b"items", *headers)
        assert fetch(FEED, connector=internet.connector()).validators is None


class TestPoliteness:
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

    def test_our_own_refusals_are_no_failures_of_the_server(self, internet, state) -> None:
        internet.name("inward.example", ["10.0.0.1"])
        with pytest.raises(BlockedAddress):
            poll("http://inward.example/", connector=internet.connector(), state=state)
        assert state.record("http://inward.example/").failures == 0

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

    def test_gone_is_recorded_and_asked_again_a_day_later(self, internet, http, state, clock) -> None:
        internet.server.routes["/rss"] = http(b"", status="410 Gone")
        with pytest.raises(Gone):
            poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).gone
        clock.now += 86400
        internet.server.routes["/rss"] = http(b"back")
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        assert not state.record(FEED).gone

    def test_a_permanent_redirect_is_recorded_by_the_commit(self, internet, http, redirect, state) -> None:
        internet.server.routes |= {"/rss": redirect("/new", "308 Permanent"), "/new": http(b"")}
        response = poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).permanent_url is None
        state.commit(response)
        assert state.record(FEED).permanent_url == "http://feeds.example/new"
        state.forget(FEED)
        assert state.record(FEED).permanent_url is None

    def test_waits_can_be_configured(self, clock) -> None:
        with FetchState(clock=clock, retry_policy=RetryPolicy(first_backoff_seconds=1, max_backoff_seconds=3)) as state:
            for wait in (1, 2, 3, 3):
                state.fail(FEED, BadResponse(FEED, "no"))
                assert state.record(FEED).not_before == clock.now + wait


class TestFile:
    def test_is_its_owners_alone_and_durable(self, tmp_path) -> None:
        with FetchState(tmp_path / "s") as state:
            state.fail(FEED, BadResponse(FEED, "no"))
            assert state._database.execute("PRAGMA synchronous").fetchone() == (2,)
            assert state._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600

    @pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
    def test_that_is_no_database_is_named(self, tmp_path, content: bytes) -> None:
        (tmp_path / "s").write_bytes(content)
        with pytest.raises(UnusableState, match="/s"):
            FetchState(tmp_path / "s")
        assert (tmp_path / "s").read_bytes() == content

    def test_of_a_later_version_is_left_alone(self, tmp_path) -> None:
        with sqlite3.connect(tmp_path / "s") as database:
            database.execute("PRAGMA user_version=7")
        database.close()
        with pytest.raises(UnusableState, match="version"):
            FetchState(tmp_path / "s")

    def test_in_a_folder_that_is_not_there_is_named(self, tmp_path) -> None:
        with pytest.raises(UnusableState):
            FetchState(tmp_path / "nowhere" / "s")

    def test_takes_commits_of_many_threads(self, internet, http, state) -> None:
        internet.server.routes["/rss"] = http(b"", 'ETag: "1"')
        response = fetch(FEED, connector=internet.connector())
        threads = [
            threading.Thread(target=lambda: [state.commit(response) or state.record(FEED) for _ in range(20)])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert state.record(FEED).validators == response.validators


class TestMany:
    def test_one_that_hangs_and_some_that_fail_do_not_hold_up_the_rest(self, internet, http, trap) -> None:
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

    def test_a_host_is_asked_for_so_many_at_once(self, internet) -> None:
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

    def test_state_is_kept_for_each(self, internet, http, state) -> None:
        internet.server.routes |= {"/rss": http(b"a", 'ETag: "1"'), "/bad": http(b"", status="500 Oops")}
        urls = [FEED, "http://feeds.example/bad"]
        for result in fetch_all(urls, connector=internet.connector(), state=state):
            if result.response is not None:
                state.commit(result.response)
        assert state.record(FEED).validators == Validators(FEED, '"1"')
        assert state.record(urls[1]).failures == 1

    def test_a_reader_who_stops_early_stops_the_rest(self, internet, http) -> None:
        internet.server.routes["/rss"] = http(b"a")
        results = fetch_all([FEED] * 100, connector=internet.connector(), workers=2)
        assert isinstance(next(results), PollResult)
        results.close()
        assert len(internet.server.requests) < 10

    def test_a_fault_of_the_program_is_an_result_too(self, internet) -> None:
        def dial(*arguments):
            raise RuntimeError("a bug")

        connector = internet.connector()
        object.__setattr__(connector, "dial", dial)
        (result,) = fetch_all([FEED], connector=connector)
        assert isinstance(result.error, RuntimeError)

    def test_a_bad_url_is_not_remembered(self, internet, state) -> None:
        with pytest.raises(InvalidURL):
            poll("nonsense", connector=internet.connector(), state=state)
        assert state.record("nonsense").failures == 0
