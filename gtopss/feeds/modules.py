"""Module elements as triples: any element of a namespace that is no feed format, such as podcast or media elements.

The property is `namespace + local name`. No element has to be registered; this is the general rule:

| element | triples about its parent |
|---|---|
| with text | the text; an `xsd:dateTime` where it is one |
| with `resource`, `about`, `href`, `url` or `src` | that IRI; other attributes and children describe the IRI |
| with children or attributes only | a blank node, which they describe |
| with text and attributes | the text, and a blank node with the attributes and the text as `rdf:value` |

An attribute without a prefix is a property in its element's namespace. XHTML inside an element is text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from xml.etree.ElementTree import Element

from gtopss.feeds.dates import is_timestamp
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.namespaces import CONTENT, DC, FORMAT_NAMESPACES, XHTML, XLINK, XML
from gtopss.feeds.text import clean_literal, undo_double_encoding
from gtopss.model.terms import RDF, XSD, Term, Triple, literal

# Elements that `gtopss.feeds.triples` already describes, in one form for all formats.
_DESCRIBED = frozenset({
    f"{{{DC}}}{name}" for name in ("creator", "date", "subject", "language", "rights", "title", "description")
} | {f"{{{CONTENT}}}encoded"})  # fmt: skip
_TARGET_ATTRIBUTES = (f"{{{RDF}}}resource", "resource", f"{{{RDF}}}about", "href", "url", "src",
            f"{{{XLINK}}}href")  # fmt: skip


_XML, _XHTML, _BASE, _PARSE_TYPE = f"{{{XML}}}", f"{{{XHTML}}}", f"{{{XML}}}base", f"{{{RDF}}}parseType"
_VALUE = Term(f"<{RDF}value>")


class BlankNodes:
    """Generates the blank nodes of one publication."""

    def __init__(self, letter: str) -> None:
        self._letter, self._count = letter, 0

    def next(self) -> Term:
        """Return a new blank node."""
        self._count += 1
        return Term(f"_:{self._letter}{self._count}")


@lru_cache(maxsize=1_024)
def is_module_tag(tag: object) -> bool:
    """Return whether elements with this tag belong to a module and are not described elsewhere."""
    return (
        isinstance(tag, str)
        and tag[:1] == "{"
        and tag not in _DESCRIBED
        and tag[1 : tag.index("}")] not in FORMAT_NAMESPACES
    )


def module_triples(elements: Iterable[Element], subject: Term, base: str | None, letter: str) -> list[Triple]:
    """Return the triples about `subject` from the module elements among these."""
    blank_nodes = BlankNodes(letter)
    made: list[Triple] = []
    for element in elements:
        if is_module_tag(element.tag):
            _add_element(made, element, subject, base, blank_nodes)
    return made


def _add_element(
    made: list[Triple], element: Element, subject: Term, base: str | None, blank_nodes: BlankNodes
) -> None:
    property = _property(element.tag, "")
    if property is None:
        return
    if not len(element) and not element.keys():  # most of them
        if written := _xml_text(element.text):
            made.append((subject, property, _literal(written)))
        return
    namespace = element.tag[1 : element.tag.index("}")] if element.tag[0] == "{" else ""
    base = element.get(_BASE) or base
    has_markup = any(child.tag.startswith(_XHTML) for child in element)
    written = _xml_text("".join(element.itertext()) if has_markup else element.text)
    target, attributes = _split_attributes(element, base)
    if target is not None:
        made.append((subject, property, target))
    if written:
        made.append((subject, property, _literal(written)))
    if not attributes and (has_markup or not len(element)):
        return
    node = target
    if node is None:
        node = blank_nodes.next()
        made.append((subject, property, node))
        if written:
            made.append((node, _VALUE, _literal(written)))
    for name, value in attributes:
        attribute = _property(name, namespace)
        if attribute is not None and (stripped := _xml_text(value)):
            made.append((node, attribute, _literal(stripped)))
    if not has_markup:
        for child in element:
            _add_element(made, child, node, base, blank_nodes)


def _xml_text(text: str | None) -> str:
    """Return what `clean_text` returns, of a text in which an XML parser has found no illegal characters."""
    if not text:
        return ""
    return (text if text.isascii() else undo_double_encoding(text)).strip()


def _split_attributes(element: Element, base: str | None) -> tuple[Term | None, list[tuple[str, str]]]:
    """Return the IRI that the element refers to, if there is one, and the attributes that describe it."""
    target, attributes = None, []
    for name, value in element.items():
        if name[0] == "{" and (name.startswith(_XML) or name == _PARSE_TYPE):
            continue
        if target is None and name in _TARGET_ATTRIBUTES and (found := absolute_iri(value, base)):
            target = Term(f"<{found}>")
        else:
            attributes.append((name, value))
    return target, attributes


@lru_cache(maxsize=1_024)
def _property(name: str, namespace: str) -> Term | None:
    """Return the property of an element or attribute name; None if it is not an absolute IRI.

    >>> _property("{http://purl.org/dc/elements/1.1/}date", ""), _property("lang", "urn:x:")
    ('<http://purl.org/dc/elements/1.1/date>', '<urn:x:lang>')
    """
    iri = name[1:].replace("}", "", 1) if name[0] == "{" else namespace + name
    found = absolute_iri(iri)
    return Term(f"<{found}>") if found else None


def _literal(written: str) -> Term:
    return literal(written, XSD + "dateTime") if is_timestamp(written) else clean_literal(written)
