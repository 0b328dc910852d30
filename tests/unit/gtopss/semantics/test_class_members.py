from __future__ import annotations

import pytest

from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, iri
from gtopss.semantics import EvaluationContext
from gtopss.semantics.class_members import RELATIONS, class_members
from gtopss.semantics.is_a import IS_A_FUNCTIONS
from ontology import Taxonomy

NAMES = ["urn:Animal", "urn:Cat", "urn:Siamese", "urn:tom", "urn:other"]
TAXONOMY = Taxonomy(
    [("urn:Cat", "urn:Animal"), ("urn:Siamese", "urn:Cat")], instances=[("urn:tom", "urn:Siamese"), ("_:b", "urn:Cat")]
)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("cls", NAMES)
def test_members_are_the_terms_that_pass_the_is_a_test(relation: str, cls: str) -> None:
    members = class_members(TAXONOMY, relation, cls)
    test = IS_A_FUNCTIONS[relation]
    plain = EvaluationContext(Publication("p", []), TAXONOMY)
    assert members.names == {each for each in NAMES if test(iri(each), iri(cls), plain)}
    for each in NAMES:
        typed = EvaluationContext(Publication("p", [("<urn:x>", RDF_TYPE, iri(each))]), TAXONOMY)
        assert (each in members.types) == test(iri("urn:x"), iri(cls), typed)
