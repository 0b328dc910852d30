"""Read any supported document as publications: one per item of a feed, per named graph, or per RDF document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gtopss.errors import MalformedPublication
from gtopss.feeds.graph_names import UniqueIris
from gtopss.feeds.identity import channel_node
from gtopss.feeds.iris import base_iri
from gtopss.feeds.items import Channel, Item, Lines
from gtopss.feeds.json_feed import read_json_feed
from gtopss.feeds.repair import CheckedXML, Ending, check_and_repair
from gtopss.feeds.rss1 import NotReadableAsRdf, read_rss1
from gtopss.feeds.text import repair_for, term_line
from gtopss.feeds.triples import ItemLines, channel_lines, item_lines, membership_lines
from gtopss.feeds.xml_feed import read_xml_feed
from gtopss.model import Publication
from gtopss.model.publication import TextPublication
from gtopss.model.terms import Triple
from gtopss.rdf.document import RdfDocument
from gtopss.rdf.encodings import as_utf8, decode
from gtopss.rdf.formats import RdfFormat
from gtopss.rdf.output import OutputBudget
from gtopss.rdf.parse import read_quads, read_rdf_publication, read_triples
from gtopss.rdf.safety import check_items, check_triples
from gtopss.reading.detect import SYNDICATION, DocumentKind, detect, is_feed_format
from gtopss.reading.pdf import read_xmp
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

# Detection examines the first lines only. A document that is not of the detected kind may be of one of these.
_LARGER_FORMATS = {
    DocumentKind.N_TRIPLES: (DocumentKind.N_QUADS, DocumentKind.TURTLE, DocumentKind.TRIG),
    DocumentKind.TURTLE: (DocumentKind.TRIG,),
}
_ITEM_TAG = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s>/]", re.IGNORECASE)
_MIN_ITEM_BYTES = len("<item>")
_KIND_NAMES = frozenset(kind.value for kind in DocumentKind)
_READABLE_KINDS = tuple(
    kind for kind in DocumentKind if kind not in (DocumentKind.HTML, DocumentKind.UNKNOWN, DocumentKind.OPML)
)


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The publications of a document, its kind, and warnings about what was repaired or left out.

    `common_lines` is what the texts of the publications end with, the description of their channel, so that it can be
    sent and checked once. `ending` tells whether the last publication is complete: a document may be cut off.
    """

    kind: DocumentKind
    publications: tuple[Publication, ...]
    warnings: tuple[str, ...] = ()
    common_lines: bytes = field(default=b"", compare=False, repr=False)
    ending: Ending = Ending.COMPLETE


def read_publications(data: bytes, *, source: str | None = None, format: str | None = None) -> Iterator[Publication]:
    """Yield the publications of a document. Use `read_document` to get its kind and the warnings too.

    >>> feed = b"<rss version='2.0'><channel><item><title>AT&T</title><link>http://a.example/1</link></item></channel></rss>"
    >>> [(one.id, len(one.triples)) for one in read_publications(feed)]
    [('http://a.example/1', 8)]
    """
    return iter(read_document(data, source=source, format=format).publications)


@dataclass(frozen=True, slots=True)
class _Input:
    """A document with what is known of it: its origin, the IRI that relative IRIs refer to, and the limits."""

    data: bytes
    source: str | None
    base: str | None
    file_base: str | None  # relative IRIs of a feed refer to its website rather than to the file that holds it
    limits: DocumentLimits

    def new_budget(self) -> OutputBudget:
        return OutputBudget(len(self.data), limits=self.limits, publication_id=self.source)


def read_document(
    data: bytes,
    *,
    source: str | None = None,
    base: str | None = None,
    format: str | None = None,
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> ParsedDocument:
    """Read a document of any supported kind. `source` is its origin: a URL, a path, or a name for messages.

    Relative IRIs refer to a source that is a URL; those of a feed, else, to the link of its channel; otherwise to
    `base`, which is the `file:` IRI of a file. `format` is the value of a `DocumentKind` or the name or media type of
    an `RdfFormat`; without it the content decides. Raise MalformedPublication if nothing can be read, or if reading
    would not be safe.
    """
    kind = detect(data, name=source) if format is None else _kind_of_format(format, data, source)
    document = _Input(data, source, base_iri(source), base_iri(base), limits)
    if kind is DocumentKind.HTML:
        reason = 'this is an HTML page, not a feed: give the URL of its feed, which is in <link rel="alternate">'
        raise MalformedPublication(reason, publication_id=source)
    if kind is DocumentKind.OPML:
        reason = "this is an OPML list of feeds, not a feed: `gtopss filter` and `gtopss feeds import` read such lists"
        raise MalformedPublication(reason, publication_id=source)
    if kind is DocumentKind.JSON_FEED:
        channel, items = read_json_feed(data, source, limits=limits)
        return _publish_feed(kind, channel, items, document)
    if kind in SYNDICATION:
        return _read_xml_feed(document, kind)
    if kind is DocumentKind.PDF:
        return _read_pdf(document)
    if kind is DocumentKind.UNKNOWN:
        return _read_unknown(document)
    return _read_detected_rdf(document, kind) if format is None else _read_rdf(document, kind)


def read_publication(document: RdfDocument, *, limits: DocumentLimits = DEFAULT_LIMITS) -> Publication:
    """Read a document that is one publication: an RDF document with one graph, or a feed with one item.

    The publication has the document's id, or the item's. Raise MalformedPublication for other documents.
    """
    if not is_feed_format(document.format):
        return read_rdf_publication(document, limits)
    items = read_document(
        document.data, source=document.source, base=document.base, format=document.format, limits=limits
    ).publications
    return only_item(items, document.id)


def only_item(items: Sequence[Publication], name: str | None) -> Publication:
    """Return the one item of a feed. Raise MalformedPublication if there are more, or none."""
    if len(items) != 1:
        reason = f"the feed has {len(items)} items, and one publication was expected: use match_many or gtopss filter"
        raise MalformedPublication(reason, publication_id=name)
    return items[0]


def _kind_of_format(format: str, data: bytes, source: str | None) -> DocumentKind:
    """Return the kind that a caller's format names. XML formats do not say which feed it is: the content decides."""
    name = format.lower()
    if name in _KIND_NAMES:
        return DocumentKind(name)
    rdf_format = RdfFormat.from_name(format)
    if rdf_format is RdfFormat.RDF_XML:
        found = detect(data, name=source)
        return found if found in SYNDICATION else DocumentKind.RDF_XML
    if rdf_format is RdfFormat.N3:
        return DocumentKind.TURTLE
    if rdf_format is not None:
        return DocumentKind(str(rdf_format))
    if is_feed_format(format):
        if "pdf" in name:
            return DocumentKind.PDF
        return DocumentKind.JSON_FEED if "json" in name else detect(data, name=source)
    reason = f"there is no format {format!r}: use one of {', '.join(_READABLE_KINDS)}"
    raise MalformedPublication(reason, publication_id=source)


# --- feeds -------------------------------------------------------------------------------------------------


def _read_xml_feed(document: _Input, kind: DocumentKind) -> ParsedDocument:
    """Read RSS or Atom. RSS 1.0 is read as RDF if it is valid RDF, and as plain RSS otherwise."""
    source, base, limits = document.source, document.base, document.limits
    xml = check_and_repair(document.data, source, limits=limits)
    _check_number_of_items(xml.lenient, document)
    warnings = _repair_warnings(xml)
    if kind in (DocumentKind.RSS_10, DocumentKind.RSS_090) and xml.well_formed is not None:
        try:
            feed = read_rss1(
                xml.well_formed,
                source,
                base,
                document.file_base,
                root=xml.parsed,
                already_repaired=xml.repaired and xml.parsed is None,
                limits=limits,
            )
        except NotReadableAsRdf:
            warnings += ("this RSS 1.0 is not valid RDF: read as plain RSS",)
        else:
            if feed.items or b"item" not in xml.well_formed:
                return _publish(kind, feed.items, feed.channel_lines, document, warnings, xml.ending)
    if xml.well_formed is not None and (root := xml.tree()) is not None:
        read = read_xml_feed(root, base, repair_for(xml.well_formed))
        if read is not None:
            return _publish_feed(kind, *read, document, warnings, xml.ending)
    from gtopss.feeds.rss_atom import read_rss_atom  # imports feedparser: slow, and rarely needed

    feed_items = read_rss_atom(xml.lenient, xml.well_formed, source=source, base=base)
    if not feed_items.items and (xml.well_formed is None or not feed_items.version):
        reason = "it has no items and is not well-formed XML" if xml.well_formed is None else "it is not a feed"
        raise MalformedPublication(reason, publication_id=source)
    if xml.well_formed is not None:
        warnings += feed_items.warnings
    return _publish_feed(kind, feed_items.channel, feed_items.items, document, warnings, xml.ending)


def _repair_warnings(xml: CheckedXML) -> tuple[str, ...]:
    """Return the warning about XML that is not well-formed; none if it is, or nearly."""
    if not xml.problem:
        return ()
    if xml.well_formed is not None and xml.ending is Ending.COMPLETE:
        return (f"not well-formed ({xml.problem}); repaired",)
    if xml.well_formed is not None:
        return (f"not well-formed ({xml.problem}); it is cut off, so only its complete items are read",)
    where = {
        Ending.COMPLETE: "",
        Ending.BETWEEN_ITEMS: ": it is cut off between items",
        Ending.IN_ITEM: ": it is cut off inside its last item",
    }
    return (f"not well-formed ({xml.problem}); repaired, so items may be incomplete{where[xml.ending]}",)


def _read_unknown(document: _Input) -> ParsedDocument:
    """Read a document that `detect` does not recognise. feedparser recognises more feeds, so it has the last word."""
    data, source = document.data, document.source
    if b"<" in data:
        xml = check_and_repair(data, source, limits=document.limits)
        _check_number_of_items(xml.lenient, document)
        from gtopss.feeds.rss_atom import read_rss_atom

        feed = read_rss_atom(xml.lenient, xml.well_formed, source=source, base=document.base)
        if feed.items:
            warnings = _repair_warnings(xml) + (feed.warnings if xml.well_formed is not None else ())
            return _publish_feed(DocumentKind.UNKNOWN, feed.channel, feed.items, document, warnings, xml.ending)
    start = decode(data[:200]).strip()[:40]
    content = f"it begins with {start!r}" if start else "it is empty"
    raise MalformedPublication(f"this is neither a feed nor RDF in a known format: {content}", publication_id=source)


def _check_number_of_items(xml: bytes, document: _Input) -> None:
    """Refuse too many items before they are read. There are no more items than tags, which are counted quickly."""
    max_items = document.limits.max_items
    if len(xml) > _MIN_ITEM_BYTES * max_items and xml.count(b"<") > max_items:
        check_items(len(_ITEM_TAG.findall(xml)), document.limits, document.source)


def _publish_feed(
    kind: DocumentKind,
    channel: Channel,
    items: Iterable[Item],
    document: _Input,
    warnings: tuple[str, ...] = (),
    ending: Ending = Ending.COMPLETE,
) -> ParsedDocument:
    """Make one publication per item, each with the channel's triples."""
    base = document.base or base_iri(channel.link) or document.file_base
    node = term_line(channel_node(channel.id, channel.link, document.source, channel.title, document.base))

    def described() -> Iterator[ItemLines]:
        for number, item in enumerate(items, start=1):
            one = item_lines(item, node, base)
            one.lines += membership_lines(node, one.subject, number)
            yield one

    return _publish(kind, described(), channel_lines(channel, node, base), document, warnings, ending)


def _publish(
    kind: DocumentKind,
    items: Iterable[ItemLines],
    channel: Lines,
    document: _Input,
    warnings: tuple[str, ...],
    ending: Ending = Ending.COMPLETE,
) -> ParsedDocument:
    """Make publications of the items, as the text that the index reads.

    The second one with an id gets `#2` appended, so that its id is an IRI too. Each item repeats what is said of the
    channel, so the size of all is limited.
    """
    budget = document.new_budget()
    ids = UniqueIris()
    common = b"".join(channel)
    published: list[Publication] = []
    for item in items:
        id = ids.unique(item.id)
        count = (len(item.lines) + len(channel)) // 3
        check_triples(count, document.limits, document.source)
        item.lines.append(common)
        lines = b"".join(item.lines)
        budget.charge(len(id) + len(lines))
        published.append(TextPublication.trusted_lines(id, lines, count, document.source, item.published_at))
    return ParsedDocument(kind, tuple(published), warnings, common, ending)


# --- RDF ---------------------------------------------------------------------------------------------------


def _read_detected_rdf(document: _Input, kind: DocumentKind) -> ParsedDocument:
    """Read RDF as the detected kind; if that fails, as a format that includes it."""
    try:
        return _read_rdf(document, kind)
    except MalformedPublication:
        for larger in _LARGER_FORMATS.get(kind, ()):
            try:
                return _read_rdf(document, larger)
            except MalformedPublication as error:
                if error.line is None:  # no syntax error: it is of this format, and was refused for another reason
                    raise
        raise


def _read_rdf(document: _Input, kind: DocumentKind) -> ParsedDocument:
    data, source, limits = document.data, document.source, document.limits
    base = document.base or document.file_base
    rdf_format = kind.rdf_format
    assert rdf_format is not None  # all other kinds were handled before
    utf8 = as_utf8(data) if rdf_format is RdfFormat.RDF_XML else decode(data).encode("utf-8", "replace")
    id = source or f"urn:gtopss:document:{hashlib.sha256(utf8).hexdigest()[:32]}"
    if rdf_format in (RdfFormat.N_QUADS, RdfFormat.TRIG):
        graphs: dict[str | None, list[Triple]] = {}
        for graph, triple in read_quads(utf8, rdf_format, base=base, publication_id=source, limits=limits):
            triples_of_graph = graphs.setdefault(graph, [])
            triples_of_graph.append(triple)
            check_items(len(graphs), limits, source)
            check_triples(len(triples_of_graph), limits, source)
        return ParsedDocument(kind, tuple(_publish_graphs(graphs, id, source)))
    triples = read_triples(utf8, rdf_format, base=base, publication_id=source, limits=limits)
    return ParsedDocument(kind, (Publication.trusted(id, triples, source=source),))


def _read_pdf(document: _Input) -> ParsedDocument:
    """Read the RDF in a PDF. Relative IRIs refer to the PDF: its URL, its file, or a name made of its content."""
    source, limits = document.source, document.limits
    digest = f"urn:gtopss:document:{hashlib.sha256(document.data).hexdigest()[:32]}"
    rdf = read_xmp(document.data, source, limits)
    base = document.base or document.file_base or digest
    triples = read_triples(rdf, RdfFormat.RDF_XML, base=base, publication_id=source, limits=limits)
    return ParsedDocument(DocumentKind.PDF, (Publication.trusted(source or digest, triples, source=source),))


def _publish_graphs(
    graphs: dict[str | None, list[Triple]], document_id: str, source: str | None
) -> Iterator[Publication]:
    """Yield each named graph under its name, and the default graph under the document's id."""
    for graph, triples in graphs.items():
        id = document_id if graph is None else f"{document_id} {graph}" if graph.startswith("_:") else graph
        yield Publication.trusted(id, triples, source=source)
