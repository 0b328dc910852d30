"""RSS 0.9x, 2.0 and Atom, and whatever else feedparser makes sense of, as items and a channel.

feedparser is given a stream of bytes and nothing else: a text, or bytes that could be a path, it would open. Its
sanitiser and its rewriting of links inside HTML are off: what an item says is matched as it was written, and
whoever shows it must sanitise it. What it does not keep (elements of namespaces that it does not know, cases,
attributes) is read from the XML itself, where that is well-formed.
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
from gtopss.feeds.modules import ATOM, ATOM_03, is_module, module_triples
from gtopss.feeds.vocabulary import DC, RSS, Category, Channel, Item, Link, More, Person, text
from gtopss.model.terms import Term, Triple, literal

_MODULES = re.compile(rb"xmlns:[\w.-]+\s*=")
_KEY = re.compile(r"([a-z][a-z0-9.-]*)_([a-z][\w.-]*)")


@dataclass(frozen=True, slots=True)
class ReadSyndication:
    version: str  # feedparser's name; empty where it found no feed
    channel: Channel
    items: tuple[Item, ...]
    warnings: tuple[str, ...]


def read_syndication(loose: bytes, strict: bytes | None, *, source: str | None, base: str | None) -> ReadSyndication:
    """`loose` is what feedparser reads, `strict` well-formed and checked XML of the same feed, if there is any."""
    # With headers but no content type, it would take the bytes for ISO-8859-1.
    headers = {"content-type": "application/xml", "content-location": base or ""}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = feedparser.parse(
                io.BytesIO(loose), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
            )
    except Exception as error:  # it fails in many ways on what is no feed
        reason = f"this feed cannot be read: {type(error).__name__}: {error}"
        raise MalformedPublication(reason, publication_id=source) from None
    entries, feed = parsed.get("entries", []), parsed.get("feed", {})
    version = str(parsed.get("version") or "")
    problems: list[str] = []
    root, elements = _tree(strict)
    if root is None:
        if parsed.get("bozo") and strict is None:
            problems.append(f"not well-formed, read as far as it goes: {parsed.get('bozo_exception')}")
    elif len(elements) != len(entries):
        problems.append("its items could not be told apart in the XML: elements of modules are left out")
        elements = []
    spaces = {str(prefix): str(uri) for prefix, uri in parsed.get("namespaces", {}).items() if prefix}
    atom = version.startswith("atom")
    made = []
    for number, entry in enumerate(entries):
        more = _from_tree(elements[number], base, "m") if elements else _from_keys(entry, spaces, root is not None)
        made.append(_item(entry, atom, more))
    top = (
        next((e for e in root.iter() if _local(e) in ("channel", "feed", "Channel")), None)
        if root is not None
        else None
    )
    channel = _channel(feed, _from_tree(top, base, "n") if top is not None else None)
    return ReadSyndication(version, channel, tuple(made), tuple(problems))


# --- what feedparser found ---------------------------------------------------------------------------------
# `dict.get` throughout: its own `get` answers `updated` with `published`, and warns.


def _item(entry: Mapping[str, Any], atom: bool, more: More | None) -> Item:
    contents = tuple(dict.fromkeys(filter(None, (_text(_get(one, "value")) for one in _list(entry, "content")))))
    description, updated = _text(_get(entry, "summary")), _text(_get(entry, "updated"))
    detail = _get(entry, "title_detail")
    return Item(
        guid=_text(_get(entry, "id")),
        link=_text(_get(entry, "link")),
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
        more=more,
    )


def _channel(feed: Mapping[str, Any], more: More | None) -> Channel:
    image = _get(feed, "image")
    return Channel(
        id=_text(_get(feed, "id")),
        link=_text(_get(feed, "link")),
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
        more=more,
    )


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
    own = _text(_get(entry, "link"))
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
    return text(value) or None if isinstance(value, str) else None


# --- what it did not keep ----------------------------------------------------------------------------------


def _tree(strict: bytes | None) -> tuple[ET.Element | None, list[ET.Element]]:
    if strict is None or not _MODULES.search(strict):
        return None, []
    try:
        root = ET.fromstring(strict)
    except (ET.ParseError, ValueError, LookupError):  # prefixes that nothing declares
        return None, []
    return root, [element for element in root.iter() if _local(element) in ("item", "entry")]


def _local(element: ET.Element) -> str | None:
    """The name of an element that belongs to a feed format, without its namespace."""
    tag = element.tag
    if not isinstance(tag, str):
        return None
    if tag[0] != "{":
        return tag
    space, _, local = tag[1:].partition("}")
    feed = space in (ATOM, ATOM_03) or not is_module(element)
    return local if feed else None


def _from_tree(element: ET.Element, base: str | None, letter: str) -> More:
    return lambda subject: module_triples(element, subject, base, letter)


def _from_keys(entry: Mapping[str, Any], spaces: Mapping[str, str], well_formed: bool) -> More | None:
    """Module elements as feedparser keeps them, `prefix_name` in lower case: better than nothing."""
    if well_formed or not spaces:
        return None

    def more(subject: Term) -> Iterator[Triple]:
        for key, value in entry.items():
            found = _KEY.fullmatch(key)
            if found and found[1] in spaces and (written := _text(value)):
                iri = spaces[found[1]] + found[2]
                if re.fullmatch(r'[A-Za-z][\w+.-]*:[^\x00-\x20<>"{}|^`\\]+', iri):
                    yield (subject, Term(f"<{iri}>"), literal(written))

    return more
