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

_SHOWN = frozenset({TITLE, LINK, DESCRIPTION, ENCODED, CREATOR, SUBJECT, DATE, MODIFIED})


@dataclass(frozen=True, slots=True)
class Entry:
    """What a feed reader shows of an item. Only `id` and `title` are always known."""

    id: str
    """The id of the publication."""
    title: str
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
    source_url: str | None = None
    """An address of that feed on the web."""


def entry_of(publication: Publication) -> Entry:
    """Return the entry of a publication. The title of one that is no item of a feed is its id."""
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

    addresses = (publication.source or "", *texts(LINK, said_of_channel))
    return Entry(
        id=publication.id,
        title=next(texts(TITLE), None) or publication.id,
        link=next(filter(None, map(web_address, texts(LINK))), None),
        summary=next(texts(DESCRIPTION), None) or next(texts(ENCODED), None),
        authors=tuple(dict.fromkeys(texts(CREATOR))),
        categories=tuple(dict.fromkeys(texts(SUBJECT))),
        published_at=_with_zone(publication.published_at or parse_date(next(texts(DATE), ""))),
        updated_at=_with_zone(parse_date(next(texts(MODIFIED), ""))),
        source=next(texts(TITLE, said_of_channel), None) or publication.source,
        source_id=iri_text(channel) if channel is not None and is_iri(channel) else None,
        source_url=next(filter(None, map(web_address, addresses)), None),
    )


def _text(term: Term) -> str:
    return literal_parts(term)[0] if is_literal(term) else iri_text(term) if is_iri(term) else str(term)


def _with_zone(moment: dt.datetime | None) -> dt.datetime | None:
    return moment.replace(tzinfo=dt.UTC) if moment is not None and moment.tzinfo is None else moment
