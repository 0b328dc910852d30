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

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gtopss.feeds.dates import is_timestamp
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.namespaces import CONTENT, DC, FORMAT_NAMESPACES, XHTML, XLINK, XML
from gtopss.feeds.text import clean_text
from gtopss.model.iris import is_absolute_iri
from gtopss.model.terms import RDF, XSD, Term, Triple, literal

# Elements that `gtopss.feeds.triples` already describes, in one form for all formats.
_DESCRIBED = frozenset({
    f"{{{DC}}}{name}" for name in ("creator", "date", "subject", "language", "rights", "title", "description")
} | {f"{{{CONTENT}}}encoded"})  # fmt: skip
_TARGET_ATTRIBUTES = (f"{{{RDF}}}resource", "resource", f"{{{RDF}}}about", "href", "url", "src",
            f"{{{XLINK}}}href")  # fmt: skip


class BlankNodes:
    """Generates the blank nodes of one publication."""

    def __init__(self, letter: str) -> None:
        self._letter, self._count = letter, 0

    def next(self) -> Term:
        """Return a new blank node."""
        self._count += 1
        return Term(f"_:{self._letter}{self._count}")


def is_module(element: Element) -> bool:
    """Return whether an element belongs to a module and is not described elsewhere."""
    tag = element.tag
    return (
        isinstance(tag, str)
        and tag[:1] == "{"
        and tag not in _DESCRIBED
        and tag[1 : tag.index("}")] not in FORMAT_NAMESPACES
    )


def module_triples(parent: Element, subject: Term, base: str | None, letter: str) -> Iterator[Triple]:
    """Yield the triples about `subject` from the module elements directly inside `parent`."""
    base, blank_nodes = parent.get(f"{{{XML}}}base") or base, BlankNodes(letter)
    for element in parent:
        if is_module(element):
            yield from _element_triples(element, subject, base, blank_nodes)


def _element_triples(element: Element, subject: Term, base: str | None, blank_nodes: BlankNodes) -> Iterator[Triple]:
    property = _property(element.tag, "")
    if property is None:
        return
    namespace = element.tag[1 : element.tag.index("}")] if element.tag[0] == "{" else ""
    base = element.get(f"{{{XML}}}base") or base
    has_markup = any(isinstance(child.tag, str) and child.tag.startswith(f"{{{XHTML}}}") for child in element)
    children = [] if has_markup else [child for child in element if isinstance(child.tag, str)]
    written = clean_text("".join(element.itertext()) if has_markup else element.text)
    target, attributes = _split_attributes(element, base)
    if target is not None:
        yield (subject, property, target)
    if written:
        yield (subject, property, _literal(written))
    if not attributes and not children:
        return
    node = target
    if node is None:
        node = blank_nodes.next()
        yield (subject, property, node)
        if written:
            yield (node, Term(f"<{RDF}value>"), _literal(written))
    for name, value in attributes:
        attribute = _property(name, namespace)
        if attribute is not None and clean_text(value):
            yield (node, attribute, _literal(clean_text(value)))
    for child in children:
        yield from _element_triples(child, node, base, blank_nodes)


def _split_attributes(element: Element, base: str | None) -> tuple[Term | None, list[tuple[str, str]]]:
    """Return the IRI that the element refers to, if there is one, and the attributes that describe it."""
    target, attributes = None, []
    for name, value in element.attrib.items():
        if name.startswith(f"{{{XML}}}") or name == f"{{{RDF}}}parseType":
            continue
        if target is None and name in _TARGET_ATTRIBUTES and (found := absolute_iri(value, base)):
            target = Term(f"<{found}>")
        else:
            attributes.append((name, value))
    return target, attributes


def _property(name: str, namespace: str) -> Term | None:
    """Return the property of an element or attribute name; None if it is not an absolute IRI.

    >>> _property("{http://purl.org/dc/elements/1.1/}date", ""), _property("lang", "urn:x:")
    ('<http://purl.org/dc/elements/1.1/date>', '<urn:x:lang>')
    """
    iri = name[1:].replace("}", "", 1) if name[0] == "{" else namespace + name
    if not is_absolute_iri(iri):
        return None
    return Term(f"<{iri}>")


def _literal(written: str) -> Term:
    return literal(written, XSD + "dateTime") if is_timestamp(written) else literal(written)
