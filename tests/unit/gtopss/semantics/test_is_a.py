from __future__ import annotations

import pytest

from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, Term, iri, literal
from gtopss.semantics import EvaluationContext
from gtopss.semantics.is_a import IS_A_FUNCTIONS
from ontology import Axioms, Taxonomy

TAXONOMY = Taxonomy.from_axioms(
    Axioms(
        (("urn:Cat", "urn:Animal"), ("urn:Animal", "urn:Thing")),
        (("urn:tom", "urn:Cat"), ("urn:Cat", "urn:Species")),
        equivalent_classes=(("urn:Cat", "urn:Felis"),),
    )
)
STATED = [("<urn:rex>", RDF_TYPE, "<urn:Cat>"), ("_:b", RDF_TYPE, "<urn:Cat>"), ("<urn:x>", RDF_TYPE, literal("Cat"))]
CONTEXT = EvaluationContext(Publication("p", STATED), TAXONOMY)
CASES = {
    # x and C: isA, instanceOf, directlyA, ancestorOf, descendantOf
    ("Cat", "Animal"): "isA directlyA descendantOf",
    ("Cat", "Thing"): "isA descendantOf",
    ("Cat", "Cat"): "isA",
    ("Cat", "Felis"): "isA directlyA",
    ("Animal", "Cat"): "ancestorOf",
    ("Felis", "Cat"): "isA directlyA",  # equivalents are not above each other
    ("tom", "Cat"): "isA instanceOf directlyA descendantOf",
    ("tom", "Thing"): "isA instanceOf descendantOf",
    ("tom", "Species"): "",  # types are not transitive
    ("Cat", "Species"): "isA instanceOf directlyA descendantOf",
    ("rex", "Cat"): "isA instanceOf directlyA descendantOf",  # stated by the publication
    ("rex", "Animal"): "isA instanceOf descendantOf",
    ("Animal", "rex"): "ancestorOf",
    ("other", "Cat"): "",
}


@pytest.mark.parametrize(("x", "cls"), CASES)
def test_functions_hold_by_the_taxonomy_and_by_stated_types(x: str, cls: str) -> None:
    holding = {name for name, test in IS_A_FUNCTIONS.items() if test(iri(f"urn:{x}"), iri(f"urn:{cls}"), CONTEXT)}
    assert holding == set(CASES[x, cls].split())


def test_blank_nodes_have_the_types_that_the_publication_states() -> None:
    assert IS_A_FUNCTIONS["isA"](Term("_:b"), iri("urn:Animal"), CONTEXT)
    assert not IS_A_FUNCTIONS["isA"](Term("_:c"), iri("urn:Animal"), CONTEXT)


def test_a_literal_is_itself_and_may_be_a_stated_type() -> None:
    text = literal("Cat")
    assert IS_A_FUNCTIONS["isA"](text, text, CONTEXT)
    assert not IS_A_FUNCTIONS["isA"](text, iri("urn:Cat"), CONTEXT)
    assert IS_A_FUNCTIONS["directlyA"](iri("urn:x"), text, CONTEXT)
