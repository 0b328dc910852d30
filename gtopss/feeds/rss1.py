"""RSS 1.0 and 0.90 read as the RDF that they are.

Parsers hand over triples in document order, each `<item>` beginning with its type. So two items with the same
`rdf:about`, which are one resource in RDF, are still told apart: a feed that says two things is two publications.
"""

from __future__ import annotations

import datetime as dt
import io
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyoxigraph as ox
import rdflib

from gtopss.errors import InvalidTerm
from gtopss.feeds.dates import date_literal, parse_date
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.repair import repaired
from gtopss.feeds.vocabulary import (
    CHANNEL,
    CREATOR,
    DATE,
    DCTERMS,
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
    RSS,
    SUBJECT,
    TITLE,
    Described,
    channel_node,
    dated,
    iri_or_text,
    item_id,
    membership,
    text,
)
from gtopss.model.terms import RDF, RDF_TYPE, Term, Triple, from_rdflib, iri_text, literal, literal_parts
from gtopss.rdf.parse import cut_triples
from ontology.xml_safety import MalformedXML, check_xml

_OLDER = (
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://channel.netscape.com/rdf/simple/0.9/",
    "http://purl.org/rss/1.0#",
)
_SPACES = frozenset({"\\n", "\\r", "\\t"})
_MEMBER, _RSS_TERM = f"<{RDF}_", f"<{RSS}"
_PUBLISHED = Term(f"<{RSS}pubDate>")
_CREATED = Term(f"<{DCTERMS}created>")
_DATES = frozenset({DATE, _PUBLISHED, ISSUED, MODIFIED, _CREATED})
_CORE = frozenset({TITLE, DESCRIPTION, ENCODED, CREATOR, SUBJECT, LANGUAGE})
_TEXTS = (TITLE, DESCRIPTION, ENCODED)
_ITEM_TAG = re.compile(rb"<(?:[\w.-]+:)?item[\s>/]")
_CHANNEL_LINK = re.compile(rb"<(?:[\w.-]+:)?link>\s*(https?://[^<\s]+?)\s*</")

Statement = tuple[Term, Term]  # property and object


class NotAsRDF(Exception):
    """The document is not RDF, or says as RDF something else than as RSS; the tolerant reader takes it."""


@dataclass(slots=True)
class _Resource:
    subject: Term
    type: Term | None
    statements: list[Statement]


@dataclass(frozen=True, slots=True)
class ReadRSS1:
    channel: Term
    about_channel: tuple[Triple, ...]
    items: tuple[tuple[Described, tuple[Triple, ...]], ...]  # each with its place in the sequence


def read_rss1(xml: bytes, source: str | None, base: str | None, *, repaired_already: bool = False) -> ReadRSS1:
    """Items and channel of well-formed, checked XML in UTF-8; `NotAsRDF` where RDF is not the way to read it."""
    if base is None and (found := _CHANNEL_LINK.search(xml)):
        base = absolute_iri(found[1].decode("utf-8", "replace"))
    try:
        read = _split(_by_pyoxigraph(xml, base), source, base)
    except (SyntaxError, ValueError, NotAsRDF):
        mended = xml if repaired_already else repaired(xml.decode("utf-8", "replace")).encode("utf-8", "replace")
        try:
            read = _split(_by_pyoxigraph(_checked(mended), base), source, base)
        except (SyntaxError, ValueError, NotAsRDF):
            read = _split(_by_rdflib(xml, base), source, base)
    # Markup in the wrong place makes items vanish into properties.
    if len(read.items) < len(_ITEM_TAG.findall(xml)):
        raise NotAsRDF("some of its items are not resources")
    return read


def _checked(xml: bytes) -> bytes:
    try:
        check_xml(xml)
    except MalformedXML as error:
        raise NotAsRDF(error.reason) from None
    return xml


# --- parsers -----------------------------------------------------------------------------------------------


def _by_pyoxigraph(xml: bytes, base: str | None) -> Iterable[Triple]:
    triples = cut_triples(ox.parse(xml, format=ox.RdfFormat.RDF_XML, base_iri=base))
    if triples is None:
        raise NotAsRDF("RDF 1.2's triple terms and directions cannot be published")
    return triples


class _Recorder(rdflib.Graph):
    """A graph that keeps what it is told, in order and repeated."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]] = []

    def add(self, triple: tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]) -> _Recorder:
        self.told.append(triple)
        return self


def _by_rdflib(xml: bytes, base: str | None) -> Iterator[Triple]:
    graph = _Recorder()
    logger = logging.getLogger("rdflib.term")
    before, logger.disabled = logger.disabled, True  # it logs each IRI that it finds odd
    try:
        # Bytes in a stream: anything else it may open. The base is never this process's directory.
        graph.parse(source=io.BytesIO(xml), format="xml", publicID=base or "urn:gtopss:base")
    except Exception as error:  # a SAX handler's own
        raise NotAsRDF(str(error)) from None
    finally:
        logger.disabled = before
    odd: dict[str, Term] = {}
    for subject, property, object_ in graph.told:
        if not isinstance(property, rdflib.URIRef) or absolute_iri(str(property)) != str(property):
            continue
        try:
            yield (_lenient(subject, base, odd), Term(f"<{property}>"), _lenient(object_, base, None))
        except InvalidTerm:
            continue


def _lenient(node: rdflib.term.Node, base: str | None, odd: dict[str, Term] | None) -> Term:
    if isinstance(node, rdflib.URIRef):
        if found := absolute_iri(str(node), base):
            return Term(f"<{found}>")
        if odd is not None:  # a subject; its link will name it
            return odd.setdefault(str(node), Term(f"_:odd{len(odd)}"))
        return literal(text(str(node)))
    if isinstance(node, rdflib.Literal):
        language = (
            node.language if node.language and re.fullmatch(r"[A-Za-z]+(-[A-Za-z0-9]+)*", node.language) else None
        )
        return literal(text(str(node)), str(node.datatype) if node.datatype else None, language)
    return from_rdflib(node)  # type: ignore[arg-type]


# --- from triples to items ---------------------------------------------------------------------------------


def _split(triples: Iterable[Triple], source: str | None, base: str | None) -> ReadRSS1:
    resources: dict[Term, _Resource] = {}  # the latest under each subject
    typed: list[_Resource] = []
    names: dict[Term, Term] = {}

    def renamed(part: Term) -> Term:
        known = names[part] = Term(f"_:b{len(names)}") if part[0] == "_" else _modern(part)
        return known

    for subject, property, object_ in triples:
        subject, property = names.get(subject) or renamed(subject), names.get(property) or renamed(property)
        if object_[0] != '"':
            object_ = names.get(object_) or renamed(object_)
        resource = resources.get(subject)
        is_type = property == RDF_TYPE and object_.startswith(_RSS_TERM)
        if resource is None or (is_type and resource.type is not None):
            resource = resources[subject] = _Resource(subject, None, [])
        if is_type:
            resource.type = object_
            typed.append(resource)
        else:
            resource.statements.append((property, object_))
    channel = next((one for one in typed if one.type == CHANNEL), None)
    places = _places(channel, resources)
    items = [one for one in typed if one.type == ITEM]
    for member in places:  # described, listed, and of no stated type
        if (listed := resources.get(member)) is not None and listed.type is None:
            listed.type = ITEM
            items.append(listed)
    apart = {one.subject for one in items}
    if channel is not None:
        apart.add(channel.subject)
    return _finished(channel, items, places, _Rest(resources, apart), source, base)


def _modern(part: Term) -> Term:
    for older in _OLDER:
        if part.startswith(older, 1):
            return Term(f"<{RSS}{part[1 + len(older) :]}")
    return part


def _places(channel: _Resource | None, resources: dict[Term, _Resource]) -> dict[Term, int]:
    """The number of each member in the channel's sequence."""
    places: dict[Term, int] = {}
    for property, object_ in channel.statements if channel else ():
        if property == ITEMS and object_ in resources:
            for number, member in resources[object_].statements:
                if number.startswith(_MEMBER) and number[len(_MEMBER) : -1].isdigit() and member[0] != '"':
                    places.setdefault(member, int(number[len(_MEMBER) : -1][:9]))
    return places


@dataclass(frozen=True, slots=True)
class _Rest:
    """What is neither item nor channel: images, text inputs, people, bags of topics."""

    resources: dict[Term, _Resource]
    apart: set[Term]

    def reachable(self, statements: Iterable[Statement]) -> list[Triple]:
        found: list[Triple] = []
        seen: set[Term] = set()
        waiting = [object_ for _, object_ in statements if object_[0] != '"']
        while waiting:
            subject = waiting.pop()
            resource = self.resources.get(subject)
            if resource is None or subject in seen or subject in self.apart:
                continue
            seen.add(subject)
            if resource.type:
                found.append((subject, RDF_TYPE, resource.type))
            for property, object_ in resource.statements:
                if object_[0] != '"':
                    waiting.append(object_)
                elif (object_ := _trimmed(object_)) == '""':
                    continue
                found.append((subject, property, object_))
        return found


def _finished(
    channel: _Resource | None,
    items: list[_Resource],
    places: dict[Term, int],
    rest: _Rest,
    source: str | None,
    base: str | None,
) -> ReadRSS1:
    own = [one for one in channel.statements if one[0] != ITEMS] if channel else []
    node = channel.subject if channel else None
    if node is None or node[0] == "_":
        link = next((_lexical(value) for property, value in own if property == LINK), None)
        title = next((_lexical(value) for property, value in own if property == TITLE), None)
        node = channel_node(None, link, source, title, base)
    about: list[Triple] = [(node, RDF_TYPE, CHANNEL)]
    about += _stated(node, own, base)[0]
    about += rest.reachable(own)
    described = []
    for number, item in enumerate(items, start=1):
        one = _item(item, node, rest, base)
        described.append((one, membership(node, one.subject, places.get(item.subject, number))))
    return ReadRSS1(node, tuple(about), tuple(described))


def _item(item: _Resource, channel: Term, rest: _Rest, base: str | None) -> Described:
    statements = item.statements
    if any(property in _TEXTS and object_[0] == "_" for property, object_ in statements):
        raise NotAsRDF("there is markup in a title")
    subject = item.subject
    if subject[0] == "_":
        first: dict[Term, str] = {}
        for property, object_ in statements:
            first.setdefault(property, _lexical(object_))
        link = absolute_iri(first.get(LINK, ""), base) or first.get(LINK)
        subject = Term(f"<{item_id(None, link, channel, first.get(TITLE), first.get(DATE), first.get(DESCRIPTION))}>")
        about = None
    else:
        about = iri_text(subject)
    stated, published_at = _stated(subject, statements, base)
    made: list[Triple] = [(subject, RDF_TYPE, ITEM), *stated]
    if about:
        made.append((subject, IDENTIFIER, literal(about)))
    made += rest.reachable(statements)
    made.append((subject, PART_OF, channel))
    return Described(iri_text(subject), subject, tuple(made), published_at)


def _stated(subject: Term, statements: list[Statement], base: str | None) -> tuple[list[Triple], dt.datetime | None]:
    """The resource's own statements in the vocabulary's form: links are IRIs, dates typed, texts plain."""
    made: list[Triple] = []
    dates: dict[Term, str] = {}
    language: str | None = None
    for property, object_ in statements:
        if object_[0] != '"':
            made.append((subject, property, object_))
        elif property in _DATES:
            dates.setdefault(property, _lexical(object_))
        elif property == LINK:
            if (link := iri_or_text(_lexical(object_), base)) != '""':
                made.append((subject, property, link))
        else:
            trimmed = _trimmed(object_)
            if property in _CORE and trimmed[-1] != '"':
                plain, _datatype, tag = literal_parts(trimmed)
                language = language or tag
                trimmed = literal(plain.strip())
            if trimmed != '""':
                made.append((subject, property, trimmed))
    if language and all(property != LANGUAGE for property, _ in statements):
        made.append((subject, LANGUAGE, literal(language)))
    moments, published_at = dated(subject, *(dates.get(p) for p in (ISSUED, _PUBLISHED, DATE, MODIFIED, _CREATED)))
    for property in (ISSUED, MODIFIED, _CREATED):
        if moment := parse_date(dates.get(property, "")):
            moments.append((subject, property, date_literal(moment)))
    return made + moments, published_at


def _trimmed(term: Term) -> Term:
    r"""A literal without white space around it; one with a language or datatype as it is.

    Done on the escaped text: descriptions are long, and unescaping them only to look at their ends costs most.

    >>> _trimmed(Term(r'"\n  a\n b \t"')), _trimmed(Term(r'"C:\\n"'))
    ('"a\\n b"', '"C:\\\\n"')
    """
    if term[-1] != '"':
        return term
    start, end = 1, len(term) - 1
    while start < end:
        if term[start].isspace():
            start += 1
        elif term[start : start + 2] in _SPACES:
            start += 2
        else:
            break
    while start < end:
        if term[end - 1].isspace():
            end -= 1
        elif term[end - 2 : end] in _SPACES and _escapes(term, end - 2):
            end -= 2
        else:
            break
    return term if end - start == len(term) - 2 else Term(f'"{term[start:end]}"')


def _escapes(term: Term, position: int) -> bool:
    """Whether the backslash there begins an escape, rather than ending one."""
    before = position
    while term[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 0


def _lexical(term: Term) -> str:
    if term[0] == '"':
        return text(literal_parts(term)[0])
    return iri_text(term) if term[0] == "<" else ""
