"""Generate feeds as blogs and news sites write them: RSS 2.0, Atom and RSS 1.0, with items of 1 to 4 KB."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from xml.sax.saxutils import escape

FORMATS = ("rss20", "atom", "rss10")
_TEXT = (
    "the market opened higher after reports that researchers in several cities have found a new way to measure how "
    "people read news and what they share with friends while ministers discuss energy health schools and transport "
    "software releases security updates weather warnings football results music festivals and books remain popular "
    "café São Zürich naïve coöperate “quoted” – dash"
)
WORDS = _TEXT.split()
_TOPICS = ("health", "science", "sport", "politics", "technology", "music", "business", "weather", "books", "travel")
_START = datetime(2026, 1, 1, tzinfo=UTC)
_NAMESPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:slash="http://purl.org/rss/1.0/modules/slash/"'
)


def generate_feeds(count: int, *, seed: int, items_per_feed: int = 12) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each feed; the formats take turns."""
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        kind = FORMATS[number % len(FORMATS)]
        site = f"https://site{number}.example"
        items = [_item(chance, site, index) for index in range(items_per_feed)]
        yield f"{site}/feed.{kind}.xml", _WRITERS[kind](site, items).encode()


def _item(chance: random.Random, site: str, index: int) -> dict[str, str]:
    when = _START + timedelta(minutes=chance.randrange(500_000))
    paragraphs: list[str] = []
    size = chance.randrange(700, 3_300)
    while sum(map(len, paragraphs)) < size:
        link = f'<a href="{site}/tag/{chance.choice(_TOPICS)}?a=1&amp;b={index}">{chance.choice(WORDS)}</a>'
        paragraphs.append(f"<p>{_text(chance, 40)} {link} {_text(chance, 30)}.</p>")
    return {
        "link": f"{site}/{when:%Y/%m}/{index}-{chance.choice(_TOPICS)}/",
        "id": f"{site}/?p={chance.randrange(10**6)}",
        "title": _text(chance, 8).capitalize(),
        "author": f"{chance.choice(WORDS)} {chance.choice(WORDS)}".title(),
        "topics": " ".join(chance.sample(_TOPICS, 3)),
        "summary": _text(chance, 35),
        "html": "\n".join(paragraphs),
        "date": when.isoformat().replace("+00:00", "Z"),
        "rfc_822": format_datetime(when),
        "image": f"{site}/images/{index}.jpg",
    }


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def _rss20(site: str, items: list[dict[str, str]]) -> str:
    written = [
        f"<item><title>{each['title']}</title><link>{each['link']}</link><dc:creator>{each['author']}</dc:creator>"
        f"<pubDate>{each['rfc_822']}</pubDate>{_tags('category', each)}"
        f'<guid isPermaLink="false">{each["id"]}</guid><description>{each["summary"]}</description>'
        f"<content:encoded><![CDATA[{each['html']}]]></content:encoded><slash:comments>3</slash:comments>"
        f'<media:thumbnail url="{each["image"]}" width="640" height="480"/></item>'
        for each in items
    ]
    channel = (
        f"<title>{site}</title><link>{site}/</link><description>News</description><language>en-GB</language>"
        f"<lastBuildDate>{format_datetime(_START)}</lastBuildDate><generator>generated</generator>"
        "<sy:updatePeriod>hourly</sy:updatePeriod>"
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" {_NAMESPACES}><channel>{channel}'
        + "\n".join(written)
        + "</channel></rss>"
    )


def _tags(name: str, item: dict[str, str]) -> str:
    return "".join(f"<{name}>{topic}</{name}>" for topic in item["topics"].split())


def _atom(site: str, items: list[dict[str, str]]) -> str:
    written = [
        f'<entry><id>{each["id"]}</id><title type="html">{each["title"]}</title><link rel="alternate" '
        f'href="{each["link"]}"/><author><name>{each["author"]}</name></author><published>{each["date"]}</published>'
        f"<updated>{each['date']}</updated>{_atom_categories(each)}"
        f'<summary>{each["summary"]}</summary><content type="html">{escape(each["html"])}</content></entry>'
        for each in items
    ]
    feed = f'<id>{site}/</id><title>{site}</title><link href="{site}/"/><updated>{_START.isoformat()}</updated>'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'
        + feed
        + "\n".join(written)
        + "</feed>"
    )


def _atom_categories(item: dict[str, str]) -> str:
    return "".join(f'<category term="{topic}"/>' for topic in item["topics"].split())


def _rss10(site: str, items: list[dict[str, str]]) -> str:
    written = [
        f'<item rdf:about="{each["link"]}"><title>{each["title"]}</title><link>{each["link"]}</link>'
        f"<dc:creator>{each['author']}</dc:creator><dc:date>{each['date']}</dc:date>"
        f"{_tags('dc:subject', each)}"
        f"<description>{each['summary']}</description><content:encoded>{escape(each['html'])}</content:encoded></item>"
        for each in items
    ]
    listed = "".join(f'<rdf:li rdf:resource="{each["link"]}"/>' for each in items)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns="http://purl.org/rss/1.0/" {_NAMESPACES}><channel rdf:about="{site}/"><title>{site}</title>'
        f"<link>{site}/</link><description>News</description><items><rdf:Seq>{listed}</rdf:Seq></items></channel>"
        + "\n".join(written)
        + "</rdf:RDF>"
    )


_WRITERS = {"rss20": _rss20, "atom": _atom, "rss10": _rss10}
