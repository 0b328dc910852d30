from __future__ import annotations

from collections.abc import Callable
from itertools import count

from support.language import read

from gtopss.language.conjunction import Conjunction, join
from gtopss.model import Call, Term
from gtopss.model.expressions import call
from gtopss.model.terms import literal

P, X, Y, Z = Term("<urn:p>"), Term("?x"), Term("?y"), Term("?z")
ONE, TWO = literal("1"), literal("2")


def numbered() -> Callable[[], Term]:
    numbers = count()
    return lambda: Term(f"?_:new{next(numbers)}")


def test_a_test_of_one_end_is_a_constraint_of_its_5_tuple() -> None:
    (branch,) = read("SELECT * { ?x :p ?y . ?y :q ?z FILTER(isA(?x, :C) && ?y > 5) FILTER(?y < ?z) }").branches
    first, second = branch.tuples
    assert [str(test) for test in first.subject_constraints] == ["isA(?x, <urn:ex:C>)"]
    assert [str(test) for test in first.object_constraints] == ["(?y > 5)"]
    assert second.constraints() == ()
    assert [str(test) for test in branch.where] == ["(?y < ?z)"]


def test_a_test_of_a_property_variable_is_a_value_constraint() -> None:
    (branch,) = read("SELECT * { ?x ?p ?y FILTER(?p != :q) }").branches
    assert branch.tuples[0].constraints() == ()
    assert len(branch.where) == 1


def test_a_literal_as_a_subject_makes_the_branch_impossible() -> None:
    branch = Conjunction([(ONE, P, Y), (X, P, Y)]).to_branch()
    assert branch.edges() == ((X, P, Y),)
    assert "cannot be a subject" in str(branch.where[0])


def test_equal_tests_become_one_constraint() -> None:
    branch = Conjunction([(X, P, Y)], {}, [call(">", Y, 1), call(">", Y, 1)]).to_branch()
    assert len(branch.tuples[0].object_constraints) == 1


def test_a_copy_shares_nothing() -> None:
    one = Conjunction([(X, P, Y)], {Z: ONE}, [call(">", Y, 1)])
    other = one.copy()
    other.edges.clear()
    other.rename(Z, X)
    assert one == Conjunction([(X, P, Y)], {Z: ONE}, [call(">", Y, 1)])


def test_joined_conjunctions_have_the_edges_binds_and_tests_of_both() -> None:
    one, other = Conjunction([(X, P, Y)], {}, [call(">", Y, 1)]), Conjunction([(Y, P, Z)])
    assert join(one, other, numbered()) == Conjunction([(X, P, Y), (Y, P, Z)], {}, [call(">", Y, 1)])


def test_a_variable_with_two_constants_joins_only_if_they_are_the_same() -> None:
    assert join(Conjunction(binds={X: ONE}), Conjunction(binds={X: ONE}), numbered()) == Conjunction(binds={X: ONE})
    assert join(Conjunction(binds={X: ONE}), Conjunction(binds={X: TWO}), numbered()) is None


def test_a_constant_must_be_the_term_that_an_edge_binds() -> None:
    one, other = Conjunction(binds={X: ONE}), Conjunction([(X, P, Y)])
    for joined in (join(one, other, numbered()), join(other, one, numbered())):
        assert joined == Conjunction([(X, P, Y)], {}, [Call("SAMETERM", (X, ONE))])


def test_two_computed_values_agree_if_they_are_the_same_or_one_is_missing() -> None:
    one, other = Conjunction(binds={X: call("STR", Y)}), Conjunction(binds={X: call("STR", Z)})
    joined = join(one, other, numbered())
    assert joined is not None
    first, second = Term("?_:new0"), Term("?_:new1")
    assert joined.binds[X] == Call("COALESCE", (first, second))
    (agreement,) = joined.tests
    assert str(agreement) == "(!(BOUND(?_:new0)) || !(BOUND(?_:new1)) || SAMETERM(?_:new0, ?_:new1))"


def test_a_value_that_depends_on_an_impossible_edge_is_no_value() -> None:
    (branch,) = read('SELECT ?x (COALESCE(?w, 0) AS ?c) { ?x :p 1 . "text" :q ?w }').branches
    assert [str(bind.expression) for bind in branch.binds] == ["UNBOUND()"]
    assert [test.function for test in branch.where] == ["NEVER"]
