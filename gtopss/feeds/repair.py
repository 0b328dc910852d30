"""XML that a parser can read, from XML that it cannot; and what must not be read at all.

Feeds are written by templates. What they get wrong is nearly always one of these, and none needs a guess:

| wrong | made right |
|---|---|
| text or white space before `<?xml` | removed |
| `&nbsp;`, `&eacute;`: entities of HTML that nothing declares | the character |
| `AT&T`, `&foo;`, `?a=1&b=2` | `&amp;` |
| control characters, `&#0;` | removed |
| an encoding that is not the declared one | see `gtopss.rdf.encodings` |
| `rdf:li resource=`, `item about=`, without `rdf:` | with it |
| a well-known prefix that is used and not declared | declared |
| an external DTD, or the entity sets of HTML | the document type declaration is removed: it is never read |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.entities import html5

from gtopss.errors import MalformedPublication
from gtopss.rdf.encodings import as_utf8, decode, undeclared
from ontology.xml_safety import MalformedXML, UnsafeXML, check_xml

KNOWN_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "taxo": "http://purl.org/rss/1.0/modules/taxonomy/",
    "admin": "http://webns.net/mvcb/",
    "cc": "http://web.resource.org/cc/",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "media": "http://search.yahoo.com/mrss/",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "georss": "http://www.georss.org/georss",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "sioc": "http://rdfs.org/sioc/ns#",
    "atom": "http://www.w3.org/2005/Atom",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "thr": "http://purl.org/syndication/thread/1.0",
    "trackback": "http://madskills.com/public/xml/rss/module/trackback/",
    "xlink": "http://www.w3.org/1999/xlink",
}

_MAX_OPEN = 2_000  # elements that a document may leave open, where no parser has counted its depth
_BEFORE = re.compile(r"[^<]*+(?=<)")
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^\[<>]*+(?:\[(?:[^\]\"']++|\"[^\"]*+\"|'[^']*+')*+\]\s*+)?>", re.IGNORECASE)
_DOCTYPE_START = re.compile("<!DOCTYPE", re.IGNORECASE)
_HTML_ENTITIES = re.compile(
    r"""<!ENTITY\s+%\s+([\w.-]+)\s+PUBLIC\s+["']-//W3C//ENTITIES [^"']*["']\s*(?:["'][^"']*["'])?\s*>(?:\s*%\1;)?"""
)
_REFERENCE = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*+)|<!--(?:.*?-->|.*+)|&(?:#(\d{1,8}|[xX][0-9A-Fa-f]{1,6});|([A-Za-z][A-Za-z0-9]*);)?",
    re.DOTALL,
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNPREFIXED = re.compile(r"(<(?:rdf:li|(?:[\w.-]+:)?(?:item|image|textinput|channel|items))\s+)(about|resource)(\s*=)")
_ROOT_TAG = re.compile(r"<[A-Za-z_][\w.:-]*")
_PREFIX = re.compile(r"<([A-Za-z_][\w.-]*):[A-Za-z_]|\s(rdf|xlink|dc|itunes|media):[\w.-]+\s*=")
_TAGS = re.compile(r"<!\[CDATA\[(?:.*?\]\]>|.*+)|<!--(?:.*?-->|.*+)|<(/?)([A-Za-z_][\w.:-]*+)[^<>]*+>", re.DOTALL)
_VOID = frozenset(
    {"br", "hr", "img", "p", "li", "input", "meta", "area", "td", "tr", "option", "dd", "dt", "col", "wbr"}
)
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})


@dataclass(frozen=True, slots=True)
class ReadableXML:
    """`strict` is well-formed, safe and UTF-8, if there is such a reading; `loose` is for feedparser."""

    strict: bytes | None
    loose: bytes
    repaired: bool


def readable(data: bytes, source: str | None) -> ReadableXML:
    """Checks XML, repairing it where that helps; raises `MalformedPublication` for what is not safe to read."""
    try:
        check_xml(data)
        utf8 = as_utf8(data)
        return ReadableXML(utf8, utf8, False)
    except MalformedXML as error:
        first = error
    text = decode(data)
    entities = "<!ENTITY" in _HTML_ENTITIES.sub("", text)
    if isinstance(first, UnsafeXML) and (entities or "UTF-7" in first.reason):
        raise _refused(first, source)
    fixed = repaired(text).encode("utf-8", "replace")
    loose = fixed if "<!DOCTYPE" in text.upper() else data
    try:
        check_xml(fixed)
        return ReadableXML(fixed, fixed, True)
    except UnsafeXML as error:
        raise _refused(error, source) from None
    except MalformedXML:
        if _open_elements(text) > _MAX_OPEN:
            raise MalformedPublication(
                f"more than {_MAX_OPEN} elements are left open, in XML that is not well-formed: {first.reason}",
                publication_id=source,
                line=first.line,
            ) from None
        return ReadableXML(None, loose, True)


def _refused(error: MalformedXML, source: str | None) -> MalformedPublication:
    return MalformedPublication(
        f"this XML is not safe to read: {error.reason}", publication_id=source, line=error.line, column=error.column
    )


def repaired(text: str) -> str:
    """The text with the table's repairs made.

    >>> repaired(' <rss><title>AT&T caf&eacute; &lt;b></title></rss>')
    '<rss><title>AT&amp;T café &lt;b></title></rss>'
    """
    text = _CONTROL.sub("", undeclared(text[_end(_BEFORE, text) :]))
    start = _DOCTYPE_START.search(text)  # the first only: to try each of many would be quadratic
    if start and (doctype := _DOCTYPE.match(text, start.start())):
        text = text[: doctype.start()] + text[doctype.end() :]
    text = _REFERENCE.sub(_reference, text)
    text = _UNPREFIXED.sub(r"\1rdf:\2\3", text)
    return _with_prefixes(text)


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _reference(found: re.Match[str]) -> str:
    whole, number, name = found[0], found[1], found[2]
    if whole[0] == "<":
        return whole
    if number:
        code = int(number[1:], 16) if number[0] in "xX" else int(number)
        legal = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
        return whole if legal else ""
    if name is None:
        return "&amp;"
    if name in _PREDEFINED:
        return whole
    character = html5.get(f"{name};")
    if character is None:
        return f"&amp;{name};"
    return character.replace("&", "&amp;").replace("<", "&lt;")


def _with_prefixes(text: str) -> str:
    used = {first or second for first, second in _PREFIX.findall(text)}
    missing = [p for p in sorted(used) if p in KNOWN_PREFIXES and not re.search(rf"xmlns:{re.escape(p)}\s*=", text)]
    root = _ROOT_TAG.search(text)
    if not missing or not root:
        return text
    declared = "".join(f' xmlns:{prefix}="{KNOWN_PREFIXES[prefix]}"' for prefix in missing)
    return text[: root.end()] + declared + text[root.end() :]


def _open_elements(text: str) -> int:
    """The deepest that elements nest, as far as tags tell; elements that HTML leaves open are not counted."""
    depth = deepest = 0
    for found in _TAGS.finditer(text):
        closing, name = found[1], found[2]
        if name is None or found[0].endswith("/>") or name.lower() in _VOID:
            continue
        depth = max(0, depth - 1) if closing else depth + 1
        deepest = max(deepest, depth)
    return deepest
