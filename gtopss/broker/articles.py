"""Recognise the same article in several feeds: by its canonical link, then by its text.

Feeds that list the same article link it with other tracking parameters, schemes or fragments, or copy its text under
another link. Two publications are of the same article if their canonical links are equal or, failing that, their texts:
the words of title and description, without markup, case and punctuation.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from gtopss.feeds.entries import Entry, entry_of
from gtopss.model import Publication

MIN_ARTICLE_WORDS = 8
"""Words that a text must have to stand for an article. Shorter ones (`Corrections`) are titles of many articles."""
_TRACKING = re.compile(
    r"(utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|cmpid|ocid|at_\w+|ref_src)", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_WORD = re.compile(r"\w+")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class ArticleHashes(NamedTuple):
    """What identifies an article; None where it has no link, or too little text."""

    link: bytes | None
    text: bytes | None


def article_hashes(publication: Publication) -> ArticleHashes:
    """Return the hashes of an article's canonical link and of its text."""
    entry = entry_of(publication)
    link = canonical_link(entry.link) if entry.link else None
    words = _words(entry)
    text = " ".join(words) if len(words) >= MIN_ARTICLE_WORDS else None
    return ArticleHashes(None if link is None else _hash(link), None if text is None else _hash(text))


def canonical_link(link: str) -> str:
    """Return a link without what differs between feeds: scheme, `www.`, tracking parameters, fragment, last slash.

    >>> canonical_link("http://www.Example.org:80/a/?utm_source=rss&id=5#top")
    'example.org/a?id=5'
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        return link
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix(_DEFAULT_PORTS.get(parts.scheme.lower(), "\0")).removeprefix("www.")
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if not _is_tracking(name)]
    return urlunsplit(("", "", host + parts.path.rstrip("/"), urlencode(sorted(kept)), ""))


def _is_tracking(name: str) -> bool:
    return _TRACKING.fullmatch(name) is not None


def _words(entry: Entry) -> list[str]:
    text = _TAG.sub(" ", f"{entry.title} {entry.summary or ''}")
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16]
