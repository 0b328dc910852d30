from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any

import feedparser
import pytest
from conftest import ROOT
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


def one(item: str, channel: str = "<title>The Feed</title><link>http://c.example/</link>") -> Publication:
    return only(rss(item, channel), source="http://c.example/feed")


def test_rss_has_authors_and_the_source() -> None:
    people = "<author>ann@a.example (Ann)</author>"
    written = to_rss([one(f"<item><title>t</title>{people}</item>")], title="x", now=NOW).decode()
    assert '<source url="http://c.example/feed">The Feed</source>' in written
    creator = '<item xmlns:dc="http://purl.org/dc/elements/1.1/"><title>t</title><dc:creator>Bob</dc:creator></item>'
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
    assert entry_of(only(rss("<item><title>t</title></item>", channel), source="f.xml")).source_url is None
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
