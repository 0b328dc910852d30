"""A look at XML before a parser that believes it: nothing opened, nothing blown up, nothing cut short.

XML lets a document name files and hosts to be read, and text to be repeated, in its document type declaration
(DTD). A parser that obeys hands over local files, or fills the memory from a few hundred bytes. Others stop
at the end of a download that broke off, and call it a day. :func:`check_xml` reads the bytes once with expat,
which opens nothing unless told to, and refuses what no RDF document needs:

| refused | because |
|---|---|
| external entities | the document would choose what this process opens |
| references to entities of an external DTD | the same; the DTD is not read, so their text is unknown |
| parameter entities | they write declarations that are not there to be checked |
| entities that refer to entities | ten lines expand to gigabytes ("billion laughs") |
| long, many or often used entities | the same by squaring ("quadratic blow-up") |
| entities declared twice or in comments | parsers disagree on what they are |
| attribute defaults | as above: every element grows by what the DTD says |
| deep nesting | parsers and their users recurse |
| UTF-7 | the same bytes are other markup to whoever overlooks the declaration |
| what is not well-formed or not complete | half a document says something else than the whole |

Small entities, as Protégé writes them for namespaces, may be used as often as the document is long.
"""

from __future__ import annotations

import codecs
import re
from typing import NoReturn
from xml.parsers import expat

from ontology.errors import MalformedXML, UnsafeXML

__all__ = [
    "MAX_DEPTH",
    "MAX_ENTITIES",
    "MAX_ENTITY_LENGTH",
    "MAX_EXPANSION",
    "MalformedXML",
    "UnsafeXML",
    "check_xml",
]

MAX_DEPTH = 256
"""Elements inside elements. RDF/XML nests by two for each blank node in a blank node."""
MAX_ENTITIES = 256
MAX_ENTITY_LENGTH = 1_000
"""Characters of one entity's text."""
MAX_EXPANSION = 8 * 2**20
"""Characters that all references together may expand to, in a document shorter than an eighth of this."""

_MAX_GROWTH = 8
"""In longer documents: how many times its own length the references may expand to. ``&owl;`` grows sixfold."""
_MAX_DTD_LENGTH = 2**16
_MAX_DTD_PIECES = 4 * MAX_ENTITIES
"""expat reads a token again with each piece that it is given of it: length times pieces bounds the work."""
_PIECE = 2**18
"""Bytes of the rest given at once: what expat still reads after an error."""
_FEW_TAGS = 8

_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})
_ENTITY_REFERENCE = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
# Possessive throughout: a prolog of a million comments is passed over once.
_BEFORE_DTD = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_REFERENCE_OUTSIDE_COMMENTS = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|&([^#;\s][^;\s]*);", re.DOTALL)

_CUT_SHORT = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)


def check_xml(
    data: bytes,
    *,
    max_depth: int = MAX_DEPTH,
    max_entities: int = MAX_ENTITIES,
    max_entity_length: int = MAX_ENTITY_LENGTH,
    max_expansion: int = MAX_EXPANSION,
    source: str = "<bytes>",
) -> None:
    """Returns if the bytes are one whole XML document that is safe to parse; raises otherwise.

    :class:`~ontology.errors.UnsafeXML` is for what is refused, its base
    :class:`~ontology.errors.MalformedXML` for what is not XML; both have ``reason``, ``line`` and ``column``.
    ``source`` is how their messages refer to the document. Namespaces are left to the RDF parser.

    >>> check_xml(b'<!DOCTYPE a [<!ENTITY owl "http://www.w3.org/2002/07/owl#">]><a b="&owl;Thing"/>')
    >>> check_xml(b'<!DOCTYPE a [<!ENTITY passwords SYSTEM "file:///etc/passwd">]><a>&passwords;</a>')
    Traceback (most recent call last):
    ontology.errors.UnsafeXML: <bytes>, line 1, column 60: the entity 'passwords' lies outside the document \
and is never read; write its text into the document
    """
    encoding = _utf_16(data)
    if encoding is not None:
        # As UTF-8, markup is ASCII bytes whatever the document: what follows may look for them.
        try:
            data = data.decode(encoding).encode()
        except UnicodeDecodeError as error:
            raise MalformedXML(f"not {encoding}: {error.reason}", source=source, line=1) from error
    _Check(data, encoding is not None, max_depth, max_entities, max_entity_length, max_expansion, source).run()


def _utf_16(data: bytes) -> str | None:
    """Decides as expat does, by the byte order mark or by where the first character has its zero byte."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data[:1] == b"\0":
        return "utf-16-be"
    return "utf-16-le" if data[1:2] == b"\0" else None


class _Check:
    """One reading of one document.

    An exception that a handler raises does not stop expat: it goes on without handlers to the end of what it
    was given, expanding entities as it goes. So the DTD is given in pieces that end with each ``>``. An
    entity's declaration is judged before its own ``>`` and nothing can refer to it in the same piece.
    """

    def __init__(
        self,
        data: bytes,
        transcoded: bool,
        max_depth: int,
        max_entities: int,
        max_entity_length: int,
        max_expansion: int,
        source: str,
    ) -> None:
        self._data = data
        self._max_depth = max_depth
        self._max_entities = max_entities
        self._max_entity_length = max_entity_length
        self._max_expansion = max(max_expansion, _MAX_GROWTH * len(data))
        self._source = source
        self._entities: set[str] = set()
        self._expansion = 0
        self._in_dtd = False
        self._reads_external_dtd = False
        self._parser = expat.ParserCreate("utf-8" if transcoded else None)

    def run(self) -> None:
        parser, data = self._parser, self._data
        start = _end_of_match(_BEFORE_DTD, data)
        self._in_dtd = data.startswith(b"<!DOCTYPE", start)
        parser.XmlDeclHandler = self._declared
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EndDoctypeDeclHandler = self._doctype_over
        parser.EntityDeclHandler = self._entity
        parser.AttlistDeclHandler = self._attribute
        # Each open element needs an end tag: with few of them there is no depth, and no need of the handlers,
        # which are most of the cost. With a DTD, tags may stand in entities; with many tags and few end tags,
        # expat would hold all of them before it finds the end.
        if self._in_dtd or data.count(b"</") >= self._max_depth or data.count(b"<") > _FEW_TAGS * self._max_depth:
            self._count_depth()
        try:
            position = self._feed_dtd(start) if self._in_dtd else 0
            view = memoryview(data)
            for begin in range(position, len(data), _PIECE):
                parser.Parse(view[begin : begin + _PIECE], False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self._explained(error) from error
        except (LookupError, ValueError) as error:  # from the codecs that pyexpat asks for a table
            if isinstance(error, MalformedXML):
                raise
            line, column = self._place()
            raise MalformedXML(
                "its encoding is unknown, or not one that XML parsers read",
                source=self._source,
                line=line,
                column=column,
                remedy="save it as UTF-8",
            ) from error
        if self._reads_external_dtd:
            self._refuse_undeclared_references()

    def _feed_dtd(self, start: int) -> int:
        """Gives expat all up to the end of the DTD, and says where that is."""
        view, position = memoryview(self._data), start
        self._parser.DefaultHandlerExpand = self._other_declaration
        self._parser.Parse(view[:start], False)
        pieces = 0
        while self._in_dtd:
            end = self._data.find(b">", position) + 1
            if not end:
                break  # expat says what is wrong with the rest
            pieces += 1
            if pieces > _MAX_DTD_PIECES or end - start > _MAX_DTD_LENGTH:
                self._unsafe("the document type declaration is too long", "keep only the declarations that are used")
            self._parser.Parse(view[position:end], False)
            position = end
        return position

    def _count_depth(self) -> None:
        depth, deepest = 0, self._max_depth

        def started(_name: str, _attributes: list[str]) -> None:
            nonlocal depth
            depth += 1
            if depth > deepest:
                self._unsafe(f"elements are nested more than {deepest} deep", "flatten the document")

        def ended(_name: str) -> None:
            nonlocal depth
            depth -= 1

        self._parser.ordered_attributes = True
        self._parser.StartElementHandler = started
        self._parser.EndElementHandler = ended

    # --- what expat reports --------------------------------------------------------------------------------

    def _declared(self, _version: str, encoding: str | None, _standalone: int) -> None:
        try:
            name = codecs.lookup(encoding or "utf-8").name
        except LookupError:
            return  # expat says so
        if name == "utf-7":
            self._unsafe("UTF-7 is not read: markup can hide in it", "save it as UTF-8")

    def _doctype(self, _name: str, system_id: str | None, public_id: str | None, _internal: int) -> None:
        self._reads_external_dtd = system_id is not None or public_id is not None

    def _doctype_over(self) -> None:
        # expat knows that a comment is one, that the first of two declarations counts and that &lt; is fixed.
        # Some parsers do not (pyoxigraph 0.5 searches the DTD's text): what they would see must be all checked.
        if self._data.count(b"<!ENTITY") != len(self._entities):
            self._unsafe(
                "an entity is declared twice, in a comment, or under a name that XML has for itself",
                "remove that declaration",
            )
        self._in_dtd = False
        self._parser.DefaultHandlerExpand = None

    def _other_declaration(self, text: str) -> None:
        if text.startswith("%"):  # expat would skip all declarations after it, and so would this check
            self._unsafe(f"the parameter entity {text} is not read", "write its declarations out")

    def _attribute(self, element: str, attribute: str, _type: str, default: str | None, _required: int) -> None:
        if default is not None:
            self._unsafe(
                f"the attribute {attribute!r} of {element!r} has a default in the document type declaration",
                "write the attribute where it is meant",
            )

    def _entity(
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
            self._unsafe(f"the parameter entity {name!r} is not read", "write its declarations out")
        if value is None:
            self._unsafe(
                f"the entity {name!r} lies outside the document and is never read", "write its text into the document"
            )
        # Character references are replaced by now: "&#38;b;" is seen as the "&b;" that it amounts to.
        if _ENTITY_REFERENCE.search(value):
            self._unsafe(f"the entity {name!r} refers to an entity", "write the text of the inner one out")
        if len(value) > self._max_entity_length:
            self._unsafe(
                f"the entity {name!r} has {len(value)} characters, more than {self._max_entity_length}",
                "write the text where it is meant",
            )
        self._entities.add(name)
        if len(self._entities) > self._max_entities:
            self._unsafe(f"more than {self._max_entities} entities", "keep only those that are used")
        # An upper bound: references in comments are counted too. A name that is not ASCII may be written in
        # any encoding: then each ampersand might be one.
        uses = self._data.count(f"&{name};".encode()) if name.isascii() else self._data.count(b"&")
        self._expansion += uses * len(value)
        if self._expansion > self._max_expansion:
            self._unsafe(
                f"its entities expand to more than {self._max_expansion} characters", "write the text where it is meant"
            )

    def _refuse_undeclared_references(self) -> None:
        """Finds references that expat passed over, as it must where they may be declared in an unread DTD."""
        for match in _REFERENCE_OUTSIDE_COMMENTS.finditer(self._data):
            if match[1] is not None:
                name = match[1].decode("utf-8", "replace")
                if name not in self._entities and name not in _PREDEFINED:
                    line = self._data.count(b"\n", 0, match.start()) + 1
                    column = match.start() - self._data.rfind(b"\n", 0, match.start())
                    raise UnsafeXML(
                        f"the entity {name!r} is declared outside the document, if at all, and is never read",
                        source=self._source,
                        line=line,
                        column=column,
                        remedy="declare it in the document, or write its text out",
                    )

    # --- errors --------------------------------------------------------------------------------------------

    def _explained(self, error: expat.ExpatError) -> MalformedXML:
        reason, remedy = expat.ErrorString(error.code), "correct the document"
        if error.code in _CUT_SHORT:
            if not self._data.strip():
                reason, remedy = "there is nothing in it", "check where it came from"
            else:
                reason, remedy = f"it ends before its root element does ({reason})", "fetch the whole of it again"
        elif error.code == expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]:
            remedy = "save it as UTF-8"
        return MalformedXML(reason, source=self._source, line=error.lineno, column=error.offset + 1, remedy=remedy)

    def _unsafe(self, reason: str, remedy: str) -> NoReturn:
        line, column = self._place()
        raise UnsafeXML(reason, source=self._source, line=line, column=column, remedy=remedy)

    def _place(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1


def _end_of_match(pattern: re.Pattern[bytes], data: bytes) -> int:
    match = pattern.match(data)
    return match.end() if match else 0
