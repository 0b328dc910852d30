"""Check XML for safety, and repair XML that is not well-formed.

Feeds are written by templates. Their mistakes are nearly always one of these, and no repair needs a guess:

| mistake | repair |
|---|---|
| text or white space before `<?xml` | removed |
| `&nbsp;`, `&eacute;`: HTML entities that are not declared | the character |
| `AT&T`, `&foo;`, `?a=1&b=2` | `&amp;` |
| control characters, `&#0;` | removed |
| an encoding other than the declared one | see `gtopss.rdf.encodings` |
| `rdf:li resource=`, `item about=` without the prefix `rdf:` | the prefix is added |
| a well-known prefix that is not declared | declared |
| an external DTD, or the entity sets of HTML | the document type declaration is removed; it is never read |
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from html.entities import html5
from xml.etree import ElementTree as ET

from gtopss.errors import MalformedPublication
from gtopss.feeds.namespaces import KNOWN_PREFIXES
from gtopss.feeds.xml_guard import parse_safe_xml
from gtopss.rdf.encodings import as_utf8, decode, without_declaration
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.xml_safety import MalformedXML, UnsafeXML, check_xml, expanded_names_size

_MAX_OPEN_ELEMENTS = 2_000  # in XML that is not well-formed, whose depth no parser has limited; refused above
_BEFORE_FIRST_TAG = re.compile(r"[^<]*+(?=<)")
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
_TAG_TO_ITS_END = re.compile(r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_UNCLOSED_IN_HTML = frozenset(
    {"br", "hr", "img", "p", "li", "input", "meta", "area", "td", "tr", "option", "dd", "dt", "col", "wbr"}
)
_FEED_ROOTS = frozenset({"rss", "rdf", "feed", "channel", "opml"})
_ITEMS = frozenset({"item", "entry"})
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})


class Ending(IntEnum):
    """Where a document ends: after its root element, or before it, as an incomplete download does."""

    COMPLETE = 0
    BETWEEN_ITEMS = 1
    """The root element is not closed. Each item that was read is complete."""
    IN_ITEM = 2
    """The last item that was read is not closed, so it is incomplete."""


@dataclass(frozen=True, slots=True)
class CheckedXML:
    """A safe XML document. `well_formed` is UTF-8, or None if no repair helped; `lenient` is for feedparser.

    `problem` says why it had to be repaired, and where; it is empty if only white space before it was dropped.
    """

    well_formed: bytes | None
    lenient: bytes
    repaired: bool
    parsed: ET.Element | None = None
    problem: str = ""
    ending: Ending = Ending.COMPLETE

    def tree(self) -> ET.Element | None:
        """Return the root element; None if the XML is not well-formed, or has prefixes that it does not declare."""
        if self.parsed is not None or self.well_formed is None:
            return self.parsed
        try:
            return ET.fromstring(self.well_formed)
        except (ET.ParseError, ValueError, LookupError):
            return None


def check_and_repair(data: bytes, source: str | None, *, limits: DocumentLimits = DEFAULT_LIMITS) -> CheckedXML:
    """Check XML, and repair it if it is not well-formed. Raise MalformedPublication if it is not safe to read."""
    start = data.lstrip() if data[:1].isspace() else data  # the most frequent mistake
    if (root := parse_safe_xml(start, limits)) is not None:
        utf8 = start.removeprefix(codecs.BOM_UTF8)
        return CheckedXML(utf8, utf8, start is not data, root)  # without a problem: nothing can be lost
    try:
        check_xml(data, limits=limits, is_feed=True)
        utf8 = as_utf8(data)
        return CheckedXML(utf8, utf8, False)
    except MalformedXML as error:
        first = error
    text = decode(data)
    entities = "<!ENTITY" in _HTML_ENTITIES.sub("", text)
    if isinstance(first, UnsafeXML) and (entities or "UTF-7" in first.reason):
        _check_number_of_elements(text, source, limits)
        raise _unsafe(first, source)
    fixed = repair(text).encode("utf-8", "replace")
    lenient = fixed if "<!DOCTYPE" in text.upper() else data
    try:
        check_xml(fixed, limits=limits, is_feed=True)
        return CheckedXML(fixed, fixed, True, problem=_with_place(first))
    except UnsafeXML as error:
        _check_number_of_elements(text, source, limits)
        raise _unsafe(error, source) from None
    except MalformedXML:
        if _open_elements(text) > _MAX_OPEN_ELEMENTS:
            raise MalformedPublication(
                f"more than {_MAX_OPEN_ELEMENTS} elements are left open in XML that is not well-formed: {first.reason}",
                publication_id=source,
                line=first.line,
            ) from None
        _check_number_of_elements(text, source, limits)
        if _has_many_attributes(text, limits.max_attributes):
            reason = (
                f"an element has more than {limits.max_attributes} attributes (max_attributes): use elements instead"
            )
            raise MalformedPublication(reason, publication_id=source) from None
        limit, limit_name = limits.output_limit(len(data))
        if expanded_names_size(text.encode("utf-8", "replace")) > limit:
            reason = f"its names and references take more than {limit} characters once resolved ({limit_name})"
            raise MalformedPublication(f"{reason}: shorten the namespaces and bases", publication_id=source) from None
        ending = _ending(text)
        if ending is not Ending.COMPLETE:
            for cut in (without_declaration(text.lstrip()), fixed.decode()):
                whole = _complete_items(cut).encode("utf-8", "replace")
                with suppress(MalformedXML):
                    check_xml(whole, limits=limits, is_feed=True)
                    return CheckedXML(whole, whole, True, problem=_with_place(first), ending=Ending.BETWEEN_ITEMS)
        return CheckedXML(None, lenient, True, problem=_with_place(first), ending=ending)


def _with_place(error: MalformedXML) -> str:
    place = f"line {error.line}" if error.line is not None else ""
    if place and error.column is not None:
        place += f", column {error.column}"
    return f"{place}: {error.reason}" if place else error.reason


def _unsafe(error: MalformedXML, source: str | None) -> MalformedPublication:
    return MalformedPublication(
        f"this XML is not safe to read: {error.reason}", publication_id=source, line=error.line, column=error.column
    )


def repair(text: str) -> str:
    """Return the text with the repairs of the table above.

    >>> repair(' <rss><title>AT&T caf&eacute; &lt;b></title></rss>')
    '<rss><title>AT&amp;T café &lt;b></title></rss>'
    """
    text = _CONTROL.sub("", without_declaration(text[_end(_BEFORE_FIRST_TAG, text) :]))
    start = _DOCTYPE_START.search(text)  # only the first one: trying each of many would take quadratic time
    if start and (doctype := _DOCTYPE.match(text, start.start())):
        text = text[: doctype.start()] + text[doctype.end() :]
    text = _REFERENCE.sub(_repair_reference, text)
    text = _UNPREFIXED.sub(r"\1rdf:\2\3", text)
    return _declare_prefixes(text)


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _repair_reference(found: re.Match[str]) -> str:
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


def _declare_prefixes(text: str) -> str:
    used = {first or second for first, second in _PREFIX.findall(text)}
    missing = [p for p in sorted(used) if p in KNOWN_PREFIXES and not re.search(rf"xmlns:{re.escape(p)}\s*=", text)]
    root = _ROOT_TAG.search(text)
    if not missing or not root:
        return text
    declared = "".join(f' xmlns:{prefix}="{KNOWN_PREFIXES[prefix]}"' for prefix in missing)
    return text[: root.end()] + declared + text[root.end() :]


def _open_elements(text: str) -> int:
    """Return the greatest nesting depth, judged by the tags. Elements that HTML leaves open are not counted."""
    depth = deepest = 0
    for found in _TAGS.finditer(text):
        closing, name = found[1], found[2]
        if name is None or found[0].endswith("/>") or name.lower() in _UNCLOSED_IN_HTML:
            continue
        depth = max(0, depth - 1) if closing else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _ending(text: str) -> Ending:
    """Return where XML that is not well-formed ends, judged by its tags.

    >>> _ending("<rss><item><title>a"), _ending("<rss><item>&</item>"), _ending("<rss><item><b></item></rss>")
    (<Ending.IN_ITEM: 2>, <Ending.BETWEEN_ITEMS: 1>, <Ending.COMPLETE: 0>)
    """
    first = root = ""
    closed: set[str] = set()
    in_item = False
    for found in _TAGS.finditer(text):
        closing, name = found[1], found[2]
        if name is None:
            continue
        name = name.lower()
        local = name.rpartition(":")[2]
        if closing:
            closed.add(name)
        else:
            first = first or name
            root = root or (name if local in _FEED_ROOTS else "")
        if local in _ITEMS and not found[0].endswith("/>"):
            in_item = not closing
    if (root or first) in closed:
        return Ending.COMPLETE
    return Ending.IN_ITEM if in_item else Ending.BETWEEN_ITEMS


def _complete_items(text: str) -> str:
    """Return XML that was cut off up to its last complete item, with the open elements closed; empty if none is.

    So the items have the same triples as in the complete document.

    >>> _complete_items("<rss><channel><item><b/></item><item>cut o")
    '<rss><channel><item><b/></item></channel></rss>'
    """
    stack: list[str] = []
    end = 0
    outside: list[str] = []
    for found in _TAGS.finditer(text):
        closing, name = found[1], found[2]
        if name is None or found[0].endswith("/>"):
            continue
        if not closing:
            stack.append(name)
        elif not stack or stack.pop() != name:
            return ""
        elif name.rpartition(":")[2].lower() in _ITEMS:
            end, outside = found.end(), stack.copy()
    return text[:end] + "".join(f"</{each}>" for each in reversed(outside)) if end else ""


def _check_number_of_elements(text: str, source: str | None, limits: DocumentLimits) -> None:
    """Refuse XML with too many elements, which were counted by its tags, or by a parser that refused it."""
    number = sum(1 for found in _TAGS.finditer(text) if found[2] is not None and not found[1])
    if number > limits.max_feed_elements:
        reason = f"it has more than {limits.max_feed_elements:,} elements: split it into smaller documents"
        raise MalformedPublication(reason, publication_id=source)


def _has_many_attributes(text: str, max_attributes: int) -> bool:
    """Return whether a tag may have more attributes. feedparser's time is quadratic in their number.

    Where the quotes of a tag do not match, the text after it is counted too.
    """
    for piece in text.split("<")[1:]:
        if piece.count("=") > max_attributes and not piece.startswith(("!", "?")):
            end = _end(_TAG_TO_ITS_END, piece)
            if piece.count("=", 0, end or len(piece)) > max_attributes:
                return True
    return False
