"""One path is a subscription's; the others are refused by name and place."""

import pytest
from support.parsing import parse

from sparqlish import IRI, BlankNode, Call, Filter, NotSupported, SparqlishError, Triple, Variable

CLASS = IRI("http://e/C")
X, Y = Variable("x"), Variable("y")


def elements(body):
    return parse(f"PREFIX : <http://e/> ASK {{ {body} }}").where.elements


@pytest.mark.parametrize(
    "path",
    [
        "a/rdfs:subClassOf*",
        "a / rdfs:subClassOf *",
        "rdf:type/rdfs:subClassOf*",
        "a/(rdfs:subClassOf*)",
        "a/(rdfs:subClassOf)*",
        "(a/rdfs:subClassOf*)",
        "((a)/((rdfs:subClassOf))*)",
        "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>/<http://www.w3.org/2000/01/rdf-schema#subClassOf>*",
    ],
)
def test_the_path_of_instances_is_parsed_as_instance_of(path):
    assert elements(f"?x {path} :C") == (Filter(Call("instanceOf", (X, CLASS))),)


def test_a_path_keeps_its_place_among_the_triples():
    found = elements("?x :p ?y ; a/rdfs:subClassOf* :C, ?y ; :q ?y . :C a/rdfs:subClassOf* ?x")
    assert [type(element) for element in found] == [Triple, Filter, Filter, Triple, Filter]
    assert found[2] == Filter(Call("instanceOf", (X, Y)))
    assert found[4] == Filter(Call("instanceOf", (CLASS, X)))


def test_blank_nodes_may_be_subjects_of_a_path():
    assert elements("?x :p [ a/rdfs:subClassOf* :C ]")[0] == Filter(Call("instanceOf", (BlankNode("b0"), CLASS)))


def test_a_predicate_in_brackets_is_a_predicate():
    assert elements("?x (:p) ?y") == (Triple(X, IRI("http://e/p"), Y),)


def test_a_sign_directly_before_a_number_is_part_of_the_number():
    assert elements("?x :p +5")[0].object.lexical == "+5"
    assert elements("?x a +.5")[0].object.lexical == "+.5"
    with pytest.raises(NotSupported):
        elements("?x :p + 5")


@pytest.mark.parametrize(
    ("path", "sign", "offset"),
    [
        (":p+", "+", 2), (":p*", "*", 2), (":p? ", "?", 2), (":p/:q", "/", 2), (":p|:q", "|", 2), ("^:p", "^", 0),
        ("!:p", "!", 0), ("!(:p|:q)", "!", 0), ("a/rdfs:subClassOf+", "+", 17), ("a/rdfs:subClassOf", "/", 1),
        ("(:p|:q)", "|", 3), ("a*/rdfs:subClassOf*", "*", 1), ("a/rdfs:subClassOf*/:p", "/", 1), ("a*", "*", 1),
        ("a/^rdfs:subClassOf", "^", 2), ("rdfs:subClassOf*", "*", 15), ("a/rdfs:subPropertyOf*", "/", 1),
        ("(a/rdfs:subClassOf*)*", "/", 2),
    ],
)  # fmt: skip
def test_other_paths_are_refused_by_their_sign(path, sign, offset):
    with pytest.raises(NotSupported) as caught:
        parse(f"PREFIX : <http://e/>\nASK {{\n?x {path} ?y }}")
    assert caught.value.feature == f"property paths (`{sign}`)"
    assert (caught.value.line, caught.value.column) == (3, 4 + offset)
    assert f"property paths (`{sign}`) are not supported in a subscription" in str(caught.value)


@pytest.mark.parametrize("path", ["(a", "a/", "()", "(?p)", "a/?p", "a/'x'"])
def test_ill_formed_paths(path):
    with pytest.raises(SparqlishError):
        elements(f"?x {path} ?y")


def test_bind_sees_the_variables_of_a_path():
    with pytest.raises(SparqlishError, match=r"\?x is already used"):
        elements("?x a/rdfs:subClassOf* :C BIND (1 AS ?x)")
    assert elements("FILTER instanceOf(?x, :C) BIND (1 AS ?x)")
    assert elements("{ ?x a/rdfs:subClassOf* :C } UNION { BIND (1 AS ?x) }")
