"""Write publications as RSS 2.0, Atom 1.0 or N-Quads.

The feeds contain what every feed reader shows: title, link, text, authors, dates, categories and the source. A feed is
written whole (`to_bytes`) or in pieces (`opening`, `item_bytes`, `closing`), and its items are read back as they were
written (`read_items`). To add a feed format, write a subclass of `FeedFormat`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import xml.etree.ElementTree as ET
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import format_datetime
from typing import ClassVar

from gtopss.feeds.dates import parse_date
from gtopss.feeds.entries import Entry, entry_of
from gtopss.feeds.graph_names import UniqueIris, graph_name
from gtopss.feeds.namespaces import ATOM, DC, GTOPSS
from gtopss.model import Publication
from gtopss.model.iris import is_absolute_iri
from gtopss.model.terms import is_blank

DEFAULT_FEED_TITLE = "Filtered by gtopss"
GENERATOR = "gtopss"
"""The text of the `<generator>` element, which marks the feeds that this module wrote."""

_RSS_DESCRIPTION = "Items that matched, by gtopss"
_XML_DECLARATION = b"<?xml version='1.0' encoding='utf-8'?>\n"  # as ElementTree writes it

_ITEM_LEVEL_INDENT = "  "
_MAILBOX = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[^\s@<>()]+(?: \(.*\))?")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class FeedHeader:
    """What a feed says about itself. `id` is an IRI that stays the same, `self_link` the URL that it is read at.

    `hub_link` is the URL of a WebSub hub that sends what is new.
    """

    title: str = DEFAULT_FEED_TITLE
    id: str = f"{GTOPSS}filtered"
    self_link: str | None = None
    hub_link: str | None = None


class NotThisFormat(Exception):
    """A file that is to be continued is not what this format writes."""


class FeedFormat(ABC):
    """One feed format. Elements have the names that the file has, with prefixes, and no namespaces."""

    _prefixes: ClassVar[dict[str, str]]
    """The namespaces of the format, with the prefix that the file uses for each."""
    _item: ClassVar[str]
    _items_path: ClassVar[tuple[str, ...]]
    """The elements that contain the items, from the root."""

    @abstractmethod
    def item(self, entry: Entry, undated: dt.datetime) -> ET.Element:
        """Return the element of an item. `undated` is the time of one that has none."""

    @abstractmethod
    def feed(self, header: FeedHeader, updated: dt.datetime) -> ET.Element:
        """Return the feed's root element without items."""

    @abstractmethod
    def item_id(self, item: ET.Element) -> str | None:
        """Return the id of an item's element."""

    @abstractmethod
    def feed_id(self, root: ET.Element) -> str | None:
        """Return the id in a root element that `read_items` returned."""

    def add_document(self, item: ET.Element, digest: str) -> None:
        """Add the digest of the document that an item is from, to tell equal ids of two documents apart."""
        _add(item, "gtopss:document", digest)

    def item_document(self, item: ET.Element) -> str:
        """Return the digest that `add_document` added; an empty text if there is none."""
        return item.findtext("gtopss:document") or ""

    @abstractmethod
    def _is_unmarked_output(self, parent: ET.Element, items: list[ET.Element]) -> bool:
        """Return whether a feed without a generator looks as this class wrote it before it wrote generators."""

    def time_of(self, item: bytes) -> dt.datetime | None:
        """Return the time that `item` may have put into these lines because the entry had none."""
        return None

    def to_bytes(self, header: FeedHeader, items: Iterable[ET.Element], updated: dt.datetime) -> bytes:
        """Return a feed with these items."""
        opening, closing = self.opening_and_closing(header, updated)
        return b"".join((opening, *map(self.item_bytes, items), closing))

    def opening_and_closing(self, header: FeedHeader, updated: dt.datetime) -> tuple[bytes, bytes]:
        """Return what comes before and after the items."""
        root = self.feed(header, updated)
        ET.indent(root)
        whole: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
        end = whole.rindex(f"</{self._items_path[-1]}>".encode())
        end = whole.rindex(b"\n", 0, end) + 1
        return whole[:end], whole[end:] + b"\n"

    def item_bytes(self, item: ET.Element) -> bytes:
        """Return the lines of an item."""
        ET.indent(item, level=len(self._items_path))
        made: bytes = ET.tostring(item, encoding="utf-8")
        return (_ITEM_LEVEL_INDENT * len(self._items_path)).encode() + made + b"\n"

    def read_items(self, data: bytes) -> tuple[ET.Element, list[ET.Element]]:
        """Return the root and the items of a feed that this class wrote. Raise NotThisFormat for other documents."""
        try:
            root = ET.fromstring(data)
        except (ET.ParseError, ValueError) as error:
            raise NotThisFormat(str(error)) from None
        for element in root.iter():
            element.tag = self._written_name(element.tag)
        parent = root if root.tag == self._items_path[0] else None
        for name in self._items_path[1:]:
            parent = parent.find(name) if parent is not None else None
        if parent is None:
            raise NotThisFormat(f"its root is <{root.tag}>")
        items = parent.findall(self._item)
        if b"<!DOCTYPE" in data:
            raise NotThisFormat("it has a DOCTYPE")
        if parent.findtext("generator") != GENERATOR and not (
            data.startswith(_XML_DECLARATION) and self._is_unmarked_output(parent, items)
        ):
            raise NotThisFormat(f"it has no <generator>{GENERATOR}</generator>")
        if not all(map(self.item_id, items)):
            raise NotThisFormat(f"it has an <{self._item}> without an id")
        for item in items:
            item.tail = None
            parent.remove(item)
        return root, items

    def header_of(self, root: ET.Element) -> bytes:
        """Return what a feed says about itself, without its time, to compare it."""
        for parent in [*root.iter()]:
            for name in ("updated", "lastBuildDate"):
                if (found := parent.find(name)) is not None:
                    parent.remove(found)
        for element in root.iter():
            element.text, element.tail = (element.text or "").strip(), None
        return bytes(ET.tostring(root, encoding="utf-8"))

    def _written_name(self, tag: str) -> str:
        namespace, _, name = tag.removeprefix("{").rpartition("}")
        prefix = self._prefixes.get(namespace)
        if prefix is None:
            raise NotThisFormat(f"it has the element {tag}")
        return f"{prefix}:{name}" if prefix else name


class Rss(FeedFormat):
    """RSS 2.0. Authors are `dc:creator`, since `author` is for mail addresses only."""

    _prefixes: ClassVar = {"": "", DC: "dc", ATOM: "atom", GTOPSS: "gtopss"}
    _item: ClassVar = "item"
    _items_path: ClassVar = ("rss", "channel")

    def feed(self, header: FeedHeader, updated: dt.datetime) -> ET.Element:
        root = ET.Element("rss", {"version": "2.0", "xmlns:dc": DC, "xmlns:atom": ATOM, "xmlns:gtopss": GTOPSS})
        channel = ET.SubElement(root, "channel")
        _add(channel, "title", header.title)
        _add(channel, "link", header.self_link or header.id)
        _add(channel, "description", _RSS_DESCRIPTION)
        _add(channel, "lastBuildDate", format_datetime(updated))
        _add(channel, "generator", GENERATOR)
        if header.self_link:
            attributes = {"href": header.self_link, "rel": "self", "type": "application/rss+xml"}
            ET.SubElement(channel, "atom:link", attributes)
        return root

    def item(self, entry: Entry, undated: dt.datetime) -> ET.Element:
        item = ET.Element("item")
        _add(item, "title", entry.title)
        _add(item, "link", entry.link)
        _add(item, "guid", entry.id).set("isPermaLink", "true" if entry.id == entry.link else "false")
        _add(item, "description", entry.summary)
        with_address = next(filter(_MAILBOX.fullmatch, entry.authors), None)  # an item has at most one `author`
        for author in entry.authors:
            _add(item, "author" if author is with_address else "dc:creator", author)
        for category in entry.categories:
            _add(item, "category", category)
        if entry.published_at is not None:
            _add(item, "pubDate", format_datetime(entry.published_at))
        if entry.source and (url := entry.feed_url or entry.site_url):
            _add(item, "source", entry.source).set("url", _xml_text(url))
        return item

    def feed_id(self, root: ET.Element) -> str | None:
        return root.findtext("channel/link")

    def item_id(self, item: ET.Element) -> str | None:
        return item.findtext("guid")

    def _is_unmarked_output(self, parent: ET.Element, items: list[ET.Element]) -> bool:
        return parent.findtext("description") == _RSS_DESCRIPTION


class Atom(FeedFormat):
    """Atom 1.0 (RFC 4287)."""

    _prefixes: ClassVar = {ATOM: "", GTOPSS: "gtopss"}
    _item: ClassVar = "entry"
    _items_path: ClassVar = ("feed",)

    def feed(self, header: FeedHeader, updated: dt.datetime) -> ET.Element:
        root = ET.Element("feed", {"xmlns": ATOM, "xmlns:gtopss": GTOPSS})
        _add(root, "title", header.title)
        _add(root, "id", header.id)
        _add(root, "updated", updated.isoformat())
        _add(root, "generator", GENERATOR)
        if header.self_link:
            ET.SubElement(root, "link", rel="self", href=header.self_link)
        if header.hub_link:
            ET.SubElement(root, "link", rel="hub", href=header.hub_link)
        return root

    def item(self, entry: Entry, undated: dt.datetime) -> ET.Element:
        item = ET.Element("entry")
        _add(item, "title", entry.title)
        _add(item, "id", graph_name(entry.id))
        _add(item, "updated", (entry.updated_at or entry.published_at or undated).isoformat())
        if entry.published_at is not None:
            _add(item, "published", entry.published_at.isoformat())
        if entry.link:
            ET.SubElement(item, "link", href=_xml_text(entry.link))
        for author in entry.authors:
            _add(ET.SubElement(item, "author"), "name", author)
        for category in entry.categories:
            ET.SubElement(item, "category", term=_xml_text(category))
        if entry.summary and entry.link:
            _add(item, "summary", entry.summary).set("type", "html")
        elif not entry.link:  # section 4.1.2: an entry without content must have a link
            _add(item, "content", entry.summary or "").set("type", "html")
        self._add_source(item, entry)
        return item

    def _add_source(self, item: ET.Element, entry: Entry) -> None:
        """Add the feed that the item is from. It is also the author of an item without one, as section 4.2.1 wants."""
        name = entry.source or "unknown"
        source = ET.SubElement(item, "source")
        id = entry.source_id or entry.feed_url or entry.site_url or ""
        _add(source, "id", id if is_absolute_iri(id) else f"{GTOPSS}channel:{_digest(name)}")
        _add(source, "title", name)
        if entry.feed_url:
            ET.SubElement(source, "link", rel="self", href=_xml_text(entry.feed_url))
        if entry.site_url:
            ET.SubElement(source, "link", href=_xml_text(entry.site_url))
        if not entry.authors:
            _add(ET.SubElement(source, "author"), "name", name)

    def feed_id(self, root: ET.Element) -> str | None:
        return root.findtext("id")

    def item_id(self, item: ET.Element) -> str | None:
        return item.findtext("id")

    def _is_unmarked_output(self, parent: ET.Element, items: list[ET.Element]) -> bool:
        names = [each.tag for each in parent if each.tag != self._item]
        with_source = all(each.find("source/id") is not None for each in items)
        return with_source and names in (["title", "id", "updated"], ["title", "id", "updated", "link"])

    def time_of(self, item: bytes) -> dt.datetime | None:
        found = ET.fromstring(b'<feed xmlns:gtopss="%s">%s</feed>' % (GTOPSS.encode(), item))[0]
        if found.find("published") is not None:
            return None
        return parse_date(found.findtext("updated") or "")


RSS, ATOM_10 = Rss(), Atom()


def to_rss(publications: Iterable[Publication], *, title: str, now: dt.datetime) -> bytes:
    """Return an RSS 2.0 feed with one item per publication."""
    return _to_feed(RSS, publications, title, now)


def to_atom(publications: Iterable[Publication], *, title: str, now: dt.datetime) -> bytes:
    """Return an Atom 1.0 feed with one entry per publication."""
    return _to_feed(ATOM_10, publications, title, now)


def _to_feed(format: FeedFormat, publications: Iterable[Publication], title: str, now: dt.datetime) -> bytes:
    items = (format.item(entry_of(each), now) for each in publications)
    return format.to_bytes(FeedHeader(title), items, now)


def to_nquads(publications: Iterable[Publication]) -> bytes:
    """Return N-Quads with one named graph per publication. Blank nodes are renamed so that they stay distinct.

    A name that was used before, for an item of another source, gets a number.
    """
    graphs = UniqueIris()
    return b"".join(
        publication_nquads(each.replace(id=graphs.unique(graph_name(each.id))), number)
        for number, each in enumerate(publications)
    )


def publication_nquads(publication: Publication, number: int) -> bytes:
    """Return the N-Quads of one publication, whose blank nodes get names with this number.

    The name of the graph is the publication's id, or an IRI that contains one that is no IRI.
    """
    id = graph_name(publication.id)
    lines = []
    for triple in publication.triples:
        parts = (f"_:p{number}x{part[2:]}" if is_blank(part) else part for part in triple)
        lines.append(f"{' '.join(parts)} <{id}> .\n")
    return "".join(lines).encode()


def _add(parent: ET.Element, name: str, text: str | None) -> ET.Element:
    """Add an element with this text, and return it. Without a text nothing is added."""
    made = ET.Element(name)
    if text is not None:
        made.text = _xml_text(text)
        parent.append(made)
    return made


def _xml_text(text: str) -> str:
    """Return a text that XML gives back as it is: without the characters that XML does not allow, lines end with LF."""
    return _NOT_XML.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
