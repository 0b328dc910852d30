from __future__ import annotations

import feedparser
from support.feed_samples import AS_ATOM, AS_RSS2, atom_entry, rss

from gtopss.feeds.items import Category, Link, Person
from gtopss.feeds.rss_atom import RssAtomFeed, read_rss_atom

GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"
SUBJECT = b"<urn:item>\n"
LATITUDE = [SUBJECT, f"<{GEO}lat>\n".encode(), b'"45.5"\n']


def read(data: bytes, *, well_formed: bool = True) -> RssAtomFeed:
    return read_rss_atom(data, data if well_formed else None, source="feed", base="http://c.example/")


def test_rss_and_atom_have_the_same_items() -> None:
    for feed in (read(AS_RSS2.encode()), read(AS_ATOM.encode())):
        (item,) = feed.items
        assert (item.guid, item.link, item.title) == ("http://c.example/1", "http://c.example/1", "One & only")
        assert (item.description, item.contents, item.people) == ("short", ("long <p>",), (Person("Ann"),))
        assert item.categories == (Category("cats"),)
        assert (feed.channel.title, feed.channel.link) == ("C", "http://c.example/")
        assert item.module_lines is not None
        assert item.module_lines(SUBJECT) == LATITUDE


def test_version_is_empty_where_feedparser_finds_no_feed() -> None:
    assert read(AS_RSS2.encode()).version == "rss20"
    nothing = read(b"<a/>")
    assert (nothing.version, nothing.items) == ("", ())


def test_enclosures_comments_and_origin_are_links() -> None:
    (item,) = read(rss(
        "<item><link>http://c.example/1</link><enclosure url='http://a/' length='7' type='audio/mpeg'/>"
        "<comments>http://c.example/1#c</comments><source url='http://s.example/feed'>S</source></item>"
    )).items  # fmt: skip
    assert Link("http://a/", "enclosure", "audio/mpeg", "7") in item.links
    assert Link("http://c.example/1#c", "http://purl.org/rss/1.0/comments") in item.links
    assert Link("http://s.example/feed", "http://purl.org/dc/elements/1.1/source") in item.links


def test_markup_is_not_sanitised_and_links_are_not_resolved() -> None:
    (item,) = read(rss("<item><description>&lt;script>x&lt;/script>&lt;a href='b'></description></item>")).items
    assert item.description == "<script>x</script><a href='b'>"


def test_without_well_formed_xml_modules_come_from_feedparser_with_a_warning() -> None:
    broken = rss("<item><title>a & b</title><geo:lat>45.5</geo:lat></item>", attributes=f'xmlns:geo="{GEO}"')
    feed = read(broken.replace(b"</rss>", b""), well_formed=False)
    assert "not well-formed" in feed.warnings[0]
    (item,) = feed.items
    assert item.title == "a & b"
    assert item.module_lines is not None
    assert item.module_lines(SUBJECT) == LATITUDE


def test_items_that_do_not_fit_the_xml_keep_no_modules() -> None:
    data = AS_RSS2.encode()
    more = data.replace(b"</channel>", b"<item><title>two</title></item></channel>")
    feed = read_rss_atom(data, more, source="feed", base=None)
    assert "could not be matched" in feed.warnings[0]
    assert feed.items[0].module_lines is None


def test_equal_categories_are_one_and_are_looked_up() -> None:
    """feedparser's own list compares each category with each: 100,000 of them took minutes."""
    names = [f"c{number}" for number in range(300)]
    plain = "".join(f"<category>{name}</category>" for name in names)
    in_domain = "".join(f"<category domain='d'>{name}</category>" for name in names)
    feed = rss(f"<item>{plain * 2}{in_domain}{plain}</item>")
    (item,) = read(feed).items
    assert item.categories == (*map(Category, names), *(Category(name, "d") for name in names))
    (entry,) = feedparser.parse(feed).entries
    assert type(entry.tags).__contains__ is not list.__contains__


def test_a_link_to_something_else_than_html_is_the_link_and_not_the_id() -> None:
    for type_ in ("application/pdf", "application/json", "text/plain", "audio/mpeg"):
        link = f"<link rel='alternate' type='{type_}' href='http://c.example/1.x'/>"
        for entry in (f"<id>http://c.example/id</id>{link}", f"{link}<id>http://c.example/id</id>"):
            for well_formed in (True, False):
                (item,) = read(atom_entry(entry), well_formed=well_formed).items
                assert (item.link, item.guid, item.links) == ("http://c.example/1.x", "http://c.example/id", ())


def test_of_several_links_html_is_the_link() -> None:
    links = "<link type='application/pdf' href='http://c.example/p'/><link type='text/html' href='http://c.example/h'/>"
    (item,) = read(atom_entry(links)).items
    assert (item.link, item.links) == (
        "http://c.example/h",
        (Link("http://c.example/p", "alternate", "application/pdf"),),
    )
