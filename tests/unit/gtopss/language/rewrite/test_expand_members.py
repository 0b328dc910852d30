"""Rule: `rdfs:member` stands for rdf:_1, rdf:_2, ..."""

from __future__ import annotations

import pytest
from rdflib import RDF, BNode
from support.language import EX, only_branch, solutions

from gtopss import MATCHERS
from gtopss.language.rewrite.expand_members import expand_members


def test_the_property_becomes_a_hidden_variable_with_a_constraint() -> None:
    branch = expand_members(only_branch("SELECT * { ?list rdfs:member ?m . ?m :p ?z }"))
    assert [each.property for each in branch.tuples] == ["?_:member0", "<urn:ex:p>"]
    (constraint,) = branch.where
    assert str(constraint).startswith("REGEX(STR(?_:member0), ")


def test_a_branch_without_members_is_returned_itself() -> None:
    branch = only_branch("SELECT * { ?x :p ?y FILTER(?y > 5) }")
    assert expand_members(branch) is branch


@pytest.mark.parametrize("matcher", MATCHERS)
def test_members_of_containers(matcher: str) -> None:
    bag = BNode("bag")
    graph = [(EX.a, EX.authors, bag), (bag, RDF.type, RDF.Seq), (bag, RDF._1, EX.ann), (bag, RDF._2, EX.bob)]
    text = "SELECT ?who { ?x :authors ?list . ?list rdfs:member ?who }"
    assert solutions(text, *graph, matcher=matcher) == [{"who": EX.ann}, {"who": EX.bob}]
    assert solutions("ASK { ?list rdfs:member rdf:Seq }", *graph, matcher=matcher) == []
