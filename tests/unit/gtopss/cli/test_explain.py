"""`gtopss explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.hostile_reader import fragile_worker
from support.subscription_folders import SUBSCRIPTIONS, write_files
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.errors import SubscriptionNotFound

run = CliRunner().invoke


def test_explain_prints_every_output_format(tmp_path: Path, data: Path) -> None:
    subs = write_files(tmp_path / "subs", SUBSCRIPTIONS)
    arguments = ["explain", str(data / "figure5" / "event.ttl"), "recent", "-s", str(subs)]
    bib = ["-o", str(data / "ontologies" / "bibliography.ttl")]
    assert "bib:SIGMODProceedings → bib:ConferenceProceedings" in run(app, [*arguments, *bib]).stdout
    miss = run(app, arguments)
    assert miss.exit_code == 0
    assert "recent does not match" in miss.stdout
    assert json.loads(run(app, [*arguments, "--as", "json"]).stdout)["matched"] is False
    assert run(app, [*arguments, "--as", "svg"]).stdout.startswith("<svg")
    assert "flowchart" in run(app, [*arguments, "--as", "mermaid"]).stdout
    assert isinstance(run(app, [*arguments[:2], "nobody", *arguments[3:]]).exception, SubscriptionNotFound)
    misspelt = run(app, [*arguments[:2], "recnt", *arguments[3:]])
    assert "did you mean recent?" in str(misspelt.exception)


def test_a_document_that_crashes_its_parser_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtopss.reading.isolation.run_worker", fragile_worker)
    (tmp_path / "s.rq").write_text("SELECT ?x { ?x <urn:p> <urn:b> }")
    (tmp_path / "bad.ttl").write_text("<urn:a> <urn:p> <urn:b> . #segfault")
    done = run(app, ["explain", str(tmp_path / "bad.ttl"), "s", "-s", str(tmp_path / "s.rq")])
    assert done.exit_code == 1
    assert "bad.ttl" in str(done.exception)
    assert "exit code -11" in str(done.exception)


def test_the_only_subscription_needs_no_name(data: Path) -> None:
    arguments = ["explain", str(data / "feeds" / "nasa-liftoff.rss20.xml"), "--item", "1"]
    assert "✔ star" in run(app, [*arguments, "--subscribe", "star"]).stdout
    several = run(app, [*arguments, "--subscribe", "star", "--subscribe", "moon"])
    assert several.exit_code == 2
    assert "name one of them: star, moon" in several.output


def test_a_word_that_must_not_occur_is_explained_by_the_texts_that_there_are(tmp_path: Path) -> None:
    feed = tmp_path / "feed.rss"
    feed.write_text("<rss version='2.0'><channel><title>N</title><item><title>A vaccine</title></item></channel></rss>")
    shown = run(app, ["explain", str(feed), "--subscribe", "vaccine -sponsored", "--item", "1"]).stdout
    assert shown.endswith('-sponsored   the words "sponsored" not found in "A vaccine"\n')


def test_one_item_of_a_feed_is_explained(data: Path) -> None:
    feed = str(data / "feeds" / "nasa-liftoff.rss20.xml")
    arguments = ["explain", feed, "space-in-june", "-s", str(data / "subscriptions")]
    for item in ("1", "http://liftoff.msfc.nasa.gov/2003/06/03.html#item573"):
        assert "space-in-june matches" in run(app, [*arguments, "--item", item]).stdout
    assert "space-in-june does not match" in run(app, [*arguments, "--item", "4"]).stdout
    which = run(app, arguments)
    assert which.exit_code == 1
    assert "4 items: choose one" in str(which.exception)
    news = [*arguments[:1], str(data / "news" / "news.nq"), "health", *arguments[3:]]
    assert "health does not match urn:uci-news:1" in run(app, [*news, "--item", "urn:uci-news:1"]).stdout
