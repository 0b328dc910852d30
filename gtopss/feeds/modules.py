"""Module elements: whatever in an item has a namespace of its own, as triples `namespace + local name`.

| element | triples about its parent |
|---|---|
| with text | the text; an `xsd:dateTime` where it is one |
| with `resource`, `about`, `href`, `url` or `src` | that IRI; other attributes and children are said of the IRI |
| with children or attributes only | a blank node, of which they are said |
| with text and attributes | the text, and a blank node with the attributes and the text as `rdf:value` |

An attribute without a prefix is a property in its element's namespace. XHTML inside is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from gtopss.feeds.dates import is_timestamp
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.vocabulary import text
from gtopss.model.terms import RDF, XSD, Term, Triple, literal

XML = "http://www.w3.org/XML/1998/namespace"
XHTML = "http://www.w3.org/1999/xhtml"
ATOM, ATOM_03 = "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"
DC = "http://purl.org/dc/elements/1.1/"
_FORMATS = frozenset(
    {
        "", ATOM, ATOM_03, XHTML, RDF, XML,
        "http://purl.org/rss/1.0/", "http://purl.org/rss/1.0", "http://purl.org/net/rss1.1#",
        "http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss", "http://backend.userland.com/rss2", "http://blogs.law.harvard.edu/tech/rss",
        "http://backend.userland.com/RSS2", "http://www.rssboard.org/rss-specification",
    }
)  # fmt: skip
# What the vocabulary states already, in one form for all formats.
_STATED = frozenset({
    f"{{{DC}}}{name}" for name in ("creator", "date", "subject", "language", "rights", "title", "description")
} | {"{http://purl.org/rss/1.0/modules/content/}encoded"})  # fmt: skip
_TARGETS = (f"{{{RDF}}}resource", "resource", f"{{{RDF}}}about", "href", "url", "src",
            "{http://www.w3.org/1999/xlink}href")  # fmt: skip
_IRI_SAFE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\ud800-\udfff]+')


class Labels:
    """Blank node labels of one publication."""

    def __init__(self, letter: str) -> None:
        self._letter, self._count = letter, 0

    def next(self) -> Term:
        self._count += 1
        return Term(f"_:{self._letter}{self._count}")


def is_module(element: Element) -> bool:
    """Whether an element belongs to no feed format and to nothing that the vocabulary states already."""
    tag = element.tag
    return isinstance(tag, str) and tag[:1] == "{" and tag not in _STATED and tag[1 : tag.index("}")] not in _FORMATS


def module_triples(parent: Element, subject: Term, base: str | None, letter: str) -> Iterator[Triple]:
    """What the module elements directly inside `parent` say about `subject`."""
    base, labels = parent.get(f"{{{XML}}}base") or base, Labels(letter)
    for element in parent:
        if is_module(element):
            yield from _element(element, subject, base, labels)


def _element(element: Element, subject: Term, base: str | None, labels: Labels) -> Iterator[Triple]:
    property = _property(element.tag, "")
    if property is None:
        return
    namespace = element.tag[1 : element.tag.index("}")] if element.tag[0] == "{" else ""
    base = element.get(f"{{{XML}}}base") or base
    markup = any(isinstance(child.tag, str) and child.tag.startswith(f"{{{XHTML}}}") for child in element)
    children = [] if markup else [child for child in element if isinstance(child.tag, str)]
    written = text("".join(element.itertext()) if markup else element.text)
    target, attributes = None, []
    for name, value in element.attrib.items():
        if name.startswith(f"{{{XML}}}") or name == f"{{{RDF}}}parseType":
            continue
        if target is None and name in _TARGETS and (found := absolute_iri(value, base)):
            target = Term(f"<{found}>")
        else:
            attributes.append((name, value))
    if target is not None:
        yield (subject, property, target)
    if written:
        yield (subject, property, _literal(written))
    if not attributes and not children:
        return
    node = target
    if node is None:
        node = labels.next()
        yield (subject, property, node)
        if written:
            yield (node, Term(f"<{RDF}value>"), _literal(written))
    for name, value in attributes:
        attribute = _property(name, namespace)
        if attribute is not None and text(value):
            yield (node, attribute, _literal(text(value)))
    for child in children:
        yield from _element(child, node, base, labels)


def _property(name: str, namespace: str) -> Term | None:
    """
    >>> _property("{http://purl.org/dc/elements/1.1/}date", ""), _property("lang", "urn:x:")
    ('<http://purl.org/dc/elements/1.1/date>', '<urn:x:lang>')
    """
    iri = name[1:].replace("}", "", 1) if name[0] == "{" else namespace + name
    if not _IRI_SAFE.fullmatch(iri):
        return None
    return Term(f"<{iri}>")


def _literal(written: str) -> Term:
    return literal(written, XSD + "dateTime") if is_timestamp(written) else literal(written)
