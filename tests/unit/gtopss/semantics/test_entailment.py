from __future__ import annotations

import pytest

from gtopss import Engine
from gtopss.errors import BeyondRDFS
from gtopss.model import Publication
from gtopss.model.terms import RDF, RDF_TYPE, RDFS, Term, iri, literal
from gtopss.semantics import entail
from gtopss.semantics.rdfs_axioms import CLASS, DOMAIN, RESOURCE
from ontology import Taxonomy, load

TAXONOMY = Taxonomy(
    [("urn:Cat", "urn:Animal"), ("urn:Animal", "urn:Thing"), ("urn:Cat", "not an IRI")],
    [("urn:tom", "urn:Cat")],
    [("urn:adores", "urn:likes"), ("urn:kind", RDF_TYPE[1:-1])],
)
A, B, TOM = iri("urn:a"), iri("urn:b"), iri("urn:tom")


def inferred(*triples: tuple[Term, Term, Term], taxonomy: Taxonomy = TAXONOMY) -> set[tuple[Term, Term, Term]]:
    """Return what follows from the triples, without themselves and what follows from any triple."""
    made = entail(Publication("p", triples), taxonomy)
    assert made.triples[: len(triples)] == triples
    assert made.inferred == frozenset(made.triples) - frozenset(triples)
    own = {term for triple in triples for term in triple if "www.w3.org" not in term}
    return {(s, p, o) for s, p, o in made.inferred if s in own and o not in ALWAYS and s != o}


ALWAYS = {Term(f"<{RDFS}Resource>"), Term(f"<{RDFS}Class>"), Term(f"<{RDF}Property>")}
SUBCLASS, SUBPROPERTY = Term(f"<{RDFS}subClassOf>"), Term(f"<{RDFS}subPropertyOf>")


def types(subject: Term, *classes: str) -> set[tuple[Term, Term, Term]]:
    return {(subject, RDF_TYPE, iri(cls)) for cls in classes}


def above(relation: Term, subject: str, *names: str) -> set[tuple[Term, Term, Term]]:
    return {(iri(subject), relation, iri(each)) for each in names}


CAT_IS_BELOW = above(SUBCLASS, "urn:Cat", "urn:Animal", "urn:Thing")


def test_a_stated_type_has_its_superclasses() -> None:
    assert inferred((A, RDF_TYPE, iri("urn:Cat"))) == types(A, "urn:Animal", "urn:Thing") | CAT_IS_BELOW


def test_a_mentioned_instance_of_the_taxonomy_has_its_types() -> None:
    for triple in ((TOM, iri("urn:p"), A), (A, iri("urn:p"), TOM)):
        assert inferred(triple) == types(TOM, "urn:Cat", "urn:Animal", "urn:Thing")


def test_a_property_has_its_superproperties() -> None:
    likes = (A, iri("urn:likes"), B)
    assert inferred((A, iri("urn:adores"), B)) == {likes} | above(SUBPROPERTY, "urn:adores", "urn:likes")


def test_a_subproperty_of_type_states_types() -> None:
    found = inferred((A, iri("urn:kind"), iri("urn:Animal")))
    assert types(A, "urn:Animal", "urn:Thing") <= found


def test_a_stated_subclass_or_subproperty_is_closed_over_the_taxonomy() -> None:
    assert (A, SUBCLASS, iri("urn:Thing")) in inferred((A, SUBCLASS, iri("urn:Animal")))
    assert (A, SUBPROPERTY, iri("urn:likes")) in inferred((A, SUBPROPERTY, iri("urn:adores")))


def test_statements_of_the_publication_about_classes_and_properties_apply_to_it() -> None:
    found = inferred(
        (A, iri("urn:p"), B), (iri("urn:p"), DOMAIN, iri("urn:Cat")), (iri("urn:Cat"), SUBCLASS, iri("urn:Pet"))
    )
    assert types(A, "urn:Cat", "urn:Pet", "urn:Animal") <= found
    assert inferred((iri("urn:Cat"), SUBCLASS, iri("urn:Pet")), (A, RDF_TYPE, iri("urn:Cat"))) >= types(A, "urn:Pet")


def test_domains_and_ranges_of_the_ontology_are_types() -> None:
    taxonomy = Taxonomy([("urn:Cat", "urn:Animal")])
    taxonomy.add_domain("urn:owner", "urn:Cat")
    taxonomy.add_range("urn:owner", "urn:Person")
    found = inferred((A, iri("urn:owner"), B), taxonomy=taxonomy)
    assert types(A, "urn:Cat", "urn:Animal") | types(B, "urn:Person") <= found
    assert taxonomy.remove_domain("urn:owner", "urn:Cat")
    assert not types(A, "urn:Cat") & inferred((A, iri("urn:owner"), B), taxonomy=taxonomy)


def test_what_is_used_as_a_property_is_one() -> None:
    made = entail(Publication("p", [(A, iri("urn:p"), B)]), Taxonomy())
    p = iri("urn:p")
    assert {(p, RDF_TYPE, Term(f"<{RDF}Property>")), (p, SUBPROPERTY, p)} <= made.inferred


def test_members_of_containers_and_their_properties() -> None:
    first = iri(f"{RDF}_1")
    made = entail(Publication("p", [(A, first, B)]), Taxonomy())
    member = Term(f"<{RDFS}member>")
    assert {(A, member, B), (first, SUBPROPERTY, member)} <= made.inferred
    assert (first, RDF_TYPE, Term(f"<{RDFS}ContainerMembershipProperty>")) in made.inferred
    for matcher in ("gm", "naive"):
        engine = Engine(matcher=matcher, entailment="rdfs")
        engine.add(f"SELECT ?m {{ ?x <{RDFS}member> ?m }}", id="s")
        (match,) = engine.match([(A, first, B)])
        assert len(match.rows) == 1
        assert engine.explain([(A, first, B)], "s").matched


def test_literals_are_no_subjects_and_the_ontology_says_nothing_about_others() -> None:
    made = entail(Publication("p", [(A, iri("urn:p"), literal("x"))]), TAXONOMY)
    assert {s for s, _, _ in made.triples} == {A, iri("urn:p")}


def test_edits_of_the_taxonomy_count_from_the_next_publication_on() -> None:
    taxonomy = Taxonomy([("urn:Cat", "urn:Animal")])
    engine = Engine(taxonomy=taxonomy, entailment="rdfs")
    engine.add("SELECT ?x { ?x a <urn:Pet> }", id="s")
    assert not engine.match([(A, RDF_TYPE, iri("urn:Cat"))]).matches
    taxonomy.add_subclass("urn:Cat", "urn:Pet")
    assert engine.match([(A, RDF_TYPE, iri("urn:Cat"))]).matches


def test_an_ontology_that_says_more_than_rdfs_is_announced() -> None:
    document = b"""@prefix owl: <http://www.w3.org/2002/07/owl#> . <urn:p> owl:inverseOf <urn:q> .
        <urn:C> a owl:Class ; owl:disjointWith <urn:D> ."""
    taxonomy = load(document)
    assert taxonomy.beyond_rdfs == ("owl:disjointWith", "owl:inverseOf")
    with pytest.warns(BeyondRDFS, match="uses owl:disjointWith, owl:inverseOf.*--reasoner"):
        Engine(taxonomy=taxonomy, entailment="rdfs")
    Engine(taxonomy=taxonomy)


def test_the_source_and_time_of_the_publication_are_kept() -> None:
    publication = Publication("p", [(A, RDF_TYPE, iri("urn:Cat"))], source="here")
    assert (entail(publication, TAXONOMY).id, entail(publication, TAXONOMY).source) == ("p", "here")


def test_a_property_may_be_its_own_domain_and_range() -> None:
    rdfs, kind = "http://www.w3.org/2000/01/rdf-schema#", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    for relation, instance in (("range", "<urn:o>"), ("domain", "<urn:s>")):
        triples = [("<urn:s>", "<urn:p>", "<urn:o>"), ("<urn:p>", f"<{rdfs}{relation}>", "<urn:p>")]
        assert (instance, kind, "<urn:p>") in entail(Publication("p", triples), Taxonomy()).triples


def test_what_follows_from_the_axiomatic_triples_alone() -> None:
    """The range of rdfs:range is rdfs:Class, so rdfs:Class is a class, whatever a publication says of it."""
    made = entail(Publication("p", [("<urn:x>", "<urn:p>", CLASS)]), Taxonomy())
    assert {(CLASS, RDF_TYPE, CLASS), (CLASS, SUBCLASS, CLASS), (CLASS, SUBCLASS, RESOURCE)} <= made.inferred
