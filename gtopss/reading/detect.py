"""What kind of document some bytes are: by what is in them, because names and media types are often wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from gtopss.rdf.encodings import decode


class Kind(StrEnum):
    """The kinds that are told apart; the values of feeds are feedparser's names for them."""

    RSS_090 = "rss090"
    RSS_091 = "rss091"
    RSS_092 = "rss092"
    RSS_093 = "rss093"
    RSS_094 = "rss094"
    RSS_10 = "rss10"
    RSS_20 = "rss20"
    RSS = "rss"  # an RSS that does not say which
    ATOM_03 = "atom03"
    ATOM_10 = "atom10"
    JSON_FEED = "json-feed"
    TURTLE = "turtle"
    N_TRIPLES = "ntriples"
    N_QUADS = "nquads"
    TRIG = "trig"
    RDF_XML = "rdfxml"
    JSON_LD = "json-ld"
    OPML = "opml"
    HTML = "html"
    UNKNOWN = "unknown"


SYNDICATION = frozenset(kind for kind in Kind if kind.startswith(("rss", "atom")))
"""The feeds that are XML."""

_HEAD = 65_536  # characters that are looked at; the root of a feed stands in the first few hundred
_TURTLE_NAMES = {
    "ttl": Kind.TURTLE, "turtle": Kind.TURTLE, "n3": Kind.TURTLE,
    "nt": Kind.N_TRIPLES, "nq": Kind.N_QUADS, "trig": Kind.TRIG,
}  # fmt: skip
_RSS_VERSIONS = {"0.9": Kind.RSS_091, "0.91": Kind.RSS_091, "0.92": Kind.RSS_092, "0.93": Kind.RSS_093,
                 "0.94": Kind.RSS_094, "1.0": Kind.RSS}  # fmt: skip
# Possessive: a prolog of many comments is passed over once.
_PROLOG = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]++)[^\[>]*+(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)((?:\s[^>]*)?)/?>?", re.DOTALL)
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]*:)?(?:rss|rdf|feed|opml|channel)(?=[\s>/])", re.IGNORECASE)
_NAMESPACE = re.compile(r"""\bxmlns(?::([\w.-]+))?\s*=\s*["']([^"']*+)["']""")
_VERSION = re.compile(r"""\bversion\s*=[\s"']*+([\d.]+)""", re.IGNORECASE)
_RSS_NAMESPACES = {
    "http://purl.org/rss/1.0/": Kind.RSS_10,
    "http://purl.org/rss/1.0": Kind.RSS_10,
    "http://purl.org/net/rss1.1#": Kind.RSS_10,
    "http://my.netscape.com/rdf/simple/0.9/": Kind.RSS_090,
    "http://channel.netscape.com/rdf/simple/0.9/": Kind.RSS_090,
    "http://my.netscape.com/publish/formats/rss-0.91.dtd": Kind.RSS_090,
}
_HTML_TAGS = frozenset(
    {"html", "head", "body", "title", "meta", "script", "div", "p", "table", "center", "h1", "br", "b"}
)

_JSON_FEED = re.compile(r'"version"\s*:\s*"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version')
_JSON_LD = re.compile(r'"@(?:context|id|graph|type|value|list|set|reverse|included)"\s*:')
_JSON_START = re.compile(r'\{|\[\s*(?:[\[{"\]\d]|true|false|null|-\d|\Z)')

_IRI = r"<[^<>\"{}|^`\\\x00-\x20]*>"
_NODE = rf"(?:{_IRI}|_:[\w.-]++)"
_LITERAL = rf'"(?:[^"\\\n\r]++|\\.)*+"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^{_IRI})?'
_STATEMENT = re.compile(rf"[ \t]*{_NODE}[ \t]*{_IRI}[ \t]*(?:{_NODE}|{_LITERAL})[ \t]*({_NODE}[ \t]*)?\.[ \t]*(?:#.*)?")
_COMMENTS = re.compile(r"(?:\s++|#[^\n\r]*)*+")
_TURTLE_START = re.compile(
    rf"@(?:prefix|base)\b|(?:PREFIX|BASE)\s+[\w.-]*:?\s*<|{_NODE}\s*(?:[\w.-]*:|<|a\s|\{{)|\[|\(|GRAPH\s|\{{"
    r"|[A-Za-z][\w.-]*:[^\s/]*\s+(?:a\s|<|[\w.-]*:|\{)|:[\w.-]+\s+(?:a\s|<|[\w.-]*:|\{)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|'
    rf"{_IRI}|#[^\n]*",
    re.DOTALL,
)


def detect(data: bytes, *, name: str | None = None) -> Kind:
    """The kind of a document. `name` decides only where two Turtle-like syntaxes fit.

    >>> detect(b'\\n<!-- hello --><rss version="2.0"><channel/></rss>', name="feed.rdf")
    <Kind.RSS_20: 'rss20'>
    >>> detect(b"<urn:a> <urn:p> <urn:b> .", name="a.ttl"), detect(b"<urn:a> <urn:p> <urn:b> .")
    (<Kind.TURTLE: 'turtle'>, <Kind.N_TRIPLES: 'ntriples'>)
    """
    text = decode(data[: 4 * _HEAD])[:_HEAD]
    start = _COMMENTS.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    if _JSON_START.match(text, start):
        if _JSON_FEED.search(text):
            return Kind.JSON_FEED
        if _JSON_LD.search(text):
            return Kind.JSON_LD
        if len(data) > len(text):  # keys may come in any order
            whole = decode(data)
            if _JSON_FEED.search(whole):
                return Kind.JSON_FEED
            if _JSON_LD.search(whole):
                return Kind.JSON_LD
        if '"' in text or text[start] == "[" or "{}" in text:
            return Kind.UNKNOWN
    found = _of_xml(text)
    if found is not Kind.UNKNOWN:
        return found
    return _of_turtle(text, start, name)


# --- XML ---------------------------------------------------------------------------------------------------


def _of_xml(text: str) -> Kind:
    position = _PROLOG.match(text).end()  # type: ignore[union-attr]
    doctype = _DOCTYPE.match(text, position)
    if doctype:
        position = _PROLOG.match(text, doctype.end()).end()  # type: ignore[union-attr]
    tag = _TAG.match(text, position)
    kind = _of_root(tag, text) if tag else Kind.UNKNOWN
    if doctype and doctype[1].lower() == "html" and kind not in SYNDICATION:
        return Kind.HTML
    if kind is not Kind.UNKNOWN or not (tag or "<" in text):
        return kind
    # Something stands before the root: a server's warning, a line of text, an element around the feed.
    root = _ROOT.search(text, position)
    if root and (tag := _TAG.match(text, root.start())):
        return _of_root(tag, text)
    return Kind.UNKNOWN


def _of_root(tag: re.Match[str], text: str) -> Kind:
    prefix, _, local = tag[1].rpartition(":")
    attributes, local = tag[2] or "", local.lower()
    namespaces = {bound or "": uri.strip() for bound, uri in _NAMESPACE.findall(attributes)}
    match local:
        case "rss":
            version = _VERSION.search(attributes)
            if version is None:
                return Kind.RSS
            number = version[1].rstrip(".")
            return Kind.RSS_20 if number == "2" or number.startswith("2.") else _RSS_VERSIONS.get(number, Kind.RSS)
        case "rdf":
            return _of_rdf(namespaces, text)
        case "feed" | "entry":
            own = namespaces.get(prefix, "")
            version = _VERSION.search(attributes)
            old = own.startswith("http://purl.org/atom/ns") or ("2005/Atom" not in own and version and version[1] < "1")
            return Kind.ATOM_03 if old else Kind.ATOM_10
        case "opml":
            return Kind.OPML
        case "channel" | "item":
            return Kind.RSS
    if local in _HTML_TAGS and not prefix and not _ROOT.search(text, tag.end()):
        return Kind.HTML
    return Kind.HTML if local == "html" else Kind.UNKNOWN


def _of_rdf(namespaces: dict[str, str], text: str) -> Kind:
    """RSS, if that is its own namespace, or an element of it is there: a prefix that is only declared is no feed."""
    if kind := _RSS_NAMESPACES.get(namespaces.get("", "")):
        return kind
    if kind := _used(namespaces.items(), text) or _used(_NAMESPACE.findall(text), text):
        return kind
    unbound = "" not in namespaces and re.search(r"<channel[\s>/]", text) and re.search(r"<item[\s>/]", text)
    return Kind.RSS_10 if unbound else Kind.RDF_XML


def _used(namespaces: Iterable[tuple[str, str]], text: str) -> Kind | None:
    for prefix, uri in namespaces:
        kind = _RSS_NAMESPACES.get(uri.strip())
        opening = f"<{prefix}:" if prefix else "<"
        if kind and re.search(rf"{re.escape(opening)}(?:channel|item|image)[\s>/]", text, re.IGNORECASE):
            return kind
    return None


# --- Turtle and its relatives ------------------------------------------------------------------------------


def _of_turtle(text: str, start: int, name: str | None) -> Kind:
    suffix = name.rsplit(".", 1)[-1].lower() if name and "." in name else ""
    named = _TURTLE_NAMES.get(suffix)
    if start == len(text):
        return named or Kind.UNKNOWN
    lines = [line for line in text[start:].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(text) == _HEAD and len(lines) > 1:
        lines.pop()  # it may be cut
    statements = [_STATEMENT.fullmatch(line) for line in lines[:4]]
    if all(statements):
        if any(found and found[1] for found in statements):
            return Kind.N_QUADS
        return named or Kind.N_TRIPLES  # which is Turtle, N-Quads and TriG as well
    if not _TURTLE_START.match(text, start):
        return Kind.UNKNOWN
    if re.match(r"<[\w:.-]+", text[start:]) and re.search(r"</[\w:.-]+>", text):
        return Kind.UNKNOWN  # XML, of a kind that is not known here
    if "{" in _QUOTED.sub(" ", text):
        return Kind.TRIG
    return Kind.TRIG if named is Kind.TRIG else Kind.TURTLE
