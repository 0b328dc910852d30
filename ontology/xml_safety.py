"""Check that an XML document is safe to parse, before a parser that would obey it gets it.

In its document type declaration (DTD), an XML document can name files and hosts to read and text to repeat. A parser
that obeys discloses local files, or fills the memory from a few hundred bytes. Other parsers accept a truncated
download as if it were complete. :func:`check_xml` parses the bytes once with expat, which opens nothing by default, and
refuses what no RDF document needs:

| refused | because |
|---|---|
| external entities | the document would choose what this process opens |
| references to entities of an external DTD | the same; the DTD is not read, so their text is unknown |
| parameter entities | they create declarations that cannot be checked |
| entities that refer to entities | ten lines expand to gigabytes ("billion laughs") |
| long, many or frequently used entities | the same by squaring ("quadratic blow-up") |
| entities declared twice or in comments | parsers disagree on their text |
| attribute defaults | every element grows by what the DTD says |
| deep nesting | parsers and their users recurse |
| many attributes of one element, many namespaces in scope | parsers compare each with each |
| long namespaces and bases of many names | parsers put them before each name; XML literals repeat all in scope |
| UTF-7 | a parser that ignores the encoding declaration reads other markup in the same bytes |
| documents that are not well-formed or not complete | half a document means something else than the whole |

Small entities, such as Protégé writes for namespaces, may be used as often as the document is long.
"""

from __future__ import annotations

import codecs
import re
import sys
from typing import NamedTuple, NoReturn
from xml.parsers import expat

from ontology.errors import MalformedXML, UnsafeXML
from ontology.limits import DEFAULT_LIMITS, DocumentLimits

__all__ = ["MalformedXML", "UnsafeXML", "check_xml", "expanded_names_size"]


_MAX_GROWTH = 8
"""In longer documents: the factor by which references may expand the document. ``&owl;`` grows sixfold."""
_MAX_DTD_BYTES = 2**16
_MAX_DTD_PIECES = 1024
"""expat reads an incomplete token again with each piece that it gets, so length times pieces bounds the work."""
_PIECE_BYTES = 2**18
"""Bytes given to expat at once after the DTD. After an error, expat still reads to the end of the piece."""
_TAGS_PER_LEVEL = 8
"""Depth is counted in a document with more tags than this for each allowed level."""

_PREDEFINED_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_ENTITY_REFERENCE = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
# Possessive quantifiers throughout: a prolog of a million comments is scanned only once.
_BEFORE_DTD = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_NAMESPACE = re.compile(rb"""(?:xmlns|xml:base)[^=<>]*+=\s*+(?:"[^"]*+"|'[^']*+')""")
_REFERENCE_OUTSIDE_COMMENTS = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|&([^#;\s][^;\s]*);", re.DOTALL)

_TRUNCATION_ERRORS = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)


def check_xml(
    data: bytes, *, limits: DocumentLimits = DEFAULT_LIMITS, source: str = "<bytes>", is_feed: bool = False
) -> None:
    """Check that the bytes are one complete XML document that is safe to parse.

    Raises :class:`~ontology.errors.UnsafeXML` for what is refused, and its base
    :class:`~ontology.errors.MalformedXML` for what is not XML. Both have ``reason``, ``line`` and ``column``.
    ``source`` is the document's name in their messages. Namespaces are left to the RDF parser. Elements of a feed are
    counted too, because its parser is slow.

    >>> check_xml(b'<!DOCTYPE a [<!ENTITY owl "http://www.w3.org/2002/07/owl#">]><a b="&owl;Thing"/>')
    >>> check_xml(b'<!DOCTYPE a [<!ENTITY passwords SYSTEM "file:///etc/passwd">]><a>&passwords;</a>')
    Traceback (most recent call last):
    ontology.errors.UnsafeXML: <bytes>, line 1, column 60: the entity 'passwords' lies outside the document \
and is never read; write its text into the document
    """
    encoding = _utf_16(data)
    if encoding is not None:
        # In UTF-8, markup is ASCII bytes in every document, so the checks below can search for it.
        try:
            data = data.decode(encoding).encode()
        except UnicodeDecodeError as error:
            raise MalformedXML(f"not {encoding}: {error.reason}", source=source, line=1) from error
    max_elements = limits.max_feed_elements if is_feed else sys.maxsize
    _XMLCheck(data, limits, source, max_elements=max_elements, transcoded=encoding is not None).run()


def _utf_16(data: bytes) -> str | None:
    """Detect UTF-16 as expat does: by the byte order mark or by the position of the first zero byte."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data[:1] == b"\0":
        return "utf-16-be"
    return "utf-16-le" if data[1:2] == b"\0" else None


def expanded_names_size(data: bytes, *, all_in_each: bool = False) -> int:
    """Return an upper bound of the characters that all names have with the namespaces and bases of the document.

    A name has the longest of them, or, for `all_in_each`, all. The document need not be well-formed.
    """
    sizes = [len(found) for found in _NAMESPACE.findall(data)]
    return (data.count(b"<") + data.count(b"=")) * (sum(sizes) if all_in_each else max(sizes, default=0))


class _Scope(NamedTuple):
    """The namespace declarations and bases in scope of an element."""

    declarations: int
    characters: int
    longest: int

    def inside(self, attributes: list[str]) -> _Scope:
        """Return the scope of an element with these names and values of attributes."""
        count, characters, longest = self
        for position in range(0, len(attributes), 2):
            name = attributes[position]
            if name.startswith("xmlns") or name == "xml:base":
                length = len(name) + len(attributes[position + 1])
                count, characters, longest = count + 1, characters + length, max(longest, length)
        return _Scope(count, characters, longest)


class _XMLCheck:
    """One pass of expat over one document.

    An exception in a handler does not stop expat: it continues without handlers to the end of what it was given, and
    expands entities on the way. So the DTD is given in pieces that end with each ``>``. An entity's declaration is
    checked before its own ``>``, and nothing in the same piece can refer to the entity.
    """

    def __init__(
        self, data: bytes, limits: DocumentLimits, source: str, *, max_elements: int, transcoded: bool
    ) -> None:
        self._data = data
        self._limits = limits
        self._max_elements = max_elements
        self._max_expansion = max(limits.max_expansion, _MAX_GROWTH * len(data))
        self._max_copied, self._copied_by = limits.output_limit(len(data))
        # Each element of an XML literal repeats the namespaces in scope. A literal needs the attribute parseType.
        self._has_literals = b"parseType" in data
        self._source = source
        self._entities: set[str] = set()
        self._expansion = 0
        self._in_dtd = False
        self._has_external_dtd = False
        self._parser = expat.ParserCreate("utf-8" if transcoded else None)

    def run(self) -> None:
        dtd_start = _end_of_match(_BEFORE_DTD, self._data)
        self._in_dtd = self._data.startswith(b"<!DOCTYPE", dtd_start)
        self._set_handlers()
        try:
            position = self._parse_dtd(dtd_start) if self._in_dtd else 0
            self._parse_rest(position)
        except expat.ExpatError as error:
            raise self._malformed(error) from error
        except (LookupError, ValueError) as error:  # from the codecs that pyexpat uses for other encodings
            if isinstance(error, MalformedXML):
                raise
            line, column = self._position()
            raise MalformedXML(
                "its encoding is unknown, or not one that XML parsers read",
                source=self._source,
                line=line,
                column=column,
                remedy="save it as UTF-8",
            ) from error
        if self._has_external_dtd:
            self._refuse_undeclared_references()

    def _set_handlers(self) -> None:
        parser, data, max_depth = self._parser, self._data, self._limits.max_depth
        parser.XmlDeclHandler = self._on_xml_declaration
        parser.StartDoctypeDeclHandler = self._on_doctype_start
        parser.EndDoctypeDeclHandler = self._on_doctype_end
        parser.EntityDeclHandler = self._on_entity
        parser.AttlistDeclHandler = self._on_attribute_declaration
        # Each open element needs an end tag: with few end tags there is no depth, and the handlers that count it, which
        # are most of the cost, are not needed. They are needed with a DTD, because entities may contain tags, and with
        # many tags but few end tags, because expat would store all open elements before it reaches the end.
        tags = data.count(b"<")
        many_tags = data.count(b"</") >= max_depth or tags > min(_TAGS_PER_LEVEL * max_depth, self._max_elements)
        # Text that is no attribute may contain these signs too. That only makes the check slower.
        many_attributes = data.count(b"=") > self._limits.max_attributes
        expanded_size = expanded_names_size(data, all_in_each=self._has_literals)
        if self._in_dtd or many_tags or many_attributes or expanded_size > self._max_copied:
            self._count_elements()

    def _parse_dtd(self, start: int) -> int:
        """Give expat everything up to the end of the DTD, and return the position of that end."""
        view, position = memoryview(self._data), start
        self._parser.DefaultHandlerExpand = self._on_other_declaration
        self._parser.Parse(view[:start], False)
        pieces = 0
        while self._in_dtd:
            end = self._data.find(b">", position) + 1
            if not end:
                break  # expat reports what is wrong with the rest
            pieces += 1
            if pieces > _MAX_DTD_PIECES or end - start > _MAX_DTD_BYTES:
                self._refuse("the document type declaration is too long", "keep only the declarations that are used")
            self._parser.Parse(view[position:end], False)
            position = end
        return position

    def _parse_rest(self, start: int) -> None:
        view = memoryview(self._data)
        for begin in range(start, len(self._data), _PIECE_BYTES):
            self._parser.Parse(view[begin : begin + _PIECE_BYTES], False)
        self._parser.Parse(b"", True)

    def _count_elements(self) -> None:
        """Count depth, attributes, namespaces in scope, and how often parsers would repeat these."""
        max_depth, max_attributes, max_copied = self._limits.max_depth, self._limits.max_attributes, self._max_copied
        copied = elements = 0
        scopes = [_Scope(0, 0, 0)]  # one for each open element

        def on_start(_name: str, attributes: list[str]) -> None:
            nonlocal copied, elements
            elements += 1
            if elements > self._max_elements:
                reason = f"a feed or list has more than {self._max_elements} elements (max_feed_elements)"
                self._refuse(reason, "split it")
            if len(scopes) > max_depth:
                self._refuse(f"elements are nested more than {max_depth} deep (max_depth)", "flatten the document")
            scope = scopes[-1]
            if attributes:
                if len(attributes) > 2 * max_attributes:
                    reason = f"an element has more than {max_attributes} attributes (max_attributes)"
                    self._refuse(reason, "use elements instead")
                scope = scope.inside(attributes)
                if scope.declarations > max_attributes:
                    reason = f"more than {max_attributes} namespace declarations are in scope (max_attributes)"
                    self._refuse(reason, "declare each namespace once")
            scopes.append(scope)
            # A name is expanded by its namespace, a reference by its base, and an element of a literal has all of them.
            copied += scope.characters if self._has_literals else scope.longest * (1 + len(attributes) // 2)
            if copied > max_copied:
                reason = f"its names and references take more than {max_copied} characters once resolved"
                self._refuse(f"{reason} ({self._copied_by})", "shorten the namespaces and bases")

        def on_end(_name: str) -> None:
            scopes.pop()

        self._parser.ordered_attributes = True
        self._parser.StartElementHandler = on_start
        self._parser.EndElementHandler = on_end

    # --- expat's handlers ----------------------------------------------------------------------------------

    def _on_xml_declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        try:
            name = codecs.lookup(encoding or "utf-8").name
        except LookupError:
            return  # expat reports it
        if name == "utf-7":
            self._refuse("UTF-7 is refused: it can hide markup", "save it as UTF-8")

    def _on_doctype_start(self, _name: str, system_id: str | None, public_id: str | None, _internal: int) -> None:
        self._has_external_dtd = system_id is not None or public_id is not None

    def _on_doctype_end(self) -> None:
        # expat ignores comments, uses the first of two declarations and never redefines &lt;. Some parsers differ
        # (pyoxigraph 0.5 searches the DTD's text), so every declaration that they could see must have been checked.
        if self._data.count(b"<!ENTITY") != len(self._entities):
            self._refuse(
                "an entity is declared twice, in a comment, or under a name that XML predefines",
                "remove that declaration",
            )
        self._in_dtd = False
        self._parser.DefaultHandlerExpand = None

    def _on_other_declaration(self, text: str) -> None:
        if text.startswith("%"):  # expat skips all declarations after it, so this check would miss them
            self._refuse(f"the parameter entity {text} is not read", "write its declarations out")

    def _on_attribute_declaration(
        self, element: str, attribute: str, _type: str, default: str | None, _required: int
    ) -> None:
        if default is not None:
            self._refuse(
                f"the attribute {attribute!r} of {element!r} has a default in the document type declaration",
                "write the attribute where it is used",
            )

    def _on_entity(
        self,
        name: str,
        is_parameter: int,
        value: str | None,
        _base: str | None,
        _system_id: str | None,
        _public_id: str | None,
        _notation: str | None,
    ) -> None:
        if is_parameter:
            self._refuse(f"the parameter entity {name!r} is not read", "write its declarations out")
        if value is None:
            self._refuse(
                f"the entity {name!r} lies outside the document and is never read", "write its text into the document"
            )
        self._check_entity_text(name, value)
        self._entities.add(name)
        if len(self._entities) > self._limits.max_entities:
            self._refuse(f"more than {self._limits.max_entities} entities", "keep only those that are used")
        self._check_expansion(name, value)

    def _check_entity_text(self, name: str, value: str) -> None:
        # expat has already replaced character references: "&#38;b;" arrives as the "&b;" that it means.
        if _ENTITY_REFERENCE.search(value):
            self._refuse(f"the entity {name!r} refers to an entity", "write the text of the inner one out")
        if len(value) > self._limits.max_entity_length:
            self._refuse(
                f"the entity {name!r} has {len(value)} characters, more than {self._limits.max_entity_length}",
                "write the text where it is used",
            )

    def _check_expansion(self, name: str, value: str) -> None:
        # An upper bound: references in comments are counted too. A name that is not ASCII may be written in any
        # encoding, so each ampersand might refer to it.
        uses = self._data.count(f"&{name};".encode()) if name.isascii() else self._data.count(b"&")
        self._expansion += uses * len(value)
        if self._expansion > self._max_expansion:
            self._refuse(
                f"its entities expand to more than {self._max_expansion} characters", "write the text where it is used"
            )

    def _refuse_undeclared_references(self) -> None:
        """Find references that expat skipped, as it must if they may be declared in an external DTD."""
        for match in _REFERENCE_OUTSIDE_COMMENTS.finditer(self._data):
            if match[1] is None:
                continue
            name = match[1].decode("utf-8", "replace")
            if name not in self._entities and name not in _PREDEFINED_ENTITIES:
                raise UnsafeXML(
                    f"the entity {name!r} is declared outside the document, if at all, and is never read",
                    source=self._source,
                    line=self._data.count(b"\n", 0, match.start()) + 1,
                    column=match.start() - self._data.rfind(b"\n", 0, match.start()),
                    remedy="declare it in the document, or write its text out",
                )

    # --- errors --------------------------------------------------------------------------------------------

    def _malformed(self, error: expat.ExpatError) -> MalformedXML:
        reason, remedy = expat.ErrorString(error.code), "correct the document"
        if error.code in _TRUNCATION_ERRORS:
            if not self._data.strip():
                reason, remedy = "the document is empty", "check where it came from"
            else:
                reason, remedy = f"it ends before its root element does ({reason})", "download it again"
        elif error.code == expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]:
            remedy = "save it as UTF-8"
        return MalformedXML(reason, source=self._source, line=error.lineno, column=error.offset + 1, remedy=remedy)

    def _refuse(self, reason: str, remedy: str) -> NoReturn:
        line, column = self._position()
        raise UnsafeXML(reason, source=self._source, line=line, column=column, remedy=remedy)

    def _position(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1


def _end_of_match(pattern: re.Pattern[bytes], data: bytes) -> int:
    match = pattern.match(data)
    return match.end() if match else 0
