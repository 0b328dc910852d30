"""OPML: lists of feeds, as readers export them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from gtopss.errors import MalformedPublication
from gtopss.feeds.repair import readable
from gtopss.feeds.vocabulary import text
from gtopss.rdf.encodings import as_utf8


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A feed that somebody reads. `folder` is the way to it from the outermost."""

    title: str
    feed_url: str
    html_url: str | None = None
    folder: tuple[str, ...] = ()


def read_opml(data: bytes, *, source: str | None = None) -> tuple[FeedEntry, ...]:
    """The feeds in an OPML document, in its order; outlines without a feed are folders or nothing.

    >>> read_opml(b'<opml><body><outline text="News"><outline text="A" xmlUrl="http://a.example/"/></outline></body></opml>')
    (FeedEntry(title='A', feed_url='http://a.example/', html_url=None, folder=('News',)),)
    """
    xml = readable(data, source)
    if xml.strict is None:
        raise MalformedPublication("this is not OPML: it is not well-formed XML", publication_id=source)
    try:
        root = ET.fromstring(as_utf8(xml.strict))
    except (ET.ParseError, ValueError) as error:
        raise MalformedPublication(f"this is not OPML: {error}", publication_id=source) from None
    if root.tag.lower() != "opml":
        raise MalformedPublication(f"this is not OPML: its root is {root.tag!r}", publication_id=source)
    body = next((child for child in root if child.tag.lower() == "body"), None)
    return tuple(_entries(body, ())) if body is not None else ()


def _entries(parent: ET.Element, folder: tuple[str, ...]) -> Iterator[FeedEntry]:
    for outline in parent:
        if outline.tag.lower() != "outline":
            continue
        attributes = {name.lower(): text(value) for name, value in outline.attrib.items()}
        title = attributes.get("text") or attributes.get("title") or ""
        url = attributes.get("xmlurl") or ""
        if url:
            yield FeedEntry(title or url, url, attributes.get("htmlurl") or None, folder)
        inner = (*folder, title) if title and not url else folder
        yield from _entries(outline, inner)  # no deeper than the check allows


def write_opml(entries: Iterable[FeedEntry], title: str) -> bytes:
    """An OPML 2.0 document with the entries in their folders. Folders come where their first feed does."""
    root = ET.Element("opml", version="2.0")
    ET.SubElement(ET.SubElement(root, "head"), "title").text = text(title)
    folders: dict[tuple[str, ...], ET.Element] = {(): ET.SubElement(root, "body")}
    for entry in entries:
        parent = folders[()]
        for depth in range(1, len(entry.folder) + 1):
            path = entry.folder[:depth]
            if path not in folders:
                folders[path] = ET.SubElement(parent, "outline", text=text(path[-1]))
            parent = folders[path]
        outline = ET.SubElement(parent, "outline", type="rss", text=text(entry.title), xmlUrl=text(entry.feed_url))
        if entry.html_url:
            outline.set("htmlUrl", text(entry.html_url))
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"
