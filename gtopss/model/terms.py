"""Terms: what triples and subscriptions are made of.

A term is its N-Triples text: `<http://...>`, `_:b0`, `"2001"^^<...integer>`, `"chat"@fr`; a variable is `?x`.
One immutable string per term, because the same form then serves as hash key, as JSON, as a column in a table
and in an error message, and because equal text is exactly RDF's term equality once it is canonical:

- `xsd:string` is left out (`"a"` and `"a"^^xsd:string` are one term in RDF 1.1);
- language tags are lower case (RDF 1.1, section 3.3);
- characters are escaped only where N-Triples demands it, as pyoxigraph prints them.

Lexical forms are kept: `"01"^^xsd:integer` is another term than `"1"^^xsd:integer`, though equal in value.
rdflib terms, plain Python values and pyoxigraph terms become terms here, at the edge, and nowhere else.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from functools import lru_cache
from typing import NewType, TypeAlias

import pyoxigraph as ox
import rdflib
from rdflib.term import Identifier

from gtopss.errors import InvalidTerm
from gtopss.model.iris import IRI_TEXT

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

_ESCAPES = {code: f"\\u{code:04X}" for code in [*range(0x20), 0x7F, 0xFFFE, 0xFFFF]}
_ESCAPES |= {ord(k): v for k, v in {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}.items()}
_ESCAPES |= {0x08: "\\b", 0x0C: "\\f"}
_NEEDS_ESCAPE = re.compile('[\x00-\x1f\x7f\ufffe\uffff\ud800-\udfff"\\\\]')
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_UNESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}

_IRI = re.compile(IRI_TEXT)
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_LETTER = (  # PN_CHARS_U and digits of the SPARQL and N-Triples grammars
    r"A-Za-z0-9_\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_INNER = _LETTER + r"\u00B7\u0300-\u036F\u203F-\u2040"
_NAME = re.compile(f"[{_LETTER}][{_INNER}]*")
_LABEL = re.compile(f"[{_LETTER}](?:[{_INNER}.\\-]*[{_INNER}\\-])?")
MAX_CACHED_TERM_CHARACTERS = 1_000  # characters; longer terms are a publication's own, and are kept in no cache
MAX_NUMBER_DIGITS = 4_000  # of a number; Python itself refuses to print integers of more than 4,300
_LITERAL = re.compile(
    rf'"((?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*)"'
    rf"(?:@({_LANGUAGE.pattern})|\^\^<({IRI_TEXT})>)?"
)


def iri(text: str) -> Term:
    """
    >>> iri("http://example.org/a")
    '<http://example.org/a>'
    """
    if not _IRI.fullmatch(text):
        raise InvalidTerm(text, "an IRI has no spaces, quotes or any of <>{}|^`\\; percent-encode them")
    return Term(f"<{text}>")


def blank(label: str) -> Term:
    """A blank node; `label` is only its name inside one publication."""
    if not _LABEL.fullmatch(label):
        raise InvalidTerm(f"_:{label}", "a blank node's label is letters, digits, `_`, `-` and inner dots")
    return Term(f"_:{label}")


def variable(name: str) -> Term:
    """
    >>> variable("year"), variable("?year")
    ('?year', '?year')
    """
    if isinstance(name, rdflib.BNode):
        return hidden_variable(blank(str(name)))
    if not isinstance(name, str):
        raise InvalidTerm(name, "a variable is a text such as ?year, or an rdflib Variable")
    bare = name[1:] if name[:1] in ("?", "$") else name
    if not _NAME.fullmatch(bare):
        raise InvalidTerm(name, "a variable's name is letters, digits and `_`")
    return Term(f"?{bare}")


def literal(lexical: str, datatype: str | None = None, language: str | None = None) -> Term:
    """A literal; `datatype` is an IRI without brackets.

    >>> literal("chat", language="FR")
    '"chat"@fr'
    """
    text = lexical
    if _NEEDS_ESCAPE.search(lexical):
        if _SURROGATE.search(lexical):
            raise InvalidTerm(lexical, "a lone surrogate is no character")
        text = lexical.translate(_ESCAPES)
    if language:
        if not _LANGUAGE.fullmatch(language):
            raise InvalidTerm(lexical, f"{language!r} is not a language tag")
        return Term(f'"{text}"@{language.lower()}')
    if datatype is None or datatype == XSD_STRING:
        return Term(f'"{text}"')
    return Term(f'"{text}"^^{iri(datatype)}')


def is_variable(term: Term) -> bool:
    return term[0] == "?"


def is_iri(term: Term) -> bool:
    return term[0] == "<"


def is_blank(term: Term) -> bool:
    return term[0] == "_"


def is_literal(term: Term) -> bool:
    return term[0] == '"'


def is_hidden(term: Term) -> bool:
    """A variable that stands for a blank node of the subscription: SPARQL never returns it."""
    return term.startswith("?_:")


def iri_text(term: Term) -> str:
    """The IRI without its brackets."""
    return term[1:-1]


def literal_parts(term: Term) -> tuple[str, str, str | None]:
    """Lexical form, datatype IRI and language of a literal.

    >>> literal_parts(literal("2001", XSD + "gYear"))
    ('2001', 'http://www.w3.org/2001/XMLSchema#gYear', None)
    """
    end = term.rindex('"')
    text, suffix = term[1:end], term[end + 1 :]
    lexical = _ESCAPED.sub(_unescape, text) if "\\" in text else text
    if not suffix:
        return lexical, XSD_STRING, None
    if suffix[0] == "@":
        return lexical, RDF_LANG_STRING, suffix[1:]
    return lexical, suffix[3:-1], None


def _unescape(match: re.Match[str]) -> str:
    short, long, single = match.groups()
    return chr(int(short or long, 16)) if short or long else _UNESCAPES[single]


def parse_term(text: str) -> Term:
    """The term that an N-Triples text, or `?name`, stands for, in canonical form."""
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
                raise InvalidTerm(text, "an escape names no character") from None
            return literal(lexical, datatype, language)
    raise InvalidTerm(
        text,
        'write it as an rdflib term (URIRef, Literal, Variable) or in N-Triples form (<http://...>, "text", ?name)',
    )


def hidden_variable(blank_node: Term) -> Term:
    """The variable that a blank node of a subscription is (DESIGN: a blank node is a variable)."""
    return Term(f"?{blank_node}")


def term(value: TermLike) -> Term:
    """Whatever a caller may hand us, as a term.

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
    raise InvalidTerm(value, f"a {type(value).__name__} cannot stand in a triple")


def _number(value: int | float | Decimal) -> Term:
    """A Python number; its digits are counted before they are written out."""
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
    """An rdflib term as ours."""
    if isinstance(value, rdflib.URIRef):
        return iri(str(value))
    if isinstance(value, rdflib.Literal):
        return literal(str(value), str(value.datatype) if value.datatype else None, value.language)
    if isinstance(value, rdflib.Variable):
        return variable(str(value))
    if isinstance(value, rdflib.BNode):
        return blank(str(value))
    raise InvalidTerm(value, f"a {type(value).__name__} cannot stand in a triple")


def to_rdflib(value: Term) -> Identifier:
    """Our term as an rdflib one, with its lexical form untouched (rdflib would rewrite `01` to `1`)."""
    return _cached_rdflib(value) if len(value) < MAX_CACHED_TERM_CHARACTERS else _made_rdflib(value)


def _made_rdflib(value: Term) -> Identifier:
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
    return rdflib.Literal(lexical, datatype=rdflib.URIRef(datatype), normalize=False)


_cached_rdflib = lru_cache(maxsize=65_536)(_made_rdflib)
