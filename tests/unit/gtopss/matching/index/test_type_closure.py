"""The closure of the classes that subscriptions name."""

from __future__ import annotations

from support.index_publications import P, node

from gtopss import Publication, Subscription
from gtopss.matching.index.encode import encode_batch
from gtopss.matching.index.kernels.relations import DIRECTLY_A, INSTANCE_OF, IS_A, IS_A_RELATIONS
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.expressions import is_a
from gtopss.model.terms import RDF_TYPE, iri
from gtopss.semantics.class_members import RELATIONS
from ontology import Taxonomy


def test_only_classes_that_subscriptions_name_are_added() -> None:
    """A publication of many types costs what subscriptions ask about them, and no more."""
    chain = Taxonomy([(f"urn:c{i}", f"urn:c{i + 1}") for i in range(200)])
    matcher = IndexMatcher(chain)
    for number in range(100):
        matcher.add(Subscription(f"s{number}", [("?x", P, "?y", [is_a("x", iri(f"urn:c{number}"))])]))
    publication = Publication.trusted("p", [(node(i), RDF_TYPE, iri("urn:c50")) for i in range(10)])
    encoded = encode_batch([publication], matcher._writer.open_view(flush=True).encoding)
    assert len(encoded.batch.subject) == 10 + 10 * 50 + 50  # the nodes by their types, and c50 itself


def test_relations_are_numbered_as_in_the_kernels() -> None:
    numbers = {"isA": IS_A, "instanceOf": INSTANCE_OF, "directlyA": DIRECTLY_A}
    assert numbers == {name: number for number, name in enumerate(RELATIONS)}
    assert len(RELATIONS) == IS_A_RELATIONS
