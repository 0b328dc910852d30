"""Read RSS 1.0 as RDF from its element tree, if it uses only the part of RDF/XML that RSS 1.0 describes.

That is: typed nodes with `rdf:about`, properties with a text or `rdf:resource`, and lists of `rdf:li`. It takes half
the time of a parser for all of RDF/XML. Anything else, and any IRI that would have to be resolved or repaired, is left
to `gtopss.feeds.rss1`.
"""

from __future__ import annotations

from functools import lru_cache
from xml.etree.ElementTree import Element

from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.namespaces import RSS, RSS_090_NAMESPACES
from gtopss.feeds.rss1_graph import ITEM, TYPE, Resources
from gtopss.feeds.text import Repair, text_line, undo_double_encoding
from gtopss.model.terms import RDF

_ROOT, _DESCRIPTION, _LI = f"{{{RDF}}}RDF", f"{{{RDF}}}Description", f"{{{RDF}}}li"
_RDF = RDF.encode()
_ABOUT, _RESOURCE = f"{{{RDF}}}about", f"{{{RDF}}}resource"
_PLAIN_RDF_NAMES = frozenset({"type", "value", "Seq", "Bag", "Alt", "Statement", "subject", "predicate", "object"})
_OLDER = tuple(f"<{namespace}".encode() for namespace in (*RSS_090_NAMESPACES, "http://purl.org/rss/1.0#"))
_OWN_ELEMENTS = frozenset(  # their attributes often have no prefix
    {_LI, *(f"{{{RSS}}}{name}" for name in ("item", "image", "textinput", "channel", "items"))}
)
_EMPTY = b'""\n'


class _NotPlain(Exception):
    """The document uses more of RDF/XML."""


def read_rss1_tree(root: Element, repair: Repair = undo_double_encoding) -> Resources | None:
    """Return the resources of a document; None if it is to be read by a parser for all of RDF/XML."""
    if root.tag != _ROOT or root.keys():
        return None
    resources = Resources()
    try:
        _require_no_text(root)
        for element in root:
            _read_node(element, resources, repair)
    except _NotPlain:
        return None
    return resources


def _read_node(element: Element, resources: Resources, repair: Repair) -> bytes:
    """Read a node and what is inside it. The check of the XML has limited the depth."""
    tag, about = element.tag, element.get(_ABOUT)
    if about is None and tag in _OWN_ELEMENTS:
        about = element.get("about")
    if tag == _DESCRIPTION and about is None:
        raise _NotPlain  # its number depends on the order of a parser's triples
    if len(element.keys()) != (about is not None):
        raise _NotPlain
    text = element.text
    if text and not text.isspace():
        raise _NotPlain
    subject = resources.new_blank() if about is None else _iri(about)
    resource = resources.of(subject) if tag == _DESCRIPTION else resources.add_typed(subject, _name(tag))
    statements = resource.statements
    number = 0
    for child in element:
        tail = child.tail
        if tail and not tail.isspace():
            raise _NotPlain
        tag = child.tag
        if tag == _LI:
            number += 1
            property = b"<%b_%d>\n" % (_RDF, number)
        elif (property := _name(tag)) == ITEM:
            raise _NotPlain
        if len(child) or child.keys():
            statements.append((property, _read_object(child, resources, repair)))
            continue
        text = child.text
        if text:
            text = (text if text.isascii() else repair(text)).strip()
        statements.append((property, text_line(text) if text else _EMPTY))
    return subject


def _read_object(element: Element, resources: Resources, repair: Repair) -> bytes:
    """Read a value that is no text: a reference, or a node."""
    attributes = element.keys()
    if attributes:
        reference = element.get("resource" if element.tag in _OWN_ELEMENTS else "") or element.get(_RESOURCE)
        if len(attributes) > 1 or reference is None or len(element) or (element.text or "").strip():
            raise _NotPlain
        return _iri(reference)
    if len(element) > 1:
        raise _NotPlain
    _require_no_text(element)
    return _read_node(element[0], resources, repair)


def _require_no_text(element: Element) -> None:
    if element.text and not element.text.isspace():
        raise _NotPlain
    for child in element:
        if child.tail and not child.tail.isspace():
            raise _NotPlain


def _iri(text: str) -> bytes:
    if "/." in text or absolute_iri(text) != text:
        raise _NotPlain
    return f"<{text}>\n".encode()


def _name(tag: str) -> bytes:
    found = _name_or_none(tag)
    if found is None:
        raise _NotPlain
    return found


@lru_cache(maxsize=1_024)
def _name_or_none(tag: str) -> bytes | None:
    if tag[0] != "{":
        return None
    namespace, _, local = tag[1:].partition("}")
    iri = namespace + local
    if (namespace == RDF and local not in _PLAIN_RDF_NAMES) or absolute_iri(iri) != iri:
        return None
    line = f"<{iri}>\n".encode()
    return None if line == TYPE or line.startswith(_OLDER) else line
