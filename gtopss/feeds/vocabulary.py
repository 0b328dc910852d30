"""One vocabulary for items and channels, whichever format they came in; docs/feeds.md has it as a table.

Every reader fills an `Item` and a `Channel`; here, and nowhere else, they become triples. (RSS 1.0 that is valid
RDF keeps its own triples and is brought to the same terms by `gtopss.feeds.rss1`.)
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from gtopss.feeds.dates import date_literal, parse_date
from gtopss.feeds.iris import absolute_iri, identifies
from gtopss.model.terms import RDF, RDF_TYPE, XSD, Term, Triple, literal

RSS = "http://purl.org/rss/1.0/"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
CONTENT = "http://purl.org/rss/1.0/modules/content/"
ENCLOSURE = "http://purl.oclc.org/net/rss_2.0/enc#"
FOAF = "http://xmlns.com/foaf/0.1/"
ADMIN = "http://webns.net/mvcb/"
RELATION = "http://www.iana.org/assignments/relation/"
GTOPSS = "urn:gtopss:"

ITEM, CHANNEL = Term(f"<{RSS}item>"), Term(f"<{RSS}channel>")
TITLE, LINK, DESCRIPTION = Term(f"<{RSS}title>"), Term(f"<{RSS}link>"), Term(f"<{RSS}description>")
ITEMS, IMAGE = Term(f"<{RSS}items>"), Term(f"<{RSS}image>")
SEQUENCE = Term(f"<{RDF}Seq>")
ENCODED = Term(f"<{CONTENT}encoded>")
CREATOR, DATE, SUBJECT = Term(f"<{DC}creator>"), Term(f"<{DC}date>"), Term(f"<{DC}subject>")
LANGUAGE, RIGHTS, SOURCE = Term(f"<{DC}language>"), Term(f"<{DC}rights>"), Term(f"<{DC}source>")
DATE_TEXT = Term(f"<{GTOPSS}dateText>")
ISSUED, MODIFIED = Term(f"<{DCTERMS}issued>"), Term(f"<{DCTERMS}modified>")
IDENTIFIER, PART_OF = Term(f"<{DCTERMS}identifier>"), Term(f"<{DCTERMS}isPartOf>")
TOPIC = Term(f"<{DCTERMS}subject>")
MAKER = Term(f"<{FOAF}maker>")

_TAB, _DELETE = "\\t", "\\u007F"
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

More = Callable[[Term], Iterable[Triple]]
"""What else is said about a subject: the module elements of its namespaces."""


@dataclass(frozen=True, slots=True)
class Person:
    name: str | None = None
    uri: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Category:
    term: str
    scheme: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link other than the item's own: an enclosure, or an Atom link with its `rel`."""

    href: str
    rel: str
    type: str | None = None
    length: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What all formats say about an item. Texts as they were written, dates too."""

    guid: str | None = None
    link: str | None = None
    title: str | None = None
    description: str | None = None
    contents: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    published: str | None = None
    updated: str | None = None
    modified: str | None = None  # `updated` again, where the format means by it a later change
    categories: tuple[Category, ...] = ()
    links: tuple[Link, ...] = ()
    language: str | None = None
    rights: str | None = None
    more: More | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """The feed itself."""

    id: str | None = None
    link: str | None = None
    title: str | None = None
    description: str | None = None
    people: tuple[Person, ...] = ()
    updated: str | None = None
    categories: tuple[Category, ...] = ()
    links: tuple[Link, ...] = ()
    language: str | None = None
    rights: str | None = None
    image: str | None = None
    generator: str | None = None
    more: More | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """An item in triples, with its subject and its time."""

    id: str
    subject: Term
    triples: tuple[Triple, ...]
    published_at: dt.datetime | None


# --- terms -------------------------------------------------------------------------------------------------


def text(value: object) -> str:
    """A text that every consumer can read: stripped, without what XML and UTF-8 do not allow."""
    written = value if isinstance(value, str) else "" if value is None else str(value)
    return (_ILLEGAL.sub("", written) if _ILLEGAL.search(written) else written).strip()


def plain(written: str) -> Term:
    """`literal` for what `text` returned: long descriptions are quoted several times as fast.

    >>> plain('a "b"') == literal('a "b"')
    True
    """
    quoted = written.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return Term(f'"{quoted.replace(chr(9), _TAB).replace(chr(0x7F), _DELETE)}"')


def iri_or_text(value: str, base: str | None) -> Term:
    """An IRI where the text is one or can be made one; otherwise the text, so that nothing is lost."""
    written = text(value)
    found = absolute_iri(written, base)
    return Term(f"<{found}>") if found else literal(written)


def item_id(guid: str | None, link: str | None, channel: str, *parts: str | None) -> str:
    """The same item has the same id at each fetch: its own identifier, its link, or a digest of what it says.

    An identifier that means something only inside its feed (`12345`) is digested with the channel.
    """
    if guid:
        found = absolute_iri(guid) if identifies(guid) else None
        return found or f"{GTOPSS}item:{_digest(channel, guid)}"
    found = absolute_iri(link) if link else None
    return found or f"{GTOPSS}item:{_digest(channel, *parts)}"


def _digest(*parts: str | None) -> str:
    joined = "\0".join(part or "" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:32]


# --- triples -----------------------------------------------------------------------------------------------


def describe_channel(channel: Channel, source: str | None, base: str | None) -> tuple[Term, tuple[Triple, ...]]:
    """The channel's node and all that is said of it."""
    subject = channel_node(channel.id, channel.link, source, channel.title, base)
    made: list[Triple] = [(subject, RDF_TYPE, CHANNEL)]
    _say(made, subject, TITLE, channel.title)
    _say(made, subject, DESCRIPTION, channel.description)
    _say(made, subject, LANGUAGE, channel.language)
    _say(made, subject, RIGHTS, channel.rights)
    _refer(made, subject, LINK, channel.link, base)
    _refer(made, subject, IMAGE, channel.image, base)
    _refer(made, subject, Term(f"<{ADMIN}generatorAgent>"), channel.generator, None)
    made += dated(subject, channel.updated)[0]
    made += _people(subject, channel.people, base, "c")
    made += _categories(subject, channel.categories)
    made += _links(subject, channel.links, base)
    if channel.more:
        made += channel.more(subject)
    return subject, tuple(made)


def channel_node(id: str | None, link: str | None, source: str | None, title: str | None, base: str | None) -> Term:
    for candidate in (id if id and identifies(id) else None, link, base, source):
        found = absolute_iri(candidate, base) if candidate else None
        if found:
            return Term(f"<{found}>")
    return Term(f"<{GTOPSS}channel:{_digest(id, link, source, title)}>")


def describe_item(item: Item, channel: Term, base: str | None) -> Described:
    """One item in triples; the channel's own come later."""
    guid, link = text(item.guid) or None, text(item.link) or None
    resolved = absolute_iri(link, base) if link else None
    moment = item.published or item.updated
    id = item_id(guid, resolved or link, channel, item.title, moment, item.description or "".join(item.contents))
    subject = Term(f"<{id}>")
    made: list[Triple] = [(subject, RDF_TYPE, ITEM)]
    _say(made, subject, TITLE, item.title)
    if link:
        made.append((subject, LINK, Term(f"<{resolved}>") if resolved else literal(link)))
    _say(made, subject, DESCRIPTION, item.description)
    for content in item.contents:
        _say(made, subject, ENCODED, content)
    _say(made, subject, IDENTIFIER, guid)
    _say(made, subject, LANGUAGE, item.language)
    _say(made, subject, RIGHTS, item.rights)
    stated, published_at = dated(subject, item.published, item.updated)
    made += stated
    made += _moment(subject, ISSUED, item.published)
    made += _moment(subject, MODIFIED, item.modified)
    made += _people(subject, item.people, base, "p")
    made += _categories(subject, item.categories)
    made += _links(subject, item.links, base)
    if item.more:
        made += item.more(subject)
    made.append((subject, PART_OF, channel))
    return Described(id, subject, tuple(made), published_at)


def membership(channel: Term, subject: Term, number: int) -> tuple[Triple, ...]:
    """RSS 1.0's sequence of items, with this item only: `rdf:_3` is the third."""
    sequence = Term("_:items")
    return (
        (channel, ITEMS, sequence),
        (sequence, RDF_TYPE, SEQUENCE),
        (sequence, Term(f"<{RDF}_{number}>"), subject),
    )


def dated(subject: Term, *written: str | None) -> tuple[list[Triple], dt.datetime | None]:
    """`dc:date` of the first text that is a date, typed and in UTC, and the text as it was written."""
    first: str | None = None
    for given in written:
        if stripped := text(given):
            first = first or stripped
            if moment := parse_date(stripped):
                return [(subject, DATE, date_literal(moment)), (subject, DATE_TEXT, literal(stripped))], moment
    return ([(subject, DATE_TEXT, literal(first))] if first else []), None


def _moment(subject: Term, property: Term, written: str | None) -> Iterator[Triple]:
    if written and (moment := parse_date(written)):
        yield (subject, property, date_literal(moment))


def _say(made: list[Triple], subject: Term, property: Term, value: str | None) -> None:
    if written := text(value):
        made.append((subject, property, plain(written)))


def _refer(made: list[Triple], subject: Term, property: Term, value: str | None, base: str | None) -> None:
    if value and text(value):
        made.append((subject, property, iri_or_text(value, base)))


def _people(subject: Term, people: Iterable[Person], base: str | None, label: str) -> Iterator[Triple]:
    for number, person in enumerate(people):
        name, email = text(person.name), text(person.email)
        uri = absolute_iri(text(person.uri), base) if person.uri else None
        mailbox = absolute_iri(f"mailto:{email.removeprefix('mailto:')}") if "@" in email else None
        if name or email:
            yield (subject, CREATOR, literal(name or email))
        if uri or mailbox:
            node = Term(f"_:{label}{number}")
            yield (subject, MAKER, node)
            if name:
                yield (node, Term(f"<{FOAF}name>"), literal(name))
            if uri:
                yield (node, Term(f"<{FOAF}homepage>"), Term(f"<{uri}>"))
            if mailbox:
                yield (node, Term(f"<{FOAF}mbox>"), Term(f"<{mailbox}>"))


def _categories(subject: Term, categories: Iterable[Category]) -> Iterator[Triple]:
    for category in categories:
        term, label = text(category.term), text(category.label)
        for written in dict.fromkeys((term, label)):
            if written:
                yield (subject, SUBJECT, literal(written))
        scheme = absolute_iri(text(category.scheme)) if category.scheme else None
        if term and identifies(term) and (concept := absolute_iri(term)):
            yield (subject, TOPIC, Term(f"<{concept}>"))
        elif term and scheme:
            joint = "" if scheme.endswith(("#", "/", ":", "=")) else "#"
            yield (subject, TOPIC, Term(f"<{scheme}{joint}{quote(term, safe='')}>"))


def _links(subject: Term, links: Iterable[Link], base: str | None) -> Iterator[Triple]:
    for link in links:
        target = iri_or_text(link.href, base)
        if target == '""':
            continue
        if link.rel == "enclosure":
            property = Term(f"<{ENCLOSURE}enclosure>")
        else:
            relation = absolute_iri(link.rel) if ":" in link.rel else None
            property = Term(f"<{relation or RELATION + quote(link.rel, safe='')}>")
        yield (subject, property, target)
        if target[0] == "<" and link.rel == "enclosure":
            if kind := text(link.type):
                yield (target, Term(f"<{ENCLOSURE}type>"), literal(kind))
            length = text(link.length)
            if length.isascii() and length.isdigit() and len(length) < 20:
                yield (target, Term(f"<{ENCLOSURE}length>"), literal(length, XSD + "integer"))
