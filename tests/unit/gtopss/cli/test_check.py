from __future__ import annotations

from pathlib import Path

from conftest import ROOT
from support.feed_samples import rss
from typer.testing import CliRunner

from gtopss.cli.commands import app

BIBLIOGRAPHY = str(ROOT / "data" / "ontologies" / "bibliography.ttl")
run = CliRunner().invoke


def write(folder: Path, **queries: str) -> str:
    for name, query in queries.items():
        (folder / f"{name}.rq").write_text(query)
    return str(folder)


def test_mistakes_are_named_with_a_guess_and_an_exit_code(tmp_path: Path) -> None:
    subscriptions = write(
        tmp_path,
        spelling="SELECT ?titel { ?x rss:titel ?title }",
        broken="SELECT",
        good="ASK { ?x rss:title ?t }",
    )
    done = run(app, ["check", subscriptions])
    assert done.exit_code == 1
    for text in (
        "?titel is never bound: did you mean ?title?",
        "warning: feeds have no property rss:titel: did you mean rss:title?",
        "broken",
        "good: read",
    ):
        assert text in done.stdout, text


def test_a_dry_run_shows_what_would_match_and_what_came_nearest(tmp_path: Path) -> None:
    (tmp_path / "subs").mkdir()
    subscriptions = write(
        tmp_path / "subs",
        all="SELECT ?t { ?x a rss:item ; rss:title ?t }",
        none='SELECT ?t { ?x a rss:item ; rss:title ?t FILTER(?t = "z") }',
    )
    items = "".join(f"<item><title>title {n}</title></item>" for n in range(5))
    (tmp_path / "feed.xml").write_bytes(rss(items))
    done = run(app, ["check", subscriptions, str(tmp_path / "feed.xml"), "-o", BIBLIOGRAPHY])
    assert done.exit_code == 0, done.output
    assert "all: matches 5 of 5 items\n    would match: title 0\n" in done.stdout
    assert "and 2 more" in done.stdout
    assert "none: matches 0 of 5 items\n    nearest of the first 5 items: title 0\n" in done.stdout
    assert '✘ ?x  rss:title  "z"' in done.stdout
    missing = run(app, ["check", subscriptions, str(tmp_path / "no.xml")])
    assert missing.exit_code == 2
    assert "no source could be read" in missing.stderr


def test_nothing_usable_is_an_error_of_its_own(tmp_path: Path) -> None:
    done = run(app, ["check", write(tmp_path, broken="SELECT")])
    assert done.exit_code == 2
    assert "no subscription is usable" in done.stderr


def test_the_short_form_is_shown_as_a_query(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("# mine\nspace = title:space -author:bot\ntopik:x\n")
    (tmp_path / "feed.xml").write_bytes(rss("<item><title>Space!</title></item>"))
    done = run(app, ["check", str(tmp_path / "mine.txt"), str(tmp_path / "feed.xml")])
    assert done.exit_code == 1
    assert "mine.txt: there is no field topik: did you mean topic:?" in done.stdout
    assert "  topik:x\n  ^" in done.stdout
    assert "space: matches 1 of 1 item\n    SELECT DISTINCT ?item WHERE {\n      ?item a rss:item ." in done.stdout
    direct = run(app, ["check", str(tmp_path / "feed.xml"), "--subscribe", "title:space"])
    assert direct.exit_code == 0, direct.output
    assert "title:space: matches 1 of 1 item" in direct.stdout
    assert run(app, ["check"]).exit_code == 2
