"""Format expressions and 5-tuples for people. Their terms are written by `gtopss.model.term_text`."""

from __future__ import annotations

from collections.abc import Mapping

from gtopss.model.expressions import COMPARISONS, Call, Expression
from gtopss.model.subscription import FiveTuple
from gtopss.model.term_text import escape_controls, format_term, format_triple
from gtopss.model.terms import literal_parts
from sparqlish.functions import SPELLINGS

_OPERATOR_NAMES = {
    "isA": "is-a",
    "instanceOf": "instance of",
    "directlyA": "directly a",
    "ancestorOf": "ancestor of",
    "descendantOf": "descendant of",
}
_INFIX_FUNCTIONS = COMPARISONS | _OPERATOR_NAMES.keys() | {"||", "&&", "+", "-", "*", "/"}


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
