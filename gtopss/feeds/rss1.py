"""Read RSS 1.0 and 0.90 as the RDF that they are."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pyoxigraph as ox
import rdflib

from gtopss.errors import InvalidTerm, MalformedPublication
from gtopss.feeds.iris import absolute_iri, is_invalid_reference
from gtopss.feeds.namespaces import GTOPSS
from gtopss.feeds.repair import repair
from gtopss.feeds.rss1_graph import NotReadableAsRdf, Rss1Feed, split_feed, split_resources
from gtopss.feeds.rss1_tree import read_rss1_tree
from gtopss.feeds.text import clean_text, repair_for
from gtopss.model.rdflib_literals import quiet_rdflib
from gtopss.model.terms import RDF, Term, Triple, from_rdflib, literal
from gtopss.rdf.ntriples import serialize_ntriples, split_ntriples
from gtopss.rdf.output import OutputBudget
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.xml_safety import MalformedXML, check_xml

__all__ = ["NotReadableAsRdf", "Rss1Feed", "read_rss1"]

_ITEM_TAG = re.compile(rb"<(?:[\w.-]+:)?item[\s>/]")
_INVALID_REFERENCE = re.compile(rb"(?:about|resource)\s*=\s*[\"'](?![A-Za-z][A-Za-z0-9+.-]*:)[^\"'/?#<>]*:")
_REFERENCES = (f"{{{RDF}}}about", f"{{{RDF}}}resource", "about", "resource")
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

    def read_by(parse: Callable[[bytes, str | None, OutputBudget], Iterable[Triple]], data: bytes) -> Rss1Feed:
        named, identifiers = _name_invalid_references(data)
        budget = OutputBudget(len(xml), limits=limits, publication_id=source)
        return split_feed(parse(named, base, budget), source, base, identifiers)

    try:
        feed = read_by(_parse_with_pyoxigraph, xml)
    except MalformedPublication:
        raise
    except (SyntaxError, ValueError, NotReadableAsRdf):
        repaired_xml = xml if already_repaired else repair(xml.decode("utf-8", "replace")).encode("utf-8", "replace")
        try:
            feed = read_by(_parse_with_pyoxigraph, _checked(repaired_xml, limits))
        except MalformedPublication:
            raise
        except (SyntaxError, ValueError, NotReadableAsRdf):
            feed = read_by(_parse_with_rdflib, xml)
    # Markup in the wrong place turns items into properties, so that they are missing here.
    if len(feed.items) < len(_ITEM_TAG.findall(xml)):
        raise NotReadableAsRdf("some of its items are not resources")
    return feed


def _name_invalid_references(xml: bytes) -> tuple[bytes, dict[Term, str]]:
    """Replace references that are no IRIs, such as `902@http://a.example/`, by IRIs; return the texts of these too.

    A parser would resolve them against the base, and so make an IRI of the file's place on this machine.
    """
    if not _INVALID_REFERENCE.search(xml):
        return xml, {}
    try:
        root = ET.fromstring(xml)
    except ET.ParseError:
        return xml, {}
    names: dict[str, str] = {}
    for element in root.iter():
        for attribute in _REFERENCES:
            text = element.get(attribute)
            if text is not None and is_invalid_reference(text):
                element.set(attribute, names.setdefault(text, f"{GTOPSS}identifier:{len(names)}"))
    written = ET.tostring(root, encoding="utf-8") if names else xml
    return written, {Term(f"<{name}>"): text.strip() for text, name in names.items()}


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
