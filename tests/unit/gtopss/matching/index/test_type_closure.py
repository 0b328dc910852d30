"""The closure of the classes that subscriptions name."""

from __future__ import annotations

import pytest
from support.index_publications import P, node

from gtopss import Engine, Publication, Subscription
from gtopss.errors import GtopssError
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


def test_classes_with_too_many_members_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a few hundred small subscriptions and a deep taxonomy would take all memory."""
    monkeypatch.setattr("gtopss.matching.index.writer.MAX_MEMBERS", 450)
    engine = Engine(taxonomy=Taxonomy([(f"urn:c{i + 1}", f"urn:c{i}") for i in range(99)]))
    first = "SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:c0>)) }"  # 100 names, and 100 types
    engine.add(first, id="first")
    engine.add(first, id="again")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:c10>) && ?y > 1) }", id="second")
    texts = 'CONTAINS(?y, "text")'
    with pytest.raises(GtopssError, match="more than 450 members"):
        engine.add(f"SELECT ?x {{ ?x <urn:p> ?y FILTER(isA(?x, <urn:c20>)) FILTER({texts}) }}", id="third")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:c99>)) }", id="few")
    item = [("<urn:c99>", "<urn:p>", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>')]
    assert engine.match(item).subscription_ids == ("first", "again", "second", "few")
    for name in ("first", "again"):
        engine.remove(name)
    engine.add(f"SELECT ?x {{ ?x <urn:p> ?y FILTER(isA(?x, <urn:c20>)) FILTER(!{texts}) }}", id="third")
    assert set(engine.match([("<urn:c99>", "<urn:p>", '"a"')]).subscription_ids) == {"few", "third"}


def test_relations_are_numbered_as_in_the_kernels() -> None:
    numbers = {"isA": IS_A, "instanceOf": INSTANCE_OF, "directlyA": DIRECTLY_A}
    assert numbers == {name: number for number, name in enumerate(RELATIONS)}
    assert len(RELATIONS) == IS_A_RELATIONS
