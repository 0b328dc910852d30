from __future__ import annotations

from gtopss.model import Publication
from gtopss.model.terms import RDF_TYPE, RDFS, Term, iri
from gtopss.semantics import entail
from ontology import Taxonomy

TAXONOMY = Taxonomy(
    [("urn:Cat", "urn:Animal"), ("urn:Animal", "urn:Thing"), ("urn:Cat", "not an IRI")],
    [("urn:tom", "urn:Cat")],
    [("urn:adores", "urn:likes"), ("urn:kind", RDF_TYPE[1:-1])],
)
A, B, TOM = iri("urn:a"), iri("urn:b"), iri("urn:tom")


def inferred(*triples: tuple[Term, Term, Term]) -> set[tuple[Term, Term, Term]]:
    """Return what follows from the triples, without themselves."""
    made = entail(Publication("p", triples), TAXONOMY)
    assert made.triples[: len(triples)] == triples
    assert made.inferred == frozenset(made.triples) - frozenset(triples)
    return set(made.inferred)


def types(subject: Term, *classes: str) -> set[tuple[Term, Term, Term]]:
    return {(subject, RDF_TYPE, iri(cls)) for cls in classes}


def test_a_stated_type_has_its_superclasses() -> None:
    assert inferred((A, RDF_TYPE, iri("urn:Cat"))) == types(A, "urn:Animal", "urn:Thing")


def test_a_mentioned_instance_of_the_taxonomy_has_its_types() -> None:
    for triple in ((TOM, iri("urn:p"), A), (A, iri("urn:p"), TOM)):
        assert inferred(triple) == types(TOM, "urn:Cat", "urn:Animal", "urn:Thing")


def test_a_property_has_its_superproperties() -> None:
    assert inferred((A, iri("urn:adores"), B)) == {(A, iri("urn:likes"), B)}


def test_a_subproperty_of_type_states_types() -> None:
    assert inferred((A, iri("urn:kind"), iri("urn:Animal"))) == types(A, "urn:Animal", "urn:Thing")


def test_a_stated_subclass_or_subproperty_is_closed_over_the_taxonomy() -> None:
    below = Term(f"<{RDFS}subClassOf>")
    assert inferred((A, below, iri("urn:Animal"))) == {(A, below, iri("urn:Thing"))}
    sub = Term(f"<{RDFS}subPropertyOf>")
    assert inferred((A, sub, iri("urn:adores"))) == {(A, sub, iri("urn:likes"))}


def test_the_source_and_time_of_the_publication_are_kept() -> None:
    publication = Publication("p", [(A, RDF_TYPE, iri("urn:Cat"))], source="here")
    assert (entail(publication, TAXONOMY).id, entail(publication, TAXONOMY).source) == ("p", "here")
