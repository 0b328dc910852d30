"""Read RSS 1.0 and 0.90 as the RDF that they are."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

import pyoxigraph as ox
import rdflib

from gtopss.errors import InvalidTerm, MalformedPublication
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.repair import repair
from gtopss.feeds.rss1_graph import NotReadableAsRdf, Rss1Feed, split_feed, split_resources
from gtopss.feeds.rss1_tree import read_rss1_tree
from gtopss.feeds.text import clean_text, repair_for
from gtopss.model.rdflib_literals import quiet_rdflib
from gtopss.model.terms import Term, Triple, from_rdflib, literal
from gtopss.rdf.ntriples import serialize_ntriples, split_ntriples
from gtopss.rdf.output import OutputBudget
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.xml_safety import MalformedXML, check_xml

__all__ = ["NotReadableAsRdf", "Rss1Feed", "read_rss1"]

_ITEM_TAG = re.compile(rb"<(?:[\w.-]+:)?item[\s>/]")
_LANGUAGE = re.compile("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_CHANNEL_LINK = re.compile(rb"<(?:[\w.-]+:)?link>\s*(https?://[^<\s]+?)\s*</")


def read_rss1(
    xml: bytes,
    source: str | None,
    base: str | None,
    file_base: str | None = None,
    *,
    root: Element | None = None,
    already_repaired: bool = False,
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> Rss1Feed:
    """Read the items and the channel of well-formed, checked XML in UTF-8.

    Relative IRIs refer to `base`, else to the first link, which is the channel's, else to `file_base`.
    The document is read from its root element, if that is given and suffices; else it is parsed with pyoxigraph, then
    with pyoxigraph after repairs, then with rdflib, which accepts more.
    Raise NotReadableAsRdf if it must be read as plain RSS, and MalformedPublication if a limit is reached.
    """
    if base is None and (found := _CHANNEL_LINK.search(xml)):
        base = absolute_iri(found[1].decode("utf-8", "replace"))
    base = base or file_base
    if root is not None and (resources := read_rss1_tree(root, repair_for(xml))) is not None:
        return split_resources(resources, source, base)

    def budget() -> OutputBudget:
        return OutputBudget(len(xml), limits=limits, publication_id=source)

    try:
        feed = split_feed(_parse_with_pyoxigraph(xml, base, budget()), source, base)
    except MalformedPublication:
        raise
    except (SyntaxError, ValueError, NotReadableAsRdf):
        repaired_xml = xml if already_repaired else repair(xml.decode("utf-8", "replace")).encode("utf-8", "replace")
        try:
            repaired = _parse_with_pyoxigraph(_checked(repaired_xml, limits), base, budget())
            feed = split_feed(repaired, source, base)
        except MalformedPublication:
            raise
        except (SyntaxError, ValueError, NotReadableAsRdf):
            feed = split_feed(_parse_with_rdflib(xml, base, budget()), source, base)
    # Markup in the wrong place turns items into properties, so that they are missing here.
    if len(feed.items) < len(_ITEM_TAG.findall(xml)):
        raise NotReadableAsRdf("some of its items are not resources")
    return feed


def _checked(xml: bytes, limits: DocumentLimits) -> bytes:
    try:
        check_xml(xml, limits=limits)
    except MalformedXML as error:
        raise NotReadableAsRdf(error.reason) from None
    return xml


def _parse_with_pyoxigraph(xml: bytes, base: str | None, budget: OutputBudget) -> Iterable[Triple]:
    lines = serialize_ntriples(ox.parse(xml, format=ox.RdfFormat.RDF_XML, base_iri=base), budget)
    if lines is None:
        raise NotReadableAsRdf("RDF 1.2's triple terms and directions cannot be published")
    return split_ntriples(lines)


class _RecordingGraph(rdflib.Graph):
    """A graph that records the added triples in order, with repetitions."""

    def __init__(self, budget: OutputBudget) -> None:
        super().__init__()
        self._budget = budget
        self.added: list[tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]] = []

    def add(self, triple: tuple[rdflib.term.Node, rdflib.term.Node, rdflib.term.Node]) -> _RecordingGraph:
        self._budget.charge(sum(len(str(node)) for node in triple))
        self.added.append(triple)
        return self


def _parse_with_rdflib(xml: bytes, base: str | None, budget: OutputBudget) -> Iterator[Triple]:
    graph = _RecordingGraph(budget)
    try:
        with quiet_rdflib():  # it logs every IRI and literal that it considers invalid
            # Pass a stream: rdflib may open anything else. Pass a base: the default would be the current directory.
            graph.parse(source=io.BytesIO(xml), format="xml", publicID=base or "urn:gtopss:base")
    except MalformedPublication:
        raise
    except Exception as error:  # SAX handlers raise errors of many types
        raise NotReadableAsRdf(str(error)) from None
    invalid_subjects: dict[str, Term] = {}
    for subject, property, object_ in graph.added:
        if not isinstance(property, rdflib.URIRef) or absolute_iri(str(property)) != str(property):
            continue
        try:
            yield (
                _lenient_term(subject, base, invalid_subjects),
                Term(f"<{property}>"),
                _lenient_term(object_, base, None),
            )
        except InvalidTerm:
            continue


def _lenient_term(node: rdflib.term.Node, base: str | None, invalid_subjects: dict[str, Term] | None) -> Term:
    if isinstance(node, rdflib.URIRef):
        if found := absolute_iri(str(node), base):
            return Term(f"<{found}>")
        if invalid_subjects is not None:  # a subject becomes a blank node; its link will identify it
            return invalid_subjects.setdefault(str(node), Term(f"_:odd{len(invalid_subjects)}"))
        return literal(clean_text(str(node)))
    if isinstance(node, rdflib.Literal):
        language = node.language if node.language and _LANGUAGE.fullmatch(node.language) else None
        return literal(clean_text(str(node)), absolute_iri(node.datatype) if node.datatype else None, language)
    return from_rdflib(node)  # type: ignore[arg-type]
