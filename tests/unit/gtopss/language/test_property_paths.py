"""Paths of a fixed length become triples, unions and filters; only those of any length stay paths."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparqlish
from gtopss.language.property_paths import expand_paths
from sparqlish import ast


def expanded(path: str) -> tuple[ast.Element, ...]:
    return expand_paths(sparqlish.parse(f"PREFIX : <urn:> SELECT * {{ ?x {path} ?y }}")).where.elements


def shape(element: ast.Element) -> str:
    match element:
        case ast.Triple(subject, predicate, object_):
            return " ".join(map(name, (subject, predicate, object_)))
        case ast.Union(branches):
            return " | ".join(f"[{', '.join(map(shape, each.elements))}]" for each in branches)
        case ast.Group(elements):
            return f"({', '.join(map(shape, elements))})"
        case ast.Filter(expression):
            assert isinstance(expression, ast.Call)
            return f"{expression.function} {' '.join(map(name, expression.arguments))}"  # type: ignore[arg-type]
        case ast.PathPattern():
            return "path"
    raise TypeError(element)


def name(term: ast.Term) -> str:
    match term:
        case ast.IRI(value):
            return value.removeprefix("urn:")
        case ast.Variable(value):
            return f"?{value}"
        case ast.BlankNode():
            return "_"
    return str(term)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (":p/:q", ["?x p _", "_ q ?y"]),
        ("^:p", ["?y p ?x"]),
        ("^(:p/:q)", ["?y p _", "_ q ?x"]),
        (":p|:q", ["[?x p ?y] | [?x q ?y]"]),
        (":p/(:q|^:r)", ["?x p _", "[_ q ?y] | [?y r _]"]),
        ("!:p", ["(?x _ ?y, not in _ p)"]),
        ("!^:p", ["(?y _ ?x, not in _ p)"]),
        ("!(:p|^:q)", ["[?x _ ?y, not in _ p] | [?y _ ?x, not in _ q]"]),
        (":p+", ["path"]),
        (":p/:q*", ["?x p _", "path"]),
    ],
)
def test_paths(path: str, expected: list[str]) -> None:
    found = [shape(each) for each in expanded(path)]
    assert found == expected


def test_new_nodes_are_not_those_of_the_query() -> None:
    query = sparqlish.parse("PREFIX : <urn:> SELECT * { _:path0 :p/:q ?y . ?y :r/:s _:path1 }")
    labels = [
        end.label
        for element in expand_paths(query).where.elements
        if isinstance(element, ast.Triple)
        for end in (element.subject, element.object)
        if isinstance(end, ast.BlankNode)
    ]
    assert sorted(labels) == ["path0", "path1", "path2", "path2", "path3", "path3"]


def test_paths_are_expanded_wherever_they_stand() -> None:
    text = """PREFIX : <urn:> SELECT (COUNT(*) AS ?n) {
        OPTIONAL { ?a :p/:q ?b } MINUS { ?a :p/:q ?b } { SELECT ?a { ?a :p/:q ?b } } GRAPH :g { ?a :p/:q ?b }
        FILTER EXISTS { ?a :p/:q ?b } BIND(EXISTS { ?a :p/:q ?b } AS ?c) { ?a :p/:q ?b } UNION { ?a :p/:q ?b }
    } GROUP BY (EXISTS { ?a :p/:q ?b } AS ?k) HAVING (EXISTS { ?a :p/:q ?b } || COUNT(EXISTS { ?a :p/:q ?b }) > 1)
    ORDER BY (EXISTS { ?a :p/:q ?b })"""
    query = expand_paths(sparqlish.parse(text))
    assert "PathPattern" not in repr(query)
    assert repr(sparqlish.parse(text)).count("PathPattern(") * 2 == repr(query).count("Triple(")


def test_a_query_without_paths_stays_as_it_is() -> None:
    query = sparqlish.parse("SELECT * { ?x <urn:p> ?y FILTER(?y > 1) }")
    assert expand_paths(query) == replace(query)
