"""The parts of a publication that feed readers, tables and pages show."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from gtopss.feeds.dates import parse_date
from gtopss.feeds.iris import web_address
from gtopss.feeds.vocabulary import (
    CHANNEL,
    CREATOR,
    DATE,
    DESCRIPTION,
    ENCODED,
    ITEM,
    LINK,
    MODIFIED,
    SUBJECT,
    TITLE,
)
from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, Term, iri_text, is_iri, is_literal, literal_parts
from gtopss.semantics.html_text import html_text

_MAX_BEGINNING_CHARACTERS = 80  # of a text that serves as a title
_MAX_READ_CHARACTERS = 10_000  # of a text, to find its beginning: markup may come first
_SHOWN = frozenset({TITLE, LINK, DESCRIPTION, ENCODED, CREATOR, SUBJECT, DATE, MODIFIED})


@dataclass(frozen=True, slots=True)
class Entry:
    """What a feed reader shows of an item. Only `id` and `title` are always known."""

    id: str
    """The id of the publication."""
    title: str
    """The title; of an item without one, the beginning of its text; of one without a text, its id."""
    link: str | None = None
    summary: str | None = None
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    published_at: dt.datetime | None = None
    updated_at: dt.datetime | None = None
    source: str | None = None
    """The title of the feed that the item is from; else where the document came from."""
    source_id: str | None = None
    """The IRI of that feed."""
    feed_url: str | None = None
    """The address that the feed was fetched from."""
    site_url: str | None = None
    """The address of the website that the feed belongs to."""


def entry_of(publication: Publication) -> Entry:
    """Return the entry of a publication."""
    triples = publication.triples
    subject = channel = None
    for node, property, value in triples:
        if property == RDF_TYPE:
            if value == ITEM and subject is None:
                subject = node
            elif value == CHANNEL and channel is None:
                channel = node
    said: dict[Term, list[Term]] = {}
    said_of_channel: dict[Term, list[Term]] = {}
    for node, property, value in triples:
        if property in _SHOWN and value[0] != "_":
            if node == subject:
                said.setdefault(property, []).append(value)
            if node == channel:
                said_of_channel.setdefault(property, []).append(value)

    def texts(property: Term, values: dict[Term, list[Term]] = said) -> Iterator[str]:
        return map(_text, values.get(property, ()))

    summary = next(texts(DESCRIPTION), None) or next(texts(ENCODED), None)
    return Entry(
        id=publication.id,
        title=next(texts(TITLE), None) or _beginning(summary or "") or publication.id,
        link=next(filter(None, map(web_address, texts(LINK))), None),
        summary=summary,
        authors=tuple(dict.fromkeys(texts(CREATOR))),
        categories=tuple(dict.fromkeys(texts(SUBJECT))),
        published_at=_with_zone(publication.published_at or parse_date(next(texts(DATE), ""))),
        updated_at=_with_zone(parse_date(next(texts(MODIFIED), ""))),
        source=next(texts(TITLE, said_of_channel), None) or publication.source,
        source_id=iri_text(channel) if channel is not None and is_iri(channel) else None,
        feed_url=web_address(publication.source or ""),
        site_url=next(filter(None, map(web_address, texts(LINK, said_of_channel))), None),
    )


def _beginning(text: str) -> str:
    r"""Return the first words of a text, without its markup.

    >>> _beginning("<p>Hello,\n<b>wor</b>ld</p>")
    'Hello, world'
    """
    plain = " ".join(html_text(text[:_MAX_READ_CHARACTERS]).split())
    if len(plain) <= _MAX_BEGINNING_CHARACTERS:
        return plain
    cut = plain[:_MAX_BEGINNING_CHARACTERS]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _text(term: Term) -> str:
    return literal_parts(term)[0] if is_literal(term) else iri_text(term) if is_iri(term) else str(term)


def _with_zone(moment: dt.datetime | None) -> dt.datetime | None:
    return moment.replace(tzinfo=dt.UTC) if moment is not None and moment.tzinfo is None else moment
