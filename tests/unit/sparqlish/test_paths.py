"""Property paths; one of them is `instanceOf`."""

import pytest
from support.parsing import parse

from sparqlish import (
    IRI,
    Alternative,
    BlankNode,
    Call,
    Filter,
    Inverse,
    NegatedSet,
    PathPattern,
    Repeated,
    Sequence,
    SparqlishError,
    Triple,
    Variable,
    print_query,
)
from sparqlish.prefixes import RDF

CLASS = IRI("http://e/C")
P, Q, TYPE = IRI("http://e/p"), IRI("http://e/q"), IRI(RDF + "type")
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
    assert elements("?x :p + 5")[0].path == Repeated(P, "+")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (":p+", Repeated(P, "+")), (":p*", Repeated(P, "*")), (":p? ", Repeated(P, "?")), (":p/:q", Sequence((P, Q))),
        (":p|:q", Alternative((P, Q))), ("^:p", Inverse(P)), ("!:p", NegatedSet((P,), ())),
        ("!^:p", NegatedSet((), (P,))),
        ("!(:p|^:q|a)", NegatedSet((P, TYPE), (Q,))), ("!()", NegatedSet((), ())), ("^:p*", Inverse(Repeated(P, "*"))),
        ("(^:p)*", Repeated(Inverse(P), "*")), (":p|:q/:p", Alternative((P, Sequence((Q, P))))),
        ("(:p|:q)/:p", Sequence((Alternative((P, Q)), P))), ("a/:p*", Sequence((TYPE, Repeated(P, "*")))),
        ("(:p/:q)+", Repeated(Sequence((P, Q)), "+")), ("(:p*)*", Repeated(Repeated(P, "*"), "*")),
        ("!:p?", Repeated(NegatedSet((P,), ()), "?")), ("^(:p/:q)", Inverse(Sequence((P, Q)))),
    ],
)  # fmt: skip
def test_paths_are_parsed_and_printed(path, expected):
    query = parse(f"PREFIX : <http://e/> ASK {{ ?x {path} ?y }}")
    assert query.where.elements == (PathPattern(X, expected, Y),)
    assert parse(print_query(query)) == query


@pytest.mark.parametrize("path", ["(a", "a/", "()", "(?p)", "a/?p", "a/'x'", "!(:p/:q)", "^", ":p|", "!?p"])
def test_ill_formed_paths(path):
    with pytest.raises(SparqlishError):
        elements(f"?x {path} ?y")


def test_bind_sees_the_variables_of_a_path():
    with pytest.raises(SparqlishError, match=r"\?x is already used"):
        elements("?x a/rdfs:subClassOf* :C BIND (1 AS ?x)")
    assert elements("FILTER instanceOf(?x, :C) BIND (1 AS ?x)")
    assert elements("{ ?x a/rdfs:subClassOf* :C } UNION { BIND (1 AS ?x) }")
