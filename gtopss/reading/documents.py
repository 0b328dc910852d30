"""Any document that can be read, as publications: one for each item of a feed, each graph, each RDF document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import pyoxigraph as ox

from gtopss.errors import MalformedPublication
from gtopss.feeds.iris import base_of
from gtopss.feeds.json_feed import read_json_feed
from gtopss.feeds.repair import readable
from gtopss.feeds.rss1 import NotAsRDF, read_rss1
from gtopss.feeds.syndication import read_syndication
from gtopss.feeds.vocabulary import Channel, Described, Item, describe_channel, describe_item, membership
from gtopss.model import Publication
from gtopss.model.terms import Term, Triple
from gtopss.rdf.encodings import as_utf8, decode
from gtopss.rdf.jsonld_contexts import with_contexts
from gtopss.rdf.parse import FORMATS, parsed_term, parser_errors, read_triples
from gtopss.reading.detect import SYNDICATION, Kind, detect

_WIDER = {Kind.N_TRIPLES: (Kind.N_QUADS, Kind.TURTLE, Kind.TRIG), Kind.TURTLE: (Kind.TRIG,)}
_KINDS = frozenset(kind.value for kind in Kind)


@dataclass(frozen=True, slots=True)
class Feed:
    """A document that was read: what it was, what it holds, and what was passed over to get there."""

    kind: Kind
    publications: tuple[Publication, ...]
    warnings: tuple[str, ...] = ()


def publications(data: bytes, *, source: str | None = None, format: str | None = None) -> Iterator[Publication]:
    """One publication for each item, with the channel's triples; `read_feed` says also what was wrong.

    >>> feed = b"<rss version='2.0'><channel><item><title>AT&T</title><link>http://a.example/1</link></item></channel></rss>"
    >>> [(one.id, len(one.triples)) for one in publications(feed)]
    [('http://a.example/1', 8)]
    """
    return iter(read_feed(data, source=source, format=format).publications)


def read_feed(data: bytes, *, source: str | None = None, format: str | None = None) -> Feed:
    """Reads bytes of any known kind. `source` is where they came from: a URL, a path, or a name for messages.

    `format` is a kind's value, or one of `rdf.FORMATS`; without it the content decides. Raises
    `MalformedPublication` where there is nothing to be read, or where reading it would not be safe.
    """
    kind = detect(data, name=source) if format is None else _named(format, data, source)
    base = base_of(source)
    if kind is Kind.HTML:
        reason = 'this is an HTML page, not a feed: look in it for <link rel="alternate"> and read what that names'
        raise MalformedPublication(reason, publication_id=source)
    if kind is Kind.OPML:
        reason = "this is OPML, a list of feeds: read it with gtopss.feeds.opml, and then the feeds"
        raise MalformedPublication(reason, publication_id=source)
    if kind is Kind.JSON_FEED:
        channel, items = read_json_feed(data, source)
        return _fed(kind, channel, items, source, base, ())
    if kind in SYNDICATION:
        return _read_syndicated(data, kind, source, base)
    if kind is Kind.UNKNOWN:
        return _read_unknown(data, source, base)
    return _read_turtle_like(data, kind, source, base) if format is None else _read_rdf(data, kind, source, base)


def _named(format: str, data: bytes, source: str | None) -> Kind:
    name = format.lower()
    if name in _KINDS:
        return Kind(name)
    syntax = FORMATS.get(name) or ox.RdfFormat.from_media_type(format)
    for kind in (Kind.TURTLE, Kind.N_TRIPLES, Kind.N_QUADS, Kind.TRIG, Kind.RDF_XML, Kind.JSON_LD):
        if syntax is not None and syntax == FORMATS[kind]:
            found = detect(data, name=source) if kind is Kind.RDF_XML else kind
            return found if found in SYNDICATION else kind
    if syntax == ox.RdfFormat.N3:
        return Kind.TURTLE
    if name in ("rss", "atom", "feed", "application/rss+xml", "application/atom+xml", "text/xml", "application/xml"):
        return detect(data, name=source)
    if name in ("json", "application/feed+json"):
        return Kind.JSON_FEED
    known = ", ".join(kind for kind in Kind if kind not in (Kind.HTML, Kind.UNKNOWN, Kind.OPML))
    raise MalformedPublication(f"there is no format {format!r}: use one of {known}", publication_id=source)


# --- feeds -------------------------------------------------------------------------------------------------


def _read_syndicated(data: bytes, kind: Kind, source: str | None, base: str | None) -> Feed:
    xml = readable(data, source)
    problems: tuple[str, ...] = ("repaired before it could be read",) if xml.repaired and xml.strict is not None else ()
    if kind in (Kind.RSS_10, Kind.RSS_090) and xml.strict is not None:
        try:
            read = read_rss1(xml.strict, source, base, repaired_already=xml.repaired)
        except NotAsRDF:
            problems += ("not RDF as it stands: read as plain RSS",)
        else:
            if read.items or b"item" not in xml.strict:
                found = ((one, read.about_channel + place) for one, place in read.items)
                return Feed(kind, tuple(_published(found, source)), problems)
    syndicated = read_syndication(xml.loose, xml.strict, source=source, base=base)
    if not syndicated.items and (xml.strict is None or not syndicated.version):
        reason = "there is no item in it, and it is not well-formed" if xml.strict is None else "there is no feed in it"
        raise MalformedPublication(reason, publication_id=source)
    return _fed(kind, syndicated.channel, syndicated.items, source, base, problems + syndicated.warnings)


def _read_unknown(data: bytes, source: str | None, base: str | None) -> Feed:
    """feedparser knows feeds by less than we do; where it finds items, there are items."""
    if b"<" in data:
        xml = readable(data, source)
        syndicated = read_syndication(xml.loose, xml.strict, source=source, base=base)
        if syndicated.items:
            return _fed(Kind.UNKNOWN, syndicated.channel, syndicated.items, source, base, syndicated.warnings)
    start = decode(data[:200]).strip()[:40]
    what = f"it begins with {start!r}" if start else "there is nothing in it"
    raise MalformedPublication(f"this is neither a feed nor RDF of a known syntax: {what}", publication_id=source)


def _fed(
    kind: Kind, channel: Channel, items: Iterable[Item], source: str | None, base: str | None, problems: tuple[str, ...]
) -> Feed:
    node, about = describe_channel(channel, source, base)
    base = base or base_of(channel.link)

    def described() -> Iterator[tuple[Described, tuple[Triple, ...]]]:
        for number, item in enumerate(items, start=1):
            one = describe_item(item, node, base)
            yield one, about + membership(node, one.subject, number)

    return Feed(kind, tuple(_published(described(), source)), problems)


def _published(items: Iterable[tuple[Described, tuple[Triple, ...]]], source: str | None) -> Iterator[Publication]:
    """Ids are unique in a document: the second item under an id has ` 2` after it (no IRI has a space)."""
    used: dict[str, int] = {}
    for item, context in items:
        count = used[item.id] = used.get(item.id, 0) + 1
        id = item.id if count == 1 else f"{item.id} {count}"
        yield Publication.trusted(id, item.triples + context, source=source, published_at=item.published_at)


# --- RDF ---------------------------------------------------------------------------------------------------


def _read_turtle_like(data: bytes, kind: Kind, source: str | None, base: str | None) -> Feed:
    """`detect` looks at the first lines; what comes after them may need the larger syntax."""
    try:
        return _read_rdf(data, kind, source, base)
    except MalformedPublication:
        for wider in _WIDER.get(kind, ()):
            with suppress(MalformedPublication):
                return _read_rdf(data, wider, source, base)
        raise


def _read_rdf(data: bytes, kind: Kind, source: str | None, base: str | None) -> Feed:
    if kind in (Kind.N_QUADS, Kind.TRIG):
        return Feed(kind, tuple(_read_graphs(data, kind, source, base)))
    utf8 = as_utf8(data) if kind is Kind.RDF_XML else decode(data).encode("utf-8", "replace")
    if kind is Kind.JSON_LD:
        utf8 = with_contexts(utf8)
    triples = read_triples(utf8, kind, base=base, publication_id=source)
    return Feed(kind, (Publication.trusted(source or _content_id(utf8), triples, source=source),))


def _read_graphs(data: bytes, kind: Kind, source: str | None, base: str | None) -> Iterator[Publication]:
    """Each named graph under its name; the default graph, if there is anything in it, under the document's."""
    utf8 = decode(data).encode("utf-8", "replace")
    name = source or _content_id(utf8)
    graphs: dict[str, list[Triple]] = {}
    with parser_errors(FORMATS[kind], source):
        for quad in ox.parse(utf8, format=FORMATS[kind], base_iri=base):
            graph = quad.graph_name
            id = graph.value if isinstance(graph, ox.NamedNode) else name
            if isinstance(graph, ox.BlankNode):
                id = f"{name} {graph}"
            triple = (parsed_term(quad.subject), Term(str(quad.predicate)), parsed_term(quad.object))
            graphs.setdefault(id, []).append(triple)
    for id, triples in graphs.items():
        yield Publication.trusted(id, triples, source=source)


def _content_id(data: bytes) -> str:
    return f"urn:gtopss:document:{hashlib.sha256(data).hexdigest()[:32]}"
