"""Turn the triples of an RSS 1.0 document into items and a channel, in the feed vocabulary.

Parsers yield triples in document order, and each `<item>` begins with its type. Two items with the same `rdf:about`,
which are one resource in RDF, are therefore still separated: they become two publications.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from gtopss.feeds.dates import date_literal, parse_date
from gtopss.feeds.identity import channel_node, item_id
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.namespaces import DCTERMS, RSS, RSS_090_NAMESPACES
from gtopss.feeds.text import iri_or_literal, term_text, trim_literal, undo_double_encoding
from gtopss.feeds.triples import ItemTriples, date_triples, membership_triples
from gtopss.feeds.vocabulary import (
    CHANNEL,
    CREATOR,
    DATE,
    DESCRIPTION,
    ENCODED,
    IDENTIFIER,
    ISSUED,
    ITEM,
    ITEMS,
    LANGUAGE,
    LINK,
    MODIFIED,
    PART_OF,
    SUBJECT,
    TITLE,
)  # fmt: skip
from gtopss.model.terms import RDF, RDF_TYPE, Term, Triple, iri_text, literal, literal_parts

_OLDER_NAMESPACES = (*RSS_090_NAMESPACES, "http://purl.org/rss/1.0#")
_MEMBER, _RSS_TERM = f"<{RDF}_", f"<{RSS}"
_PUBLISHED = Term(f"<{RSS}pubDate>")
_CREATED = Term(f"<{DCTERMS}created>")
_DATE_PREFERENCE = (ISSUED, _PUBLISHED, DATE, MODIFIED, _CREATED)  # the first one that is a date becomes dc:date
_DATE_PROPERTIES = frozenset(_DATE_PREFERENCE)
_PLAIN_TEXT_PROPERTIES = frozenset({TITLE, DESCRIPTION, ENCODED, CREATOR, SUBJECT, LANGUAGE})
_MARKUP_FREE_PROPERTIES = (TITLE, DESCRIPTION, ENCODED)

Statement = tuple[Term, Term]
"""A property and its object."""


class NotReadableAsRdf(Exception):
    """The document is not RDF, or means something else as RDF than as RSS. Read it as plain RSS instead."""


@dataclass(slots=True)
class Resource:
    """A node with its RSS type, if it has one, and what is said about it."""

    subject: Term
    type: Term | None
    statements: list[Statement]


class Resources:
    """The latest resource under each subject, and all resources with an RSS type in document order."""

    def __init__(self) -> None:
        self.by_subject: dict[Term, Resource] = {}
        self.typed: list[Resource] = []
        self._blank_nodes = 0

    def new_blank(self) -> Term:
        """Return a new blank node."""
        self._blank_nodes += 1
        return Term(f"_:b{self._blank_nodes - 1}")

    def of(self, subject: Term) -> Resource:
        """Return the latest resource under a subject."""
        resource = self.by_subject.get(subject)
        if resource is None:
            resource = self.by_subject[subject] = Resource(subject, None, [])
        return resource

    def add_typed(self, subject: Term, type: Term) -> Resource:
        """Return the resource that a type says something about. With a second RSS type a new resource begins."""
        resource = self.of(subject)
        if not type.startswith(_RSS_TERM):
            resource.statements.append((RDF_TYPE, type))
            return resource
        if resource.type is not None:
            resource = self.by_subject[subject] = Resource(subject, None, [])
        resource.type = type
        self.typed.append(resource)
        return resource


@dataclass(frozen=True, slots=True)
class Rss1Feed:
    """The channel's node and triples, and each item with the triples of its place in the channel's sequence."""

    channel: Term
    channel_triples: tuple[Triple, ...]
    items: tuple[tuple[ItemTriples, tuple[Triple, ...]], ...]


def split_feed(triples: Iterable[Triple], source: str | None, base: str | None) -> Rss1Feed:
    """Split the triples of a document into its items and its channel."""
    return split_resources(_collect_resources(triples), source, base)


def split_resources(collected: Resources, source: str | None, base: str | None) -> Rss1Feed:
    """Split the resources of a document into its items and its channel."""
    resources, typed = collected.by_subject, collected.typed
    channel = next((one for one in typed if one.type == CHANNEL), None)
    numbers = _sequence_numbers(channel, resources)
    items = [one for one in typed if one.type == ITEM]
    for member in numbers:  # a member that is described but has no type is an item too
        if (listed := resources.get(member)) is not None and listed.type is None:
            listed.type = ITEM
            items.append(listed)
    excluded = {one.subject for one in items}
    if channel is not None:
        excluded.add(channel.subject)
    return _describe_feed(channel, items, numbers, _OtherResources(resources, excluded), source, base)


def _collect_resources(triples: Iterable[Triple]) -> Resources:
    """Collect what the triples of a document say about each resource."""
    resources = Resources()
    names: dict[Term, Term] = {}

    def rename(part: Term) -> Term:
        renamed = names[part] = resources.new_blank() if part[0] == "_" else _to_rss10(part)
        return renamed

    for subject, property, object_ in triples:
        subject, property = names.get(subject) or rename(subject), names.get(property) or rename(property)
        if object_[0] != '"':
            object_ = names.get(object_) or rename(object_)
        elif not object_.isascii():  # escapes and datatypes are ASCII and stay as they are
            object_ = Term(undo_double_encoding(object_))
        if property == RDF_TYPE and object_[0] != '"':
            resources.add_typed(subject, object_)
        else:
            resources.of(subject).statements.append((property, object_))
    return resources


def _to_rss10(part: Term) -> Term:
    for namespace in _OLDER_NAMESPACES:
        if part.startswith(namespace, 1):
            return Term(f"<{RSS}{part[1 + len(namespace) :]}")
    return part


def _sequence_numbers(channel: Resource | None, resources: dict[Term, Resource]) -> dict[Term, int]:
    """Return the number of each member in the channel's sequence."""
    numbers: dict[Term, int] = {}
    for property, object_ in channel.statements if channel else ():
        if property == ITEMS and object_ in resources:
            for number, member in resources[object_].statements:
                if number.startswith(_MEMBER) and number[len(_MEMBER) : -1].isdigit() and member[0] != '"':
                    numbers.setdefault(member, int(number[len(_MEMBER) : -1][:9]))
    return numbers


@dataclass(frozen=True, slots=True)
class _OtherResources:
    """The resources that are neither items nor the channel: images, text inputs, people, bags of topics."""

    resources: dict[Term, Resource]
    excluded: set[Term]  # the items and the channel

    def reachable(self, statements: Iterable[Statement]) -> list[Triple]:
        """Return the triples of all resources that the statements lead to."""
        found: list[Triple] = []
        seen: set[Term] = set()
        pending = [object_ for _, object_ in statements if object_[0] != '"']
        while pending:
            subject = pending.pop()
            resource = self.resources.get(subject)
            if resource is None or subject in seen or subject in self.excluded:
                continue
            seen.add(subject)
            if resource.type:
                found.append((subject, RDF_TYPE, resource.type))
            for property, object_ in resource.statements:
                if object_[0] != '"':
                    pending.append(object_)
                elif (object_ := trim_literal(object_)) == '""':
                    continue
                found.append((subject, property, object_))
        return found


def _describe_feed(
    channel: Resource | None,
    items: list[Resource],
    numbers: dict[Term, int],
    others: _OtherResources,
    source: str | None,
    base: str | None,
) -> Rss1Feed:
    statements = [one for one in channel.statements if one[0] != ITEMS] if channel else []
    node = channel.subject if channel else None
    if node is None or node[0] == "_":
        link = next((term_text(value) for property, value in statements if property == LINK), None)
        title = next((term_text(value) for property, value in statements if property == TITLE), None)
        node = channel_node(None, link, source, title, base)
    about: list[Triple] = [(node, RDF_TYPE, CHANNEL)]
    about += _converted(node, statements, base)[0]
    about += others.reachable(statements)
    described = []
    for number, item in enumerate(items, start=1):
        one = _describe_item(item, node, others, base)
        described.append((one, membership_triples(node, one.subject, numbers.get(item.subject, number))))
    return Rss1Feed(node, tuple(about), tuple(described))


def _describe_item(item: Resource, channel: Term, others: _OtherResources, base: str | None) -> ItemTriples:
    statements = item.statements
    if any(property in _MARKUP_FREE_PROPERTIES and object_[0] == "_" for property, object_ in statements):
        raise NotReadableAsRdf("there is markup in a title")
    subject = item.subject
    if subject[0] == "_":
        first: dict[Term, str] = {}
        for property, object_ in statements:
            first.setdefault(property, term_text(object_))
        link = absolute_iri(first.get(LINK, ""), base) or first.get(LINK)
        subject = Term(f"<{item_id(None, link, channel, first.get(TITLE), first.get(DATE), first.get(DESCRIPTION))}>")
        about = None
    else:
        about = iri_text(subject)
    stated, published_at = _converted(subject, statements, base)
    made: list[Triple] = [(subject, RDF_TYPE, ITEM), *stated]
    if about:
        made.append((subject, IDENTIFIER, literal(about)))
    made += others.reachable(statements)
    made.append((subject, PART_OF, channel))
    return ItemTriples(iri_text(subject), subject, tuple(made), published_at)


def _converted(subject: Term, statements: list[Statement], base: str | None) -> tuple[list[Triple], dt.datetime | None]:
    """Convert a resource's statements to the feed vocabulary: links become IRIs, dates typed, texts plain.

    Return the triples and the date of publication.
    """
    made: list[Triple] = []
    dates: dict[Term, str] = {}
    language: str | None = None
    for property, object_ in statements:
        if object_[0] != '"':
            made.append((subject, property, object_))
        elif property in _DATE_PROPERTIES:
            dates.setdefault(property, term_text(object_))
        elif property == LINK:
            if (link := iri_or_literal(term_text(object_), base)) != '""':
                made.append((subject, property, link))
        else:
            trimmed = trim_literal(object_)
            if property in _PLAIN_TEXT_PROPERTIES and trimmed[-1] != '"':
                plain, _datatype, tag = literal_parts(trimmed)
                language = language or tag
                trimmed = literal(plain.strip())
            if trimmed != '""':
                made.append((subject, property, trimmed))
    if language and all(property != LANGUAGE for property, _ in statements):
        made.append((subject, LANGUAGE, literal(language)))
    moments, published_at = date_triples(
        subject, *(dates.get(p) for p in (ISSUED, _PUBLISHED, DATE, MODIFIED, _CREATED))
    )
    for property in (ISSUED, MODIFIED, _CREATED):
        if moment := parse_date(dates.get(property, "")):
            moments.append((subject, property, date_literal(moment)))
    return made + moments, published_at
