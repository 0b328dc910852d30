"""Terms, triples and expressions for people: prefixed names where a prefix fits, numbers as numbers.

Terms come from strangers and end up on terminals, so characters that steer one (controls, line separators, marks
that turn the direction of writing) are shown as escapes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from gtopss.model.expressions import COMPARISONS, Call, Expression
from gtopss.model.subscription import FiveTuple
from gtopss.model.terms import XSD, Term, Triple, iri_text, is_hidden, is_iri, is_literal, literal_parts

_BARE = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
_OPERATORS = {"isA": "is-a", "instanceOf": "instance of", "directlyA": "directly a", "ancestorOf": "ancestor of"}
_INFIX = COMPARISONS | _OPERATORS.keys() | {"||", "&&", "+", "-", "*", "/"}
_STEERING = {"Cc", "Cs", "Zl", "Zp"}
_BIDI = {*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}


def visible(text: str) -> str:
    r"""The text with characters that would act, rather than be seen, as escapes.

    >>> print(visible("a\x1b[31m\u202eb"))
    a\u001B[31m\u202Eb
    """
    if text.isascii() and text.isprintable():
        return text
    steering = (unicodedata.category(each) in _STEERING or each in _BIDI or each in "\ufffe\uffff" for each in text)
    return "".join(f"\\u{ord(each):04X}" if acts else each for each, acts in zip(text, steering, strict=True))


def format_term(term: Term, prefixes: Mapping[str, str]) -> str:
    """
    >>> format_term(Term("<http://example.org/bib#year>"), {"bib": "http://example.org/bib#"})
    'bib:year'
    """
    if is_iri(term):
        return _show_iri(iri_text(term), prefixes)
    if is_hidden(term):
        return visible(term[1:])
    if is_literal(term):
        lexical, datatype, language = literal_parts(term)
        if datatype in _BARE:
            return visible(lexical)
        if language is None and (end := term.rindex('"') + 1) < len(term):
            return visible(term[:end]) + "^^" + _show_iri(datatype, {**prefixes, "xsd": XSD})
    return visible(term)


def _show_iri(text: str, prefixes: Mapping[str, str]) -> str:
    fitting = [
        (namespace, prefix) for prefix, namespace in prefixes.items() if namespace and text.startswith(namespace)
    ]
    if not fitting:
        return visible(f"<{text}>")
    namespace, prefix = max(fitting, key=lambda each: len(each[0]))
    return visible(f"{prefix}:{text[len(namespace) :]}")


def format_triple(triple: Triple, prefixes: Mapping[str, str]) -> str:
    return "  ".join(format_term(part, prefixes) for part in triple)


def format_tuple(each: FiveTuple, prefixes: Mapping[str, str]) -> str:
    """A 5-tuple: its edge, then its constraints in brackets."""
    constraints = [f"({format_expression(test, prefixes)})" for test in each.constraints()]
    return "  ".join([format_triple(each.edge(), prefixes), *constraints])


def format_expression(tree: Expression, prefixes: Mapping[str, str]) -> str:
    """
    >>> from gtopss.model.expressions import call
    >>> format_expression(call("<", call("*", 2, "?price"), "?usual"), {})
    '(2 * ?price) < ?usual'
    """
    if not isinstance(tree, Call):
        return format_term(tree, prefixes)
    shown = [format_expression(argument, prefixes) for argument in tree.arguments]
    if tree.function == "UNBOUND" and tree.arguments:
        return f"{_quoted(tree)} (not bound in its group)"
    if tree.function == "NEVER":
        return f"never: {_quoted(tree)}"
    if tree.function in ("&&", "||") and len(shown) == 1:
        return shown[0]
    if tree.function in ("in", "not in") and shown:
        return f"{shown[0]} {tree.function} ({', '.join(shown[1:])})"
    if tree.function in _INFIX and len(shown) > 1:
        inner = [
            f"({text})" if isinstance(argument, Call) and _is_infix(argument) else text
            for argument, text in zip(tree.arguments, shown, strict=True)
        ]
        return f" {_OPERATORS.get(tree.function, tree.function)} ".join(inner)
    return f"{visible(tree.function)}({', '.join(shown)})"


def _quoted(tree: Call) -> str:
    """The text that a note of the lowering carries."""
    (text,) = tree.arguments
    assert not isinstance(text, Call)
    return visible(literal_parts(text)[0])


def _is_infix(tree: Call) -> bool:
    return tree.function in ("in", "not in") or (tree.function in _INFIX and len(tree.arguments) > 1)
