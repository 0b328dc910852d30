"""`gtopss filter` and what it is made of: sources, writers, the page."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import feedparser
import pytest
from conftest import ROOT
from typer.testing import CliRunner

from gtopss.cli import app
from gtopss.feeds.uci_news import read_news, topic_names
from gtopss.feeds.writing import entry_of, to_atom, to_nquads, to_rss
from gtopss.model import Publication
from gtopss.net import Connector
from gtopss.rdf.parse import read_triples
from gtopss.reading.documents import read_document
from gtopss.reading.sources import read_sources

DATA = ROOT / "data"
FEEDS = sorted((DATA / "feeds").iterdir())
NOW = datetime(2026, 1, 1, tzinfo=UTC)
run = CliRunner().invoke


@pytest.fixture(scope="module")
def publications() -> list[Publication]:
    return [each for path in FEEDS for each in read_document(path.read_bytes(), source=str(path)).publications]


def command(*more: str, sources: tuple[str, ...] = (str(DATA / "feeds"),)) -> list[str]:
    ontology = DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl"
    return ["filter", *sources, "-s", str(DATA / "subscriptions"), "-o", str(ontology), *more]


def test_the_sample_subscriptions_find_what_they_say() -> None:
    done = run(app, command(sources=(str(DATA / "feeds"), str(DATA / "news" / "news.nq"))))
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
def test_a_filtered_feed_can_be_followed(output: str) -> None:
    done = run(app, command("--output", output))
    parsed = feedparser.parse(done.stdout_bytes)
    assert not parsed.bozo
    assert parsed.version == {"rss": "rss20", "atom": "atom10"}[output]
    assert "L'hôtel particulier de Mozilla" in [entry.title for entry in parsed.entries]
    again = read_document(done.stdout_bytes, source="filtered")
    assert len(again.publications) == len(parsed.entries) > 10


def test_nquads_give_back_the_publications(publications: list[Publication]) -> None:
    again = read_document(to_nquads(publications), source="all.nq").publications
    assert len(again) == len(publications)
    assert sorted(len(each.triples) for each in again) == sorted(len(each.triples) for each in publications)


@pytest.mark.parametrize("write", [to_rss, to_atom])
def test_titles_links_and_dates_survive_being_written(write: Any, publications: list[Publication]) -> None:
    again = read_document(write(publications, title="all", now=NOW), source="all").publications
    assert len(again) == len(publications)
    for before, after in zip(map(entry_of, publications), map(entry_of, again), strict=True):
        assert after.title == before.title.strip()
        assert after.link == before.link
        if before.published_at:
            assert after.published_at == before.published_at.replace(microsecond=after.published_at.microsecond)  # type: ignore[union-attr]


def test_the_page_shows_items_and_reasons_and_runs_nothing(tmp_path: Path) -> None:
    hostile = "<rss version='2.0'><channel><title>t</title><item><title>&lt;script&gt;alert(1)&lt;/script&gt;</title>"
    hostile += "<link>javascript:alert(1)</link></item></channel></rss>"
    (tmp_path / "hostile.xml").write_text(hostile)
    (tmp_path / "all.rq").write_text("SELECT ?title { ?x rss:title ?title ; a rss:item }")
    page = tmp_path / "page.html"
    done = run(app, ["filter", str(tmp_path / "hostile.xml"), "-s", str(tmp_path / "all.rq"), "--page", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "<script" not in text
    assert "javascript:" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)
    assert "&lt;script&gt;alert(1)" in text
    assert "default-src 'none'" in text


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
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (DATA / "feeds" / "nasa-liftoff.rss20.xml").read_bytes()
            known = self.headers.get("If-None-Match") == '"1"'
            self.send_response(304 if known else 200)
            self.send_header("ETag", '"1"')
            self.send_header("Content-Length", "0" if known else str(len(body)))
            self.end_headers()
            if not known:
                self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{made.server_port}"
        made.shutdown()


def test_urls_and_opml_go_through_the_door(tmp_path: Path, server: str) -> None:
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
    (document,) = read_sources([url], connector=Connector(allow={server}))
    assert document.data.startswith(b"<?xml")
    assert document.response is not None


def test_the_news_are_made_from_the_table() -> None:
    topics = topic_names(read_triples((DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl").read_bytes(), "turtle"))
    made = list(read_news((DATA / "news" / "uci-news-aggregator-slice.csv").read_bytes(), topics, every=5))
    assert to_nquads(made) == (DATA / "news" / "news.nq").read_bytes()
