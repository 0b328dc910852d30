"""Read and write OPML, the format in which feed readers export lists of feeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from gtopss.errors import MalformedPublication
from gtopss.feeds.repair import check_and_repair
from gtopss.feeds.text import legal_text
from gtopss.rdf.encodings import as_utf8
from gtopss.rdf.safety import check_items
from ontology.limits import DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A feed in a list. `folder` is the path of its folders, outermost first."""

    title: str
    feed_url: str
    html_url: str | None = None
    folder: tuple[str, ...] = ()


def read_opml(data: bytes, *, source: str | None = None) -> tuple[FeedEntry, ...]:
    """Return the feeds of an OPML document in document order. Raise MalformedPublication if it is not OPML.

    >>> read_opml(b'<opml><body><outline text="News"><outline text="A" xmlUrl="http://a.example/"/></outline></body></opml>')
    (FeedEntry(title='A', feed_url='http://a.example/', html_url=None, folder=('News',)),)
    """
    xml = check_and_repair(data, source)
    if xml.well_formed is None:
        raise MalformedPublication("this is not OPML: it is not well-formed XML", publication_id=source)
    try:
        root = ET.fromstring(as_utf8(xml.well_formed))
    except (ET.ParseError, ValueError) as error:
        raise MalformedPublication(f"this is not OPML: {error}", publication_id=source) from None
    if root.tag.lower() != "opml":
        raise MalformedPublication(f"this is not OPML: its root is {root.tag!r}", publication_id=source)
    body = next((child for child in root if child.tag.lower() == "body"), None)
    entries = tuple(_entries(body, ())) if body is not None else ()
    check_items(len(entries), DEFAULT_LIMITS, source)
    return entries


def _entries(parent: ET.Element, folder: tuple[str, ...]) -> Iterator[FeedEntry]:
    for outline in parent:
        if outline.tag.lower() != "outline":
            continue
        attributes = {name.lower(): legal_text(value) for name, value in outline.attrib.items()}
        title = attributes.get("text") or attributes.get("title") or ""
        url = attributes.get("xmlurl") or ""
        if url:
            yield FeedEntry(title or url, url, attributes.get("htmlurl") or None, folder)
        inner = (*folder, title) if title and not url else folder
        yield from _entries(outline, inner)  # the check has limited the depth


def write_opml(entries: Iterable[FeedEntry], title: str) -> bytes:
    """Return an OPML 2.0 document with the entries in their folders. A folder stands where its first feed stands."""
    root = ET.Element("opml", version="2.0")
    ET.SubElement(ET.SubElement(root, "head"), "title").text = legal_text(title)
    folders: dict[tuple[str, ...], ET.Element] = {(): ET.SubElement(root, "body")}
    for entry in entries:
        parent = folders[()]
        for depth in range(1, len(entry.folder) + 1):
            path = entry.folder[:depth]
            if path not in folders:
                folders[path] = ET.SubElement(parent, "outline", text=legal_text(path[-1]))
            parent = folders[path]
        outline = ET.SubElement(
            parent, "outline", type="rss", text=legal_text(entry.title), xmlUrl=legal_text(entry.feed_url)
        )
        if entry.html_url:
            outline.set("htmlUrl", legal_text(entry.html_url))
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"
