"""Conversion of the parser's terms and expressions to those of `gtopss.model`."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.model import Call, Expression, Term
from gtopss.model.expressions import is_operator, variables
from gtopss.model.terms import XSD, iri, literal
from gtopss.semantics.new_terms import NEW_TERM_FUNCTIONS
from sparqlish import ast

_FALSE = literal("false", XSD + "boolean")


def to_term(term: ast.Term) -> Term:
    """Convert a term; a blank node of a query is a variable that is not reported."""
    match term:
        case ast.IRI():
            return iri(term.value)
        case ast.Variable():
            return to_variable(term)
        case ast.BlankNode():
            return Term(f"?_:{term.label}")
    return literal(term.lexical, term.datatype, term.language)


def to_variable(variable: ast.Variable) -> Term:
    """Convert a variable."""
    return Term(f"?{variable.name}")


def to_expression(tree: ast.Expression) -> Expression:
    """Convert an expression, whatever its variables. In place of EXISTS, aggregates and BNODE it has a constant."""
    if isinstance(tree, ast.Call) and tree.function not in NEW_TERM_FUNCTIONS:
        return Call(tree.function, tuple(map(to_expression, tree.arguments)))
    if isinstance(tree, (ast.Call, ast.Exists, ast.Aggregate)):
        return _FALSE
    return to_term(tree)


def to_scoped_expression(tree: ast.Expression, bound: set[Term]) -> Expression:
    """Convert an expression as its group sees it: a variable that the group does not bind is unbound there."""
    if isinstance(tree, ast.Call):
        if tree.function == "BOUND" and to_expression(tree.arguments[0]) not in bound:
            return _FALSE
        return Call(tree.function, tuple(to_scoped_expression(argument, bound) for argument in tree.arguments))
    assert not isinstance(tree, (ast.Exists, ast.Aggregate))  # of queries that have an algebra
    term = to_term(tree)
    return Call("UNBOUND", (literal(term),)) if term[0] == "?" and term not in bound else term


def to_constraints(tree: Expression) -> Iterator[Call]:
    """Split the expression of a FILTER at `&&` into constraints; a row must pass all of them."""
    if not isinstance(tree, Call):
        yield Call("&&", (tree,))  # a variable or a constant, for its truth value
    elif tree.function == "&&":
        for argument in tree.arguments:
            yield from to_constraints(argument)
    else:
        yield tree


def operator_outputs(tree: Expression) -> set[Term]:
    """Return the variables that operators may bind: the arguments of an operator's call, alone or within `&&`."""
    if not isinstance(tree, Call):
        return set()
    if tree.function == "&&":
        return {name for argument in tree.arguments for name in operator_outputs(argument)}
    return set(variables(tree)) if is_operator(tree.function) else set()
