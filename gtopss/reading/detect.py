"""Detect the kind of a document by its content, because names and media types are often wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import PurePath

from gtopss.model.iris import IRI_REFERENCE
from gtopss.rdf.encodings import declared_encoding, decode
from gtopss.rdf.formats import RdfFormat
from gtopss.reading.pdf import is_pdf


class DocumentKind(StrEnum):
    """The kinds of documents. The values for feeds are feedparser's version names; for RDF they are format names."""

    RSS_090 = "rss090"
    RSS_091 = "rss091"
    RSS_092 = "rss092"
    RSS_093 = "rss093"
    RSS_094 = "rss094"
    RSS_10 = "rss10"
    RSS_20 = "rss20"
    RSS = "rss"  # RSS without a known version
    ATOM_03 = "atom03"
    ATOM_10 = "atom10"
    JSON_FEED = "json-feed"
    TURTLE = "turtle"
    N_TRIPLES = "ntriples"
    N_QUADS = "nquads"
    TRIG = "trig"
    RDF_XML = "rdfxml"
    JSON_LD = "json-ld"
    PDF = "pdf"  # read for the RDF in it
    OPML = "opml"
    HTML = "html"
    UNKNOWN = "unknown"

    @property
    def rdf_format(self) -> RdfFormat | None:
        """The RDF format of this kind; None for feeds and what is not RDF."""
        return _RDF_FORMATS.get(self)


_RDF_FORMATS = {DocumentKind(str(each)): each for each in RdfFormat if each is not RdfFormat.N3}
SYNDICATION = frozenset(kind for kind in DocumentKind if kind.startswith(("rss", "atom")))
"""The kinds of XML feeds."""
FEED_KINDS = SYNDICATION | {DocumentKind.JSON_FEED}
_FEED_FORMATS = {
    "pdf",
    "application/pdf",
    "rss",
    "atom",
    "feed",
    "json",
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
}

_USUAL_HEAD_BYTES = 2_048
_ASCII_ENCODINGS = ("utf-8", "ascii", "iso8859-1", "cp1252", None)
_HEAD_CHARACTERS = 65_536  # examined; the root of a feed is in the first few hundred
_TURTLE_FAMILY = {  # the formats between which the file extension decides
    RdfFormat.TURTLE: DocumentKind.TURTLE, RdfFormat.N3: DocumentKind.TURTLE,
    RdfFormat.N_TRIPLES: DocumentKind.N_TRIPLES, RdfFormat.N_QUADS: DocumentKind.N_QUADS,
    RdfFormat.TRIG: DocumentKind.TRIG,
}  # fmt: skip
_RSS_VERSIONS = {
    "0.9": DocumentKind.RSS_091,
    "0.91": DocumentKind.RSS_091,
    "0.92": DocumentKind.RSS_092,
    "0.93": DocumentKind.RSS_093,
    "0.94": DocumentKind.RSS_094,
    "1.0": DocumentKind.RSS,
}
# Possessive quantifiers: a prolog of many comments is scanned only once.
_PROLOG = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]++)[^\[>]*+(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)((?:\s[^>]*)?)/?>?", re.DOTALL)
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]*:)?(?:rss|rdf|feed|opml|channel)(?=[\s>/])", re.IGNORECASE)
_NAMESPACE = re.compile(r"""\bxmlns(?::([\w.-]+))?\s*=\s*["']([^"']*+)["']""")
_VERSION = re.compile(r"""\bversion\s*=[\s"']*+([\d.]+)""", re.IGNORECASE)
_RSS_NAMESPACES = {
    "http://purl.org/rss/1.0/": DocumentKind.RSS_10,
    "http://purl.org/rss/1.0": DocumentKind.RSS_10,
    "http://purl.org/net/rss1.1#": DocumentKind.RSS_10,
    "http://my.netscape.com/rdf/simple/0.9/": DocumentKind.RSS_090,
    "http://channel.netscape.com/rdf/simple/0.9/": DocumentKind.RSS_090,
    "http://my.netscape.com/publish/formats/rss-0.91.dtd": DocumentKind.RSS_090,
}
_HTML_TAGS = frozenset(
    {"html", "head", "body", "title", "meta", "script", "div", "p", "table", "center", "h1", "br", "b"}
)

_JSON_FEED = re.compile(r'"version"\s*:\s*"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version')
_JSON_LD = re.compile(r'"@(?:context|id|graph|type|value|list|set|reverse|included)"\s*:')
_JSON_START = re.compile(r'\{|\[\s*(?:[\[{"\]\d]|true|false|null|-\d|\Z)')

_NODE = rf"(?:{IRI_REFERENCE}|_:[\w.-]++)"
_LITERAL = rf'"(?:[^"\\\n\r]++|\\.)*+"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^{IRI_REFERENCE})?'
_STATEMENT = re.compile(
    rf"[ \t]*{_NODE}[ \t]*{IRI_REFERENCE}[ \t]*(?:{_NODE}|{_LITERAL})[ \t]*({_NODE}[ \t]*)?\.[ \t]*(?:#.*)?"
)
_COMMENTS = re.compile(r"(?:\s++|#[^\n\r]*)*+")
_TURTLE_START = re.compile(
    rf"@(?:prefix|base)\b|(?:PREFIX|BASE)\s+[\w.-]*:?\s*<|{_NODE}\s*(?:[\w.-]*:|<|a\s|\{{)|\[|\(|GRAPH\s|\{{"
    r"|[A-Za-z][\w.-]*:[^\s/]*\s+(?:a\s|<|[\w.-]*:|\{)|:[\w.-]+\s+(?:a\s|<|[\w.-]*:|\{)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|'
    rf"{IRI_REFERENCE}|#[^\n]*",
    re.DOTALL,
)


def detect(data: bytes, *, name: str | None = None) -> DocumentKind:
    """Return the kind of a document. The extension of `name` decides only where several Turtle-like formats fit.

    >>> detect(b'\\n<!-- hello --><rss version="2.0"><channel/></rss>', name="feed.rdf")
    <DocumentKind.RSS_20: 'rss20'>
    >>> detect(b"<urn:a> <urn:p> <urn:b> .", name="a.ttl"), detect(b"<urn:a> <urn:p> <urn:b> .")
    (<DocumentKind.TURTLE: 'turtle'>, <DocumentKind.N_TRIPLES: 'ntriples'>)
    """
    if is_pdf(data):
        return DocumentKind.PDF
    if data[:1] == b"<" and (kind := _detect_usual_xml(data)) is not None:
        return kind
    text = decode(data[: 4 * _HEAD_CHARACTERS])[:_HEAD_CHARACTERS]
    start = _COMMENTS.match(text).end()  # type: ignore[union-attr]  # it matches the empty text too
    if _JSON_START.match(text, start):
        if _JSON_FEED.search(text):
            return DocumentKind.JSON_FEED
        if _JSON_LD.search(text):
            return DocumentKind.JSON_LD
        if len(data) > len(text):  # keys may come in any order
            whole = decode(data)
            if _JSON_FEED.search(whole):
                return DocumentKind.JSON_FEED
            if _JSON_LD.search(whole):
                return DocumentKind.JSON_LD
        if '"' in text or text[start] == "[" or "{}" in text:
            return DocumentKind.UNKNOWN
    found = _detect_xml(text)
    if found is not DocumentKind.UNKNOWN:
        return found
    return _detect_turtle(text, start, name)


def rdf_format_of_file(path: PurePath | str, data: bytes) -> RdfFormat:
    """Return the format of an RDF file: by its extension or, without a known one, by its content.

    Of content that is not recognised, XML is taken as RDF/XML, JSON as JSON-LD, and other text as Turtle.

    >>> str(rdf_format_of_file("a.nt", b"")), str(rdf_format_of_file("a", b"<?xml version='1.0'?><rdf:RDF/>"))
    ('ntriples', 'rdfxml')
    """
    named = RdfFormat.from_path(path)
    if named is not None:
        return named
    kind = detect(data)
    if kind is DocumentKind.N_TRIPLES:
        return RdfFormat.TURTLE  # detection examines the first lines only, and Turtle includes N-Triples
    if kind.rdf_format is not None:
        return kind.rdf_format
    start = decode(data[:200]).lstrip()
    if start.startswith(("{", "[")):
        return RdfFormat.JSON_LD
    is_xml = start.startswith(("<?xml", "<rdf:RDF", "<!DOCTYPE")) or kind in SYNDICATION
    return RdfFormat.RDF_XML if is_xml else RdfFormat.TURTLE


def is_feed_format(format: str) -> bool:
    """Return whether a caller's format names a feed: a document with one publication per item. A PDF has one item.

    >>> [is_feed_format(name) for name in ("RSS", "atom10", "application/rss+xml; charset=utf-8", "turtle", "text/xml")]
    [True, True, True, False, False]
    """
    name = format.partition(";")[0].strip().lower()
    return name in _FEED_FORMATS or name in SYNDICATION or name == DocumentKind.JSON_FEED


# --- XML ---------------------------------------------------------------------------------------------------


def _detect_usual_xml(data: bytes) -> DocumentKind | None:
    """Return the kind of a feed whose first bytes show it; None if more must be examined.

    Decoding the whole head takes ten times as long. The bytes up to the end of the root tag are ASCII, which means the
    same in the encodings that the declaration may name here.
    """
    head = data[:_USUAL_HEAD_BYTES].decode("latin-1")
    tag = _TAG.match(head, _PROLOG.match(head).end())  # type: ignore[union-attr]
    if tag is None or not head[: tag.end()].isascii() or not tag[0].endswith(">"):
        return None
    name = tag[1].lower().rpartition(":")[2]
    if name == "rdf":
        default = [uri.strip() for prefix, uri in _NAMESPACE.findall(tag[2]) if not prefix]
        if not default or default[-1] not in _RSS_NAMESPACES:
            return None
    elif name not in ("rss", "feed"):
        return None
    if head.startswith("<?xml") and declared_encoding(data[:_USUAL_HEAD_BYTES]) not in _ASCII_ENCODINGS:
        return None
    return _kind_of_root(tag, head)


def _detect_xml(text: str) -> DocumentKind:
    position = _PROLOG.match(text).end()  # type: ignore[union-attr]
    doctype = _DOCTYPE.match(text, position)
    if doctype:
        position = _PROLOG.match(text, doctype.end()).end()  # type: ignore[union-attr]
    tag = _TAG.match(text, position)
    kind = _kind_of_root(tag, text) if tag else DocumentKind.UNKNOWN
    if doctype and doctype[1].lower() == "html" and kind not in SYNDICATION:
        return DocumentKind.HTML
    if kind is not DocumentKind.UNKNOWN or not (tag or "<" in text):
        return kind
    # Something precedes the root: a server's warning, a line of text, an element around the feed.
    root = _ROOT.search(text, position)
    if root and (tag := _TAG.match(text, root.start())):
        return _kind_of_root(tag, text)
    return DocumentKind.UNKNOWN


def _kind_of_root(tag: re.Match[str], text: str) -> DocumentKind:
    prefix, _, local = tag[1].rpartition(":")
    attributes, local = tag[2] or "", local.lower()
    namespaces = {bound or "": uri.strip() for bound, uri in _NAMESPACE.findall(attributes)}
    match local:
        case "rss":
            version = _VERSION.search(attributes)
            if version is None:
                return DocumentKind.RSS
            number = version[1].rstrip(".")
            return (
                DocumentKind.RSS_20
                if number == "2" or number.startswith("2.")
                else _RSS_VERSIONS.get(number, DocumentKind.RSS)
            )
        case "rdf":
            return _kind_of_rdf_root(namespaces, text)
        case "feed" | "entry":
            own = namespaces.get(prefix, "")
            version = _VERSION.search(attributes)
            old = own.startswith("http://purl.org/atom/ns") or ("2005/Atom" not in own and version and version[1] < "1")
            return DocumentKind.ATOM_03 if old else DocumentKind.ATOM_10
        case "opml":
            return DocumentKind.OPML
        case "channel" | "item":
            return DocumentKind.RSS
    if local in _HTML_TAGS and not prefix and not _ROOT.search(text, tag.end()):
        return DocumentKind.HTML
    return DocumentKind.HTML if local == "html" else DocumentKind.UNKNOWN


def _kind_of_rdf_root(namespaces: dict[str, str], text: str) -> DocumentKind:
    """Return RSS if it is the default namespace or an element of it occurs. A declared prefix alone is no feed."""
    if kind := _RSS_NAMESPACES.get(namespaces.get("", "")):
        return kind
    if kind := _used_rss_namespace(namespaces.items(), text) or _used_rss_namespace(_NAMESPACE.findall(text), text):
        return kind
    unbound = "" not in namespaces and re.search(r"<channel[\s>/]", text) and re.search(r"<item[\s>/]", text)
    return DocumentKind.RSS_10 if unbound else DocumentKind.RDF_XML


def _used_rss_namespace(namespaces: Iterable[tuple[str, str]], text: str) -> DocumentKind | None:
    for prefix, uri in namespaces:
        kind = _RSS_NAMESPACES.get(uri.strip())
        opening = f"<{prefix}:" if prefix else "<"
        if kind and re.search(rf"{re.escape(opening)}(?:channel|item|image)[\s>/]", text, re.IGNORECASE):
            return kind
    return None


# --- Turtle and its relatives ------------------------------------------------------------------------------


def _detect_turtle(text: str, start: int, name: str | None) -> DocumentKind:
    rdf_format = RdfFormat.from_path(name) if name else None
    named = _TURTLE_FAMILY.get(rdf_format) if rdf_format else None
    if start == len(text):
        return named or DocumentKind.UNKNOWN
    lines = [line for line in text[start:].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(text) == _HEAD_CHARACTERS and len(lines) > 1:
        lines.pop()  # it may be incomplete
    statements = [_STATEMENT.fullmatch(line) for line in lines[:4]]
    if all(statements):
        if any(found and found[1] for found in statements):
            return DocumentKind.N_QUADS
        return named or DocumentKind.N_TRIPLES  # N-Triples is valid Turtle, N-Quads and TriG too
    if not _TURTLE_START.match(text, start):
        return DocumentKind.UNKNOWN
    if re.match(r"<[\w:.-]+", text[start:]) and re.search(r"</[\w:.-]+>", text):
        return DocumentKind.UNKNOWN  # XML of an unknown kind
    if "{" in _QUOTED.sub(" ", text):
        return DocumentKind.TRIG
    return DocumentKind.TRIG if named is DocumentKind.TRIG else DocumentKind.TURTLE
