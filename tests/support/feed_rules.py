"""The rules of Atom (RFC 4287) and RSS 2.0 that feed validators check, for feeds that we write."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from gtopss.feeds.namespaces import ATOM, DC
from gtopss.model.iris import is_absolute_iri

_RFC_3339 = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
)
_RFC_822 = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d "
    r"(?:GMT|[+-]\d{4})"
)
_MAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+(?: \(.*\))?", re.DOTALL)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def atom_problems(data: bytes) -> Iterator[str]:
    """Yield what a validator would report about an Atom feed."""
    root = ET.fromstring(data)
    if root.tag != _atom("feed"):
        yield f"the root is {root.tag}"
    yield from _texts(root)
    yield from _atom_required(root, "feed")
    entries = root.findall(_atom("entry"))
    ids = Counter(entry.findtext(_atom("id")) for entry in entries)
    yield from (f"the id {id} occurs {count} times" for id, count in ids.items() if count > 1)
    for entry in entries:
        yield from _atom_required(entry, "entry")
        yield from _atom_entry(entry, has_feed_author=root.find(_atom("author")) is not None)
    for link in root.iter(_atom("link")):
        if not is_absolute_iri(link.get("href", "")):
            yield f"a link has the href {link.get('href')!r}"


def _atom_required(element: ET.Element, name: str) -> Iterator[str]:
    for child in ("id", "title", "updated"):
        found = element.findall(_atom(child))
        if len(found) != 1:
            yield f"a {name} has {len(found)} {child}"
    id, updated = element.findtext(_atom("id")) or "", element.findtext(_atom("updated")) or ""
    if not is_absolute_iri(id):
        yield f"the id {id!r} is no IRI"
    if not _RFC_3339.fullmatch(updated):
        yield f"the updated {updated!r} is no date"
    if not (element.findtext(_atom("title")) or "").strip():
        yield f"a {name} has a blank title"


def _atom_entry(entry: ET.Element, *, has_feed_author: bool) -> Iterator[str]:
    source = entry.find(_atom("source"))
    names = [each.findtext(_atom("name")) for each in entry.iter(_atom("author"))]
    if not has_feed_author and not names:
        yield "neither the feed, the entry nor its source has an author"
    if not all(name and name.strip() for name in names):
        yield "an author has no name"
    content, alternate = entry.findall(_atom("content")), _links(entry, "alternate")
    if not content and not alternate:
        yield "an entry has neither content nor an alternate link"
    if len(content) > 1 or len(entry.findall(_atom("summary"))) > 1 or len(alternate) > 1:
        yield "an entry repeats its content, summary or alternate link"
    for text in (*content, *entry.findall(_atom("summary"))):
        if text.get("type") not in ("text", "html"):
            yield f"a text has the type {text.get('type')!r}"
    published = entry.findall(_atom("published"))
    if len(published) > 1 or not all(_RFC_3339.fullmatch(each.text or "") for each in published):
        yield f"published is {[each.text for each in published]}"
    if not all(category.get("term") for category in entry.findall(_atom("category"))):
        yield "a category has no term"
    if source is not None:
        if not is_absolute_iri(source.findtext(_atom("id")) or ""):
            yield f"a source has the id {source.findtext(_atom('id'))!r}"
        if len(_links(source, "alternate")) > 1 or len(_links(source, "self")) > 1:
            yield "a source repeats its links"


def rss_problems(data: bytes) -> Iterator[str]:
    """Yield what a validator would report about an RSS 2.0 feed."""
    root = ET.fromstring(data)
    if (root.tag, root.get("version"), [child.tag for child in root]) != ("rss", "2.0", ["channel"]):
        yield f"the root is {root.tag} {root.attrib}"
    yield from _texts(root)
    channel = root[0]
    for name in ("title", "link", "description"):
        found = channel.findall(name)
        if len(found) != 1 or not (found[0].text or "").strip():
            yield f"the channel has {len(found)} {name}"
    if not is_absolute_iri(channel.findtext("link") or ""):
        yield f"the channel's link is {channel.findtext('link')!r}"
    yield from _rss_dates(channel, "lastBuildDate")
    items = channel.findall("item")
    guids = Counter(item.findtext("guid") for item in items)
    yield from (f"the guid {guid} occurs {count} times" for guid, count in guids.items() if count > 1)
    for item in items:
        yield from _rss_item(item)


def _rss_item(item: ET.Element) -> Iterator[str]:
    if not (item.findtext("title") or "").strip() and not (item.findtext("description") or "").strip():
        yield "an item has neither a title nor a description"
    for name in ("title", "link", "description", "guid", "pubDate", "author", "source", "comments"):
        if len(item.findall(name)) > 1:
            yield f"an item has {len(item.findall(name))} {name}"
    yield from _rss_dates(item, "pubDate")
    link, guid = item.findtext("link"), item.find("guid")
    if link is not None and not re.match("https?://", link):
        yield f"the link is {link!r}"
    if guid is None or not guid.text:
        yield "an item has no guid"
    elif guid.get("isPermaLink") != "false" and not re.match("https?://", guid.text):
        yield f"the guid {guid.text!r} is no permalink"
    author = item.findtext("author")
    if author is not None and not _MAIL.fullmatch(author):
        yield f"the author {author!r} is no mail address"
    source = item.find("source")
    if source is not None and not re.match("https?://", source.get("url", "")):
        yield f"the source has the url {source.get('url')!r}"
    if any(not (creator.text or "").strip() for creator in item.findall(f"{{{DC}}}creator")):
        yield "a creator is empty"


def _rss_dates(element: ET.Element, name: str) -> Iterator[str]:
    for found in element.findall(name):
        matched = _RFC_822.fullmatch(found.text or "")
        if matched is None or _DAYS[parsedate_to_datetime(matched[0]).weekday()] != matched[1]:
            yield f"{name} is {found.text!r}"


def _texts(root: ET.Element) -> Iterator[str]:
    for element in root.iter():
        for text in (element.text or "", *element.attrib.values()):
            if _CONTROLS.search(text):
                yield f"<{element.tag}> has a control character"


def _links(element: ET.Element, rel: str) -> list[ET.Element]:
    return [each for each in element.findall(_atom("link")) if each.get("rel", "alternate") == rel]


def _atom(name: str) -> str:
    return f"{{{ATOM}}}{name}"
