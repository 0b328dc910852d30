"""Write publications as RSS 2.0, Atom 1.0 or N-Quads.

The feeds contain what every feed reader shows: title, link, text, author, date and categories. To add a format, write
a function from publications to bytes here and add it to `Output` in `gtopss.cli.filter`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.utils import format_datetime

from gtopss.feeds.dates import parse_date
from gtopss.feeds.namespaces import ATOM
from gtopss.feeds.vocabulary import (
    CHANNEL,
    CREATOR,
    DATE,
    DESCRIPTION,
    ENCODED,
    IDENTIFIER,
    ITEM,
    LINK,
    SUBJECT,
    TITLE,
)
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, Term, iri_text, is_blank, is_iri, is_literal, literal_parts


@dataclass(frozen=True, slots=True)
class Entry:
    """The parts of a publication that a feed reader shows."""

    id: str
    title: str
    link: str | None
    summary: str | None
    author: str | None
    categories: tuple[str, ...]
    published_at: dt.datetime | None
    source: str | None


def entry_of(publication: Publication) -> Entry:
    """Return the entry of a publication. The title of one that is no item of a feed is its id."""
    subject = next((s for s, p, o in publication.triples if p == RDF_TYPE and o == ITEM), None)

    def texts(property: Term, about: Term | None = subject) -> Iterator[str]:
        return (_text(o) for s, p, o in publication.triples if s == about and p == property and not is_blank(o))

    channel = next((s for s, p, o in publication.triples if p == RDF_TYPE and o == CHANNEL), None)
    link = next((each for each in texts(LINK) if each.startswith(("http://", "https://"))), None)
    return Entry(
        id=next(texts(IDENTIFIER), None) or link or publication.id,
        title=next(texts(TITLE), None) or publication.id,
        link=link,
        summary=next(texts(DESCRIPTION), None) or next(texts(ENCODED), None),
        author=next(texts(CREATOR), None),
        categories=tuple(dict.fromkeys(texts(SUBJECT))),
        published_at=publication.published_at or parse_date(next(texts(DATE), "")),
        source=next(texts(TITLE, channel), None) or publication.source,
    )


def _text(term: Term) -> str:
    return literal_parts(term)[0] if is_literal(term) else iri_text(term) if is_iri(term) else str(term)


def to_rss(publications: Iterable[Publication], *, title: str, now: dt.datetime) -> bytes:
    """Return an RSS 2.0 feed with one item per publication."""
    root = ET.Element("rss", version="2.0")
    channel = ET.SubElement(root, "channel")
    _add(channel, "title", title)
    _add(channel, "link", "urn:gtopss:filtered")
    _add(channel, "description", "Items that matched, by gtopss")
    _add(channel, "lastBuildDate", format_datetime(now))
    for entry in map(entry_of, publications):
        item = ET.SubElement(channel, "item")
        _add(item, "title", entry.title)
        _add(item, "link", entry.link)
        guid = _add(item, "guid", entry.id)
        if guid is not None:
            guid.set("isPermaLink", "true" if entry.id == entry.link else "false")
        _add(item, "description", entry.summary)
        for category in entry.categories:
            _add(item, "category", category)
        if entry.published_at is not None:
            _add(item, "pubDate", format_datetime(entry.published_at))
    return _bytes(root)


def to_atom(publications: Iterable[Publication], *, title: str, now: dt.datetime) -> bytes:
    """Return an Atom 1.0 feed with one entry per publication."""
    root = ET.Element("feed", xmlns=ATOM)
    _add(root, "title", title)
    _add(root, "id", "urn:gtopss:filtered")
    _add(root, "updated", now.isoformat())
    for entry in map(entry_of, publications):
        item = ET.SubElement(root, "entry")
        _add(item, "title", entry.title)
        _add(item, "id", entry.id if ":" in entry.id else f"urn:gtopss:{_digest(entry.id)}")
        _add(item, "updated", (entry.published_at or now).isoformat())
        if entry.link:
            ET.SubElement(item, "link", href=entry.link)
        author = ET.SubElement(item, "author")
        _add(author, "name", entry.author or entry.source or "unknown")
        for category in entry.categories:
            ET.SubElement(item, "category", term=_xml_text(category))
        if entry.summary:
            summary = _add(item, "summary", entry.summary)
            assert summary is not None
            summary.set("type", "html")
    return _bytes(root)


def to_nquads(publications: Sequence[Publication]) -> bytes:
    """Return N-Quads with one named graph per publication. Blank nodes are renamed so that they stay distinct."""
    lines = []
    for number, publication in enumerate(publications):
        graph = f"<urn:gtopss:publication:{_digest(publication.id)}>"
        for triple in publication.triples:
            parts = (f"_:p{number}x{part[2:]}" if is_blank(part) else part for part in triple)
            lines.append(f"{' '.join(parts)} {graph} .\n")
    return "".join(lines).encode()


def _add(parent: ET.Element, name: str, text: str | None) -> ET.Element | None:
    if text is None:
        return None
    made = ET.SubElement(parent, name)
    made.text = _xml_text(text)
    return made


def _xml_text(text: str) -> str:
    """Remove the characters that XML does not allow."""
    return "".join(each for each in text if each in "\t\n\r" or (each >= " " and each not in "\ufffe\uffff"))


def _bytes(root: ET.Element) -> bytes:
    ET.indent(root)
    made: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
