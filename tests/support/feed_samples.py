"""Sample feeds and helpers for tests of feed reading."""

from __future__ import annotations

import json

from conftest import ROOT

from gtopss.feeds.vocabulary import ITEM
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, Term, literal_parts
from gtopss.reading.documents import read_publications

FEEDS = ROOT / "data" / "feeds"
NAMES = sorted(path.name for path in FEEDS.iterdir() if path.suffix in (".rdf", ".atom", ".xml"))
"""The shipped XML feeds."""

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
"""The same feed with one item, in four formats."""


def values(publication: Publication, property: Term, subject: Term | None = None) -> list[str]:
    """Return what the item says under a property, as plain texts."""
    node = subject or item_of(publication)
    return [_text(o) for s, p, o in publication.triples if s == node and p == property]


def _text(term: Term) -> str:
    return literal_parts(term)[0] if term[0] == '"' else term[1:-1]


def item_of(publication: Publication) -> Term:
    """Return the subject of the publication's only item."""
    (node,) = [s for s, p, o in publication.triples if p == RDF_TYPE and o == ITEM]
    return node


def rss(items: str, channel: str = "<title>c</title><link>http://c.example/</link>", attributes: str = "") -> bytes:
    """Return an RSS 2.0 feed with these items."""
    return f'<rss version="2.0" {attributes}><channel>{channel}{items}</channel></rss>'.encode()


def atom_entry(entry: str, feed: str = "<title>c</title><link href='http://c.example/'/>") -> bytes:
    """Return an Atom feed with one entry."""
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{feed}<entry>{entry}</entry></feed>'.encode()


def only(data: bytes, source: str | None = None) -> Publication:
    """Read a document and return its only publication."""
    (one,) = read_publications(data, source=source)
    return one
