"""Describe items and channels as triples, in one vocabulary for all feed formats.

The triples are made as lines, which is what a `TextPublication` holds: subject, property and object in turn. RSS 1.0
that is valid RDF keeps its own triples; `gtopss.feeds.rss1` converts them to the same terms.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from gtopss.feeds import vocabulary
from gtopss.feeds.dates import date_line
from gtopss.feeds.identity import item_id
from gtopss.feeds.iris import absolute_iri, is_global_identifier
from gtopss.feeds.items import Category, Channel, Item, Lines, Link, Person
from gtopss.feeds.namespaces import RELATION
from gtopss.feeds.text import iri_or_text_line, repeated_text_line, term_line, text_line
from gtopss.model.terms import RDF, RDF_TYPE, XSD, Term, literal

_TYPE, _CHANNEL, _ITEM = map(term_line, (RDF_TYPE, vocabulary.CHANNEL, vocabulary.ITEM))
_TITLE, _LINK, _DESCRIPTION, _ENCODED, _IMAGE, _GENERATOR = map(
    term_line,
    (
        vocabulary.TITLE,
        vocabulary.LINK,
        vocabulary.DESCRIPTION,
        vocabulary.ENCODED,
        vocabulary.IMAGE,
        vocabulary.GENERATOR,
    ),
)
_LANGUAGE, _RIGHTS, _IDENTIFIER = map(term_line, (vocabulary.LANGUAGE, vocabulary.RIGHTS, vocabulary.IDENTIFIER))
_DATE, _DATE_TEXT, _ISSUED, _MODIFIED = map(
    term_line, (vocabulary.DATE, vocabulary.DATE_TEXT, vocabulary.ISSUED, vocabulary.MODIFIED)
)
_CREATOR, _MAKER, _NAME, _HOMEPAGE, _MAILBOX = map(
    term_line, (vocabulary.CREATOR, vocabulary.MAKER, vocabulary.NAME, vocabulary.HOMEPAGE, vocabulary.MAILBOX)
)
_SUBJECT, _TOPIC = map(term_line, (vocabulary.SUBJECT, vocabulary.TOPIC))
_ENCLOSED, _ENCLOSURE_TYPE, _ENCLOSURE_LENGTH = map(
    term_line, (vocabulary.ENCLOSED, vocabulary.ENCLOSURE_TYPE, vocabulary.ENCLOSURE_LENGTH)
)
_PART_OF, _ITEMS, _SEQUENCE = map(term_line, (vocabulary.PART_OF, vocabulary.ITEMS, vocabulary.SEQUENCE))
_LIST = b"_:items\n"
_EMPTY = b'""\n'
_BRACKET = ord("<")


@dataclass(slots=True)
class ItemLines:
    """The triples of one item as lines, with its id, the line of its subject, and its date."""

    id: str
    subject: bytes
    lines: Lines
    published_at: dt.datetime | None


def channel_lines(channel: Channel, subject: bytes, base: str | None) -> Lines:
    """Return the triples that describe a channel, whose node is `subject`."""
    made: Lines = [subject, _TYPE, _CHANNEL]
    for property, text in (
        (_TITLE, channel.title),
        (_DESCRIPTION, channel.description),
        (_LANGUAGE, channel.language),
        (_RIGHTS, channel.rights),
    ):
        if text:
            made += (subject, property, text_line(text))
    for property, reference, against in (
        (_LINK, channel.link, base),
        (_IMAGE, channel.image, base),
        (_GENERATOR, channel.generator, None),
    ):
        if reference:
            made += (subject, property, iri_or_text_line(reference, against))
    add_date(made, subject, channel.updated)
    _add_people(made, subject, channel.people, base, "c")
    _add_categories(made, subject, channel.categories)
    _add_links(made, subject, channel.links, base)
    if channel.module_lines:
        made += channel.module_lines(subject)
    return made


def item_lines(item: Item, channel: bytes, base: str | None) -> ItemLines:
    """Return the triples that describe one item, without those of its channel."""
    guid, link, title, description = item.guid, item.link, item.title, item.description
    resolved = absolute_iri(link, base) if link else None
    if guid or resolved:
        id = item_id(guid, resolved, channel)
    else:
        moment = item.published or item.updated
        id = item_id(None, link, channel, title, moment, description or "".join(item.contents))
    subject = f"<{id}>\n".encode()
    made: Lines = [subject, _TYPE, _ITEM]
    if title:
        made += (subject, _TITLE, text_line(title))
    if link:
        made += (subject, _LINK, f"<{resolved}>\n".encode() if resolved else text_line(link))
    if description:
        made += (subject, _DESCRIPTION, text_line(description))
    for content in item.contents:
        made += (subject, _ENCODED, text_line(content))
    if guid:
        made += (subject, _IDENTIFIER, text_line(guid))
    if item.language:
        made += (subject, _LANGUAGE, repeated_text_line(item.language))
    if item.rights:
        made += (subject, _RIGHTS, text_line(item.rights))
    published_at = add_date(made, subject, item.published, item.updated)
    if item.published and (dated := date_line(item.published)):
        made += (subject, _ISSUED, dated[1])
    if item.modified and (dated := date_line(item.modified)):
        made += (subject, _MODIFIED, dated[1])
    if item.people:
        _add_people(made, subject, item.people, base, "p")
    if item.categories:
        _add_categories(made, subject, item.categories)
    if item.links:
        _add_links(made, subject, item.links, base)
    if item.module_lines:
        made += item.module_lines(subject)
    made += (subject, _PART_OF, channel)
    return ItemLines(id, subject, made, published_at)


def membership_lines(channel: bytes, subject: bytes, number: int) -> Lines:
    """Return the channel's sequence of items (RSS 1.0) with this item only: `rdf:_3` is the third one."""
    return [channel, _ITEMS, _LIST, _LIST, _TYPE, _SEQUENCE, _LIST, b"<%b_%d>\n" % (RDF.encode(), number), subject]


def add_date(made: Lines, subject: bytes, *written: str | None) -> dt.datetime | None:
    """Add `dc:date` for the first text that is a date, typed and in UTC, with the text itself. Return that date."""
    first: str | None = None
    for given in written:
        if given:
            first = first or given
            if dated := date_line(given):
                made += (subject, _DATE, dated[1], subject, _DATE_TEXT, text_line(given))
                return dated[0]
    if first:
        made += (subject, _DATE_TEXT, text_line(first))
    return None


def _add_people(made: Lines, subject: bytes, people: Iterable[Person], base: str | None, label: str) -> None:
    for number, person in enumerate(people):
        name, email = person.name, person.email
        uri = absolute_iri(person.uri, base) if person.uri else None
        mailbox = absolute_iri(f"mailto:{email.removeprefix('mailto:')}") if email and "@" in email else None
        if written := name or email:
            made += (subject, _CREATOR, repeated_text_line(written))
        if uri or mailbox:
            node = f"_:{label}{number}\n".encode()
            made += (subject, _MAKER, node)
            if name:
                made += (node, _NAME, text_line(name))
            if uri:
                made += (node, _HOMEPAGE, f"<{uri}>\n".encode())
            if mailbox:
                made += (node, _MAILBOX, f"<{mailbox}>\n".encode())


def _add_categories(made: Lines, subject: bytes, categories: Iterable[Category]) -> None:
    for category in categories:
        term, label, scheme = category.term, category.label, category.scheme
        if term:
            made += (subject, _SUBJECT, repeated_text_line(term))
        if label and label != term:
            made += (subject, _SUBJECT, repeated_text_line(label))
        if (scheme or ":" in term) and term and (concept := _concept(term, scheme)):
            made += (subject, _TOPIC, concept)


def _concept(term: str, scheme: str | None) -> bytes | None:
    """Return the line of the IRI that a category names; None if it names none."""
    if is_global_identifier(term) and (concept := absolute_iri(term)):
        return f"<{concept}>\n".encode()
    if scheme and (resolved := absolute_iri(scheme)):
        # A scheme may have a fragment already, and an IRI has one only: the second `#` becomes `%23`.
        separator = "" if resolved.endswith(("#", "/", ":", "=")) else "#"
        if concept := absolute_iri(f"{resolved}{separator}{quote(term, safe='')}"):
            return f"<{concept}>\n".encode()
    return None


@lru_cache(maxsize=256)
def _relation(rel: str) -> bytes:
    relation = absolute_iri(rel) if ":" in rel else None
    return term_line(Term(f"<{relation or RELATION + quote(rel, safe='')}>"))


def _add_links(made: Lines, subject: bytes, links: Iterable[Link], base: str | None) -> None:
    for link in links:
        target = iri_or_text_line(link.href, base)
        if target == _EMPTY:
            continue
        made += (subject, _ENCLOSED if link.rel == "enclosure" else _relation(link.rel), target)
        if target[0] == _BRACKET and link.rel == "enclosure":
            if link.type:
                made += (target, _ENCLOSURE_TYPE, repeated_text_line(link.type))
            length = link.length or ""
            if length.isascii() and length.isdigit() and len(length) < 20:
                made += (target, _ENCLOSURE_LENGTH, term_line(literal(length, XSD + "integer")))
