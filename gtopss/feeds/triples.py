"""Describe items and channels as triples, in one vocabulary for all feed formats.

RSS 1.0 that is valid RDF keeps its own triples; `gtopss.feeds.rss1` converts them to the same terms.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from gtopss.feeds.dates import date_literal, parse_date
from gtopss.feeds.identity import item_id
from gtopss.feeds.iris import absolute_iri, is_global_identifier
from gtopss.feeds.items import Category, Channel, Item, Link, Person
from gtopss.feeds.namespaces import RELATION
from gtopss.feeds.text import clean_literal, iri_or_literal
from gtopss.feeds.vocabulary import (
    CHANNEL,
    CREATOR,
    DATE,
    DATE_TEXT,
    DESCRIPTION,
    ENCLOSED,
    ENCLOSURE_LENGTH,
    ENCLOSURE_TYPE,
    ENCODED,
    GENERATOR,
    HOMEPAGE,
    IDENTIFIER,
    IMAGE,
    ISSUED,
    ITEM,
    ITEMS,
    LANGUAGE,
    LINK,
    MAILBOX,
    MAKER,
    MODIFIED,
    NAME,
    PART_OF,
    RIGHTS,
    SEQUENCE,
    SUBJECT,
    TITLE,
    TOPIC,
)  # fmt: skip
from gtopss.model.terms import RDF, RDF_TYPE, XSD, Term, Triple, literal


@dataclass(frozen=True, slots=True)
class ItemTriples:
    """The triples of one item, with its id, subject and date."""

    id: str
    subject: Term
    triples: tuple[Triple, ...]
    published_at: dt.datetime | None


def channel_triples(channel: Channel, subject: Term, base: str | None) -> tuple[Triple, ...]:
    """Return the triples that describe a channel, whose node is `subject`."""
    made: list[Triple] = [(subject, RDF_TYPE, CHANNEL)]
    _add_text(made, subject, TITLE, channel.title)
    _add_text(made, subject, DESCRIPTION, channel.description)
    _add_text(made, subject, LANGUAGE, channel.language)
    _add_text(made, subject, RIGHTS, channel.rights)
    _add_reference(made, subject, LINK, channel.link, base)
    _add_reference(made, subject, IMAGE, channel.image, base)
    _add_reference(made, subject, GENERATOR, channel.generator, None)
    made += date_triples(subject, channel.updated)[0]
    made += _people(subject, channel.people, base, "c")
    made += _categories(subject, channel.categories)
    made += _links(subject, channel.links, base)
    if channel.module_triples:
        made += channel.module_triples(subject)
    return tuple(made)


def item_triples(item: Item, channel: Term, base: str | None) -> ItemTriples:
    """Return the triples that describe one item, without those of its channel."""
    guid, link = item.guid, item.link
    resolved = absolute_iri(link, base) if link else None
    moment = item.published or item.updated
    id = item_id(guid, resolved or link, channel, item.title, moment, item.description or "".join(item.contents))
    subject = Term(f"<{id}>")
    made: list[Triple] = [(subject, RDF_TYPE, ITEM)]
    _add_text(made, subject, TITLE, item.title)
    if link:
        made.append((subject, LINK, Term(f"<{resolved}>") if resolved else clean_literal(link)))
    _add_text(made, subject, DESCRIPTION, item.description)
    for content in item.contents:
        _add_text(made, subject, ENCODED, content)
    _add_text(made, subject, IDENTIFIER, guid)
    _add_text(made, subject, LANGUAGE, item.language)
    _add_text(made, subject, RIGHTS, item.rights)
    stated, published_at = date_triples(subject, item.published, item.updated)
    made += stated
    _add_date(made, subject, ISSUED, item.published)
    _add_date(made, subject, MODIFIED, item.modified)
    if item.people:
        made += _people(subject, item.people, base, "p")
    if item.categories:
        made += _categories(subject, item.categories)
    if item.links:
        made += _links(subject, item.links, base)
    if item.module_triples:
        made += item.module_triples(subject)
    made.append((subject, PART_OF, channel))
    return ItemTriples(id, subject, tuple(made), published_at)


def membership_triples(channel: Term, subject: Term, number: int) -> tuple[Triple, ...]:
    """Return the channel's sequence of items (RSS 1.0) with this item only: `rdf:_3` is the third one."""
    sequence = Term("_:items")
    return (
        (channel, ITEMS, sequence),
        (sequence, RDF_TYPE, SEQUENCE),
        (sequence, Term(f"<{RDF}_{number}>"), subject),
    )


def date_triples(subject: Term, *written: str | None) -> tuple[list[Triple], dt.datetime | None]:
    """Return `dc:date` for the first text that is a date, typed and in UTC, with the text itself; and that date."""
    first: str | None = None
    for given in written:
        if given:
            first = first or given
            if moment := parse_date(given):
                return [(subject, DATE, date_literal(moment)), (subject, DATE_TEXT, clean_literal(given))], moment
    return ([(subject, DATE_TEXT, clean_literal(first))] if first else []), None


def _add_date(made: list[Triple], subject: Term, property: Term, written: str | None) -> None:
    if written and (moment := parse_date(written)):
        made.append((subject, property, date_literal(moment)))


def _add_text(made: list[Triple], subject: Term, property: Term, value: str | None) -> None:
    if value:
        made.append((subject, property, clean_literal(value)))


def _add_reference(made: list[Triple], subject: Term, property: Term, value: str | None, base: str | None) -> None:
    if value:
        made.append((subject, property, iri_or_literal(value, base)))


def _people(subject: Term, people: Iterable[Person], base: str | None, label: str) -> Iterator[Triple]:
    for number, person in enumerate(people):
        name, email = person.name, person.email
        uri = absolute_iri(person.uri, base) if person.uri else None
        mailbox = absolute_iri(f"mailto:{email.removeprefix('mailto:')}") if email and "@" in email else None
        if written := name or email:
            yield (subject, CREATOR, clean_literal(written))
        if uri or mailbox:
            node = Term(f"_:{label}{number}")
            yield (subject, MAKER, node)
            if name:
                yield (node, NAME, clean_literal(name))
            if uri:
                yield (node, HOMEPAGE, Term(f"<{uri}>"))
            if mailbox:
                yield (node, MAILBOX, Term(f"<{mailbox}>"))


def _categories(subject: Term, categories: Iterable[Category]) -> Iterator[Triple]:
    for category in categories:
        term, label = category.term, category.label
        if term:
            yield (subject, SUBJECT, clean_literal(term))
        if label and label != term:
            yield (subject, SUBJECT, clean_literal(label))
        scheme = absolute_iri(category.scheme) if category.scheme else None
        if term and is_global_identifier(term) and (concept := absolute_iri(term)):
            yield (subject, TOPIC, Term(f"<{concept}>"))
        elif term and scheme:
            # A scheme may have a fragment already, and an IRI has one only: the second `#` becomes `%23`.
            separator = "" if scheme.endswith(("#", "/", ":", "=")) else "#"
            if concept := absolute_iri(f"{scheme}{separator}{quote(term, safe='')}"):
                yield (subject, TOPIC, Term(f"<{concept}>"))


@lru_cache(maxsize=256)
def _relation(rel: str) -> Term:
    relation = absolute_iri(rel) if ":" in rel else None
    return Term(f"<{relation or RELATION + quote(rel, safe='')}>")


def _links(subject: Term, links: Iterable[Link], base: str | None) -> Iterator[Triple]:
    for link in links:
        target = iri_or_literal(link.href, base)
        if target == '""':
            continue
        property = ENCLOSED if link.rel == "enclosure" else _relation(link.rel)
        yield (subject, property, target)
        if target[0] == "<" and link.rel == "enclosure":
            if link.type:
                yield (target, ENCLOSURE_TYPE, clean_literal(link.type))
            length = link.length or ""
            if length.isascii() and length.isdigit() and len(length) < 20:
                yield (target, ENCLOSURE_LENGTH, literal(length, XSD + "integer"))
