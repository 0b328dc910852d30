"""Which variables a pattern makes visible."""

import pytest
from support.parsing import parse

from sparqlish import selected_variables


@pytest.mark.parametrize(
    ("body", "visible"),
    [
        ("?a ?b ?c FILTER (?d) MINUS { ?e ?f ?g }", "abc"),
        ("OPTIONAL { ?a ?b 1 } GRAPH ?c { ?d <urn:p>* ?e }", "abcde"),
        ("{ ?a ?b 1 } UNION { VALUES (?c ?d) { } } BIND (1 AS ?e)", "abcde"),
        ("{ SELECT ?b (?a AS ?c) { ?a ?b 1 } }", "bc"),
        ("{ SELECT * { ?a ?b 1 } } FILTER EXISTS { ?a ?b ?c }", "ab"),
    ],
)
def test_visible_variables(body, visible):
    assert "".join(each.name for each in selected_variables(parse(f"SELECT * {{ {body} }}"))) == visible
