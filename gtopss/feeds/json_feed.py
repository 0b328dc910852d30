"""Read JSON Feed 1.0 and 1.1."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gtopss.errors import MalformedPublication
from gtopss.feeds.items import Category, Channel, Item, Link, Person
from gtopss.feeds.text import clean_text
from gtopss.rdf.encodings import decode
from gtopss.rdf.safety import check_items, check_json
from ontology.limits import DEFAULT_LIMITS, DocumentLimits


def read_json_feed(
    data: bytes, source: str | None, *, limits: DocumentLimits = DEFAULT_LIMITS
) -> tuple[Channel, tuple[Item, ...]]:
    """Return the channel and the items. A member of the wrong type is ignored."""
    text = decode(data)
    check_json(text.encode("utf-8", "replace"), limits=limits, publication_id=source)
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
        reason = f"this is not JSON: {getattr(error, 'msg', None) or error}"
        raise MalformedPublication(reason, publication_id=source, line=line, column=column) from None
    if not isinstance(feed, dict):
        raise MalformedPublication("a JSON Feed must be an object with items", publication_id=source)
    found = _objects(feed, "items")
    check_items(len(found), limits, source)
    items = tuple(map(_item, found))
    channel = Channel(
        id=_text(feed, "feed_url"),
        link=_text(feed, "home_page_url"),
        title=_text(feed, "title"),
        description=_text(feed, "description"),
        people=tuple(_people(feed)),
        language=_text(feed, "language"),
        image=_text(feed, "icon") or _text(feed, "favicon"),
        links=tuple(Link(hub, "hub") for one in _objects(feed, "hubs") if (hub := _text(one, "url"))),
    )
    return channel, items


def _item(item: dict[str, Any]) -> Item:
    contents = tuple(filter(None, (_text(item, "content_html"),)))
    plain, summary = _text(item, "content_text"), _text(item, "summary")
    tags = item.get("tags")
    return Item(
        guid=_text(item, "id"),
        link=_text(item, "url") or _text(item, "external_url"),
        title=_text(item, "title"),
        description=summary or plain,
        contents=contents or ((plain,) if plain and summary else ()),
        people=tuple(_people(item)),
        published=_text(item, "date_published"),
        updated=_text(item, "date_modified"),
        modified=_text(item, "date_modified"),
        categories=tuple(_categories(tags)) if isinstance(tags, list) else (),
        links=tuple(_links(item)),
        language=_text(item, "language"),
    )


def _categories(tags: list[Any]) -> Iterator[Category]:
    for tag in tags:
        if isinstance(tag, str) and (term := clean_text(tag)):
            yield Category(term)


def _people(holder: dict[str, Any]) -> Iterator[Person]:
    single = holder.get("author")
    for one in [*_objects(holder, "authors"), *([single] if isinstance(single, dict) else [])]:
        person = Person(_text(one, "name"), _text(one, "url"))
        if person.name or person.uri:
            yield person


def _links(item: dict[str, Any]) -> Iterator[Link]:
    for one in _objects(item, "attachments"):
        if url := _text(one, "url"):
            yield Link(url, "enclosure", _text(one, "mime_type"), _text(one, "size_in_bytes"))
    if (external := _text(item, "external_url")) and external != _text(item, "url") and _text(item, "url"):
        yield Link(external, "related")
    for key in ("image", "banner_image"):
        if url := _text(item, key):
            yield Link(url, "http://purl.org/rss/1.0/image")


def _objects(holder: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = holder.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _text(holder: dict[str, Any], key: str) -> str | None:
    value = holder.get(key)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return clean_text(value if isinstance(value, str) else repr(value)) or None
