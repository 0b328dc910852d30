from __future__ import annotations

import calendar
import datetime as dt
import io
import json
import warnings
from pathlib import Path

import feedparser
import pytest

from gtopss.errors import MalformedPublication
from gtopss.feeds.namespaces import DCTERMS, ENCLOSURE
from gtopss.feeds.text import clean_literal, clean_text
from gtopss.feeds.vocabulary import (
    CHANNEL,
    CREATOR,
    DATE,
    DATE_TEXT,
    DESCRIPTION,
    ENCODED,
    IDENTIFIER,
    ISSUED,
    ITEM,
    ITEMS,
    LINK,
    PART_OF,
    SUBJECT,
    TITLE,
)
from gtopss.model import Publication
from gtopss.model.terms import RDF, RDF_TYPE, Term, literal, literal_parts
from gtopss.reading.detect import DocumentKind
from gtopss.reading.documents import read_document, read_publications

FEEDS = Path(__file__).parents[4] / "data" / "feeds"
NAMES = sorted(path.name for path in FEEDS.iterdir() if path.suffix in (".rdf", ".atom", ".xml"))
KINDS = {"rss10.rdf": DocumentKind.RSS_10, "rss20.xml": DocumentKind.RSS_20, "atom": DocumentKind.ATOM_10}
CAP = "urn:oasis:names:tc:emergency:cap:1.1"


def values(publication: Publication, property: Term, subject: Term | None = None) -> list[str]:
    """What the item says under a property, as plain texts."""
    node = subject or item_of(publication)
    return [_text(o) for s, p, o in publication.triples if s == node and p == property]


def _text(term: Term) -> str:
    return literal_parts(term)[0] if term[0] == '"' else term[1:-1]


def item_of(publication: Publication) -> Term:
    (node,) = [s for s, p, o in publication.triples if p == RDF_TYPE and o == ITEM]
    return node


def rss(items: str, channel: str = "<title>c</title><link>http://c.example/</link>", attributes: str = "") -> bytes:
    return f'<rss version="2.0" {attributes}><channel>{channel}{items}</channel></rss>'.encode()


def only(data: bytes, source: str | None = None) -> Publication:
    (one,) = read_publications(data, source=source)
    return one


# --- the shipped feeds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_shipped_feeds_say_what_feedparser_says(name: str) -> None:
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


def test_the_specification_s_example_keeps_its_unprefixed_sequence() -> None:
    first, second = read_publications((FEEDS / "w3c_rss_7_1.rss10.rdf").read_bytes())
    assert [p for _, p, o in second.triples if o == item_of(second) and p.startswith(f"<{RDF}_")] == [f"<{RDF}_2>"]
    assert values(first, DESCRIPTION)[0].startswith("Processing document inclusions")
    assert any(p == "<http://purl.org/rss/1.0/url>" for _, p, _ in first.triples)  # the channel's image


def test_alerts_keep_their_cap_elements() -> None:
    one = only((FEEDS / "nws-cap-alerts.atom").read_bytes())
    assert values(one, Term(f"<{CAP}severity>")) == ["Minor"]
    effective = [o for _, p, o in one.triples if p == f"<{CAP}effective>"]
    assert effective == [literal("2012-11-07T04:09:00-05:00", "http://www.w3.org/2001/XMLSchema#dateTime")]
    (geocode,) = [o for _, p, o in one.triples if p == f"<{CAP}geocode>"]
    assert len([o for s, _, o in one.triples if s == geocode]) == 4


# --- one vocabulary ----------------------------------------------------------------------------------------

AS_RSS1 = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#">
 <channel rdf:about="http://c.example/"><title>C</title><link>http://c.example/</link><description>D</description>
 <items><rdf:Seq><rdf:li rdf:resource="http://c.example/1"/></rdf:Seq></items></channel>
 <item rdf:about="http://c.example/1"><title> One &amp; only </title><link>http://c.example/1</link>
 <description>short</description><content:encoded>long &lt;p></content:encoded><dc:creator>Ann</dc:creator>
 <dc:date>2005-02-15T15:30:51+08:00</dc:date><dc:subject>cats</dc:subject><geo:lat>45.5</geo:lat></item></rdf:RDF>"""
AS_RSS2 = """<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#">
 <channel><title>C</title><link>http://c.example/</link><description>D</description>
 <item><title>One &amp; only</title><link>http://c.example/1</link><guid>http://c.example/1</guid>
 <description>short</description><content:encoded>long &lt;p></content:encoded><dc:creator>Ann</dc:creator>
 <pubDate>Tue, 15 Feb 2005 07:30:51 GMT</pubDate><category>cats</category><geo:lat>45.5</geo:lat></item>
 </channel></rss>"""
AS_ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#">
 <id>http://c.example/</id><title>C</title><link href="http://c.example/"/><subtitle>D</subtitle>
 <entry><id>http://c.example/1</id><title>One &amp; only</title><link href="http://c.example/1"/><summary>short</summary>
 <content type="html">long &lt;p></content><author><name>Ann</name></author><category term="cats"/>
 <published>2005-02-15T15:30:51+08:00</published><geo:lat>45.5</geo:lat></entry></feed>"""
AS_JSON = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "C", "home_page_url": "http://c.example/", "description": "D",
        "items": [
            {
                "id": "http://c.example/1", "url": "http://c.example/1", "title": "One & only", "summary": "short",
                "content_html": "long <p>", "authors": [{"name": "Ann"}], "tags": ["cats"],
                "date_published": "2005-02-15T15:30:51+08:00",
            }
        ],
    }
)  # fmt: skip
NO_MODULES = {f"<{p}" for p in ("http://www.w3.org/2003/01/geo/wgs84_pos#lat>",)}


def test_all_formats_say_the_same_in_the_same_words() -> None:
    read = {name: only(data.encode()) for name, data in
            {"rss1": AS_RSS1, "rss2": AS_RSS2, "atom": AS_ATOM, "json": AS_JSON}.items()}  # fmt: skip
    assert {one.id for one in read.values()} == {"http://c.example/1"}
    assert {one.published_at for one in read.values()} == {dt.datetime(2005, 2, 15, 7, 30, 51, tzinfo=dt.UTC)}
    differ = {DATE_TEXT, ISSUED, *NO_MODULES}  # how the date was written; RSS 1.0 has one date; JSON Feed no modules
    common = {name: {t for t in one.triples if t[1] not in differ} for name, one in read.items()}
    assert common["rss1"] == common["rss2"] == common["atom"] == common["json"]
    for property in (TITLE, LINK, DESCRIPTION, ENCODED, CREATOR, SUBJECT, DATE, IDENTIFIER, PART_OF):
        assert len(values(read["rss1"], property)) == 1, property
    assert values(read["rss2"], Term("<http://www.w3.org/2003/01/geo/wgs84_pos#lat>")) == ["45.5"]


def test_a_feed_that_is_not_rdf_is_read_into_the_same_triples() -> None:
    broken = AS_RSS1.replace("<title> One &amp; only </title>", "<title>One <b>&amp;</b> only</title>")
    tidy, read = only(AS_RSS1.encode()), read_document(broken.encode())
    (one,) = read.publications
    assert read.warnings
    assert {t for t in one.triples if t[1] != TITLE} == {t for t in tidy.triples if t[1] != TITLE}
    assert values(one, TITLE) == ["One <b>&amp;</b> only"]


def test_undefined_entities_do_not_cost_the_modules() -> None:
    (one,) = read_publications(AS_RSS1.replace(" One", "Caf&eacute;&nbsp;&mdash;AT&T One").encode())
    assert values(one, TITLE) == ["Café\xa0—AT&T One & only"]
    assert values(one, Term("<http://www.w3.org/2003/01/geo/wgs84_pos#lat>")) == ["45.5"]


def test_enclosures_media_and_attributes_are_kept() -> None:
    one = only(
        rss(
            "<item><guid isPermaLink='false'>7</guid>"
            "<enclosure url='http://c.example/a.mp3' length='12' type='audio/mpeg'/>"
            "<m:content url='http://c.example/a.jpg' width='640'><m:title>Cat</m:title></m:content>"
            "<m:rating scheme='urn:x'>adult</m:rating><category domain='http://s.example/t'>x y</category></item>",
            attributes="xmlns:m='http://search.yahoo.com/mrss/'",
        )
    )
    said = set(one.triples)
    node, mp3, jpg = item_of(one), Term("<http://c.example/a.mp3>"), Term("<http://c.example/a.jpg>")
    media = "http://search.yahoo.com/mrss/"
    assert (node, f"<{ENCLOSURE}enclosure>", mp3) in said
    assert (mp3, f"<{ENCLOSURE}type>", '"audio/mpeg"') in said
    assert (node, f"<{media}content>", jpg) in said
    assert {(jpg, f"<{media}width>", '"640"'), (jpg, f"<{media}title>", '"Cat"')} <= said
    assert (node, f"<{media}rating>", '"adult"') in said
    assert any(p == f"<{media}scheme>" and s[0] == "_" for s, p, _ in said)
    assert (node, f"<{DCTERMS}subject>", "<http://s.example/t#x%20y>") in said
    assert values(one, SUBJECT) == ["x y"]


# --- identity ----------------------------------------------------------------------------------------------


def test_an_item_has_the_same_id_wherever_it_stands() -> None:
    a, b = "<item><title>a</title></item>", "<item><title>b</title></item>"
    first, second = list(read_publications(rss(a + b))), list(read_publications(rss(b + a)))
    assert {one.id for one in first} == {one.id for one in second}
    assert all(one.id.startswith("urn:gtopss:item:") for one in first)


def test_local_guids_of_two_feeds_are_told_apart() -> None:
    item = "<item><guid isPermaLink='false'>12345</guid></item>"
    other = rss(item, "<title>d</title><link>http://d.example/</link>")
    assert only(rss(item)).id != only(other).id
    assert values(only(other), IDENTIFIER) == ["12345"]


def test_ids_are_unique_in_a_document() -> None:
    item = "<item><link>http://c.example/1</link><title>{}</title></item>"
    read = list(read_publications(rss(item.format("a") + item.format("b"))))
    assert [one.id for one in read] == ["http://c.example/1", "http://c.example/1 2"]
    assert [values(one, TITLE) for one in read] == [["a"], ["b"]]


def test_two_items_about_one_resource_stay_two() -> None:
    twice = AS_RSS1.replace("</rdf:RDF>", '<item rdf:about="http://c.example/1"><title>Two</title></item></rdf:RDF>')
    assert [values(one, TITLE) for one in read_publications(twice.encode())] == [["One & only"], ["Two"]]


def test_an_item_about_the_channel_s_own_address_is_not_mixed_with_it() -> None:
    one = only(AS_RSS1.replace("http://c.example/1", "http://c.example/").encode())
    assert "One & only" in values(one, TITLE)


# --- links and dates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "object_"),
    [
        ("http://c.example/a b", "<http://c.example/a%20b>"),
        ("http://c.example/a|b^c`{d}", "<http://c.example/a%7Cb%5Ec%60%7Bd%7D>"),
        ("/news/1", "<http://c.example/news/1>"),
        ("  http://c.example/1\n", "<http://c.example/1>"),
        ("http://c.example/100%", "<http://c.example/100%25>"),
        ("http://[broken", None),
    ],
)
def test_links_are_iris_where_they_can_be(link: str, object_: str | None) -> None:
    one = only(rss(f"<item><title>t</title><link>{link}</link></item>"))
    assert values(one, TITLE) == ["t"]
    if object_:
        assert [o for s, p, o in one.triples if s == item_of(one) and p == LINK] == [object_]


def test_links_that_cannot_be_resolved_stay_texts() -> None:
    one = only(rss("<item><title>t</title><link>news/1</link></item>", "<title>c</title>"))
    assert [o for s, p, o in one.triples if s == item_of(one) and p == LINK] == ['"news/1"']


def test_dates_that_are_none_stay_texts() -> None:
    one = only(rss("<item><title>t</title><pubDate>next Tuesday</pubDate></item>"))
    assert one.published_at is None
    assert values(one, DATE_TEXT) == ["next Tuesday"]
    assert values(one, DATE) == []


# --- RDF ---------------------------------------------------------------------------------------------------


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


def test_lines_beyond_the_first_may_need_a_larger_syntax() -> None:
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


# --- what is refused ---------------------------------------------------------------------------------------

DEEP = b"<rss version='2.0'><channel><item>" + b"<a>" * 3_000


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
        (b'{"version": "https://jsonfeed.org/version/1", "items": ' + b"[" * 100_000, "not JSON"),
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


def test_long_texts_are_quoted_as_literals_are() -> None:
    for given in ('a"b\\c\nd\re\tf\x7fg', "", "\\", "é\U0001f600"):
        assert clean_literal(clean_text(given)) == literal(clean_text(given))
    assert clean_text("a\x00\ud800b\ufffe") == "ab"


def test_reading_warns_nobody_but_the_caller() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_document((FEEDS / "nasa-liftoff.rss20.xml").read_bytes())
