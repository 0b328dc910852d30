"""RDF terms, of which triples and subscriptions are made.

A term is its N-Triples text: `<http://...>`, `_:b0`, `"2001"^^<...integer>`, `"chat"@fr`; a variable is `?x`. A term is
one immutable string, because the same form then serves as hash key, in JSON, in a table's column and in an error
message, and because two terms are equal in RDF exactly when their canonical texts are:

- `xsd:string` is omitted (`"a"` and `"a"^^xsd:string` are one term in RDF 1.1);
- language tags are lower case (RDF 1.1, section 3.3);
- characters are escaped only where N-Triples requires it, as pyoxigraph prints them.

Lexical forms are kept: `"01"^^xsd:integer` and `"1"^^xsd:integer` are different terms of equal value. Only this module
converts terms of rdflib and pyoxigraph, and plain Python values.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, wraps
from json import JSONDecoder
from typing import NewType, TypeAlias, TypeVar

import pyoxigraph as ox
import rdflib
from rdflib.term import Identifier

from gtopss.errors import InvalidTerm, short_repr
from gtopss.model.iris import IRI_TEXT
from gtopss.model.lazy_pattern import LazyPattern
from gtopss.model.rdflib_literals import UnconvertedLiteral

Term = NewType("Term", str)
Triple: TypeAlias = tuple[Term, Term, Term]
TermLike: TypeAlias = (
    Term | str | Identifier | bool | int | float | Decimal | dt.datetime | dt.date | dt.time
    | ox.NamedNode | ox.BlankNode | ox.Literal | ox.Variable
)  # fmt: skip

XSD = "http://www.w3.org/2001/XMLSchema#"
XSD_STRING = XSD + "string"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
RDF_TYPE = Term(f"<{RDF}type>")
RDF_LANG_STRING = RDF + "langString"

_ESCAPES = {chr(code): f"\\u{code:04X}" for code in [*range(0x20), 0x7F, 0xFFFE, 0xFFFF]}
_ESCAPES |= {'"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_NEEDS_ESCAPE = re.compile('[\x00-\x1f\x7f\ufffe\uffff\ud800-\udfff"\\\\]')
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_LONGEST_ESCAPE = len(r"\U0010FFFF")
_JSON = JSONDecoder(strict=False)
_UNESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}

_Result = TypeVar("_Result")
_IRI = re.compile(IRI_TEXT)
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_NAME_START = (  # PN_CHARS_U and digits of the SPARQL and N-Triples grammars
    r"A-Za-z0-9_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_NAME_CHARACTERS = _NAME_START + r"\u00B7\u0300-\u036F\u203F-\u2040"
_USUAL_NAME = re.compile("[A-Za-z0-9_]+")
_VARIABLE_NAME = LazyPattern(f"[{_NAME_START}][{_NAME_CHARACTERS}]*")
BLANK_LABEL = f"[{_NAME_START}](?:[{_NAME_CHARACTERS}.\\-]*[{_NAME_CHARACTERS}\\-])?"
"""The pattern of a blank node's label."""
_BLANK_LABEL = LazyPattern(BLANK_LABEL)
MAX_CACHED_TERM_CHARACTERS = 1_000  # longer terms rarely recur, and caches of whole articles would hold gigabytes
MAX_CACHED_TERMS = 16_384  # in each cache: terms of publications that never come again must not fill the memory
MAX_NUMBER_DIGITS = 4_000  # Python refuses to print integers of more than 4,300 digits
_LITERAL = re.compile(
    rf'"((?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*)"'
    rf"(?:@({_LANGUAGE.pattern})|\^\^<({IRI_TEXT})>)?"
)


def iri(text: str) -> Term:
    """Return the term of an IRI; raise InvalidTerm if the text is not one.

    >>> iri("http://example.org/a")
    '<http://example.org/a>'
    """
    if not _IRI.fullmatch(text):
        raise InvalidTerm(text, "an IRI cannot have spaces, quotes or any of <>{}|^`\\: percent-encode them")
    return Term(f"<{text}>")


def blank(label: str) -> Term:
    """Return the term of a blank node; `label` is its name within one publication."""
    if not (_USUAL_NAME.fullmatch(label) or _BLANK_LABEL.fullmatch(label)):
        raise InvalidTerm(f"_:{label}", "a blank node's label has only letters, digits, `_`, `-` and inner dots")
    return Term(f"_:{label}")


def variable(name: str) -> Term:
    """Return the term of a variable, whose name may have its `?` or not.

    >>> variable("year"), variable("?year")
    ('?year', '?year')
    """
    if isinstance(name, rdflib.BNode):
        return hidden_variable(blank(str(name)))
    if not isinstance(name, str):
        raise InvalidTerm(name, "a variable is a text such as ?year, or an rdflib Variable")
    bare = name[1:] if name[:1] in ("?", "$") else name
    if not (_USUAL_NAME.fullmatch(bare) or _VARIABLE_NAME.fullmatch(bare)):
        raise InvalidTerm(name, "a variable's name has only letters, digits and `_`")
    return Term(f"?{bare}")


def literal(lexical: str, datatype: str | None = None, language: str | None = None) -> Term:
    """Return the term of a literal; `datatype` is an IRI without brackets.

    >>> literal("chat", language="FR")
    '"chat"@fr'
    """
    text = lexical
    if _NEEDS_ESCAPE.search(lexical):
        if _SURROGATE.search(lexical):
            raise InvalidTerm(lexical, "a lone surrogate is not a character")
        text = _escaped(lexical)
    if language:
        if not _LANGUAGE.fullmatch(language):
            raise InvalidTerm(lexical, f"{short_repr(language)} is not a language tag")
        return Term(f'"{text}"@{language.lower()}')
    if datatype is None or datatype == XSD_STRING:
        return Term(f'"{text}"')
    return Term(f'"{text}"^^{iri(datatype)}')


def _escaped(text: str) -> str:
    """Write the characters that need it as escapes: one pass for each that occurs is faster than one by one."""
    text = text.replace("\\", "\\\\")
    for character in _ESCAPES.keys() & set(text):
        text = text.replace(character, _ESCAPES[character])
    return text


def is_variable(term: Term) -> bool:
    return term[0] == "?"


def is_iri(term: Term) -> bool:
    return term[0] == "<"


def is_blank(term: Term) -> bool:
    return term[0] == "_"


def is_literal(term: Term) -> bool:
    return term[0] == '"'


def is_hidden(term: Term) -> bool:
    """Return whether a term is a variable that stands for a blank node of the subscription; it is not reported."""
    return term.startswith("?_:")


def iri_text(term: Term) -> str:
    """Return the IRI of a term without its brackets."""
    return term[1:-1]


def literal_parts(term: Term) -> tuple[str, str, str | None]:
    """Return the lexical form, datatype IRI and language of a literal.

    >>> literal_parts(literal("2001", XSD + "gYear"))
    ('2001', 'http://www.w3.org/2001/XMLSchema#gYear', None)
    """
    end = term.rindex('"')
    text, suffix = term[1:end], term[end + 1 :]
    lexical = _unescaped(text) if "\\" in text else text
    return lexical, *_type_of(suffix)


def literal_datatype(term: Term) -> str:
    """Return the datatype IRI of a literal, without reading its text, which may be long."""
    return _type_of(term[term.rindex('"') + 1 :])[0]


def literal_start(term: Term, characters: int) -> str:
    """Return the first characters of a literal's text, without reading the rest, which may be long.

    >>> literal_start(literal("G-ToPSS"), 4)
    'G-To'
    """
    end = term.rindex('"')
    text = term[1 : min(end, 1 + _LONGEST_ESCAPE * (characters + 1))]
    if len(text) < end - 1:
        last = text.rfind("\\", len(text) - _LONGEST_ESCAPE)
        backslashes = last + 1 - len(text[: last + 1].rstrip("\\"))
        if backslashes % 2:  # an escape begins there, which may have been cut
            text = text[:last]
    return (_unescaped(text) if "\\" in text else text)[:characters]


def _type_of(suffix: str) -> tuple[str, str | None]:
    """Return the datatype IRI and the language that the end of a literal says."""
    if not suffix:
        return XSD_STRING, None
    if suffix[0] == "@":
        return RDF_LANG_STRING, suffix[1:]
    return suffix[3:-1], None


def _unescaped(text: str) -> str:
    """Replace the escapes of a canonical text, which JSON has too. Its decoder is a hundred times faster than `re`."""
    try:
        return str(_JSON.decode(f'"{text}"'))
    except ValueError:
        return _ESCAPED.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    short, long, single = match.groups()
    return chr(int(short or long, 16)) if short or long else _UNESCAPES[single]


def parse_term(text: str) -> Term:
    """Return the canonical term of an N-Triples text or of `?name`; raise InvalidTerm if the text is neither."""
    match text[:1]:
        case "<" if text.endswith(">"):
            return iri(text[1:-1])
        case "_" if text.startswith("_:"):
            return blank(text[2:])
        case "?" if text.startswith("?_:"):
            return hidden_variable(blank(text[3:]))
        case "?" | "$":
            return variable(text)
        case '"' if found := _LITERAL.fullmatch(text):
            escaped, language, datatype = found.groups()
            try:
                lexical = _ESCAPED.sub(_unescape, escaped)
            except (ValueError, OverflowError):
                raise InvalidTerm(text, "an escape does not name a character") from None
            return literal(lexical, datatype, language)
    raise InvalidTerm(
        text,
        'write it as an rdflib term (URIRef, Literal, Variable) or in N-Triples form (<http://...>, "text", ?name)',
    )


def hidden_variable(blank_node: Term) -> Term:
    """Return the variable for a blank node of a subscription, where a blank node is a variable."""
    return Term(f"?{blank_node}")


def term(value: TermLike) -> Term:
    """Convert any value that may stand for a term; raise InvalidTerm for others.

    >>> term(rdflib.Literal("a", lang="en")), term(rdflib.Variable("x")), term(True)
    ('"a"@en', '?x', '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>')
    """
    if isinstance(value, Identifier):
        return from_rdflib(value)
    if isinstance(value, str):
        return parse_term(value)
    if isinstance(value, (ox.NamedNode, ox.BlankNode, ox.Literal, ox.Variable)):
        return Term(str(value))
    if isinstance(value, (bool, dt.datetime, dt.date, dt.time)):
        return from_rdflib(rdflib.Literal(value))
    if isinstance(value, (int, float, Decimal)):
        return _number(value)
    raise InvalidTerm(value, f"a {type(value).__name__} cannot be a term of a triple")


def _number(value: int | float | Decimal) -> Term:
    """Convert a Python number. Its digits are counted first, because writing out too many takes too long."""
    if isinstance(value, float):
        special = {float("inf"): "INF", float("-inf"): "-INF"}.get(value, "NaN" if value != value else None)
        return literal(special or repr(value), XSD + "double")
    if isinstance(value, Decimal):
        if (
            not value.is_finite()
            or abs(value.adjusted()) > MAX_NUMBER_DIGITS
            or len(value.as_tuple().digits) > MAX_NUMBER_DIGITS
        ):
            raise InvalidTerm(value, f"a decimal is finite and has at most {MAX_NUMBER_DIGITS} digits")
        return literal(format(value, "f"), XSD + "decimal")
    if value.bit_length() > MAX_NUMBER_DIGITS * 3:
        raise InvalidTerm(value, f"an integer has at most {MAX_NUMBER_DIGITS} digits")
    return literal(str(value), XSD + "integer")


def from_rdflib(value: Identifier) -> Term:
    """Convert an rdflib term."""
    if isinstance(value, rdflib.URIRef):
        return iri(str(value))
    if isinstance(value, rdflib.Literal):
        return literal(str(value), str(value.datatype) if value.datatype else None, value.language)
    if isinstance(value, rdflib.Variable):
        return variable(str(value))
    if isinstance(value, rdflib.BNode):
        return blank(str(value))
    raise InvalidTerm(value, f"a {type(value).__name__} cannot be a term of a triple")


def cache_short_terms(function: Callable[[Term], _Result]) -> Callable[[Term], _Result]:
    """Cache the results of a function for the short terms among the most recent ones."""
    cached = lru_cache(maxsize=MAX_CACHED_TERMS)(function)

    @wraps(function)
    def result(term: Term) -> _Result:
        return cached(term) if len(term) <= MAX_CACHED_TERM_CHARACTERS else function(term)

    return result


@cache_short_terms
def to_rdflib(value: Term) -> Identifier:
    """Convert a term to rdflib, and keep its lexical form (rdflib itself would rewrite `01` to `1`).

    A typed literal is converted to a Python value only when somebody asks for it (`UnconvertedLiteral`).
    """
    match value[0]:
        case "<":
            return rdflib.URIRef(iri_text(value))
        case "_":
            return rdflib.BNode(value[2:])
        case "?":
            return rdflib.Variable(value[1:])
    lexical, datatype, language = literal_parts(value)
    if language:
        return rdflib.Literal(lexical, lang=language)
    if datatype == XSD_STRING:
        return rdflib.Literal(lexical)
    return UnconvertedLiteral(lexical, datatype)
