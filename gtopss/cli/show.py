"""Terms and triples for people: prefixed names where a prefix fits, numbers as numbers."""

from __future__ import annotations

from collections.abc import Mapping

from gtopss.model.expressions import Call, Expression
from gtopss.model.subscription import FiveTuple
from gtopss.model.terms import XSD, Term, Triple, iri_text, is_iri, is_literal, literal_parts

_BARE = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
_OPERATORS = {"isA": "is-a", "instanceOf": "instance of", "directlyA": "directly a", "ancestorOf": "ancestor of"}


def show_term(term: Term, prefixes: Mapping[str, str]) -> str:
    """
    >>> show_term(Term("<http://example.org/bib#year>"), {"bib": "http://example.org/bib#"})
    'bib:year'
    """
    if is_iri(term):
        text = iri_text(term)
        for prefix, namespace in prefixes.items():
            if text.startswith(namespace):
                return f"{prefix}:{text[len(namespace) :]}"
    if is_literal(term):
        lexical, datatype, _ = literal_parts(term)
        if datatype in _BARE:
            return lexical
    return term


def show_triple(triple: Triple, prefixes: Mapping[str, str]) -> str:
    return "  ".join(show_term(part, prefixes) for part in triple)


def show_tuple(each: FiveTuple, prefixes: Mapping[str, str]) -> str:
    """A 5-tuple: its edge, then its constraints in brackets."""
    constraints = [f"({show_expression(test, prefixes)})" for test in each.constraints()]
    return "  ".join([show_triple(each.edge(), prefixes), *constraints])


def show_expression(tree: Expression, prefixes: Mapping[str, str]) -> str:
    if not isinstance(tree, Call):
        return show_term(tree, prefixes)
    shown = [show_expression(argument, prefixes) for argument in tree.arguments]
    if len(shown) == 2:
        return f"{shown[0]} {_OPERATORS.get(tree.function, tree.function)} {shown[1]}"
    return f"{tree.function}({', '.join(shown)})"
