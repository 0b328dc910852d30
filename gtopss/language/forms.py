"""What a parsed query is made of: whether it is a union of conjunctions, its elements and its expressions."""

from __future__ import annotations

from collections.abc import Iterator

from gtopss.semantics.new_terms import NEW_TERM_FUNCTIONS
from sparqlish import ast, is_grouped

_BEYOND_CONJUNCTIONS = (ast.Optional, ast.Minus, ast.Graph, ast.SubSelect, ast.PathPattern)


def is_conjunctive(query: ast.Query) -> bool:
    """Return whether a query is a union of conjunctions, with no more than computed values and DISTINCT."""
    if query.form not in ("SELECT", "ASK") or is_grouped(query) or query.order_by or query.offset:
        return False
    if query.limit is not None or any(isinstance(each, _BEYOND_CONJUNCTIONS) for each in elements_in(query.where)):
        return False
    return not any(_needs_algebra(tree) for tree, _ in expressions_of(query))


def elements_in(group: ast.Group) -> Iterator[ast.Element]:
    """Yield every element below a group, those of subqueries and of EXISTS too."""
    for element in group.elements:
        yield element
        match element:
            case ast.Union(branches):
                for branch in branches:
                    yield from elements_in(branch)
            case ast.Group():
                yield from elements_in(element)
            case ast.Optional(inner) | ast.Minus(inner) | ast.Graph(_, inner):
                yield from elements_in(inner)
            case ast.SubSelect(query):
                yield from elements_in(query.where)
            case ast.Filter(tree) | ast.Bind(tree):
                for inner in groups_in(tree):
                    yield from elements_in(inner)


def groups_in(tree: ast.Expression) -> Iterator[ast.Group]:
    """Yield the patterns of EXISTS in an expression."""
    if isinstance(tree, ast.Exists):
        yield tree.group
    elif isinstance(tree, ast.Call):
        for argument in tree.arguments:
            yield from groups_in(argument)


def expressions_of(query: ast.Query) -> Iterator[tuple[ast.Expression, int]]:
    """Yield the expressions of a query with their places; -1 where the place is not known."""
    clauses = (*(tree for _, tree in query.computed), *query.having, *(key.expression for key in query.order_by))
    yield from ((tree, -1) for tree in clauses)
    for element in elements_in(query.where):
        if isinstance(element, (ast.Filter, ast.Bind)):
            yield element.expression, element.position
        elif isinstance(element, ast.SubSelect):
            yield from ((tree, element.position) for _, tree in element.query.computed)


def _needs_algebra(tree: ast.Expression) -> bool:
    """Return whether an expression has a pattern in it, or makes terms that are new for each solution."""
    if isinstance(tree, ast.Call):
        return tree.function in NEW_TERM_FUNCTIONS or any(map(_needs_algebra, tree.arguments))
    return isinstance(tree, ast.Exists)
