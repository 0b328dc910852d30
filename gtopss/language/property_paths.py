"""Translation of property paths to triples, unions and filters (SPARQL 1.1, section 18.2.2.3).

Only paths of any length, `?`, `*` and `+`, stay paths. The translation has the same solutions, each as often.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from sparqlish import ast


def expand_paths(query: ast.Query) -> ast.Query:
    """Return a query without paths of a fixed length; the query itself if it has none."""
    return _Expansion(query).query(query)


class _Expansion:
    """Expands the paths of one query. The new blank nodes have labels that the query does not use."""

    def __init__(self, query: ast.Query) -> None:
        text = repr(query)
        self._labels = (label for label in (f"path{i}" for i in itertools.count()) if repr(label) not in text)

    def query(self, query: ast.Query) -> ast.Query:
        computed = tuple((name, self.expression(tree)) for name, tree in query.computed)
        return replace(
            query,
            where=self.group(query.where),
            computed=computed,
            having=tuple(map(self.expression, query.having)),
            order_by=tuple(replace(key, expression=self.expression(key.expression)) for key in query.order_by),
            group_by=tuple(replace(key, expression=self.expression(key.expression)) for key in query.group_by),
        )

    def group(self, group: ast.Group) -> ast.Group:
        return ast.Group(tuple(made for element in group.elements for made in self.element(element)))

    def element(self, element: ast.Element) -> list[ast.Element]:
        match element:
            case ast.PathPattern():
                new_node: Callable[[], ast.BlankNode] = lambda: ast.BlankNode(next(self._labels))  # noqa: E731
                return translate_path(element.subject, element.path, element.object, element.position, new_node)
            case ast.Filter():
                return [replace(element, expression=self.expression(element.expression))]
            case ast.Bind():
                return [replace(element, expression=self.expression(element.expression))]
            case ast.Union():
                return [ast.Union(tuple(map(self.group, element.branches)))]
            case ast.Group():
                return [self.group(element)]
            case ast.Optional() | ast.Minus() | ast.Graph():
                return [replace(element, group=self.group(element.group))]
            case ast.SubSelect():
                return [replace(element, query=self.query(element.query))]
        return [element]

    def expression(self, tree: ast.Expression) -> ast.Expression:
        if isinstance(tree, ast.Exists):
            return replace(tree, group=self.group(tree.group))
        if isinstance(tree, ast.Call):
            return replace(tree, arguments=tuple(map(self.expression, tree.arguments)))
        if isinstance(tree, ast.Aggregate) and tree.argument is not None:
            return replace(tree, argument=self.expression(tree.argument))
        return tree


def translate_path(
    subject: ast.Term, path: ast.Path, object: ast.Term, position: int, new_node: Callable[[], ast.BlankNode]
) -> list[ast.Element]:
    """Return the elements that stand for a path between two terms."""
    match path:
        case ast.IRI():
            return [ast.Triple(subject, path, object, position)]
        case ast.Inverse(inner):
            return translate_path(object, inner, subject, position, new_node)
        case ast.Sequence(steps):
            ends = [subject, *(new_node() for _ in steps[1:]), object]
            return [
                element
                for number, step in enumerate(steps)
                for element in translate_path(ends[number], step, ends[number + 1], position, new_node)
            ]
        case ast.Alternative(choices):
            chosen = (translate_path(subject, choice, object, position, new_node) for choice in choices)
            return [ast.Union(tuple(ast.Group(tuple(each)) for each in chosen))]
        case ast.NegatedSet(forward, backward):
            arms = []
            if forward or not backward:
                arms.append(_other_property(subject, object, forward, position, new_node()))
            if backward:
                arms.append(_other_property(object, subject, backward, position, new_node()))
            return [arms[0]] if len(arms) == 1 else [ast.Union(tuple(arms))]
    return [ast.PathPattern(subject, path, object, position)]


def _other_property(
    subject: ast.Term, object: ast.Term, excluded: tuple[ast.IRI, ...], position: int, node: ast.BlankNode
) -> ast.Group:
    """Return a group that matches a triple whose property is none of the excluded ones."""
    triple = ast.Triple(subject, node, object, position)  # type: ignore[arg-type]  # a variable that is not reported
    tests = (ast.Filter(ast.Call("not in", (node, *excluded)), position),) if excluded else ()
    return ast.Group((triple, *tests))
