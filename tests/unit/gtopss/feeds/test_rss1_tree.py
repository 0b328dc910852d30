"""RSS 1.0 from its element tree is what pyoxigraph reads; anything unusual is left to pyoxigraph."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from support.feed_samples import AS_RSS1, FEEDS, NAMES

from gtopss.feeds.items import Lines
from gtopss.feeds.rss1 import read_rss1
from gtopss.feeds.rss1_graph import Rss1Feed
from gtopss.feeds.rss1_tree import read_rss1_tree

TAXO = 'xmlns:taxo="http://purl.org/rss/1.0/modules/taxonomy/"'
PLAIN = {
    "sample": AS_RSS1,
    "empty elements": AS_RSS1.replace("<title>C</title>", "<title/>").replace("cats", " "),
    "double encoding": AS_RSS1.replace("cats", "cafÃ©"),
    "a bag": AS_RSS1.replace("<rdf:RDF", f"<rdf:RDF {TAXO}").replace(
        "</item>", "<taxo:topics><rdf:Bag><rdf:li rdf:resource='urn:t'/><rdf:li/></rdf:Bag></taxo:topics></item>"
    ),
    "two items about one resource": AS_RSS1.replace("</item>", "</item>" + AS_RSS1[AS_RSS1.index("<item ") : -10]),
    "no about": re.sub("<item [^>]*>", "<item>", AS_RSS1),
    "an image": AS_RSS1.replace("<item ", "<image rdf:about='urn:i'><url>urn:j</url></image><item "),
    "a described resource": AS_RSS1.replace(
        "</rdf:RDF>", "<rdf:Description rdf:about='http://c.example/1'><dc:rights>r</dc:rights></rdf:Description></rdf:RDF>"
    ),
    "prefixes": AS_RSS1.replace("rdf:about", "about").replace("rdf:resource", "resource"),
}  # fmt: skip
UNUSUAL = {
    "language": AS_RSS1.replace("<title>C", "<title xml:lang='en'>C"),
    "base": AS_RSS1.replace("<rdf:RDF", "<rdf:RDF xml:base='http://c.example/'"),
    "relative": AS_RSS1.replace("http://c.example/1", "1"),
    "dots": AS_RSS1.replace("http://c.example/1", "http://c.example/a/../1"),
    "parse type": AS_RSS1.replace("<title>C", "<title rdf:parseType='Literal'>C"),
    "markup": AS_RSS1.replace("<description>short", "<description>a <b>b</b>"),
    "property attribute": AS_RSS1.replace("<item ", "<item dc:rights='r' "),
    "text between": AS_RSS1.replace("</item>", "text</item>"),
    "a nested item": AS_RSS1.replace("</item>", "<item><title>t</title></item></item>"),
    "node id": AS_RSS1.replace("</item>", "<dc:x rdf:nodeID='n'/></item>"),
    "type": AS_RSS1.replace("</item>", "<rdf:type rdf:resource='urn:t'/></item>"),
    "no namespace": AS_RSS1.replace("</item>", "<x xmlns=''>y</x></item>"),
    "rss 0.90": AS_RSS1.replace("http://purl.org/rss/1.0/\"", "http://my.netscape.com/rdf/simple/0.9/\""),
}  # fmt: skip


def comparable(feed: Rss1Feed) -> object:
    return feed.channel, triples(feed.channel_lines), [
        (item.id, item.subject, triples(item.lines), item.published_at) for item in feed.items
    ]  # fmt: skip


def triples(lines: Lines) -> set[tuple[bytes, ...]]:
    return {tuple(lines[position : position + 3]) for position in range(0, len(lines), 3)}


@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN)
def test_plain_rss1_is_what_pyoxigraph_reads(data: str) -> None:
    root = ET.fromstring(data)
    assert read_rss1_tree(root) is not None
    read, expected = (read_rss1(data.encode(), "s", None, root=given) for given in (root, None))
    assert comparable(read) == comparable(expected)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".rdf")])
def test_shipped_rss1_is_what_pyoxigraph_reads(name: str) -> None:
    data = (FEEDS / name).read_bytes()
    read, expected = (read_rss1(data, name, None, root=given) for given in (ET.fromstring(data), None))
    assert comparable(read) == comparable(expected)


@pytest.mark.parametrize("data", UNUSUAL.values(), ids=UNUSUAL)
def test_other_rdf_xml_is_left_to_pyoxigraph(data: str) -> None:
    assert read_rss1_tree(ET.fromstring(data)) is None
