from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import feedparser
import pytest
from click.testing import Result
from conftest import ROOT
from support.feed_samples import rss
from support.feed_server import feed_server
from support.pdf_files import pdf
from typer.testing import CliRunner

from gtopss.cli.commands import app
from gtopss.operators import REGISTRY
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
    assert set(found) == names - {"impossible", "severe-weather"}  # the only alert is minor
    assert {line["title"] for line in found["martin-on-tfs"]} >= {"Creating a TFS 2008 with SP1 Slipstreamed ISO image"}
    assert all(re.match(r"M [2-9]", line["title"]) for line in found["earthquakes-above-2"])
    assert "subscription 'impossible' never matches" in done.stderr
    assert re.search(r"9 documents, 1,371 items, \d+ of them matched \([\d,]+ matches\)", done.stderr)


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
    for text in ("laughs.xml", "page.html", "HTML page", "missing.xml", "3 documents refused"):
        assert text in done.stderr, text


def test_subscriptions_and_ontologies_in_a_folder_that_is_read_are_no_sources(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_bytes((DATA / "feeds" / "nasa-liftoff.rss20.xml").read_bytes())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "all.rq").write_text("SELECT ?title { ?x rss:title ?title }")
    (tmp_path / "classes.ttl").write_text("<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:B> .")
    ontology = str(tmp_path / "classes.ttl")
    done = run(app, ["filter", str(tmp_path), "-s", str(tmp_path / "mine"), "-o", ontology])
    assert (done.exit_code, "1 document, 4 items" in done.stderr) == (0, True), done.stderr
    done = run(app, ["filter", str(tmp_path), "-s", str(tmp_path / "mine" / "all.rq"), "-o", ontology])
    assert done.exit_code == 0, done.stderr


def test_a_topic_without_an_ontology_is_noted(tmp_path: Path) -> None:
    feed = str(DATA / "feeds" / "nasa-liftoff.rss20.xml")
    note = "without an ontology, topic: finds only categories with this word"
    for text, is_noted in (("topic:health", True), ("-topic:health linux", True), ("linux", False)):
        assert (note in run(app, ["filter", feed, "--subscribe", text]).stderr) == is_noted, text
    topics = str(DATA / "ontologies" / "iptc-mediatopics-en-GB.ttl")
    assert note not in run(app, ["filter", feed, "--subscribe", "topic:health", "-o", topics]).stderr


def test_a_url_without_its_scheme_gets_a_guess() -> None:
    done = run(app, ["filter", "site.example/feed", "--subscribe", "linux"])
    assert (done.exit_code, "if it is a URL, write https://site.example/feed" in done.stderr) == (2, True)


ALERT = """<entry><id>urn:alert:{severity}:{year}</id><title>Flood, {severity}</title>
<published>2012-11-07T04:00:00Z</published><cap:event>Flood</cap:event><cap:areaDesc>Everywhere</cap:areaDesc>
<cap:severity>{severity}</cap:severity><cap:expires>{year}-11-08T16:00:00Z</cap:expires></entry>"""


def test_severe_weather_is_neither_minor_nor_over(tmp_path: Path) -> None:
    alerts = "".join(
        ALERT.format(severity=severity, year=year) for severity in ("Minor", "Severe") for year in (2012, 2999)
    )
    atom = 'xmlns="http://www.w3.org/2005/Atom" xmlns:cap="urn:oasis:names:tc:emergency:cap:1.1"'
    (tmp_path / "alerts.atom").write_text(f"<feed {atom}><id>urn:alerts</id><title>Alerts</title>{alerts}</feed>")
    query = str(DATA / "subscriptions" / "severe-weather.rq")
    done = run(app, ["filter", str(tmp_path / "alerts.atom"), "-s", query, "--matcher", "naive"])
    assert [json.loads(line)["publication"] for line in done.stdout.splitlines()] == ["urn:alert:Severe:2999"]


@pytest.fixture
def server() -> Iterator[str]:
    with feed_server() as host:
        yield host


def test_urls_and_opml_are_fetched_by_the_hardened_client(tmp_path: Path, server: str) -> None:
    url = f"http://{server}/feed"
    opml = tmp_path / "feeds.opml"
    opml.write_text(f'<opml version="2.0"><body><outline text="NASA" xmlUrl="{url}"/></body></opml>')
    shut = run(app, command(sources=(str(opml),)))
    assert shut.exit_code == 2
    assert "127.0.0.1" in shut.stderr
    assert "no source could be read" in shut.stderr
    assert shut.stdout == ""
    state = tmp_path / "state.sqlite"
    first = run(app, command("--allow", server, "--state", str(state), sources=(str(opml),)))
    assert first.exit_code == 0, first.output
    assert "Star City" in first.stdout
    second = run(app, command("--allow", server, "--state", str(state), sources=(url,)))
    assert second.exit_code == 0  # the server says that nothing has changed
    assert second.stdout == ""
    assert "1 document, 0 items" in second.stderr
    assert run(app, command(sources=("ftp://a.example/",))).exit_code == 2


def test_a_page_that_cannot_be_written_is_an_error_in_one_line(tmp_path: Path) -> None:
    feed = str(DATA / "feeds" / "nasa-liftoff.rss20.xml")
    done = run(app, command("--matcher", "naive", "--page", str(tmp_path / "no" / "page.html"), sources=(feed,)))
    assert done.exit_code == 2
    assert "page.html cannot be written: there is no folder" in done.stderr
    assert done.stderr.count("\n") == 1


def naive(folder: Path, *more: str, items: str = "<item><title>one</title></item>") -> Result:
    """Run the command on a small feed, with a subscription to everything."""
    (folder / "feed.xml").write_text(f"<rss version='2.0'><channel><title>Feed</title>{items}</channel></rss>")
    (folder / "all.rq").write_text("SELECT ?title { ?x a rss:item ; rss:title ?title }")
    return run(app, ["filter", str(folder / "feed.xml"), "-s", str(folder / "all.rq"), "--matcher", "naive", *more])


def test_an_item_is_new_once_and_a_changed_one_again_if_asked(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "state"))
    item = "<item><guid>urn:{0}</guid><title>{0}{1}</title></item>"
    assert '"title": "a"' in naive(tmp_path, *state, items=item.format("a", "")).stdout
    second = naive(tmp_path, *state, items=item.format("b", "") + item.format("a", ""))
    assert [json.loads(line)["title"] for line in second.stdout.splitlines()] == ["b"]
    assert "2 items, 1 of them new, 1 of them matched" in second.stderr
    assert naive(tmp_path, *state, items=item.format("a", " changed")).stdout == ""
    assert naive(tmp_path, *state, "--changed", items=item.format("a", " changed")).stdout == ""
    assert "again" in naive(tmp_path, *state, "--changed", items=item.format("a", " again")).stdout


def test_an_output_file_that_cannot_be_written_loses_no_item(tmp_path: Path) -> None:
    state = ("--state", str(tmp_path / "state"))
    lost = naive(tmp_path, *state, "--out", str(tmp_path / "no" / "kept.atom"))
    assert lost.exit_code == 2
    assert "kept.atom cannot be written" in lost.stderr
    again = naive(tmp_path, *state, "--out", str(tmp_path / "kept.atom"))
    assert again.exit_code == 0, again.output
    assert [each.title for each in feedparser.parse((tmp_path / "kept.atom").read_bytes()).entries] == ["one"]


@pytest.mark.parametrize("name", ["kept.atom", "kept.rss", "kept.jsonl"])
def test_a_kept_file_stays_when_nothing_is_new(tmp_path: Path, name: str) -> None:
    options = ("--state", str(tmp_path / "state"), "--out", str(tmp_path / name), "--title", "Mine")
    first = naive(tmp_path, *options)
    assert (first.exit_code, first.stdout) == (0, "")
    before = (tmp_path / name).read_bytes()
    assert b"one" in before
    second = naive(tmp_path, *options)
    assert "nothing new for" in second.stderr
    assert (tmp_path / name).read_bytes() == before
    if name != "kept.jsonl":
        feed = feedparser.parse(before).feed
        assert feed.title == "Mine"
        assert feed.get("id", feed.link).startswith("urn:uuid:")


def test_the_files_of_a_run_are_no_sources_of_the_next(tmp_path: Path) -> None:
    rest = ["--subscribe", "-zzz", "--matcher", "naive"]
    feeds = tmp_path / "feeds"
    feeds.mkdir()
    (feeds / "feed.xml").write_bytes(rss("<item><guid>urn:1</guid><title>one</title></item>"))
    own = ["--out", str(feeds / "o.atom"), "--state", str(feeds / "state"), "--page", str(feeds / "page.html")]
    for _ in range(2):
        done = run(app, ["filter", str(feeds), *rest, *own])
        assert done.exit_code == 0, done.output
        assert "1 document," in done.stderr
    assert (feeds / "o.atom").read_bytes().count(b"<entry>") == 1


@pytest.mark.parametrize("options", [("--out", "--page"), ("--state", "--out"), ("--page", "--state")])
def test_two_outputs_to_one_file_are_refused(tmp_path: Path, options: tuple[str, str]) -> None:
    given = [each for option in options for each in (option, str(tmp_path / "x.atom"))]
    done = run(app, ["filter", str(tmp_path / "feed.xml"), "--subscribe", "a", *given])
    assert done.exit_code == 2
    assert "two of these options name the same file" in " ".join(done.output.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_the_page_is_not_emptied_because_nothing_is_new(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    for _ in range(2):
        assert naive(tmp_path, "--state", str(tmp_path / "state"), "--page", str(page)).exit_code == 0
        assert ">one<" in page.read_text()


def test_the_page_explains_the_short_form_in_its_words(tmp_path: Path) -> None:
    feed, page = naive(tmp_path).stdout and str(tmp_path / "feed.xml"), tmp_path / "page.html"
    done = run(app, ["filter", feed, "--subscribe", "one -two", "--matcher", "naive", "--page", str(page)])
    assert done.exit_code == 0, done.output
    assert "✔ one    the words &quot;one&quot; found: «one»\n  ✔ -two" in page.read_text()


def test_no_usable_subscription_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "bad.rq").write_text("SELECT WHERE nothing")
    done = run(app, ["filter", str(tmp_path / "no.xml"), "-s", str(tmp_path / "bad.rq"), "--matcher", "naive"])
    assert done.exit_code == 2
    assert "no subscription is usable" in done.stderr
    assert "no.xml" not in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--state", "damaged"], "damaged"),
        (["--state", "directory"], "directory"),
        (["--out", "damaged", "--output", "atom"], "damaged"),
        (["-o", "missing.ttl"], "missing.ttl"),
    ],
)
def test_a_run_that_filters_nothing_does_not_exit_as_if_the_rest_was_filtered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "damaged").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "directory").mkdir()
    done = naive(tmp_path, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize("name", ["empty", "feeds.opml"])
@pytest.mark.parametrize("command", ["filter", "check"])
def test_sources_without_documents_are_an_error(tmp_path: Path, name: str, command: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "feeds.opml").write_text('<opml version="2.0"><body><outline text="none"/></body></opml>')
    done = run(app, [command, str(tmp_path / name), "--subscribe", "one"])
    assert done.exit_code == 2
    assert "nothing was read: the sources have no documents" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--out", "x.html"],
        ["--out", "x.xml", "--output", "table"],
        ["--id", "a b"],
        ["--self-link", "x"],
        ["--self-link", 'http://a b/"<'],
        ["--self-link", "http://a.example:abc/"],
        ["--self-link", "http://"],
        ["--keep", "3"],
        ["--title", "x"],
        ["--title", "x", "--output", "jsonl"],
        ["--changed"],
        ["--page", ""],
        ["-s", ""],
        ["-o", ""],
        [""],
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: list[str]) -> None:
    assert naive(tmp_path, *options).exit_code == 2


def test_equal_ids_of_two_sources_stay_two_in_every_output(tmp_path: Path) -> None:
    for name in ("a", "b"):
        item = f"<item><guid>http://x.example/1</guid><title>{name}</title></item>"
        (tmp_path / f"{name}.xml").write_text(
            f"<rss version='2.0'><channel><title>{name}</title>{item}</channel></rss>"
        )
    (tmp_path / "all.rq").write_text("SELECT ?title { ?x a rss:item ; rss:title ?title }")
    arguments = ["filter", str(tmp_path), "-s", str(tmp_path / "all.rq"), "--matcher", "naive", "--output"]
    lines = [json.loads(line) for line in run(app, [*arguments, "jsonl"]).stdout.splitlines()]
    names = [line["publication"] for line in lines]
    assert names[0] == "http://x.example/1" != names[1]
    quads = read_document(run(app, [*arguments, "nquads"]).stdout_bytes, source="out.nq")
    assert [each.id for each in quads.publications] == names
    assert [each.id for each in feedparser.parse(run(app, [*arguments, "atom"]).stdout_bytes).entries] == names


def test_a_long_title_is_shortened_in_json(tmp_path: Path) -> None:
    """The title is in the line of every match."""
    title, link = "a" * 20_000, "http://example.org/" + "b" * 20_000
    item = f"<item><title>{title}</title><link>{link}</link></item>"
    (tmp_path / "feed.xml").write_text(f"<rss version='2.0'><channel><title>t</title>{item}</channel></rss>")
    (tmp_path / "all.rq").write_text("ASK { ?x a rss:item }")
    done = run(app, ["filter", str(tmp_path / "feed.xml"), "-s", str(tmp_path / "all.rq")])
    (line,) = map(json.loads, done.stdout.splitlines())
    assert len(line["title"]) < 10_001
    assert "…" in line["title"]
    assert len(line["link"]) < 10_001


def test_mistakes_and_near_misses_are_named(tmp_path: Path) -> None:
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "bad.rq").write_text("SELECT ?t { ?x a rss:item ; rss:titel ?t }")
    feed = naive(tmp_path).stdout and str(tmp_path / "feed.xml")
    done = run(app, ["filter", feed, "-s", str(tmp_path / "subs"), "--matcher", "naive", "--near", "1"])
    assert done.exit_code == 0
    assert "'bad': no item has the property rss:titel: did you mean rss:title?" in done.stderr
    assert "nothing matched bad" in done.stderr
    assert re.search(r'bad nearly matches "one" \(urn:\S+\): no triple matches \?x  rss:titel  \?t\n', done.stderr)


def test_a_near_miss_of_the_short_form_says_what_is_missing_in_its_words(tmp_path: Path) -> None:
    feed = naive(tmp_path).stdout and str(tmp_path / "feed.xml")
    done = run(app, ["filter", feed, "--subscribe", "q = one author:bob -1", "--matcher", "naive", "--near", "1"])
    assert 'q nearly matches "one" (' in done.stderr
    assert "): author:bob: there is no author\n" in done.stderr


def test_the_number_of_workers_does_not_change_the_output(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("no feed")
    sources = (*map(str, FEEDS), str(tmp_path), *map(str, FEEDS))
    one, two = (run(app, command("--workers", number, sources=sources)) for number in ("1", "2"))
    assert one.exit_code == two.exit_code == 1
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") > 10


def test_a_subscription_in_the_short_form(tmp_path: Path) -> None:
    feed = naive(tmp_path).stdout and str(tmp_path / "feed.xml")
    done = run(app, ["filter", feed, "--subscribe", "one -two", "--subscribe", "my = topic:two", "--matcher", "naive"])
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["subscription"] for line in done.stdout.splitlines()] == ["one -two"]
    assert "nothing matched my" in done.stderr
    assert run(app, ["filter", feed, "--matcher", "naive"]).exit_code == 2


def test_a_folder_may_have_pdfs_and_operators_may_be_given(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "one.pdf").write_bytes(pdf())
    (tmp_path / "papers" / "two.pdf").write_bytes(pdf(None))
    (tmp_path / "operators.py").write_text(
        "import gtopss\n@gtopss.operator('filterTest', timeout=None)\n"
        "def filter_test(publication):\n    return len(publication.triples) > 3\n"
    )
    (tmp_path / "s.rq").write_text("SELECT ?pdf { ?pdf dc:format ?format FILTER(filterTest()) }")
    options = ["-s", str(tmp_path / "s.rq"), "--operators", str(tmp_path / "operators.py"), "--strategy", "sequential"]
    try:
        done = run(app, ["filter", str(tmp_path / "papers"), *options])
    finally:
        REGISTRY.remove("filterTest")
    assert done.exit_code == 1, done.output
    assert [json.loads(line)["subscription"] for line in done.stdout.splitlines()] == ["s"]
    assert "two.pdf" in done.stderr
    assert "no XMP metadata" in done.stderr


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("not looked at")
    done = run(app, command(sources=(str(tmp_path),)))
    assert done.exit_code == 2
    assert f"gtopss: {tmp_path}: the folder has no files" in done.stderr
    assert "nothing matched" not in done.stderr


def test_quiet_leaves_out_what_is_no_error(tmp_path: Path) -> None:
    done = run(app, command("-q", "-o", str(DATA / "ontologies" / "bibliography.ttl"), sources=(str(FEEDS[0]),)))
    assert done.exit_code == 0
    assert "items/s" not in done.stderr
    assert "bibliography.ttl:" not in done.stderr
    done = run(app, command("-q", sources=(str(tmp_path / "missing.xml"), str(FEEDS[0]))))
    assert done.exit_code == 1
    assert "missing.xml" in done.stderr


def test_a_run_that_reads_nothing_writes_no_file(tmp_path: Path) -> None:
    out, page = tmp_path / "matched.atom", tmp_path / "matched.html"
    arguments = [
        "filter",
        str(tmp_path / "missing.xml"),
        "--subscribe",
        "linux",
        "--out",
        str(out),
        "--page",
        str(page),
    ]
    done = run(app, arguments)
    assert done.exit_code == 2
    assert not out.exists()
    assert not page.exists()


def test_a_format_that_contradicts_the_name_of_the_file_is_wrong_usage(tmp_path: Path) -> None:
    arguments = ["filter", "x", "--subscribe", "linux", "--out", str(tmp_path / "a.atom"), "--output", "jsonl"]
    done = run(app, arguments)
    assert done.exit_code == 2
    assert "leave out --output" in " ".join(done.output.replace("│", " ").split())
    assert not (tmp_path / "a.atom").exists()


def test_a_list_of_feeds_may_not_name_files(tmp_path: Path) -> None:
    (tmp_path / "feeds.opml").write_text('<opml version="2.0"><body><outline xmlUrl="data/a.atom"/></body></opml>')
    done = run(app, ["filter", str(tmp_path / "feeds.opml"), "--subscribe", "linux"])
    assert done.exit_code == 2
    assert "give a file as a source of its own" in done.stderr


def test_an_empty_source_is_not_the_current_folder() -> None:
    done = run(app, ["filter", "", "--subscribe", "linux"])
    assert (done.exit_code, "SOURCES: a path is empty" in done.output) == (2, True)


@pytest.mark.parametrize("name", ["feed.xml", "subs/all.rq", "link.html", "classes.ttl"])
def test_a_page_replaces_no_input(tmp_path: Path, name: str) -> None:
    (tmp_path / "feed.xml").write_bytes(rss("<item><title>one</title></item>"))
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "all.rq").write_text("SELECT ?title { ?x rss:title ?title }")
    (tmp_path / "link.html").symlink_to(tmp_path / "subs" / "all.rq")
    (tmp_path / "classes.ttl").write_text("<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:B> .")
    before = (tmp_path / name).read_bytes()
    inputs = [str(tmp_path / "feed.xml"), "-s", str(tmp_path / "subs"), "-o", str(tmp_path / "classes.ttl")]
    done = run(app, ["filter", *inputs, "--page", str(tmp_path / name)])
    assert (done.exit_code, "is also an input" in " ".join(done.output.replace("│", " ").split())) == (2, True)
    assert (tmp_path / name).read_bytes() == before


def test_a_page_replaces_only_pages(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html>\n<html>mine</html>")
    refused = naive(tmp_path, "--page", str(page))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "it is not a page that this command wrote, so it is not replaced: move it away" in refused.stderr
    page.write_text("")
    for _ in range(2):
        assert naive(tmp_path, "--page", str(page)).exit_code == 0
    earlier = page.read_text().replace('<meta name="generator" content="gtopss">\n', "")
    page.write_text(earlier)
    assert naive(tmp_path, "--page", str(page)).exit_code == 0
    assert page.read_text() != earlier


def test_an_item_in_which_a_feed_is_cut_off_is_matched_when_the_feed_is_complete(tmp_path: Path) -> None:
    feed, state = tmp_path / "f.xml", str(tmp_path / "state")
    whole = rss("".join(f"<item><guid>urn:{each}</guid><title>{each} vaccine</title></item>" for each in "abc"))
    command = ["filter", str(feed), "--subscribe", "vaccine", "--matcher", "naive", "--state", state]
    for end, expected in ((b"b vac", ["urn:a"]), (b"b vaccine</title></item>", ["urn:b"]), (b"</rss>", ["urn:c"])):
        feed.write_bytes(whole[: whole.index(end) + len(end)])
        for titles in (expected, []):
            done = run(app, command)
            assert done.exit_code == 0, done.output
            assert [json.loads(line)["publication"] for line in done.stdout.splitlines()] == titles
            warned = f"{feed}: not well-formed (line 1, column " in done.stderr and "it is cut off" in done.stderr
            assert warned == (end != b"</rss>")


def test_the_only_item_of_a_feed_that_is_cut_off_is_left_for_a_later_run(tmp_path: Path) -> None:
    feed, state = tmp_path / "f.xml", str(tmp_path / "state")
    whole = rss("<item><guid>urn:a</guid><title>two</title><description>vaccine</description></item>")
    command = ["filter", str(feed), "--subscribe", "two", "--matcher", "naive"]
    feed.write_bytes(whole[: whole.index(b"cine")])
    cut = run(app, [*command, "--state", state])
    assert (cut.exit_code, cut.stdout) == (0, "")
    assert "repaired, so items may be incomplete: it is cut off inside its last item, which is left" in cut.stderr
    assert '"title": "two"' in run(app, command).stdout
    feed.write_bytes(whole)
    assert '"title": "two"' in run(app, [*command, "--state", state]).stdout
