"""The text of a feed's elements: plain, escaped, in base64, or markup that is written out again.

Markup is written as feedparser writes it: names in lower case and without prefixes, an end tag for each start tag.
"""

from __future__ import annotations

import base64
import binascii
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from gtopss.feeds.namespaces import XHTML, XML
from gtopss.feeds.text import Repair, undo_double_encoding

_SHORT_TYPES = {"text": "text/plain", "plain": "text/plain", "html": "text/html", "xhtml": "application/xhtml+xml"}
_WITH_NAMESPACE = {"{http://www.w3.org/1998/Math/MathML}math", "{http://www.w3.org/2000/svg}svg"}
_MAX_CACHED_NAMES = 1_024

_names: dict[str, str] = {}


def content_type(written: str) -> str:
    """Return the media type that a `type` attribute names."""
    lower = written.lower()
    return _SHORT_TYPES.get(lower, lower)


def own_text(element: Element) -> str:
    """Return the text directly inside an element, without that of its children."""
    text = element.text or ""
    if len(element):
        text += "".join([child.tail or "" for child in element])
    return (text if text.isascii() else undo_double_encoding(text)).strip()


def content_text(element: Element, default_type: str, repair: Repair, *, in_atom_10: bool) -> str:
    """Return the content of an element that may be text, escaped markup, markup or base64."""
    if not len(element) and not element.keys() and default_type.startswith("text/"):  # most of them
        text = element.text or ""
        return (text if text.isascii() else repair(text)).strip()
    written = element.get("type")
    type = content_type(written) if written else default_type
    if len(element):
        text = _markup(element, type, in_atom_10)
    else:
        text = element.text or ""
        if not type.startswith("text/") or element.get("mode"):
            text = _decoded(element, type, text)
            repair = undo_double_encoding  # base64 may hide what the document does not show
    return (text if text.isascii() else repair(text)).strip()


def _decoded(element: Element, type: str, text: str) -> str:
    if type == "application/xhtml+xml":
        text = escape(text)
    if element.get("mode") != "base64" and (type.startswith("text/") or type.endswith(("+xml", "/xml"))):
        return text
    try:
        return base64.decodebytes(text.strip().encode()).decode()
    except (binascii.Error, UnicodeDecodeError):
        return text


def _markup(element: Element, type: str, in_atom_10: bool) -> str:
    """Write the children of an element out. Text before the first one is markup already, unless `type` is XHTML."""
    writer = _MarkupWriter(type.endswith("xml"))
    if text := element.text:
        writer.pieces.append(_escaped(text) if type == "application/xhtml+xml" else text)
    writer.write_children(element)
    return "".join(_without_enclosing_div(writer.pieces) if in_atom_10 and writer.is_xml else writer.pieces)


class _MarkupWriter:
    """Writes elements out. Content that is declared as text becomes XML with the first element that is no `div`."""

    def __init__(self, is_xml: bool) -> None:
        self.pieces: list[str] = []
        self.is_xml = is_xml

    def write_children(self, parent: Element) -> None:
        """Write what is inside an element. The check of the XML has limited the depth."""
        pieces = self.pieces
        for element in parent:
            tag = element.tag
            name = _names.get(tag) or _name(tag)
            is_written = self.is_xml or name != "div"
            if is_written:
                self.is_xml = True
                pieces.append(
                    f"<{name}{_attributes(element)}>" if element.keys() or tag in _WITH_NAMESPACE else f"<{name}>"
                )
            if text := element.text:
                if self.is_xml and ("&" in text or "<" in text or ">" in text):
                    text = escape(text)
                pieces.append(text)
            if len(element):
                self.write_children(element)
            if is_written:
                pieces.append(f"</{name}>")
            if text := element.tail:
                if self.is_xml and ("&" in text or "<" in text or ">" in text):
                    text = escape(text)
                pieces.append(text)


def _escaped(text: str) -> str:
    return escape(text) if "&" in text or "<" in text or ">" in text else text


def _name(tag: str) -> str:
    name = (tag[tag.index("}") + 1 :] if tag[0] == "{" else tag).lower()
    if len(_names) < _MAX_CACHED_NAMES:
        _names[tag] = name
    return name


def _attributes(element: Element) -> str:
    written = []
    if element.tag in _WITH_NAMESPACE:
        written.append(f' xmlns="{element.tag[1 : element.tag.index("}")]}"')
    for name, value in element.items():
        if name[0] == "{":
            namespace, _, local = name[1:].partition("}")
            name = f"xml:{local}" if namespace == XML else f"xhtml:{local}" if namespace == XHTML else local
        name = name.lower()
        value = _escaped(value.lower() if name == "rel" or name == "type" else value)
        written.append(f' {name}="{value.replace(chr(34), "&quot;")}"')
    return "".join(written)


def _without_enclosing_div(pieces: list[str]) -> list[str]:
    """Remove the `div` that Atom requires around XHTML, if everything is inside it."""
    while len(pieces) > 1 and not pieces[-1].strip():
        pieces.pop()
    first = 0
    while first < len(pieces) - 1 and not pieces[first].strip():
        first += 1
    pieces = pieces[first:]
    if pieces and (pieces[0] == "<div>" or pieces[0].startswith("<div ")) and pieces[-1] == "</div>":
        depth = 0
        for piece in pieces[:-1]:
            if piece[0] == "<":  # in text it is escaped
                depth += -1 if piece[1] == "/" else 1
                if depth == 0:
                    return pieces
        return pieces[1:-1]
    return pieces
