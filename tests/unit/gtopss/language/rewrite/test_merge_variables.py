"""Rule: two variables that must be the same term become one."""

from __future__ import annotations

from support.language import edges, only_branch, rewritten_edges

from gtopss.language.rewrite.merge_variables import merge_variables


def test_an_equality_with_a_subject_merges_two_variables() -> None:
    branch = merge_variables(only_branch("SELECT * { ?x :p ?y . ?z :q ?w FILTER(?y = ?z) }"))
    assert edges(branch) == ["?x <urn:ex:p> ?y", "?y <urn:ex:q> ?w"]
    assert branch.constraints() == ()
    assert [(bind.variable, bind.expression) for bind in branch.binds] == [("?z", "?y")]


def test_a_chain_of_equalities_has_one_representative() -> None:
    branch = merge_variables(only_branch("SELECT * { ?a :p ?b . ?c :q ?d FILTER(?a = ?b && ?c = ?d && ?b = ?c) }"))
    assert edges(branch) == ["?a <urn:ex:p> ?a", "?a <urn:ex:q> ?a"]


def test_an_equality_of_two_objects_stays_because_literals_may_be_equal_in_value_only() -> None:
    branch = only_branch("SELECT * { ?x :p ?y . ?x :q ?w FILTER(?y = ?w) }")
    assert merge_variables(branch) is branch


def test_equal_variables_become_one() -> None:
    assert rewritten_edges("ASK { ?x :p ?y . ?z :q ?w FILTER(?y = ?z) }") == ["?x <urn:ex:p> ?y", "?y <urn:ex:q> ?w"]
    assert rewritten_edges("ASK { ?x :p ?y . ?x :q ?w FILTER(?y = ?w) }") == ["?x <urn:ex:p> ?y", "?x <urn:ex:q> ?w"]
    assert rewritten_edges("ASK { ?x :p ?y . ?x :q ?w FILTER(sameTerm(?y, ?w)) }")[1].endswith("?y")
