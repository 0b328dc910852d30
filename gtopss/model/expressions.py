"""Expressions: the constraints that a subscription puts on values, as data.

An expression is a term (a variable stands for its value) or a `Call` of a named function. Names are SPARQL's:
operators by their sign (`<`, `&&`, `+`, `in`, `unary-`), built-in functions in upper case (`CONTAINS`, `REGEX`), casts
by their IRI in brackets, and the is-a functions `isA`, `instanceOf`, `directlyA`, `ancestorOf`, `descendantOf`. This
module builds, traverses and prints expressions; `gtopss.semantics` evaluates them.

The paper's constraint `(?x, op, v)` (G-ToPSS, section 3.2) is a call with one variable. Its is-a operators ≤, =
and ≥ are `descendantOf`, `directlyA` and `ancestorOf`; `isA` is ≤ made reflexive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gtopss.errors import UnknownComparison
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

IS_A = frozenset({"isA", "instanceOf", "directlyA", "ancestorOf", "descendantOf"})
TAXONOMY_FUNCTIONS = IS_A | {"HAS", "LABELLED"}  # those whose value depends on the taxonomy
COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
MAX_CALL_DEPTH = 100  # nested calls in one expression; a deeper one is refused as an attack
MAX_EXPRESSION_TERMS = 10_000  # terms in one expression; a larger one is refused
_TRUE = literal("true", XSD + "boolean")
_UNQUOTED_DATATYPES = {XSD + name for name in ("integer", "decimal", "double", "boolean")}
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
    """Return whether a name is that of an operator: built-in functions are upper case, signs, or IRIs in brackets.

    >>> is_operator("locIn"), is_operator("CONTAINS"), is_operator("isA"), is_operator("not in")
    (True, False, False, False)
    """
    return function.isidentifier() and not function.isupper() and function not in IS_A and function != "in"


def expression(value: ExpressionLike) -> Expression:
    """Convert any value that may stand for an expression; a blank node becomes a variable."""
    if isinstance(value, Call):
        return value
    made = term(value)
    return hidden_variable(made) if is_blank(made) else made


def call(function: str, *arguments: ExpressionLike) -> Call:
    """Return a call of a function, with its arguments converted to expressions.

    >>> call("*", 2, "?z").function
    '*'
    """
    return Call(function, tuple(expression(argument) for argument in arguments))


def variables(tree: Expression) -> frozenset[Term]:
    """Return the variables of an expression."""
    return frozenset(leaf for leaf in leaf_terms(tree) if is_variable(leaf))


def substitute(tree: Expression, replaced: Mapping[Term, Term]) -> Expression:
    """Replace terms of an expression by others; BOUND of a variable that became a constant is true."""
    if not isinstance(tree, Call):
        return replaced.get(tree, tree)
    arguments = tuple(substitute(argument, replaced) for argument in tree.arguments)
    if tree.function == "BOUND" and not isinstance(arguments[0], Call) and not is_variable(arguments[0]):
        return _TRUE
    return Call(tree.function, arguments)


def leaf_terms(tree: Expression) -> Iterator[Term]:
    """Yield the terms of an expression from left to right, without recursion, so that any depth is safe."""
    stack: list[Expression] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            stack.extend(reversed(node.arguments))
        else:
            yield node


def calls_in(trees: Iterable[Expression]) -> Iterator[Call]:
    """Yield the calls of expressions, also those inside others, without recursion."""
    stack = [*trees]
    while stack:
        node = stack.pop()
        if isinstance(node, Call):
            yield node
            stack.extend(node.arguments)


def call_depth(tree: Expression) -> int:
    """Return how deep calls nest, without recursion, so that it can be used to refuse a too deep expression."""
    deepest, stack = 0, [(tree, 0)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        if isinstance(node, Call):
            stack.extend((argument, level + 1) for argument in node.arguments)
    return deepest


def literal_text(term: Term) -> str:
    """Return a number or boolean without quotes, as Turtle writes it, and any other literal unchanged."""
    lexical, datatype, _ = literal_parts(term)
    return lexical if datatype in _UNQUOTED_DATATYPES else term


def expression_text(tree: Expression) -> str:
    """Return the expression as a person would write it.

    >>> str(compare("year", ">", 1999))
    '(?year > 1999)'
    """
    if not isinstance(tree, Call):
        return literal_text(tree) if is_literal(tree) else tree
    arguments = [expression_text(argument) for argument in tree.arguments]
    if tree.function == "UNBOUND" and tree.arguments:  # stands for a variable that has no value
        return literal_parts(Term(str(tree.arguments[0])))[0]
    if tree.function in ("in", "not in"):
        return f"({arguments[0]} {tree.function} ({', '.join(arguments[1:])}))"
    if tree.function in _INFIX:
        return f"({f' {tree.function} '.join(arguments)})"
    return f"{tree.function}({', '.join(arguments)})"


def impossible_constraint(reason: str) -> Call:
    """Return a constraint that no row satisfies; `reason` says why it was found impossible before registration."""
    return Call("NEVER", (literal(reason),))


# Constraints for subscriptions written in Python. Each takes the name of the variable first.


def compare(left: str | Call, operator: str, right: ExpressionLike) -> Call:
    """Compare by `= != < <= > >=`, as SPARQL does: numbers by value, strings by code point, dates by time."""
    if operator not in COMPARISONS:
        raise UnknownComparison(operator, COMPARISONS)
    return call(operator, left if isinstance(left, Call) else variable(left), right)


def one_of(name: str, *values: ExpressionLike) -> Call:
    """Require the value to equal one of `values`: SPARQL's IN."""
    return call("in", variable(name), *values)


def contains(name: str, text: str) -> Call:
    """Require the text of the value to contain `text`. This and the next three use STR, so IRIs and numbers count."""
    return _text_test("CONTAINS", name, text)


def starts_with(name: str, text: str) -> Call:
    """Require the text of the value to start with `text`."""
    return _text_test("STRSTARTS", name, text)


def ends_with(name: str, text: str) -> Call:
    """Require the text of the value to end with `text`."""
    return _text_test("STRENDS", name, text)


def regex(name: str, pattern: str, flags: str = "") -> Call:
    """Require the text of the value to match SPARQL's REGEX, which RE2 runs in linear time."""
    arguments = [pattern, flags] if flags else [pattern]
    return call("REGEX", call("STR", variable(name)), *map(_text, arguments))


def words(name: str, phrase: str) -> Call:
    """Require the words of `phrase` in this order, as words and without case; `open sour*` ends with a prefix."""
    return call("WORDS", variable(name), _text(phrase))


def labelled(name: str, cls: TermLike) -> Call:
    """Require a text that is a label of the class, or of a subclass or an instance of it at any depth."""
    return call("LABELLED", variable(name), cls)


def has_language(name: str, language: str) -> Call:
    """Require a string in a language, or in a variety of it: `en` accepts `en-GB`."""
    return call("LANGMATCHES", call("LANG", variable(name)), _text(language))


def has_datatype(name: str, datatype: TermLike) -> Call:
    """Require a literal of a datatype."""
    return call("=", call("DATATYPE", variable(name)), datatype)


def is_a(name: str, cls: TermLike) -> Call:
    """Require the value to be the class, or a subclass or an instance of it at any depth: the paper's ≤, reflexive."""
    return call("isA", variable(name), cls)


def instance_of(name: str, cls: TermLike) -> Call:
    """Require some type of the value to be the class or a subclass of it."""
    return call("instanceOf", variable(name), cls)


def directly_a(name: str, cls: TermLike) -> Call:
    """Require the value to be a child or instance of the class by an asserted edge: the paper's =."""
    return call("directlyA", variable(name), cls)


def ancestor_of(name: str, cls: TermLike) -> Call:
    """Require the value to lie above the class: the paper's ≥."""
    return call("ancestorOf", variable(name), cls)


def descendant_of(name: str, cls: TermLike) -> Call:
    """Require the value to lie below the class, and not to be it: the paper's ≤ as printed."""
    return call("descendantOf", variable(name), cls)


def _text_test(function: str, name: str, text: str) -> Call:
    return call(function, call("STR", variable(name)), _text(text))


def _text(text: str) -> Term:
    return literal(text)
