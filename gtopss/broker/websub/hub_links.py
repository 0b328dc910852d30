"""Find the hub and the topic of a document: in Link headers, in its `<link>` elements, or in a JSON Feed.

Link headers come first, as WebSub says; a document that names no topic (`rel="self"`) there or in its text has its own
URL as topic.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gtopss.net import InvalidURL, parse_url

MAX_SEARCHED_BYTES = 128 * 1024
"""Bytes of a document that are searched: links stand before its items."""
MAX_JSON_BYTES = 1024 * 1024
"""Bytes of a JSON Feed that is read for its hubs; a larger one is only polled."""
MAX_LINKS = 50
"""Links of a header or a document that are looked at."""
MAX_LINK_CHARACTERS = 1_500
"""Characters of the address of a hub or a topic."""

_LINK_HEADER = re.compile(r"<([^<>]{1,2000})>((?:\s*;\s*[\w*-]{1,30}\s*=\s*(?:\"[^\"]{0,500}\"|[^\s\",;]{1,500}))*)")
_PARAMETER = re.compile(r";\s*([\w*-]{1,30})\s*=\s*(?:\"([^\"]*)\"|([^\s\",;]+))")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)", re.DOTALL)
_END_OF_HEAD = re.compile(r"<(?:(?:[\w.-]{1,30}:)?(?:item|entry)[\s>/]|body[\s>])", re.IGNORECASE)
_ELEMENT = re.compile(r"<(?:[\w.-]{1,30}:)?link\b([^<>]{0,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)

_Link = tuple[str, str]  # relation, address


@dataclass(frozen=True, slots=True)
class HubLinks:
    """The hub that sends a document's changes, and the document's name there."""

    hub: str
    topic: str


def find_hub(headers: Iterable[tuple[str, str]], body: bytes, url: str) -> HubLinks | None:
    """Return the hub and the topic of a document that was fetched from `url`; None if it names no hub.

    >>> find_hub([("link", '<https://hub.example/>; rel="hub"')], b"", "https://site.example/feed")
    HubLinks(hub='https://hub.example/', topic='https://site.example/feed')
    """
    found: dict[str, str] = {}
    for relations, address in (*header_links(headers), *_document_links(body)):
        for relation in relations.lower().split():
            if relation in ("hub", "self") and relation not in found and (link := _absolute(address, url)):
                found[relation] = link
    return HubLinks(found["hub"], found.get("self", url)) if "hub" in found else None


def link_header(hub: str, topic: str) -> str:
    """Return the value of the Link header that names a hub and a topic."""
    return f'<{hub}>; rel="hub", <{topic}>; rel="self"'


def header_links(headers: Iterable[tuple[str, str]]) -> list[_Link]:
    """Return the relations and addresses of Link headers, whose names are in lower case.

    >>> header_links([("link", '<a>; rel=self, <b>; title="x, y"; rel="hub next"')])
    [('self', 'a'), ('hub next', 'b')]
    """
    links: list[_Link] = []
    for name, value in headers:
        for target in _LINK_HEADER.finditer(value[:20_000]) if name == "link" else ():
            parameters = {key.lower(): quoted or bare for key, quoted, bare in _PARAMETER.findall(target[2])}
            links.append((parameters.get("rel", ""), target[1].strip()))
            if len(links) >= MAX_LINKS:
                return links
    return links


def _document_links(body: bytes) -> Iterator[_Link]:
    if body.lstrip()[:1] == b"{":
        yield from _json_links(body)
        return
    text = _COMMENT.sub("", body[:MAX_SEARCHED_BYTES].decode("utf-8", "replace"))
    end = _END_OF_HEAD.search(text)
    for number, element in enumerate(_ELEMENT.finditer(text, 0, end.start() if end else len(text))):
        if number >= MAX_LINKS:
            return
        attributes = {
            name.lower(): html.unescape(double or single or bare).strip()
            for name, double, single, bare in _ATTRIBUTE.findall(element[1])
        }
        yield attributes.get("rel", ""), attributes.get("href", "")


def _json_links(body: bytes) -> Iterator[_Link]:
    """Yield the links of a JSON Feed: its `hubs` of the type WebSub, and `feed_url`."""
    try:
        feed = json.loads(body) if len(body) <= MAX_JSON_BYTES else {}
    except (ValueError, RecursionError):
        return
    hubs = feed.get("hubs")
    for hub in hubs[:MAX_LINKS] if isinstance(hubs, list) else ():
        if isinstance(hub, dict) and str(hub.get("type")).lower() == "websub" and isinstance(hub.get("url"), str):
            yield "hub", hub["url"]
    if isinstance(feed.get("feed_url"), str):
        yield "self", feed["feed_url"]


def _absolute(address: str, url: str) -> str | None:
    try:
        found = str(parse_url(address, base=parse_url(url))) if address else ""
    except InvalidURL:
        return None
    return found if 0 < len(found) <= MAX_LINK_CHARACTERS else None
