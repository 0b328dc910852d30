"""Expressions: the tests that a subscription puts on values, as data.

An expression is a term (a variable stands for its value) or a `Call` of a named function. Names are SPARQL's:
operators by their sign (`<`, `&&`, `+`, `in`, `unary-`), built-ins in capitals (`CONTAINS`, `REGEX`), casts by
their IRI in brackets, and the four is-a questions `isA`, `instanceOf`, `directlyA`, `ancestorOf`. What they
mean is in `gtopss.semantics`; here they are only built, walked and printed.

The paper's constraint `(?x, op, v)` (G-ToPSS, section 3.2) is a call with one variable. Its is-a operators ≤, =
and ≥ are `isA`, `directlyA` and `ancestorOf`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gtopss.errors import InvalidTerm
from gtopss.model.terms import (
    XSD,
    Term,
    TermLike,
    hidden_variable,
    is_blank,
    is_literal,
    is_variable,
    literal,
    literal_parts,
    term,
    variable,
)

IS_A = frozenset({"isA", "instanceOf", "directlyA", "ancestorOf"})
COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
MAX_CALL_DEPTH = 100  # nesting of calls that a subscription may have; deeper is an attack, not an interest
MAX_EXPRESSION_TERMS = 10_000  # terms of one expression
_TRUE = literal("true", XSD + "boolean")
_BARE = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
_INFIX = COMPARISONS | {"||", "&&", "+", "-", "*", "/"}


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to arguments."""

    function: str
    arguments: tuple[Expression, ...]

    def __str__(self) -> str:
        return expression_text(self)


Expression: TypeAlias = Term | Call
ExpressionLike: TypeAlias = TermLike | Call


def is_operator(function: str) -> bool:
    """Whether a function is an operator's: SPARQL's own are in capitals, signs, or IRIs in brackets.

    >>> is_operator("locIn"), is_operator("CONTAINS"), is_operator("isA"), is_operator("not in")
    (True, False, False, False)
    """
    return function.isidentifier() and not function.isupper() and function not in IS_A and function != "in"


def expression(value: ExpressionLike) -> Expression:
    """Whatever a caller may hand us, as an expression; a blank node is a variable here too."""
    if isinstance(value, Call):
        return value
    made = term(value)
    return hidden_variable(made) if is_blank(made) else made


def call(function: str, *arguments: ExpressionLike) -> Call:
    """
    >>> call("*", 2, "?z").function
    '*'
    """
    return Call(function, tuple(expression(argument) for argument in arguments))


def variables(tree: Expression) -> frozenset[Term]:
    """The variables that an expression reads."""
    return frozenset(leaf for leaf in leaf_terms(tree) if is_variable(leaf))


def substitute(tree: Expression, replaced: Mapping[Term, Term]) -> Expression:
    """The expression with other terms in place of some; a constant is always bound."""
    if not isinstance(tree, Call):
        return replaced.get(tree, tree)
    arguments = tuple(substitute(argument, replaced) for argument in tree.arguments)
    if tree.function == "BOUND" and not isinstance(arguments[0], Call) and not is_variable(arguments[0]):
        return _TRUE
    return Call(tree.function, arguments)


def leaf_terms(tree: Expression) -> Iterator[Term]:
    """The terms of an expression, left to right; iterative, so that depth costs no stack."""
    stack: list[Expression] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            stack.extend(reversed(node.arguments))
        else:
            yield node


def call_depth(tree: Expression) -> int:
    """How deep calls nest; iterative, so that it can refuse what would overflow the others."""
    deepest, stack = 0, [(tree, 0)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        if isinstance(node, Call):
            stack.extend((argument, level + 1) for argument in node.arguments)
    return deepest


def literal_text(term: Term) -> str:
    """A number or truth value bare, as Turtle writes it; any other literal as it is."""
    lexical, datatype, _ = literal_parts(term)
    return lexical if datatype in _BARE else term


def expression_text(tree: Expression) -> str:
    """The expression as a person would write it.

    >>> str(compare("year", ">", 1999))
    '(?year > 1999)'
    """
    if not isinstance(tree, Call):
        return literal_text(tree) if is_literal(tree) else tree
    shown = [expression_text(argument) for argument in tree.arguments]
    if tree.function in ("in", "not in"):
        return f"({shown[0]} {tree.function} ({', '.join(shown[1:])}))"
    if tree.function in _INFIX:
        return f"({f' {tree.function} '.join(shown)})"
    return f"{tree.function}({', '.join(shown)})"


def impossible_constraint(reason: str) -> Call:
    """A test that no row passes, for what was found to be impossible before it was registered."""
    return Call("NEVER", (literal(reason),))


# The constraints a subscription written in Python uses. Each takes the variable's name first.


def compare(left: str | Call, operator: str, right: ExpressionLike) -> Call:
    """`= != < <= > >=` as SPARQL maps them: numbers by value, strings by code point, dates by the time line."""
    if operator not in COMPARISONS:
        raise InvalidTerm(operator, f"the comparisons are {' '.join(sorted(COMPARISONS))}")
    return call(operator, left if isinstance(left, Call) else variable(left), right)


def one_of(name: str, *values: ExpressionLike) -> Call:
    """SPARQL's IN."""
    return call("in", variable(name), *values)


def contains(name: str, text: str) -> Call:
    """The value's text contains `text`. As the next three, it asks STR of the value: IRIs and numbers have it too."""
    return _text_test("CONTAINS", name, text)


def starts_with(name: str, text: str) -> Call:
    """The value's text starts with `text`."""
    return _text_test("STRSTARTS", name, text)


def ends_with(name: str, text: str) -> Call:
    """The value's text ends with `text`."""
    return _text_test("STRENDS", name, text)


def regex(name: str, pattern: str, flags: str = "") -> Call:
    """SPARQL's REGEX, run by RE2 in linear time."""
    arguments = [pattern, flags] if flags else [pattern]
    return call("REGEX", call("STR", variable(name)), *map(_text, arguments))


def has_language(name: str, language: str) -> Call:
    return call("LANGMATCHES", call("LANG", variable(name)), _text(language))


def has_datatype(name: str, datatype: TermLike) -> Call:
    return call("=", call("DATATYPE", variable(name)), datatype)


def is_a(name: str, cls: TermLike) -> Call:
    """The paper's ≤, reflexive: the value is the class, a subclass or an instance of it at any depth."""
    return call("isA", variable(name), cls)


def instance_of(name: str, cls: TermLike) -> Call:
    """Some type of the value is the class or below it."""
    return call("instanceOf", variable(name), cls)


def directly_a(name: str, cls: TermLike) -> Call:
    """The paper's =: a child or instance of the class by an asserted edge."""
    return call("directlyA", variable(name), cls)


def ancestor_of(name: str, cls: TermLike) -> Call:
    """The paper's ≥: the value lies above the class."""
    return call("ancestorOf", variable(name), cls)


def _text_test(function: str, name: str, text: str) -> Call:
    return call(function, call("STR", variable(name)), _text(text))


def _text(text: str) -> Term:
    return literal(text)
