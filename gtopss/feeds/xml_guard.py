"""Check and parse XML in one pass, if that is enough to know that it is safe.

Without a document type declaration, XML can define nothing: what is left of the checks of `ontology.xml_safety` are
limits of the element tree. Where one is reached or might be, None is returned: `check_xml` decides then and says where
and why.
"""

from __future__ import annotations

import codecs
import re
from xml.etree import ElementTree as ET

from gtopss.rdf.encodings import declared_encoding
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)  # a DTD can only follow it
_DECLARATIONS = (b"xmlns", b"xml:base")


def parse_safe_xml(data: bytes, limits: DocumentLimits = DEFAULT_LIMITS) -> ET.Element | None:
    """Return the root of a UTF-8 document that is well-formed and within the limits; None if it is not certain."""
    if not _is_utf8(data) or data.startswith(b"<!DOCTYPE", _PROLOG.match(data).end()):  # type: ignore[union-attr]
        return None
    tags, attributes = data.count(b"<"), data.count(b"=")
    if tags > limits.max_feed_elements or not _has_short_names(data, tags + attributes, limits):
        return None
    try:
        root = ET.fromstring(data)
    except (ET.ParseError, ValueError, LookupError):
        return None
    level: list[ET.Element] = [root]
    for _ in range(limits.max_depth):
        if attributes > limits.max_attributes and max(len(element.keys()) for element in level) > limits.max_attributes:
            return None
        level = [child for element in level for child in element]
        if not level:
            return root
    return None


def _is_utf8(data: bytes) -> bool:
    if data[:1] != b"<" and not data.startswith(codecs.BOM_UTF8):
        return False  # or white space before the declaration, which is a mistake
    return data[1:2] != b"\0" and (declared_encoding(data) or "utf-8") in ("utf-8", "ascii")


def _has_short_names(data: bytes, names: int, limits: DocumentLimits) -> bool:
    """Return whether all names together stay short once the namespaces and bases are put before them."""
    longest = count = 0
    for declaration in _DECLARATIONS:
        position = data.find(declaration)
        while position >= 0:
            count += 1
            end = data.find(b">", position)
            longest = max(longest, (len(data) if end < 0 else end) - position)
            if count > limits.max_attributes:
                return False
            position = data.find(declaration, position + 1)
    return names * longest <= limits.output_limit(len(data))[0]
