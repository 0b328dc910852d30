"""The feeds that an HTML page names with `<link rel="alternate">`."""

from __future__ import annotations

import html
import re

from gtopss.net import InvalidURL, parse_url

MAX_PAGE_BYTES = 512 * 1024
"""Bytes of a page that are searched; the links stand in its head."""

_TAG = re.compile(r"<(link|base)\b([^<>]{0,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
)


def feed_links(page: bytes, url: str) -> list[str]:
    """Return the URLs of the feeds that a page names, in their order. `url` is the page's own.

    >>> feed_links(b'<link rel="alternate" type="application/rss+xml" href="/feed?a=1&amp;b=2">', "http://a.example/x")
    ['http://a.example/feed?a=1&b=2']
    """
    base = parse_url(url)
    found: dict[str, None] = {}
    for tag in _TAG.finditer(page[:MAX_PAGE_BYTES].decode("utf-8", "replace")):
        attributes = {
            name.lower(): html.unescape(double or single or bare).strip()
            for name, double, single, bare in _ATTRIBUTE.findall(tag[2])
        }
        href = attributes.get("href")
        if not href:
            continue
        try:
            target = parse_url(href, base=base)
        except InvalidURL:
            continue
        if tag[1].lower() == "base":
            base = target
        elif "alternate" in attributes.get("rel", "").lower().split():
            type = attributes.get("type", "").partition(";")[0].strip().lower()
            if type in _FEED_TYPES:
                found[str(target)] = None
    return list(found)
