"""The reader for well-formed feeds gives what feedparser gives, and better answers where the tests say so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.feed_samples import AS_ATOM, AS_RSS2, atom_entry, item_of, only, rss, values
from support.frozen_feeds import FEEDS, FROZEN, described

from gtopss.feeds.items import Channel, Item, Link, Person
from gtopss.feeds.rss_atom import read_rss_atom
from gtopss.feeds.vocabulary import DESCRIPTION, LINK, TITLE
from gtopss.feeds.xml_feed import read_xml_feed
from gtopss.model.terms import Term
from gtopss.reading.documents import read_document

BASE = "http://c.example/feed"
NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:cc="http://web.resource.org/cc/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
)
CHANNEL = (
    "<title>C &amp; D</title><link>http://c.example/</link><atom:link rel='self' href='http://c.example/feed'/>"
    "<description>about &lt;b></description><language>en-GB</language><copyright>none</copyright>"
    "<managingEditor>ed@c.org (Ed)</managingEditor><pubDate>Tue, 10 Jun 2003 04:00:00 GMT</pubDate>"
    "<lastBuildDate>Tue, 10 Jun 2003 09:41:01 GMT</lastBuildDate><category>News</category><generator>G 1</generator>"
    "<image><url>http://c.example/i.png</url><title>I</title><link>http://c.example/i</link></image>"
    "<textInput><title>T</title><name>n</name><link>http://c.example/t</link></textInput>"
)
RSS_ITEMS = {
    "plain": "<title>t</title><link>http://c.example/1</link><guid>http://c.example/1</guid><description>d</description>",
    "guid only": "<title>t</title><guid>http://c.example/1</guid>",
    "not a permalink": "<guid isPermaLink='false'>http://c.example/id</guid><title>t</title>",
    "dates": "<pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate><dc:date>2003-06-03</dc:date>",
    "terms of dates": "<dcterms:issued>2003-06-03</dcterms:issued><dcterms:created>2003-06-01</dcterms:created>",
    "no title": "<description>only &lt;i>this&lt;/i></description>",
    "two titles": "<title>a</title><title>b</title>",
    "markup in a title": "<title>a <b>b</b> c</title>",
    "markup in a description": "<description>a <b class='x'>b</b> &amp; <br/> c</description>",
    "content and description": "<description>short</description><content:encoded>long &lt;p></content:encoded>",
    "content first": "<content:encoded>long &lt;p></content:encoded><description>short</description>",
    "content only": "<content:encoded>long</content:encoded>",
    "equal content": "<description>same</description><content:encoded>same</content:encoded>",
    "two descriptions": "<description>a</description><description>b</description>",
    "three descriptions": "<description>a</description><description>b</description><description>c</description>",
    "podcast": "<title>t</title><description>d</description><itunes:author>Ann</itunes:author>"
    "<itunes:summary>s</itunes:summary><itunes:keywords>a, b,,a</itunes:keywords><itunes:subtitle>u</itunes:subtitle>"
    "<enclosure url='http://c.example/1.mp3' length='7' type='Audio/MPEG'/>",
    "media": "<title>t</title><media:title>m</media:title><media:description>md</media:description>"
    "<media:content url='http://c.example/1.jpg'><media:title>n</media:title></media:content>"
    "<media:category>k</media:category>",
    "a media group": "<media:group><media:title>m</media:title><media:description>md</media:description></media:group>",
    "authors": "<author>ann@c.org (Ann Bee)</author><dc:creator>Cat &lt;cat@c.org></dc:creator>",
    "author without address": "<author>Ann</author>",
    "categories": "<category domain='http://c.example/k'>x</category><category>y</category><category>y</category>"
    "<dc:subject>z</dc:subject><category/>",
    "comments and source": "<comments>http://c.example/1#c</comments><source url='http://s.example/'>S</source>",
    "language and rights": "<dc:language>fr</dc:language><dc:rights>free</dc:rights>",
    "license": "<cc:license rdf:resource='http://l.example/'/>",
    "an Atom link": "<atom:link href='http://c.example/a'/><title>t</title>",
    "two links": "<link>http://c.example/1</link><link>http://c.example/2</link>",
    "ampersands in a link": "<link>http://c.example/?a=1&amp;amp;b=2&amp;c=3</link>",
    "upper case": "<TITLE>t</TITLE><Link>http://c.example/1</Link>",
    "empty": "",
    "empty elements": "<title/><link/><description/><author/><guid/><pubDate/>",
    "white space": "<title> a\n b </title><link>\n http://c.example/1\n</link>",
    "a comment": "<title>a<!-- no -->b</title><!-- no -->",
    "cdata": "<description><![CDATA[<p>a &amp; b</p>]]></description>",
    "an image": "<image>http://c.example/1.png</image><title>t</title>",
}
ATOM_ENTRIES = {
    "plain": "<id>urn:a</id><title>t</title><link href='/1'/><updated>2005-01-01T00:00:00Z</updated>",
    "html": "<title type='html'>a &lt;b>b&lt;/b></title><content type='html'>&lt;p>c</content>",
    "xhtml": "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>b &amp; c</b><br/></div></content>",
    "xhtml with two": "<content type='xhtml'><div>a</div><div>b</div></content>",
    "attributes": "<content type='xhtml'><div><a HREF='x?a&amp;b' rel='NoFollow' title='\"'>a</a></div></content>",
    "base64": "<content type='application/octet-stream'>aGVsbG8=</content>",
    "not base64": "<content type='image/png'>\u00e9</content>",
    "src": "<content src='http://c.example/1'/>",
    "links": "<link rel='Enclosure' href='/1.mp3' type='audio/mpeg' length='9'/><link rel='related' href='http://r.example/'/>"
    "<link href='http://c.example/1'/><link rel='self' href='http://c.example/self'/>",
    "people": "<author><name>Ann</name><uri>http://a.example/</uri><email>a@a.example</email></author>"
    "<contributor><name>Con</name></contributor>",
    "categories": "<category term='t' scheme='http://k.example/' label='T'/><category label='only'/>",
    "source": "<source><title>S</title><id>urn:s</id><link href='http://s.example/'/></source><title>t</title>",
    "language": "<title xml:lang='de_AT'>t</title>",
    "language of the entry": "<title>t</title><rights>r</rights><published>2005-01-01T00:00:00+01:00</published>",
    "atom 0.3": "<issued>2005-01-01T00:00:00Z</issued><modified>2005-01-02T00:00:00Z</modified><created>2005</created>"
    "<content mode='escaped' type='text/html'>&lt;p></content>",
    "escaped xhtml": "<summary type='xhtml'>a &amp; b</summary>",
}


def comparable(channel: Channel, items: list[Item]) -> tuple[object, ...]:
    """Return what was read, with the triples of modules, and references as they become in triples."""

    def plain(one: Item | Channel) -> object:
        lines = one.module_lines(b"<urn:s>\n") if one.module_lines else []
        return replace(one, module_lines=None), lines

    return plain(channel), [plain(item) for item in items]


def assert_same_as_feedparser(data: bytes) -> None:
    read = read_xml_feed(ET.fromstring(data), None)
    assert read is not None
    old = read_rss_atom(data, data, source=None, base=None)
    assert comparable(*read) == comparable(old.channel, list(old.items))


@pytest.mark.parametrize("item", RSS_ITEMS.values(), ids=RSS_ITEMS)
def test_rss_items_are_those_of_feedparser(item: str) -> None:
    assert_same_as_feedparser(rss(f"<item>{item}</item><item><title>other</title></item>", CHANNEL, NAMESPACES))


@pytest.mark.parametrize("namespace", ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"])
@pytest.mark.parametrize("entry", ATOM_ENTRIES.values(), ids=ATOM_ENTRIES)
def test_atom_entries_are_those_of_feedparser(entry: str, namespace: str) -> None:
    feed = (
        "<id>urn:f</id><title type='html'>&lt;b></title><subtitle>s</subtitle><link href='http://c.example/'/>"
        "<author><name>Ann</name></author><updated>2005-01-01T00:00:00Z</updated><logo>http://c.example/l.png</logo>"
        "<icon>http://c.example/i.png</icon><generator uri='http://g.example/'>G</generator><category term='k'/>"
    )
    assert_same_as_feedparser(
        f"<feed xmlns='{namespace}' xml:lang='en_GB'>{feed}<entry>{entry}</entry></feed>".encode()
    )


@pytest.mark.parametrize("path", FEEDS, ids=lambda path: path.name)
def test_the_publications_of_the_shipped_feeds_are_kept(path: Path) -> None:
    """`python -m support.frozen_feeds` writes them again, after a change that is meant."""
    assert described(path) == json.loads(FROZEN.read_text())[path.name]


def test_a_div_in_a_description_is_left_out_whole() -> None:
    """feedparser leaves its end tag."""
    one = only(rss("<item><description><div>a <b>b</b></div></description></item>"))
    assert values(one, DESCRIPTION) == ["a <b>b</b>"]


def test_each_author_has_their_own_address() -> None:
    """feedparser gives the second author the first one's."""
    authors = "<author><name>Ann</name><email>a@a.org</email></author><author><name>Bee</name></author>"
    read = read_xml_feed(ET.fromstring(atom_entry(authors)), None)
    assert read is not None
    assert read[1][0].people == (Person("Ann", None, "a@a.org"), Person("Bee"))


def test_a_nested_item_is_an_item_and_changes_nothing_else() -> None:
    data = rss(
        "<item><title>outer</title><item><title>inner</title><link>http://c.example/2</link></item>"
        "<link>http://c.example/1</link><description>of the outer</description></item>"
    )
    outer, inner = read_document(data).publications
    assert (values(outer, TITLE), values(outer, LINK)) == (["outer"], ["http://c.example/1"])
    assert (values(inner, TITLE), values(inner, LINK)) == (["inner"], ["http://c.example/2"])
    assert values(outer, DESCRIPTION) == ["of the outer"]
    channel = next(o for s, p, o in outer.triples if s == item_of(outer) and p.endswith("isPartOf>"))
    assert values(outer, TITLE, channel) == ["c"]  # feedparser gives the channel the outer item's description


def test_references_are_resolved_against_every_xml_base() -> None:
    data = (
        b"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://c.example/a/'><link href='.'/>"
        b"<entry xml:base='b/'><id>1</id><link href='c'/><link rel='related' xml:base='/d/' href='e'/></entry></feed>"
    )
    read = read_xml_feed(ET.fromstring(data), None)
    assert read is not None
    channel, (item,) = read
    assert (channel.link, item.link, item.guid) == ("http://c.example/a/", "http://c.example/a/b/c", "1")
    assert item.links == (Link("http://c.example/d/e", "related", "text/html"),)


def test_what_has_no_items_is_left_to_feedparser() -> None:
    for data in (b"<rss><channel><title>t</title></channel></rss>", b"<a><item/></a>", b"<feed/>"):
        assert read_xml_feed(ET.fromstring(data), None) is None


def test_the_namespace_of_the_root_is_that_of_the_feed() -> None:
    data = AS_RSS2.replace("<rss ", "<rss xmlns='http://unknown.example/' ").encode()
    assert values(only(data), TITLE) == ["One & only"]


def test_elements_are_read_where_they_stand() -> None:
    """feedparser takes the title of any element inside an item for the item's."""
    one = only(rss("<item><x><title>no</title><link>http://c.example/no</link></x><title>t</title></item>"))
    assert (values(one, TITLE), values(one, LINK)) == (["t"], [])


def test_a_prefix_of_the_format_makes_no_difference() -> None:
    data = AS_ATOM.replace("<feed xmlns=", "<feed xmlns:a=")
    for name in (
        "feed",
        "id",
        "title",
        "link",
        "subtitle",
        "entry",
        "summary",
        "content",
        "author",
        "name",
        "category",
    ):
        data = data.replace(f"<{name}", f"<a:{name}").replace(f"</{name}", f"</a:{name}")
    assert values(only(data.encode()), TITLE) == ["One & only"]


def test_an_address_is_read_whole() -> None:
    read = read_xml_feed(ET.fromstring(rss("<item><author>ann@c.example</author></item>")), None)
    assert read is not None
    assert read[1][0].people == (Person(None, None, "ann@c.example"),)
    assert values(
        only(atom_entry("<author><email>a@a.example</email></author>")), Term("<http://xmlns.com/foaf/0.1/maker>")
    )


def test_no_address_is_searched_in_a_long_author() -> None:
    long = "a" * 990 + "@b.org"
    for author, email in ((long, long), (f"{long} and more", None)):
        read = read_xml_feed(ET.fromstring(rss(f"<item><author>{author}</author></item>")), None)
        assert read is not None
        assert read[1][0].people[0].email == email


def test_an_empty_link_does_not_hide_a_permalink() -> None:
    """feedparser takes the empty text."""
    one = only(rss("<item><link> </link><guid>http://c.example/1</guid></item>"))
    assert values(one, LINK) == ["http://c.example/1"]
