"""Read RSS 0.91 to 2.0, Atom, and whatever else feedparser understands.

feedparser gets a stream of bytes and nothing else, because it would open a text or bytes that look like a path. Its
HTML sanitiser and its rewriting of links are off: items are matched as they were written, and whoever displays them
must sanitise them. What feedparser does not keep (elements of unknown namespaces, letter case, attributes) is read
from the XML itself, if that is well-formed.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import feedparser

from gtopss.errors import MalformedPublication
from gtopss.feeds.iris import absolute_iri, can_be_link
from gtopss.feeds.items import Category, Channel, Item, Lines, Link, ModuleLines, Person
from gtopss.feeds.modules import is_module_tag, module_lines
from gtopss.feeds.namespaces import ATOM, ATOM_03, DC, RSS, XML
from gtopss.feeds.text import clean_text, text_line

_PREFIX_DECLARATION = re.compile(rb"xmlns:[\w.-]+\s*=")
_CHANNEL_TAGS = ("channel", "feed", "Channel")
_MODULE_KEY = re.compile(r"([a-z][a-z0-9.-]*)_([a-z][\w.-]*)")


@dataclass(frozen=True, slots=True)
class RssAtomFeed:
    """A feed as feedparser read it, with its module elements."""

    version: str  # feedparser's name; empty if it found no feed
    channel: Channel
    items: tuple[Item, ...]
    warnings: tuple[str, ...]


def read_rss_atom(lenient: bytes, well_formed: bytes | None, *, source: str | None, base: str | None) -> RssAtomFeed:
    """Read a feed. feedparser reads `lenient`; `well_formed` is checked XML of the same feed, if there is any."""
    parsed = _parse(lenient, source)
    entries, version = parsed.get("entries", []), str(parsed.get("version") or "")
    problems: list[str] = []
    root, elements = _item_elements(well_formed)
    if root is None:
        if parsed.get("bozo") and well_formed is None:
            problems.append(f"not well-formed, read as far as possible: {parsed.get('bozo_exception')}")
    elif len(elements) != len(entries):
        problems.append("the items could not be matched to XML elements: elements of modules are left out")
        elements = []
    namespaces = {str(prefix): str(uri) for prefix, uri in parsed.get("namespaces", {}).items() if prefix}
    items = []
    for number, entry in enumerate(entries):
        if elements:
            modules: ModuleLines | None = _modules_of_element(elements[number], base, "m")
        else:
            modules = _modules_of_entry(entry, namespaces) if root is None else None
        items.append(_item(entry, version.startswith("atom"), modules))
    top = None if root is None else next((e for e in root.iter() if _local_name(e) in _CHANNEL_TAGS), None)
    channel = _channel(parsed.get("feed", {}), None if top is None else _modules_of_element(top, base, "n"))
    return RssAtomFeed(version, channel, tuple(items), tuple(problems))


class _Tags(list[Any]):
    """The categories of an item. feedparser compares a new one with all before it; this list looks it up.

    feedparser changes the last category after it was added, but none before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._before_last: set[tuple[object, ...]] = set()

    def __contains__(self, tag: object) -> bool:
        assert isinstance(tag, dict)
        return (bool(self) and tag == self[-1]) or tuple(tag.values()) in self._before_last

    def append(self, tag: Any) -> None:
        """Add a category that is not in the list."""
        if self:
            self._before_last.add(tuple(self[-1].values()))
        super().append(tag)


def _add_tag(parser: Any, term: Any, scheme: Any, label: Any) -> None:
    parser._get_context().setdefault("tags", _Tags())
    _feedparser_add_tag(parser, term, scheme, label)


_feedparser_add_tag = feedparser.mixin._FeedParserMixin._add_tag
feedparser.mixin._FeedParserMixin._add_tag = _add_tag
# feedparser's patterns read white space before a declaration across lines, which takes hours for a megabyte of it
feedparser.sanitizer.RE_ENTITY_PATTERN = re.compile(rb"^[^\S\n]*+<!ENTITY([^<>]*+)>", re.MULTILINE)
feedparser.sanitizer.RE_DOCTYPE_PATTERN = re.compile(rb"^[^\S\n]*+<!DOCTYPE([^<>]*+)>", re.MULTILINE)


def _parse(data: bytes, source: str | None) -> feedparser.FeedParserDict:
    # With headers but no content type, feedparser would assume ISO-8859-1. It gets no base, because it would resolve
    # identifiers too.
    headers = {"content-type": "application/xml"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return feedparser.parse(
                io.BytesIO(data), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
            )
    except Exception as error:  # feedparser raises errors of many types on what is no feed
        reason = f"this feed cannot be read: {type(error).__name__}: {error}"
        raise MalformedPublication(reason, publication_id=source) from None


# --- the result of feedparser ------------------------------------------------------------------------------
# Always `dict.get`: feedparser's own `get` returns `published` for `updated`, with a warning.


def _item(entry: Mapping[str, Any], atom: bool, modules: ModuleLines | None) -> Item:
    contents = tuple(dict.fromkeys(filter(None, (_text(_get(one, "value")) for one in _list(entry, "content")))))
    description, updated = _text(_get(entry, "summary")), _text(_get(entry, "updated"))
    detail = _get(entry, "title_detail")
    return Item(
        guid=_text(_get(entry, "id")),
        link=_link(entry),
        title=_text(_get(entry, "title")),
        description=None if description in contents else description,
        contents=contents,
        people=tuple(_people(entry)),
        published=_text(_get(entry, "published")),
        updated=updated or _text(_get(entry, "created")),
        modified=updated if atom else None,
        categories=tuple(_categories(entry)),
        links=tuple(_links(entry)),
        language=_text(_get(entry, "language")) or (_text(_get(detail, "language")) if atom and detail else None),
        rights=_text(_get(entry, "rights")),
        module_lines=modules,
    )


def _channel(feed: Mapping[str, Any], modules: ModuleLines | None) -> Channel:
    image = _get(feed, "image")
    return Channel(
        id=_text(_get(feed, "id")),
        link=_link(feed),
        title=_text(_get(feed, "title")),
        description=_text(_get(feed, "subtitle")),
        people=tuple(_people(feed)),
        updated=_text(_get(feed, "updated")) or _text(_get(feed, "published")),
        categories=tuple(_categories(feed)),
        links=tuple(_links(feed)),
        language=_text(_get(feed, "language")),
        rights=_text(_get(feed, "rights")),
        image=_text(_get(image, "href")) or _text(_get(feed, "logo")) or _text(_get(feed, "icon")),
        generator=_text(_get(feed, "generator")),
        module_lines=modules,
    )


def _link(entry: Mapping[str, Any]) -> str | None:
    """Return the link of an item: feedparser's if it is a link to HTML, else the first alternate link, else the id.

    feedparser takes any id where no link leads to HTML.
    """
    found = _text(_get(entry, "link"))
    alternates = [
        href
        for one in _list(entry, "links")
        if (_text(_get(one, "rel")) or "alternate") == "alternate" and (href := _text(_get(one, "href")))
    ]
    if alternates:
        return found if found in alternates else alternates[0]
    return found if found and (can_be_link(found) or found != _text(_get(entry, "id"))) else None


def _people(entry: Mapping[str, Any]) -> Iterator[Person]:
    for one in _list(entry, "authors"):
        person = Person(_text(_get(one, "name")), _text(_get(one, "href")), _text(_get(one, "email")))
        if person.name or person.email or person.uri:
            yield person


def _categories(entry: Mapping[str, Any]) -> Iterator[Category]:
    for tag in _list(entry, "tags"):
        term, label = _text(_get(tag, "term")), _text(_get(tag, "label"))
        if term or label:
            yield Category(term or label or "", _text(_get(tag, "scheme")), label)


def _links(entry: Mapping[str, Any]) -> Iterator[Link]:
    own = _link(entry)
    for one in _list(entry, "links"):
        href, rel = _text(_get(one, "href")), _text(_get(one, "rel")) or "alternate"
        if href and not (rel == "alternate" and href == own):
            yield Link(href, rel, _text(_get(one, "type")), _text(_get(one, "length")))
    if comments := _text(_get(entry, "comments")):
        yield Link(comments, f"{RSS}comments")
    origin = _get(entry, "source")
    if written := _text(_get(origin, "href")) or _text(_get(origin, "title")):
        yield Link(written, f"{DC}source")


def _get(holder: object, key: str) -> Any:
    return dict.get(holder, key) if isinstance(holder, dict) else None


def _list(holder: Mapping[str, Any], key: str) -> Iterable[Any]:
    found = _get(holder, key)
    return found if isinstance(found, list) else ()


def _text(value: object) -> str | None:
    return clean_text(value) or None if isinstance(value, str) else None


# --- module elements, which feedparser does not keep --------------------------------------------------------


def _item_elements(well_formed: bytes | None) -> tuple[ET.Element | None, list[ET.Element]]:
    """Return the root and the item elements; None and no elements if there can be no module elements."""
    if well_formed is None or not _PREFIX_DECLARATION.search(well_formed):
        return None, []
    try:
        root = ET.fromstring(well_formed)
    except (ET.ParseError, ValueError, LookupError):  # for example undeclared prefixes
        return None, []
    return root, [element for element in root.iter() if _local_name(element) in ("item", "entry")]


def _local_name(element: ET.Element) -> str | None:
    """Return the local name of an element of a feed format; None for an element of a module."""
    tag = element.tag
    if not isinstance(tag, str):
        return None
    if tag[0] != "{":
        return tag
    namespace, _, local = tag[1:].partition("}")
    in_format = namespace in (ATOM, ATOM_03) or not is_module_tag(tag)
    return local if in_format else None


def _modules_of_element(element: ET.Element, base: str | None, letter: str) -> ModuleLines:
    modules = [child for child in element if is_module_tag(child.tag)]
    return lambda subject: module_lines(modules, subject, element.get(f"{{{XML}}}base") or base, letter)


def _modules_of_entry(entry: Mapping[str, Any], namespaces: Mapping[str, str]) -> ModuleLines | None:
    """Return module elements as feedparser keeps them: `prefix_name` in lower case. For XML that is not well-formed."""
    if not namespaces:
        return None

    def lines(subject: bytes) -> Lines:
        made: Lines = []
        for key, value in entry.items():
            found = _MODULE_KEY.fullmatch(key)
            iri = absolute_iri(namespaces[found[1]] + found[2]) if found and found[1] in namespaces else None
            if iri and (written := _text(value)):
                made += (subject, f"<{iri}>\n".encode(), text_line(written))
        return made

    return lines
