from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any

import feedparser
import pytest
from conftest import ROOT
from support.feed_rules import atom_problems, rss_problems
from support.feed_samples import only, rss

from gtopss.feeds.entries import entry_of
from gtopss.feeds.namespaces import ATOM
from gtopss.feeds.vocabulary import ITEM, TITLE
from gtopss.feeds.writing import to_atom, to_nquads, to_rss
from gtopss.model import Publication
from gtopss.model.iris import is_absolute_iri
from gtopss.model.terms import RDF_TYPE, literal
from gtopss.reading.documents import read_document

FEEDS = sorted((ROOT / "data" / "feeds").iterdir())
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def publications() -> list[Publication]:
    return [each for path in FEEDS for each in read_document(path.read_bytes(), source=str(path)).publications]


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


RULES: dict[Any, Any] = {to_rss: rss_problems, to_atom: atom_problems}
HOSTILE_ITEMS = [
    "",
    "<title>&lt;script>alert(1)&lt;/script></title>",
    "<title> </title><description> </description>",
    f"<title>{'x' * 1_000_000}</title>",
    "<title>a\u202eb</title><link>javascript:alert(1)</link>",
    "<guid>902@http://c.example/</guid><author>a@a.example</author><author>b@b.example (B)</author><author>C</author>",
    "<guid>http://c.example/1</guid><title>t</title><pubDate>Mon, 32 Foo 99 99:99:99</pubDate>",
    "<guid isPermaLink='false'>12</guid><pubDate>Wed, 01 Jan 0001 00:00:00 GMT</pubDate>",
    "<link>HTTP://c.example/a b</link><category> </category><category>x</category><dc:creator> </dc:creator>",
    "<description>&lt;p>only &lt;b>te&lt;/b>xt&lt;/p></description>",
    "<source url='javascript:x'>s</source><enclosure url='x' length='-1' type='?'/>",
]


@pytest.mark.parametrize("write", [to_rss, to_atom])
def test_written_feeds_follow_the_rules_of_their_format(write: Any, publications: list[Publication]) -> None:
    assert [*RULES[write](write(publications, title="all", now=NOW))] == []
    assert [*RULES[write](write([], title="none", now=NOW))] == []


@pytest.mark.parametrize(
    "channel", ["", "<title> </title><link>x</link>", "<title>a\x85b</title><link>http://c/</link>"]
)
@pytest.mark.parametrize("item", HOSTILE_ITEMS)
@pytest.mark.parametrize("write", [to_rss, to_atom])
def test_what_is_written_of_hostile_items_follows_the_rules_too(write: Any, item: str, channel: str) -> None:
    namespace = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    publication = one(f"<item {namespace}>{item}</item>", channel)
    assert [*RULES[write](write([publication], title="<x> ", now=NOW))] == []


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda feed: feed.replace(b"<updated>", b"<updated>x", 1), "is no date"),
        (lambda feed: feed.replace(b"<author>", b"<x>").replace(b"</author>", b"</x>"), "has an author"),
        (lambda feed: feed.replace(b"<id>http://liftoff", b"<id>liftoff", 1), "is no IRI"),
        (
            lambda feed: (
                feed[: feed.index(b"<entry>")]
                + feed[feed.index(b"<entry>") :].replace(b"</feed>", b"") * 1
                + feed[feed.index(b"<entry>") : feed.index(b"</entry>") + 8]
                + b"</feed>"
            ),
            "occurs 2 times",
        ),
    ],
)
def test_the_rules_find_broken_feeds(damage: Any, problem: str) -> None:
    liftoff = read_document((ROOT / "data" / "feeds" / "nasa-liftoff.rss20.xml").read_bytes()).publications
    assert any(problem in each for each in atom_problems(damage(to_atom(liftoff, title="x", now=NOW))))


def test_the_source_of_a_fetched_feed_has_its_addresses() -> None:
    entry = ET.fromstring(to_atom([one("<item><title>t</title></item>")], title="x", now=NOW)).find(f"{{{ATOM}}}entry")
    assert entry is not None
    links = [each.attrib for each in entry.iterfind(f"{{{ATOM}}}source/{{{ATOM}}}link")]
    assert links == [{"rel": "self", "href": "http://c.example/feed"}, {"href": "http://c.example/"}]


@pytest.mark.parametrize(
    ("item", "title"),
    [
        ("<guid>urn:a</guid><description>&lt;p>Hello,\n&lt;b>wor&lt;/b>ld&lt;/p></description>", "Hello, world"),
        (f"<guid>urn:a</guid><description>{'word ' * 30}</description>", "word " * 15 + "word…"),
        (f"<guid>urn:a</guid><description>{'x' * 100}</description>", "x" * 80 + "…"),
        ("<guid>urn:a</guid><description>&lt;p>&lt;/p></description>", "urn:a"),
        ("<guid>urn:a</guid>", "urn:a"),
    ],
)
def test_an_item_without_a_title_has_the_beginning_of_its_text(item: str, title: str) -> None:
    assert entry_of(one(f"<item>{item}</item>")).title == title


def one(item: str, channel: str = "<title>The Feed</title><link>http://c.example/</link>") -> Publication:
    return only(rss(item, channel), source="http://c.example/feed")


def test_rss_has_authors_and_the_source() -> None:
    people = "<author>ann@a.example (Ann)</author>"
    written = to_rss([one(f"<item><title>t</title>{people}</item>")], title="x", now=NOW).decode()
    assert '<source url="http://c.example/feed">The Feed</source>' in written
    creator = '<item xmlns:dc="http://purl.org/dc/elements/1.1/"><title>t</title><dc:creator>Bob</dc:creator></item>'
    two = [f"<dc:creator>{name}@a.example</dc:creator>" for name in "ab"]
    item = to_rss([one(creator.replace("<dc:creator>Bob</dc:creator>", "".join(two)))], title="x", now=NOW)
    assert b"<author>a@a.example</author>" in item
    assert b"<dc:creator>b@a.example</dc:creator>" in item
    item = to_rss([one(creator)], title="x", now=NOW)
    assert b"<dc:creator>Bob</dc:creator>" in item
    assert feedparser.parse(item).entries[0].author == "Bob"


def test_an_atom_entry_has_its_own_author_and_the_title_of_its_source() -> None:
    entry = feedparser.parse(to_atom([one("<item><title>t</title></item>")], title="x", now=NOW)).entries[0]
    assert entry.source.title == "The Feed"
    creator = '<item xmlns:dc="http://purl.org/dc/elements/1.1/"><title>t</title><dc:creator>Bob</dc:creator></item>'
    assert feedparser.parse(to_atom([one(creator)], title="x", now=NOW)).entries[0].author == "Bob"


@pytest.mark.parametrize("address", ["http://[::zz]/a", "http://r.example:abc/", "http://", "https://:80/a"])
def test_a_text_that_is_no_web_address_is_not_written_as_a_link(address: str) -> None:
    publication = only(rss(f"<item><title>t</title><link>{address}</link></item>"), source="f.xml")
    assert entry_of(publication).link is None
    channel = f"<title>c</title><link>{address}</link>"
    assert entry_of(only(rss("<item><title>t</title></item>", channel), source="f.xml")).site_url is None
    assert f'href="{address}"'.encode() not in to_atom([publication], title="x", now=NOW)


@pytest.mark.parametrize("description", ["", "<description>a &lt;b>text&lt;/b></description>"])
@pytest.mark.parametrize("link", ["", "<link>http://c.example/1</link>"])
def test_every_atom_entry_has_what_rfc_4287_requires(link: str, description: str) -> None:
    written = ET.fromstring(to_atom([one(f"<item><title>t</title>{link}{description}</item>")], title="x", now=NOW))
    for element in written.iter():
        element.tag = element.tag.removeprefix(f"{{{ATOM}}}")
    entry = written.find("entry")
    assert entry is not None
    assert entry.find("link") is not None or entry.find("content") is not None
    assert entry.find("author/name") is not None or entry.find("source/author/name") is not None
    for name in ("id", "title", "updated"):
        assert len(entry.findall(name)) == 1
    for name in ("content", "summary", "published", "source"):
        assert len(entry.findall(name)) <= 1
    assert all(is_absolute_iri(each.text or "") for each in written.iter("id"))


def test_a_text_that_is_no_iri_and_characters_that_are_not_xml_are_written_as_valid_xml() -> None:
    publication = Publication("no iri", [("<urn:a>", RDF_TYPE, ITEM), ("<urn:a>", TITLE, literal("a\x00b\ufffe\r\nc"))])
    for write in (to_rss, to_atom):
        assert not feedparser.parse(write([publication], title="x\x01", now=NOW)).bozo
    assert b"<urn:gtopss:publication:" in to_nquads([publication])
