"""Turn the triples of an RSS 1.0 document into items and a channel, in the feed vocabulary.

Parsers yield triples in document order, and each `<item>` begins with its type. Two items with the same `rdf:about`,
which are one resource in RDF, are therefore still separated: they become two publications.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gtopss.feeds import vocabulary
from gtopss.feeds.dates import date_line
from gtopss.feeds.identity import channel_node, item_id
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.items import Lines
from gtopss.feeds.namespaces import DCTERMS, RSS, RSS_090_NAMESPACES
from gtopss.feeds.text import iri_or_text_line, line_text, term_line, text_line, trim_literal, undo_double_encoding
from gtopss.feeds.triples import ItemLines, add_date, membership_lines
from gtopss.model.terms import RDF, RDF_TYPE, Term, Triple, literal_parts

_OLDER_NAMESPACES = (*RSS_090_NAMESPACES, "http://purl.org/rss/1.0#")
_MEMBER, _RSS_TERM = f"<{RDF}_".encode(), f"<{RSS}".encode()
TYPE, ITEM, CHANNEL, ITEMS, _PART_OF, _IDENTIFIER = map(
    term_line,
    (RDF_TYPE, vocabulary.ITEM, vocabulary.CHANNEL, vocabulary.ITEMS, vocabulary.PART_OF, vocabulary.IDENTIFIER),
)
_TITLE, _LINK, _DESCRIPTION, _ENCODED, _CREATOR, _SUBJECT, _LANGUAGE = map(
    term_line,
    (
        vocabulary.TITLE,
        vocabulary.LINK,
        vocabulary.DESCRIPTION,
        vocabulary.ENCODED,
        vocabulary.CREATOR,
        vocabulary.SUBJECT,
        vocabulary.LANGUAGE,
    ),
)
_ISSUED, _DATE, _MODIFIED = map(term_line, (vocabulary.ISSUED, vocabulary.DATE, vocabulary.MODIFIED))
_PUBLISHED, _CREATED = f"<{RSS}pubDate>\n".encode(), f"<{DCTERMS}created>\n".encode()
_DATE_PREFERENCE = (_ISSUED, _PUBLISHED, _DATE, _MODIFIED, _CREATED)  # the first one that is a date becomes dc:date
_NOT_TEXTS = frozenset({*_DATE_PREFERENCE, _LINK})  # their literals are converted
_PLAIN_TEXT_PROPERTIES = frozenset({_TITLE, _DESCRIPTION, _ENCODED, _CREATOR, _SUBJECT, _LANGUAGE})
_MARKUP_FREE_PROPERTIES = frozenset({_TITLE, _DESCRIPTION, _ENCODED})
_ITEM_PROPERTIES = frozenset({_TITLE, _LINK, _DESCRIPTION, _ENCODED})
_EMPTY = b'""\n'
_QUOTE, _BLANK = b'"_'

Statement = tuple[bytes, bytes]
"""A property and its object, as lines. A literal has no white space around it, unless it has a language or a type."""


class NotReadableAsRdf(Exception):
    """The document is not RDF, or means something else as RDF than as RSS. Read it as plain RSS instead."""


@dataclass(slots=True)
class Resource:
    """A node with its RSS type, if it has one, and what is said about it."""

    subject: bytes
    type: bytes | None
    statements: list[Statement]


class Resources:
    """The latest resource under each subject, and all resources with an RSS type in document order."""

    def __init__(self) -> None:
        self.by_subject: dict[bytes, Resource] = {}
        self.typed: list[Resource] = []
        self.identifiers: dict[bytes, str] = {}
        """Of blank nodes for references that are no IRIs, the text of the reference."""
        self._blank_nodes = 0

    def new_blank(self) -> bytes:
        """Return a new blank node."""
        self._blank_nodes += 1
        return b"_:b%d\n" % (self._blank_nodes - 1)

    def of(self, subject: bytes) -> Resource:
        """Return the latest resource under a subject."""
        resource = self.by_subject.get(subject)
        if resource is None:
            resource = self.by_subject[subject] = Resource(subject, None, [])
        return resource

    def add_typed(self, subject: bytes, type: bytes) -> Resource:
        """Return the resource that a type says something about. With a second RSS type a new resource begins."""
        resource = self.of(subject)
        if not type.startswith(_RSS_TERM):
            resource.statements.append((TYPE, type))
            return resource
        if resource.type is not None:
            resource = self.by_subject[subject] = Resource(subject, None, [])
        resource.type = type
        self.typed.append(resource)
        return resource


@dataclass(frozen=True, slots=True)
class Rss1Feed:
    """The line of the channel's node, the triples of the channel, and those of each item with its place in it."""

    channel: bytes
    channel_lines: Lines
    items: list[ItemLines]


def split_feed(
    triples: Iterable[Triple], source: str | None, base: str | None, identifiers: Mapping[Term, str] | None = None
) -> Rss1Feed:
    """Split the triples of a document into its items and its channel.

    `identifiers` are the texts of references that are no IRIs, by the IRIs that stand for them.
    """
    return split_resources(_collect_resources(triples, identifiers or {}), source, base)


def split_resources(collected: Resources, source: str | None, base: str | None) -> Rss1Feed:
    """Split the resources of a document into its items and its channel."""
    resources, typed = collected.by_subject, collected.typed
    channel = next((one for one in typed if one.type == CHANNEL), None)
    numbers = _sequence_numbers(channel, resources)
    items = [one for one in typed if one.type == ITEM]
    for member in numbers:  # a member that is described as items are, but has no type, is an item too
        listed = resources.get(member)
        if listed is not None and listed.type is None and any(p in _ITEM_PROPERTIES for p, _ in listed.statements):
            listed.type = ITEM
            items.append(listed)
    excluded = {one.subject for one in items}
    if channel is not None:
        excluded.add(channel.subject)
    others = _OtherResources(resources, excluded, collected.identifiers)
    return _describe_feed(channel, items, numbers, others, source, base)


def _collect_resources(triples: Iterable[Triple], identifiers: Mapping[Term, str]) -> Resources:
    """Collect what the triples of a document say about each resource."""
    resources = Resources()
    names: dict[Term, bytes] = {}

    def rename(part: Term) -> bytes:
        is_blank = part[0] == "_" or part in identifiers
        renamed = names[part] = resources.new_blank() if is_blank else term_line(_to_rss10(part))
        if part in identifiers:
            resources.identifiers[renamed] = identifiers[part]
        return renamed

    for subject, property, object_ in triples:
        about, stated = names.get(subject) or rename(subject), names.get(property) or rename(property)
        if object_[0] != '"':
            value = names.get(object_) or rename(object_)
        else:  # escapes and datatypes are ASCII and stay as they are
            value = term_line(trim_literal(object_ if object_.isascii() else Term(undo_double_encoding(object_))))
        if stated == TYPE and value[0] != _QUOTE:
            resources.add_typed(about, value)
        else:
            resources.of(about).statements.append((stated, value))
    return resources


def _to_rss10(part: Term) -> Term:
    for namespace in _OLDER_NAMESPACES:
        if part.startswith(namespace, 1):
            return Term(f"<{RSS}{part[1 + len(namespace) :]}")
    return part


def _sequence_numbers(channel: Resource | None, resources: dict[bytes, Resource]) -> dict[bytes, int]:
    """Return the number of each member in the channel's sequence."""
    numbers: dict[bytes, int] = {}
    for property, object_ in channel.statements if channel else ():
        if property == ITEMS and object_ in resources:
            for number, member in resources[object_].statements:
                if number.startswith(_MEMBER) and number[len(_MEMBER) : -2].isdigit() and member[0] != _QUOTE:
                    numbers.setdefault(member, int(number[len(_MEMBER) : -2][:9]))
    return numbers


@dataclass(frozen=True, slots=True)
class _OtherResources:
    """The resources that are neither items nor the channel: images, text inputs, people, bags of topics."""

    resources: dict[bytes, Resource]
    excluded: set[bytes]  # the items and the channel
    identifiers: Mapping[bytes, str]

    def reachable(self, statements: Iterable[Statement]) -> Lines:
        """Return the triples of all resources that the statements lead to."""
        found: Lines = []
        seen: set[bytes] = set()
        pending = [object_ for _, object_ in statements if object_[0] != _QUOTE]
        while pending:
            subject = pending.pop()
            resource = self.resources.get(subject)
            if resource is None or subject in seen or subject in self.excluded:
                continue
            seen.add(subject)
            if resource.type:
                found += (subject, TYPE, resource.type)
            for property, object_ in resource.statements:
                if object_[0] != _QUOTE:
                    pending.append(object_)
                elif object_ == _EMPTY:
                    continue
                found += (subject, property, object_)
        return found


def _describe_feed(
    channel: Resource | None,
    items: list[Resource],
    numbers: dict[bytes, int],
    others: _OtherResources,
    source: str | None,
    base: str | None,
) -> Rss1Feed:
    statements = [one for one in channel.statements if one[0] != ITEMS] if channel else []
    node = channel.subject if channel else None
    if node is None or node[0] == _BLANK:
        link = next((line_text(value) for property, value in statements if property == _LINK), None)
        title = next((line_text(value) for property, value in statements if property == _TITLE), None)
        node = term_line(channel_node(None, link, source, title, base))
    about: Lines = [node, TYPE, CHANNEL]
    _add_statements(about, node, statements, base)
    about += others.reachable(statements)
    described = []
    for number, item in enumerate(items, start=1):
        one = _describe_item(item, node, others, base)
        one.lines += membership_lines(node, one.subject, numbers.get(item.subject, number))
        described.append(one)
    return Rss1Feed(node, about, described)


def _describe_item(item: Resource, channel: bytes, others: _OtherResources, base: str | None) -> ItemLines:
    statements, subject = item.statements, item.subject
    leads_on = False  # to other resources
    for property, object_ in statements:
        if object_[0] != _QUOTE:
            leads_on = True
            if object_[0] == _BLANK and property in _MARKUP_FREE_PROPERTIES:
                raise NotReadableAsRdf("there is markup in a title")
    about = None
    if subject[0] == _BLANK:
        first: dict[bytes, str] = {}
        for property, object_ in statements:
            first.setdefault(property, line_text(object_))
        link = absolute_iri(first.get(_LINK, ""), base) or first.get(_LINK)
        about = others.identifiers.get(subject)
        id = item_id(about, link, channel, first.get(_TITLE), first.get(_DATE), first.get(_DESCRIPTION))
        subject = f"<{id}>\n".encode()
    else:
        id = about = subject[1:-2].decode()
    made: Lines = [subject, TYPE, ITEM]
    published_at = _add_statements(made, subject, statements, base)
    if about:
        made += (subject, _IDENTIFIER, text_line(about))
    if leads_on:
        made += others.reachable(statements)
    made += (subject, _PART_OF, channel)
    return ItemLines(id, subject, made, published_at)


def _add_statements(made: Lines, subject: bytes, statements: list[Statement], base: str | None) -> dt.datetime | None:
    """Add a resource's statements in the feed vocabulary: links become IRIs, dates typed, texts plain.

    Return the date of publication.
    """
    dates: dict[bytes, str] = {}
    language: str | None = None
    for property, object_ in statements:
        if object_[0] != _QUOTE:
            made += (subject, property, object_)
        elif property not in _NOT_TEXTS:
            if object_[-2] != _QUOTE and property in _PLAIN_TEXT_PROPERTIES:
                plain, _datatype, tag = literal_parts(Term(object_[:-1].decode()))
                language = language or tag
                object_ = text_line(plain.strip())
            if object_ != _EMPTY:
                made += (subject, property, object_)
        elif property == _LINK:
            if (link := iri_or_text_line(line_text(object_), base)) != _EMPTY:
                made += (subject, property, link)
        else:
            dates.setdefault(property, line_text(object_))
    if language and all(property != _LANGUAGE for property, _ in statements):
        made += (subject, _LANGUAGE, text_line(language))
    if not dates:
        return None
    published_at = add_date(made, subject, *(dates.get(property) for property in _DATE_PREFERENCE))
    for property in (_ISSUED, _MODIFIED, _CREATED):
        if (written := dates.get(property)) and (dated := date_line(written)):
            made += (subject, property, dated[1])
    return published_at
