"""Documents of every kind become publications, or are refused by name."""

from __future__ import annotations

import calendar
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path

import feedparser
import pytest
from support.feed_samples import AS_RSS1, FEEDS, NAMES, item_of, only, rss, values

from gtopss import Engine
from gtopss.errors import MalformedPublication
from gtopss.feeds.vocabulary import CHANNEL, DATE_TEXT, ITEMS, LINK, PART_OF, TITLE
from gtopss.model import Publication
from gtopss.model.terms import RDF, RDF_TYPE
from gtopss.net import Connector
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import ParsedDocument, read_document, read_publications
from gtopss.reading.isolation import IsolatedReader
from gtopss.reading.sources import read_sources
from ontology.limits import DocumentLimits

KINDS = {"rss10.rdf": DocumentKind.RSS_10, "rss20.xml": DocumentKind.RSS_20, "atom": DocumentKind.ATOM_10}
DEEP = b"<rss version='2.0'><channel><item>" + b"<a>" * 3_000


@pytest.mark.parametrize("name", NAMES)
def test_shipped_feeds_have_the_titles_links_and_dates_of_feedparser(name: str) -> None:
    data = (FEEDS / name).read_bytes()
    feed = read_document(data, source=name)
    entries = feedparser.parse(io.BytesIO(data)).entries
    assert feed.kind == KINDS[name.split(".", 1)[1]]
    assert len(feed.publications) == len(entries) > 0
    for one, entry in zip(feed.publications, entries, strict=True):
        assert values(one, TITLE) == ([entry.title] if entry.get("title") else [])
        assert values(one, LINK) == [entry.link]
        moment = dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")
        stated = dict.get(entry, "published") or dict.get(entry, "updated")
        assert values(one, DATE_TEXT) == ([stated] if stated else [])
        if moment:
            assert one.published_at is not None
            assert int(one.published_at.timestamp()) == calendar.timegm(moment)
        else:
            assert one.published_at is None


@pytest.mark.parametrize("name", NAMES)
def test_every_item_is_in_its_channel_and_no_other_item_is_with_it(name: str) -> None:
    for one in read_publications((FEEDS / name).read_bytes()):
        node = item_of(one)
        (channel,) = [o for s, p, o in one.triples if (s, p) == (node, PART_OF)]
        assert (channel, RDF_TYPE, CHANNEL) in one.triples
        assert values(one, TITLE, channel)
        (sequence,) = [o for s, p, o in one.triples if (s, p) == (channel, ITEMS)]
        assert [o for s, p, o in one.triples if s == sequence and p.startswith(f"<{RDF}_")] == [node]


@pytest.mark.parametrize("name", NAMES)
def test_reading_twice_gives_the_same(name: str) -> None:
    data = (FEEDS / name).read_bytes()
    first, second = list(read_publications(data)), list(read_publications(data))
    assert first == second
    assert len({one.id for one in first}) == len(first)
    assert all(Publication(one.id, one.triples).triples == one.triples for one in first)  # terms are canonical


@pytest.mark.parametrize(
    "data",
    [
        b"@prefix e: <http://e.example/> . e:a e:p 1 ; e:q 'x' .",
        b"<http://e.example/a> <http://e.example/p> <http://e.example/b> .\n",
        b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='http://e.example/'>"
        b"<rdf:Description rdf:about='http://e.example/a'><e:p>1</e:p></rdf:Description></rdf:RDF>",
        b'{"@id": "http://e.example/a", "http://e.example/p": "1"}',
    ],
)
def test_an_rdf_document_is_one_publication(data: bytes) -> None:
    one = only(data, "doc")
    assert one.id == one.source == "doc"
    assert all(s == "<http://e.example/a>" for s, _, _ in one.triples)
    assert only(data).id == only(data).id != only(data + b"\n ").id


@pytest.mark.parametrize(
    "data",
    [
        b"<urn:a> <urn:p> <urn:b> <urn:g1> .\n<urn:a> <urn:p> <urn:c> .\n<urn:a> <urn:p> <urn:d> <urn:g2> .\n",
        b"<urn:g1> { <urn:a> <urn:p> <urn:b> } <urn:a> <urn:p> <urn:c> . GRAPH <urn:g2> { <urn:a> <urn:p> <urn:d> }",
    ],
)
def test_each_graph_is_a_publication(data: bytes) -> None:
    assert {one.id: len(one.triples) for one in read_publications(data, source="s")} == {
        "urn:g1": 1,
        "urn:g2": 1,
        "s": 1,
    }


def test_later_lines_may_need_a_larger_format() -> None:
    lines = b"<urn:a> <urn:p> <urn:b> .\n" * 40
    assert read_document(lines + b"<urn:a> <urn:p> <urn:b> <urn:g> .\n").kind is DocumentKind.N_QUADS
    assert read_document(lines + b"<urn:a> a <urn:b> .\n").kind is DocumentKind.TURTLE
    assert read_document(lines + b"<urn:g> { <urn:a> a <urn:b> }\n").kind is DocumentKind.TRIG
    with pytest.raises(MalformedPublication, match="not N-Triples"):
        read_document(lines + b"<urn:a> <urn:p>\n")


def test_remote_contexts_are_never_fetched() -> None:
    with pytest.raises(MalformedPublication, match="context"):
        read_document(b'{"@context": "http://127.0.0.1:1/c.jsonld", "@id": "urn:a", "p": "x"}', source="here")


def test_schema_org_s_context_is_known() -> None:
    data = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": "x", "url": "http://a.example/"}
    said = {(p, o) for _, p, o in only(json.dumps(data).encode()).triples}
    assert ("<http://schema.org/headline>", '"x"') in said
    assert ("<http://schema.org/url>", "<http://a.example/>") in said
    assert (RDF_TYPE, "<http://schema.org/NewsArticle>") in said


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML page"),
        (b"<html><head><title>x</title></head></html>", "HTML page"),
        (b"<opml version='1.0'><body/></opml>", "OPML"),
        (b"", "it is empty"),
        (b"Hello, world.", "neither a feed nor RDF"),
        (b"<rss version='2.0'><channel><title>half of a ti", "not well-formed"),
        (b"<!DOCTYPE rss [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><rss><channel><item/></channel></rss>", "not safe"),
        (b"<!DOCTYPE rss [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]><rss><channel><item/></channel></rss>", "not safe"),
        (b"<?xml version='1.0' encoding='utf-7'?><rss><channel><item/></channel></rss>", "UTF-7"),
        (DEEP + b"</a>" * 3_000 + b"</item></channel></rss>", "not safe"),
        (b"<rss version='2.0'><title>a & b</title><channel><item>" + b"<a>" * 3_000, "not"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": [', "not JSON"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 100, "not JSON"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 100_000, "max_depth"),
        (b"@prefix e: <http://e.example/> . e:a e:p", "not Turtle"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedPublication, match=reason) as caught:
        read_document(data, source="http://from.example/here")
    assert "http://from.example/here" in str(caught.value)


def test_bytes_that_are_a_path_or_an_address_are_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "feed.xml"
    file.write_bytes(rss("<item><title>secret</title></item>"))
    for data in (str(file).encode(), file.as_uri().encode(), b"http://127.0.0.1:1/feed"):
        with pytest.raises(MalformedPublication):
            read_document(data)


def test_an_empty_feed_has_no_publications() -> None:
    assert read_document(rss("")).publications == ()


def test_a_format_that_is_stated_wins_and_an_unknown_one_is_refused() -> None:
    assert read_document(b"<urn:a> <urn:p> <urn:b> .", format="turtle").kind is DocumentKind.TURTLE
    assert read_document(AS_RSS1.encode(), format="application/rdf+xml").kind is DocumentKind.RSS_10
    with pytest.raises(MalformedPublication, match="no format"):
        read_document(b"", format="docx")


def test_reading_raises_no_python_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_document((FEEDS / "nasa-liftoff.rss20.xml").read_bytes())


THREE_ITEMS = {
    "json": b'{"version": "https://jsonfeed.org/version/1.1", "items": [{}, {}, {}]}',
    "rss": b"<rss version='2.0'><channel><title>t</title><item/><item/><item/></channel></rss>",
    "broken rss": b"<rss version='2.0'><channel><title>t</title><item/><item/><item/></channel>",
    "atom": b"<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title><entry/><a:entry xmlns:a='http://www.w3.org/2005/Atom'/>"
    b"<entry/></feed>",
    "rss 1.0": f"<rdf:RDF xmlns:rdf='{RDF}' xmlns='http://purl.org/rss/1.0/'><item/><item/><item/></rdf:RDF>".encode(),
    "trig": b"<urn:g1> {<urn:a> <urn:b> <urn:c>} <urn:g2> {<urn:a> <urn:b> <urn:c>} <urn:g3> {<urn:a> <urn:b> <urn:c>}",
    "nquads": b"".join(b"<urn:a> <urn:b> <urn:c> <urn:g%d> .\n" % number for number in range(3)),
}


@pytest.mark.parametrize("data", THREE_ITEMS.values(), ids=THREE_ITEMS)
def test_the_items_of_a_document_are_limited(data: bytes) -> None:
    assert len(read_document(data, limits=DocumentLimits(max_items=3)).publications) == 3
    with pytest.raises(MalformedPublication, match=r"more than 2 items .max_items.: split it"):
        read_document(data, limits=DocumentLimits(max_items=2))


def test_many_empty_items_are_refused_before_they_are_read() -> None:
    """At ten megabytes these took minutes."""
    feed = b'{"version": "https://jsonfeed.org/version/1.1", "items": [%s]}' % b",".join([b"{}"] * 100_001)
    (report,) = Engine(matcher="naive").match_many([feed], "application/feed+json")
    assert "max_items" in str(report.error)


@pytest.mark.parametrize("read", [read_document, IsolatedReader().read_document])
def test_a_local_file_is_the_base_of_its_relative_iris(read: Callable[..., ParsedDocument]) -> None:
    turtle = b"<> <urn:p> <b> ."
    (one,) = read(turtle, source="a.ttl", base="file:///data/a.ttl").publications
    assert one.triples == (("<file:///data/a.ttl>", "<urn:p>", "<file:///data/b>"),)
    rss1 = AS_RSS1.replace("http://c.example/", "").encode()
    (one,) = read(rss1, source="a.rdf", base="file:///data/a.rdf").publications
    assert item_of(one) == "<file:///data/1>"


def test_relative_links_of_a_feed_in_a_file_refer_to_its_website() -> None:
    linked, unlinked = rss("<item><link>1</link></item>"), rss("<item><link>1</link></item>", "<title>c</title>")
    for data, link in ((linked, "http://c.example/1"), (unlinked, "file:///data/1")):
        (one,) = read_document(data, source="a.xml", base="file:///data/a.xml").publications
        assert values(one, LINK) == [link]


def test_sources_and_the_engine_know_the_base_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(rss("<item><link>1</link></item>", "<title>c</title>"))
    (document,) = read_sources([str(path)], connector=Connector())
    assert document.base == path.as_uri()
    engine = Engine(matcher="naive")
    engine.add(f"SELECT ?i WHERE {{ ?i rss:link <{tmp_path.as_uri()}/1> }}", id="link")
    assert [match.subscription_id for match in engine.match(path, format="rss")] == ["link"]


def test_a_limit_is_named_in_a_format_that_is_tried_second() -> None:
    data = b"@prefix p: <urn:%s> .\n" % (b"a" * 100_000) + b"p:g { <urn:a> <urn:p> 1 }\n" * 3_000
    with pytest.raises(MalformedPublication, match="max_output_growth"):
        read_document(data)
