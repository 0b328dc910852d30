"""The order of branches by how close they came to matching."""

from __future__ import annotations

from support.explanations import A, P, Q, X, Y

from gtopss.explain import explain
from gtopss.explain.closeness import is_partly_met
from gtopss.model import Branch, Publication, Subscription, Term
from gtopss.model.expressions import call, compare
from gtopss.model.terms import RDF_TYPE
from ontology import Taxonomy


def test_closest_branch_comes_first() -> None:
    far = [Branch([(X, Q, Y)]), Branch([(X, P, Y), (Y, Q, X)]), Branch([(X, P, Y)], [compare("y", ">", 5)])]
    triples = [(A, P, 3)]
    made = explain(Subscription("s", branches=far), Publication("p", triples), Taxonomy())
    assert [each.number for each in made.branches] == [3, 2, 1]
    both = explain(Subscription("s", branches=[*far, Branch([(A, P, Y)])]), Publication("p", triples), Taxonomy())
    assert [each.number for each in both.branches] == [4, 3, 2, 1]
    assert both.matched
    assert "branch 3 of 4: the edge matches, but a constraint fails" in str(both)


def test_a_branch_is_partly_met_if_a_constraint_holds_or_an_edge_to_a_constant_matches() -> None:
    def partly_met(branch: Branch) -> bool:
        made = explain(Subscription("s", branches=[branch]), Publication("p", [(A, P, 3)]), Taxonomy())
        return is_partly_met(made.branches[0])

    assert not partly_met(Branch([(X, P, Y)], [compare("y", ">", 5)]))  # any value of P would do
    assert partly_met(Branch([(X, P, Y)], [compare("y", ">", 5), compare("y", ">", 1)]))
    assert not partly_met(Branch([(X, P, Y), (X, Q, Y)]))
    assert partly_met(Branch([(X, P, 3), (X, Q, Y)]))


def test_what_nearly_every_item_meets_is_not_a_part() -> None:
    item = Term("<http://purl.org/rss/1.0/item>")
    publication = Publication("p", [(A, RDF_TYPE, item), (A, P, 3)])
    without = call("!", compare("y", ">", 5))
    for branch in (
        Branch([(X, RDF_TYPE, item), (X, P, Y), (X, Q, Y)], [without]),
        Branch([(X, RDF_TYPE, item), (X, P, Y)], [without, compare("y", ">", 4)]),
    ):
        made = explain(Subscription("s", branches=[branch]), publication, Taxonomy())
        assert not is_partly_met(made.branches[0])
