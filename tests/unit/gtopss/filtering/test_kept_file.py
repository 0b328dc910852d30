from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path

import feedparser
import pytest
from support.feed_samples import rss

from gtopss import Engine
from gtopss.errors import OutputNotWritable
from gtopss.feeds.writing import ATOM_10, RSS, FeedFormat, FeedHeader
from gtopss.filtering.kept_file import KeptFeed, KeptFile, KeptFormat, KeptLines
from gtopss.filtering.publication_names import PublicationNames
from gtopss.reading.documents import read_publications

HEADER = FeedHeader("News", "urn:example:news", "http://me.example/news")
FORMATS: dict[str, KeptFormat] = {"atom": KeptFeed(ATOM_10, HEADER), "rss": KeptFeed(RSS, HEADER), "jsonl": KeptLines()}
ITEM = "<item><link>http://c.example/{0}</link><title>item {0}{1}</title>{2}</item>"
DATED = "<pubDate>{:02}&#x20;Jun 2003 09:00:00 GMT</pubDate>"

Run = Callable[..., bool]


@pytest.mark.parametrize(("feed", "place"), [(ATOM_10, "id"), (RSS, "link")])
def test_a_file_keeps_its_id_unless_another_is_given(feed: FeedFormat, place: str, tmp_path: Path) -> None:
    def written(id: str, *, keep_id: bool) -> str:
        KeptFile(tmp_path / "kept", KeptFeed(feed, FeedHeader("News", id), keep_id=keep_id)).write()
        return str(feedparser.parse((tmp_path / "kept").read_bytes()).feed[place])

    assert written("urn:uuid:1", keep_id=True) == "urn:uuid:1"
    assert written("urn:uuid:2", keep_id=True) == "urn:uuid:1"
    assert written("urn:uuid:3", keep_id=False) == "urn:uuid:3"


@pytest.fixture
def engine() -> Engine:
    made = Engine(matcher="naive")
    made.add("SELECT ?title { ?x rss:title ?title ; a rss:item }", id="all")
    return made


@pytest.fixture(params=FORMATS)
def format(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run(engine: Engine, format: str, tmp_path: Path) -> Run:
    """Add items to the file as a run on this day would."""

    def add(day: int, *items: str, keep: int = 3, source: str = "http://c.example/feed", kind: str = format) -> bool:
        now = dt.datetime(2026, 1, day, tzinfo=dt.UTC)
        kept = KeptFile(tmp_path / "kept", FORMATS[kind], keep=keep, clock=lambda: now)
        head = f"<title>Feed</title><link>{source}</link>"
        for each in read_publications(rss("".join(items), head), source=source):
            kept.add(each, engine.match(each))
        return kept.write()

    return add


def titles(folder: Path) -> list[str]:
    """Return the titles in the file, newest first."""
    data = (folder / "kept").read_bytes()
    if data.startswith(b"{"):
        return [json.loads(line)["title"] for line in reversed(data.splitlines())]
    parsed = feedparser.parse(data)
    assert not parsed.bozo
    return [each.title for each in parsed.entries]


def item(number: int, more: str = "", *, dated: bool = False) -> str:
    return ITEM.format(number, more, DATED.format(number) if dated else "")


def test_new_items_are_added_and_the_oldest_go(run: Run, tmp_path: Path) -> None:
    assert run(1, item(1), item(2))
    assert titles(tmp_path) == ["item 2", "item 1"]
    assert run(2, item(3), item(4))
    assert titles(tmp_path) == ["item 4", "item 3", "item 2"]


def test_of_many_items_in_one_run_the_newest_are_kept(run: Run, tmp_path: Path) -> None:
    assert run(1, *(item(number, dated=True) for number in (5, 9, 1, 8, 2, 7, 3, 4, 6)))
    assert titles(tmp_path) == ["item 9", "item 8", "item 7"]


@pytest.mark.parametrize("dated", [True, False])
def test_nothing_new_leaves_the_file_as_it_is(run: Run, tmp_path: Path, *, dated: bool) -> None:
    run(1, item(1, dated=dated), item(2, " <b>&amp;\r\n", dated=dated))
    before = (tmp_path / "kept").read_bytes()
    assert not run(2)
    assert not run(3, item(2, " <b>&amp;\r\n", dated=dated), item(1, dated=dated))  # without a state, they come again
    assert (tmp_path / "kept").read_bytes() == before


@pytest.mark.parametrize("dated", [True, False])
def test_a_run_that_finds_more_than_is_kept_again_keeps_the_same_items(
    run: Run, tmp_path: Path, *, dated: bool
) -> None:
    items = [item(number, dated=dated) for number in range(1, 10)]
    assert run(1, *items)
    assert titles(tmp_path) == ["item 9", "item 8", "item 7"]
    assert not run(2, *items)
    assert run(3, *items, item(10, dated=dated))
    assert titles(tmp_path) == ["item 10", "item 9", "item 8"]
    assert not run(4, *items, item(10, dated=dated))


def test_the_kept_items_do_not_change_in_turn_after_an_item_was_found_late(run: Run, tmp_path: Path) -> None:
    """A late item, older than others in the file, is added after them; that does not make them the oldest."""
    found = [item(number, dated=True) for number in (1, 2, 4, 5)]
    run(1, *found)
    found.append(item(3, dated=True))
    assert run(2, *found)
    assert titles(tmp_path) == ["item 3", "item 5", "item 4"]
    found.append(item(6, dated=True))
    assert run(3, *found)
    assert titles(tmp_path) == ["item 6", "item 5", "item 4"]
    assert not run(4, *found)


def test_an_old_item_that_is_found_alone_is_added_to_a_full_file(run: Run, tmp_path: Path) -> None:
    """With a state, a run finds only new items: none of them is lost because the feed dates it back."""
    run(1, *(item(number, dated=True) for number in (7, 8, 9)))
    assert run(2, item(1, dated=True))
    assert titles(tmp_path) == ["item 1", "item 9", "item 8"]


def test_a_smaller_number_of_items_is_kept_at_once(run: Run, tmp_path: Path) -> None:
    run(1, *(item(number, dated=True) for number in (7, 8, 9)))
    assert run(2, keep=2)
    assert titles(tmp_path) == ["item 9", "item 8"]
    assert not run(3, keep=2)


def test_a_changed_item_is_replaced_at_its_place(run: Run, tmp_path: Path) -> None:
    run(1, item(1), item(2))
    assert run(2, item(1, " again"))
    assert titles(tmp_path) == ["item 2", "item 1 again"]


def test_a_file_without_items_is_written_once(run: Run, tmp_path: Path) -> None:
    assert run(1)
    assert (tmp_path / "kept").exists()
    assert not run(2)


def test_equal_ids_of_two_sources_stay_two(run: Run, tmp_path: Path) -> None:
    run(1, item(1))
    other = "http://d.example/feed"
    assert run(2, item(1, " elsewhere"), source=other)
    assert titles(tmp_path) == ["item 1 elsewhere", "item 1"]
    assert not run(3, item(1, " elsewhere"), source=other)
    assert not run(3, item(1))


def test_equal_ids_of_two_documents_of_one_channel_have_the_names_of_standard_output(
    engine: Engine, format: str, tmp_path: Path
) -> None:
    document = rss(item(1, dated=True), "<title>Site</title><link>http://s.example/</link>")
    found = [each for source in ("f1.xml", "f2.xml") for each in read_publications(document, source=source)]
    with PublicationNames() as names:
        expected = {names.name(each) for each in found}
    written = []
    for publications in (found, found, found[1:]):
        kept = KeptFile(tmp_path / "kept", FORMATS[format])
        for each in publications:
            kept.add(each, engine.match(each))
        written.append(kept.write())
    assert written == [True, False, False]
    items, _ = FORMATS[format].read((tmp_path / "kept").read_bytes())
    assert len(items) == 2
    assert {each.id for each in items} == expected


def test_a_file_of_another_kind_is_not_replaced(run: Run, tmp_path: Path, format: str) -> None:
    for content in ("my diary", "<html><body>hello</body></html>", '{"a": 1}\n', "<rss/>", "<feed/>"):
        (tmp_path / "kept").write_text(content)
        with pytest.raises(OutputNotWritable, match="not a file that this command wrote"):
            run(1, item(1))
        assert (tmp_path / "kept").read_text() == content
    (tmp_path / "kept").unlink()
    run(1, item(1))
    other = next(each for each in FORMATS if each != format)
    with pytest.raises(OutputNotWritable):
        run(2, item(2), kind=other)
    assert titles(tmp_path) == ["item 1"]


def test_a_publication_whose_id_is_no_iri_is_kept_once(engine: Engine, format: str, tmp_path: Path) -> None:
    (read,) = read_publications(rss(item(1, dated=True), "<title>Feed</title>"), source="a b.xml")
    publication = read.replace(id="a b.ttl")
    written = []
    for _ in range(2):
        kept = KeptFile(tmp_path / "kept", FORMATS[format])
        kept.add(publication, engine.match(publication))
        written.append(kept.write())
    assert written == [True, False]
    assert titles(tmp_path) == ["item 1"]


MARK = "<generator>gtopss</generator>"
ATOM_FEED = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Mine</title><id>urn:mine</id>{}
<updated>2026-01-01T00:00:00Z</updated>{}<entry><title>a</title>{}<updated>2026-01-01T00:00:00Z</updated></entry></feed>"""
RSS_FEED = """<rss version="2.0"><channel><title>Mine</title><link>http://m.example/</link><description>d</description>
{}<item><title>a</title>{}</item></channel></rss>"""
DOCTYPE = "<!DOCTYPE {} [<!ENTITY e 'x'>]>"


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("atom", ATOM_FEED.format("<author><name>Me</name></author>", "", "<id>urn:a</id>")),
        ("atom", ATOM_FEED.format("", "", "<id>urn:a</id>")),
        ("atom", ATOM_FEED.format("", "<generator>WordPress</generator>", "<id>urn:a</id>")),
        ("atom", ATOM_FEED.format("", MARK, "")),
        ("atom", DOCTYPE.format("feed") + ATOM_FEED.format("", MARK, "<id>urn:a</id>")),
        ("rss", RSS_FEED.format("", "")),
        ("rss", RSS_FEED.format("", "<guid>http://m.example/a</guid>")),
        ("rss", RSS_FEED.format(MARK, "")),
        ("rss", DOCTYPE.format("rss") + RSS_FEED.format(MARK, "<guid>http://m.example/a</guid>")),
    ],
)
def test_a_feed_that_something_else_wrote_is_not_replaced(kind: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text(content)
    with pytest.raises(OutputNotWritable, match=r"kept.*not a file that this command wrote.*choose another name"):
        KeptFile(path, FORMATS[kind])
    assert path.read_text() == content


@pytest.mark.parametrize("format", ["atom", "rss"], indirect=True)
def test_a_feed_that_was_written_before_there_was_a_mark_is_continued(run: Run, tmp_path: Path) -> None:
    run(1, item(1), item(2))
    path = tmp_path / "kept"
    marked = path.read_text()
    path.write_text(marked.replace(MARK, "").replace("\n    \n", "\n"))
    assert run(2, item(3))
    assert titles(tmp_path) == ["item 3", "item 2", "item 1"]
    assert MARK in path.read_text()


def test_a_new_title_is_written_and_the_feeds_date_changes_only_with_the_content(
    engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "kept"

    def run(day: int, header: FeedHeader) -> bool:
        return KeptFile(path, KeptFeed(ATOM_10, header), clock=lambda: dt.datetime(2026, 1, day, tzinfo=dt.UTC)).write()

    assert run(1, HEADER)
    assert not run(2, HEADER)
    assert feedparser.parse(path.read_bytes()).feed.updated == "2026-01-01T00:00:00+00:00"
    assert run(3, FeedHeader("Other", HEADER.id, HEADER.self_link))
    feed = feedparser.parse(path.read_bytes()).feed
    assert (feed.title, feed.id, feed.updated) == ("Other", HEADER.id, "2026-01-03T00:00:00+00:00")
