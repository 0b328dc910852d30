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

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count
from xml.etree.ElementTree import Element

from gtopss.feeds.dates import is_timestamp
from gtopss.feeds.iris import absolute_iri
from gtopss.feeds.items import Lines
from gtopss.feeds.namespaces import CONTENT, DC, FORMAT_NAMESPACES, XHTML, XLINK, XML
from gtopss.feeds.text import repeated_text_line, term_line, undo_double_encoding
from gtopss.model.terms import RDF, XSD, literal

# Elements that `gtopss.feeds.triples` already describes, in one form for all formats.
_DESCRIBED = frozenset({
    f"{{{DC}}}{name}" for name in ("creator", "date", "subject", "language", "rights", "title", "description")
} | {f"{{{CONTENT}}}encoded"})  # fmt: skip
_TARGET_ATTRIBUTES = frozenset(
    {f"{{{RDF}}}resource", "resource", f"{{{RDF}}}about", "href", "url", "src", f"{{{XLINK}}}href"}
)
_XML, _XHTML, _BASE, _PARSE_TYPE = f"{{{XML}}}", f"{{{XHTML}}}", f"{{{XML}}}base", f"{{{RDF}}}parseType"
_VALUE = f"<{RDF}value>\n".encode()


@lru_cache(maxsize=1_024)
def is_module_tag(tag: object) -> bool:
    """Return whether elements with this tag belong to a module and are not described elsewhere."""
    return (
        isinstance(tag, str)
        and tag[:1] == "{"
        and tag not in _DESCRIBED
        and tag[1 : tag.index("}")] not in FORMAT_NAMESPACES
    )


def module_lines(elements: Iterable[Element], subject: bytes, base: str | None, letter: str) -> Lines:
    """Return the triples about `subject` from these module elements."""
    made: Lines = []
    blank_nodes = count(1)
    for element in elements:
        _add_element(made, element, subject, base, letter, blank_nodes)
    return made


def _add_element(
    made: Lines, element: Element, subject: bytes, base: str | None, letter: str, blank_nodes: Iterator[int]
) -> None:
    property = _property(element.tag, "")
    if property is None:
        return
    written_attributes = element.items()
    if not written_attributes and not len(element):  # most of them
        if written := _xml_text(element.text):
            made += (subject, property, _literal_line(written))
        return
    has_markup = len(element) > 0 and any(child.tag.startswith(_XHTML) for child in element)
    written = _xml_text("".join(element.itertext()) if has_markup else element.text)
    base = element.get(_BASE) or base
    target, attributes = _split_attributes(written_attributes, base)
    if target is not None:
        made += (subject, property, target)
    if written:
        made += (subject, property, _literal_line(written))
    if not attributes and (has_markup or not len(element)):
        return
    node = target
    if node is None:
        node = b"_:%b%d\n" % (letter.encode(), next(blank_nodes))
        made += (subject, property, node)
        if written:
            made += (node, _VALUE, _literal_line(written))
    if attributes:
        namespace = element.tag[1 : element.tag.index("}")] if element.tag[0] == "{" else ""
        for name, value in attributes:
            attribute = _property(name, namespace)
            if attribute is not None and (stripped := _xml_text(value)):
                made += (node, attribute, _literal_line(stripped))
    if not has_markup:
        for child in element:
            _add_element(made, child, node, base, letter, blank_nodes)


def _xml_text(text: str | None) -> str:
    """Return what `clean_text` returns, of a text in which an XML parser has found no illegal characters."""
    if not text:
        return ""
    return (text if text.isascii() else undo_double_encoding(text)).strip()


def _split_attributes(
    written: Iterable[tuple[str, str]], base: str | None
) -> tuple[bytes | None, list[tuple[str, str]]]:
    """Return the line of the IRI that the element refers to, if there is one, and the attributes that describe it."""
    target, attributes = None, []
    for name, value in written:
        if name[0] == "{" and (name.startswith(_XML) or name == _PARSE_TYPE):
            continue
        if target is None and name in _TARGET_ATTRIBUTES and (found := absolute_iri(value, base)):
            target = f"<{found}>\n".encode()
        else:
            attributes.append((name, value))
    return target, attributes


@lru_cache(maxsize=1_024)
def _property(name: str, namespace: str) -> bytes | None:
    """Return the line of the property of an element or attribute name; None if it is not an absolute IRI.

    >>> _property("{http://purl.org/dc/elements/1.1/}date", ""), _property("lang", "urn:x:")
    (b'<http://purl.org/dc/elements/1.1/date>\\n', b'<urn:x:lang>\\n')
    """
    iri = name[1:].replace("}", "", 1) if name[0] == "{" else namespace + name
    found = absolute_iri(iri)
    return f"<{found}>\n".encode() if found else None


def _literal_line(written: str) -> bytes:
    if "T" in written and is_timestamp(written):
        return term_line(literal(written, XSD + "dateTime"))
    return repeated_text_line(written)
