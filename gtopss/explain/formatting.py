"""Format terms, triples and expressions for people: IRIs are shortened by prefixes, numbers are written plainly.

Terms come from untrusted documents and are printed on terminals, so control characters, line separators and marks that
change the direction of writing are escaped, and long terms are shortened.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from gtopss.explain import limits
from gtopss.model.expressions import COMPARISONS, Call, Expression
from gtopss.model.subscription import FiveTuple
from gtopss.model.terms import (
    XSD,
    Term,
    Triple,
    iri_text,
    is_hidden,
    is_iri,
    is_literal,
    literal_datatype,
    literal_parts,
)
from sparqlish.functions import SPELLINGS

_PLAIN_DATATYPES = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
_OPERATOR_NAMES = {
    "isA": "is-a",
    "instanceOf": "instance of",
    "directlyA": "directly a",
    "ancestorOf": "ancestor of",
    "descendantOf": "descendant of",
}
_INFIX_FUNCTIONS = COMPARISONS | _OPERATOR_NAMES.keys() | {"||", "&&", "+", "-", "*", "/"}
_CONTROL_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}  # of Unicode: controls, surrogates, line and paragraph separators
_DIRECTION_MARKS = {*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def escape_controls(text: str) -> str:
    r"""Replace characters that would control a terminal by escapes.

    >>> print(escape_controls("a\x1b[31m\u202eb"))
    a\u001B[31m\u202Eb
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{ord(each):04X}" if _is_control(each) else each for each in text)


def _is_control(character: str) -> bool:
    in_category = unicodedata.category(character) in _CONTROL_CATEGORIES
    return in_category or character in _DIRECTION_MARKS or character in "\ufffe\uffff"


def format_term(term: Term, prefixes: Mapping[str, str]) -> str:
    """Format a term. `prefixes` maps prefixes to namespaces; the longest namespace that fits shortens an IRI.

    >>> format_term(Term("<http://example.org/bib#year>"), {"bib": "http://example.org/bib#"})
    'bib:year'
    """
    if is_iri(term):
        return _format_iri(iri_text(term), prefixes)
    if is_hidden(term):
        return _shown(term[1:])
    if is_literal(term):
        end = term.rindex('"') + 1
        datatype = literal_datatype(term)
        if datatype in _PLAIN_DATATYPES:
            is_long = end > limits.MAX_TERM_CHARACTERS  # such a literal is no number: it is not decoded
            return _shown(term[1 : end - 1] if is_long else literal_parts(term)[0])
        if term.startswith("^^", end):
            return _shown(term[:end]) + "^^" + _format_iri(datatype, {**prefixes, "xsd": XSD})
    return _shown(term)


def shorten(text: str, max_characters: int) -> str:
    """Leave out the middle of a long text.

    >>> shorten("http://example.org/a/very/long/path", 11)
    'http:…/path'
    """
    if len(text) <= max_characters:
        return text
    half = (max_characters - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _shown(text: str) -> str:
    return escape_controls(shorten(text, limits.MAX_TERM_CHARACTERS))


def _format_iri(text: str, prefixes: Mapping[str, str]) -> str:
    matching = [
        (namespace, prefix) for prefix, namespace in prefixes.items() if namespace and text.startswith(namespace)
    ]
    if not matching:
        return _shown(f"<{text}>")
    namespace, prefix = max(matching, key=lambda each: len(each[0]))
    return _shown(f"{prefix}:{text[len(namespace) :]}")


def format_triple(triple: Triple, prefixes: Mapping[str, str]) -> str:
    """Format a triple or an edge: its three terms, two spaces apart."""
    return "  ".join(format_term(part, prefixes) for part in triple)


def format_tuple(each: FiveTuple, prefixes: Mapping[str, str]) -> str:
    """Format a 5-tuple: its edge, then its constraints in parentheses."""
    constraints = [f"({format_expression(test, prefixes)})" for test in each.constraints()]
    return "  ".join([format_triple(each.edge(), prefixes), *constraints])


def format_expression(expression: Expression, prefixes: Mapping[str, str]) -> str:
    """Format an expression, with operators between their operands.

    >>> from gtopss.model.expressions import call
    >>> format_expression(call("<", call("*", 2, "?price"), "?usual"), {})
    '(2 * ?price) < ?usual'
    """
    if not isinstance(expression, Call):
        return format_term(expression, prefixes)
    shown = [format_expression(argument, prefixes) for argument in expression.arguments]
    if expression.function == "UNBOUND" and expression.arguments:
        return f"{_quoted(expression)} (not bound)"
    if expression.function == "NEVER":
        return f"never: {_quoted(expression)}"
    if expression.function in ("&&", "||") and len(shown) == 1:
        return shown[0]
    if expression.function in ("in", "not in") and shown:
        return f"{shown[0]} {expression.function} ({', '.join(shown[1:])})"
    if expression.function in _INFIX_FUNCTIONS and len(shown) > 1:
        inner = [
            f"({text})" if isinstance(argument, Call) and _is_infix(argument) else text
            for argument, text in zip(expression.arguments, shown, strict=True)
        ]
        return f" {_OPERATOR_NAMES.get(expression.function, expression.function)} ".join(inner)
    name = SPELLINGS.get(expression.function, expression.function)
    return f"{escape_controls(name)}({', '.join(shown)})"


def _quoted(call: Call) -> str:
    """Return the text that the translation from query text put into this call."""
    (text,) = call.arguments
    assert not isinstance(text, Call)
    return escape_controls(literal_parts(text)[0])


def _is_infix(call: Call) -> bool:
    return call.function in ("in", "not in") or (call.function in _INFIX_FUNCTIONS and len(call.arguments) > 1)
