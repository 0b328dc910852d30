"""Rule: a variable that must be one constant term becomes that constant."""

from __future__ import annotations

from rdflib import Literal
from support.language import EX, edges, only_branch, rewritten_edges, solutions

from gtopss.language.rewrite.push_constants import push_constants


def test_equalities_with_exact_terms_are_pushed_into_the_edges() -> None:
    branch = push_constants(only_branch("SELECT * { ?x :p ?y FILTER(?x = :a && sameTerm(?y, 5)) }"))
    assert edges(branch) == ['<urn:ex:a> <urn:ex:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer>']
    assert branch.constraints() == ()
    assert [bind.variable for bind in branch.binds] == ["?x", "?y"]  # they are still reported


def test_a_number_is_not_pushed_in_because_its_value_has_other_terms() -> None:
    branch = only_branch("SELECT * { ?x :p ?y FILTER(?y = 5) }")
    assert push_constants(branch) is branch


def test_a_second_constant_stays_as_a_constraint() -> None:
    branch = push_constants(only_branch("SELECT * { ?x :p ?y FILTER(?x = :a && ?x = :b) }"))
    assert [str(test) for test in branch.constraints()] == ["(<urn:ex:a> = <urn:ex:b>)"]


def test_a_literal_in_the_place_of_a_subject_makes_the_branch_impossible() -> None:
    branch = push_constants(only_branch("SELECT * { ?x :p ?y FILTER(?x = 'a') }"))
    assert branch.tuples == ()
    assert [test.function for test in branch.where] == ["NEVER"]


def test_constants_are_pushed_into_the_edges() -> None:
    assert rewritten_edges("ASK { ?x :p ?y FILTER(?x = :a) }") == ["<urn:ex:a> <urn:ex:p> ?y"]
    assert rewritten_edges("ASK { ?x :p ?y FILTER('b' = ?y) }") == ['?x <urn:ex:p> "b"']
    assert rewritten_edges("ASK { ?x :p ?y VALUES ?y { 5 } }") == [
        '?x <urn:ex:p> "5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    ]
    assert rewritten_edges("ASK { ?x :p ?y FILTER(?y = 5) }") == ["?x <urn:ex:p> ?y"]  # 5.0 would do as well


def test_what_was_pushed_in_is_still_reported() -> None:
    graph = [(EX.a, EX.p, EX.b), (EX.b, EX.q, 1)]
    text = "SELECT * { ?x :p ?y . ?z :q ?w FILTER(?y = ?z && ?x = :a) }"
    assert solutions(text, *graph) == [{"x": EX.a, "y": EX.b, "z": EX.b, "w": Literal(1)}]
