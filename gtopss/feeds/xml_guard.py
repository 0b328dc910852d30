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
_DECLARATION = re.compile(rb"xml(?:ns|:base)")
_MIN_ELEMENT_BYTES = len("<a/>")
_MIN_ATTRIBUTE_BYTES = len(" a=''")
_MIN_NAME_BYTES = 3  # of a tag or an attribute: `<a>` and `</a>` are two tags in seven bytes


def parse_safe_xml(data: bytes, limits: DocumentLimits = DEFAULT_LIMITS) -> ET.Element | None:
    """Return the root of a UTF-8 document that is well-formed and within the limits; None if it is not certain."""
    if not _is_utf8(data) or data.startswith(b"<!DOCTYPE", _PROLOG.match(data).end()):  # type: ignore[union-attr]
        return None
    size = len(data)
    if size > _MIN_ELEMENT_BYTES * limits.max_feed_elements and data.count(b"<") > limits.max_feed_elements:
        return None
    if not _has_short_names(data, limits):
        return None
    try:
        root = ET.fromstring(data)
    except (ET.ParseError, ValueError, LookupError):
        return None
    level: list[ET.Element] = [root]
    for _ in range(limits.max_depth):
        if size > _MIN_ATTRIBUTE_BYTES * limits.max_attributes:
            for element in level:
                if len(element.keys()) > limits.max_attributes:
                    return None
        level = [child for element in level if len(element) for child in element]
        if not level:
            return root
    return None


def _is_utf8(data: bytes) -> bool:
    if data[:1] != b"<" and not data.startswith(codecs.BOM_UTF8):
        return False  # or white space before the declaration, which is a mistake
    return data[1:2] != b"\0" and (declared_encoding(data) or "utf-8") in ("utf-8", "ascii")


def _has_short_names(data: bytes, limits: DocumentLimits) -> bool:
    """Return whether all names together stay short once the namespaces and bases are put before them."""
    longest = 0
    for count, found in enumerate(_DECLARATION.finditer(data), start=1):
        if count > limits.max_attributes:
            return False
        start = found.start()
        end = data.find(b">", start)
        longest = max(longest, (len(data) if end < 0 else end) - start)
    limit = limits.output_limit(len(data))[0]
    if len(data) // _MIN_NAME_BYTES * longest <= limit:  # counting takes as long as parsing a fifth of the document
        return True
    return (data.count(b"<") + data.count(b"=")) * longest <= limit
