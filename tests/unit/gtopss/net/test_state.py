from __future__ import annotations

import pickle
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gtopss.net import BadResponse, FetchState, UnusableState, Validators, fetch, poll

FEED = "http://feeds.example/rss"
LATER = "Date: Tue, 02 Jan 2024 00:00:00 GMT"
MODIFIED = "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"
COMMIT_AND_DIE = """
import os, pickle, sys
from gtopss.net import FetchState
FetchState(sys.argv[1]).commit(pickle.load(sys.stdin.buffer))
os._exit(9)
"""


def conditions(request: str) -> dict[str, str]:
    headers = dict(line.split(": ", 1) for line in request.strip().split("\r\n")[1:])
    return {name: value for name, value in headers.items() if name.startswith("If-")}


class TestCommit:
    def test_validators_are_sent_after_a_commit_and_304_is_understood(self, internet, http, state) -> None:
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

    def test_without_a_commit_the_items_are_sent_again(self, internet, http, state) -> None:
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

    def test_an_incomplete_body_changes_nothing(self, internet, http, state) -> None:
        internet.server.routes["/rss"] = http(b"items", 'ETag: "1"')
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        internet.server.routes["/rss"] = b'HTTP/1.1 200 OK\r\nETag: "2"\r\nContent-Length: 10\r\n\r\nite'
        with pytest.raises(BadResponse):
            poll(FEED, connector=internet.connector(), state=state)
        assert state.record(FEED).validators == Validators(FEED, '"1"')

    def test_a_commit_survives_reopening_the_file(self, internet, http, tmp_path, clock) -> None:
        internet.server.routes["/rss"] = http(b"items", 'ETag: "1"', "Cache-Control: max-age=60")
        with FetchState(tmp_path / "s", clock=clock) as state:
            state.commit(poll(FEED, connector=internet.connector(), state=state))
            kept = state.record(FEED)
        with FetchState(tmp_path / "s", clock=clock) as state:
            assert state.record(FEED) == kept
            assert kept.validators == Validators(FEED, '"1"')
            assert kept.not_before == clock.now + 60

    def test_only_a_commit_survives_the_death_of_its_process(self, internet, http, tmp_path) -> None:
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
    def test_validators_are_sent_only_to_the_url_that_gave_them(self, internet, http, redirect, state) -> None:
        internet.server.routes |= {"/rss": redirect("/a"), "/a": http(b"a", 'ETag: "1"'), "/b": http(b"b", 'ETag: "1"')}
        state.commit(poll(FEED, connector=internet.connector(), state=state))
        poll(FEED, connector=internet.connector(), state=state)
        internet.server.routes["/rss"] = redirect("/b")
        poll(FEED, connector=internet.connector(), state=state)
        assert [conditions(request) for request in internet.server.requests] == [
            {}, {}, {}, {"If-None-Match": '"1"'}, {}, {},
        ]  # fmt: skip


class TestFile:
    def test_the_file_is_durable_and_readable_by_its_owner_only(self, tmp_path) -> None:
        with FetchState(tmp_path / "s") as state:
            state.fail(FEED, BadResponse(FEED, "no"))
            assert state._database.execute("PRAGMA synchronous").fetchone() == (2,)
            assert state._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600

    @pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
    def test_a_file_that_is_no_database_is_refused_by_name(self, tmp_path, content: bytes) -> None:
        (tmp_path / "s").write_bytes(content)
        with pytest.raises(UnusableState, match="/s"):
            FetchState(tmp_path / "s")
        assert (tmp_path / "s").read_bytes() == content

    def test_a_file_of_a_later_version_is_refused_unchanged(self, tmp_path) -> None:
        with sqlite3.connect(tmp_path / "s") as database:
            database.execute("PRAGMA user_version=7")
        database.close()
        with pytest.raises(UnusableState, match="version"):
            FetchState(tmp_path / "s")

    def test_a_file_in_a_missing_folder_is_refused(self, tmp_path) -> None:
        with pytest.raises(UnusableState):
            FetchState(tmp_path / "nowhere" / "s")

    def test_many_threads_can_commit(self, internet, http, state) -> None:
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


def test_a_folder_in_place_of_the_state_is_named_in_plain_words(tmp_path: Path) -> None:
    with (
        pytest.raises(UnusableState, match=": Is a directory: name"),
        FetchState(tmp_path, exclusive=True),
    ):
        pass


def test_the_last_content_of_a_name_is_known_again(tmp_path: Path) -> None:
    with FetchState(tmp_path / "state") as state:
        assert not state.has_content("feed.xml", b"one")
        state.commit_content("feed.xml", b"one")
        state.commit_content("feed.xml", b"two")
    with FetchState(tmp_path / "state") as state:
        assert state.has_content("feed.xml", b"two")
        assert not state.has_content("feed.xml", b"one")
        assert not state.has_content("other.xml", b"two")
