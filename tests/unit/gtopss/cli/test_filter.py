from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser
import pytest
from conftest import ROOT
from support.feed_server import feed_server
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.errors import OutputNotWritable
from gtopss.reading.documents import read_document

DATA = ROOT / "data"
FEEDS = sorted((DATA / "feeds").iterdir())
NOW = datetime(2026, 1, 1, tzinfo=UTC)
run = CliRunner().invoke


def command(*more: str, sources: tuple[str, ...] = (str(DATA / "feeds"),)) -> list[str]:
    return ["filter", *sources, "-s", str(DATA / "subscriptions"), *more]


def test_the_sample_subscriptions_match_the_shipped_feeds() -> None:
    topics = str(DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl")
    done = run(app, command("-o", topics, sources=(str(DATA / "feeds"), str(DATA / "news" / "news.nq"))))
    assert done.exit_code == 0, done.output
    found: dict[str, list[Any]] = {}
    for line in map(json.loads, done.stdout.splitlines()):
        found.setdefault(line["subscription"], []).append(line)
    names = {path.stem for path in (DATA / "subscriptions").glob("*.rq")}
    assert set(found) == names - {"impossible"}
    assert {line["title"] for line in found["martin-on-tfs"]} >= {"Creating a TFS 2008 with SP1 Slipstreamed ISO image"}
    assert all(re.match(r"M [2-9]", line["title"]) for line in found["earthquakes-above-2"])
    assert "subscription 'impossible' never matches" in done.stderr
    assert re.search(r"9 documents, 1371 items, \d+ of them matched .* 0 refused", done.stderr)


@pytest.mark.parametrize("output", ["rss", "atom"])
def test_a_filtered_feed_is_valid_and_readable(output: str) -> None:
    done = run(app, command("--output", output))
    parsed = feedparser.parse(done.stdout_bytes)
    assert not parsed.bozo
    assert parsed.version == {"rss": "rss20", "atom": "atom10"}[output]
    assert "L'hôtel particulier de Mozilla" in [entry.title for entry in parsed.entries]
    again = read_document(done.stdout_bytes, source="filtered")
    assert len(again.publications) == len(parsed.entries) > 10


def test_a_refused_document_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "laughs.xml").write_text("<!DOCTYPE r [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><rss>&b;</rss>")
    (tmp_path / "page.html").write_text("<!doctype html><html><body>hello</body></html>")
    (tmp_path / "good.xml").write_bytes((DATA / "feeds" / "nasa-liftoff.rss20.xml").read_bytes())
    (tmp_path / ".hidden").write_text("not looked at")
    done = run(app, command(sources=(str(tmp_path), str(tmp_path / "missing.xml"))))
    assert done.exit_code == 1
    assert "Star City" in done.stdout
    for text in ("laughs.xml", "page.html", "HTML page", "missing.xml", "3 refused"):
        assert text in done.stderr, text


@pytest.fixture
def server() -> Iterator[str]:
    with feed_server() as host:
        yield host


def test_urls_and_opml_are_fetched_by_the_hardened_client(tmp_path: Path, server: str) -> None:
    url = f"http://{server}/feed"
    opml = tmp_path / "feeds.opml"
    opml.write_text(f'<opml version="2.0"><body><outline text="NASA" xmlUrl="{url}"/></body></opml>')
    shut = run(app, command(sources=(str(opml),)))
    assert shut.exit_code == 1
    assert "127.0.0.1" in shut.stderr
    assert shut.stdout == ""
    state = tmp_path / "state.sqlite"
    first = run(app, command("--allow", server, "--state", str(state), sources=(str(opml),)))
    assert first.exit_code == 0, first.output
    assert "Star City" in first.stdout
    second = run(app, command("--allow", server, "--state", str(state), sources=(url,)))
    assert second.exit_code == 0  # the server says that nothing has changed
    assert second.stdout == ""
    assert "1 documents, 0 items" in second.stderr
    assert run(app, command(sources=("ftp://a.example/",))).exit_code == 1


def test_a_page_that_cannot_be_written_is_an_error_in_one_line(tmp_path: Path) -> None:
    feed = str(DATA / "feeds" / "nasa-liftoff.rss20.xml")
    done = run(app, command("--matcher", "naive", "--page", str(tmp_path / "no" / "page.html"), sources=(feed,)))
    assert isinstance(done.exception, OutputNotWritable)
    assert "page.html cannot be written: No such file or directory" in str(done.exception)
