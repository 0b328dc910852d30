"""RDFS entailment against a plain fixpoint of the rules, on generated ontologies and publications.

The fixpoint runs over the publication, the ontology and the axiomatic triples; what is compared are its triples whose
subject occurs in the publication.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from conftest import SOAK
from hypothesis import given, settings
from hypothesis import strategies as st
from support.matchers import matcher_names
from support.rdfs_rules import (
    CLASS,
    DATATYPE,
    DOMAIN,
    MEMBER,
    MEMBERSHIP,
    PROPERTY,
    RANGE,
    RESOURCE,
    SUBCLASS,
    SUBPROPERTY,
    TYPE,
    closure,
)

from gtopss import Engine
from gtopss.model import Publication, Term, Triple
from gtopss.model.terms import RDF, iri, is_literal, literal
from gtopss.semantics import entail
from ontology import Axioms, Taxonomy

CLASSES = [iri(f"urn:C{number}") for number in range(5)]
PROPERTIES = [iri(f"urn:p{number}") for number in range(4)]
NODES = [iri(f"urn:n{number}") for number in range(3)]
SCHEMA = [Term(each) for each in (SUBCLASS, SUBPROPERTY, DOMAIN, RANGE, TYPE)]
VOCABULARY = [Term(each) for each in (CLASS, PROPERTY, RESOURCE, MEMBER, MEMBERSHIP, DATATYPE)]


@dataclass(frozen=True)
class Case:
    """An ontology, as axioms and as triples, and a publication."""

    taxonomy: Taxonomy
    ontology: tuple[Triple, ...]
    publication: Publication


@st.composite
def ontologies(draw: st.DrawFn) -> tuple[Axioms, tuple[Triple, ...]]:
    """Classes and properties in a fixed order, edges only upward: without cycles."""

    def upward(names: list[Term]) -> list[tuple[Term, Term]]:
        return [(child, parent) for i, parent in enumerate(names) for child in names[i + 1 :]]

    def some(pairs: list[tuple[Term, Term]], most: int) -> list[tuple[Term, Term]]:
        return draw(st.lists(st.sampled_from(pairs), max_size=most, unique=True))

    relations = {
        SUBCLASS: some(upward(CLASSES), 4),
        SUBPROPERTY: some([*upward(PROPERTIES), (PROPERTIES[3], Term(TYPE)), (PROPERTIES[2], Term(MEMBER))], 3),
        DOMAIN: some([(p, c) for p in PROPERTIES for c in CLASSES], 3),
        RANGE: some([(p, c) for p in PROPERTIES for c in CLASSES], 3),
        TYPE: some([(n, c) for n in [*NODES, CLASSES[4]] for c in CLASSES], 3),
    }
    plain = {key: tuple((s[1:-1], o[1:-1]) for s, o in pairs) for key, pairs in relations.items()}
    axioms = Axioms(
        plain[SUBCLASS], plain[TYPE], plain[SUBPROPERTY], domains=plain[DOMAIN], ranges=plain[RANGE],
        classes=(CLASSES[0][1:-1],), properties=(PROPERTIES[0][1:-1],),
    )  # fmt: skip
    triples = [(s, Term(key), o) for key, pairs in relations.items() for s, o in pairs]
    declared = [(CLASSES[0], Term(TYPE), Term(CLASS)), (PROPERTIES[0], Term(TYPE), Term(PROPERTY))]
    return axioms, (*triples, *declared)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Publications with data, and in a part of the cases with statements about classes and properties too."""
    axioms, ontology = draw(ontologies())
    subjects = st.sampled_from([*NODES, Term("_:b")])
    positions = [iri(f"{RDF}_1"), iri(f"{RDF}_2")]
    objects = st.one_of(subjects, st.sampled_from([*CLASSES, literal("x"), literal("5")]))
    data = st.tuples(subjects, st.sampled_from([*PROPERTIES, *positions, Term(TYPE)]), objects)
    anything = st.sampled_from([*NODES, *CLASSES, *PROPERTIES, *VOCABULARY, *SCHEMA, Term("_:b")])
    schema = st.tuples(st.sampled_from([*CLASSES, *PROPERTIES]), st.sampled_from(SCHEMA), anything)
    triples = draw(st.lists(data, min_size=1, max_size=5))
    if draw(st.integers(0, 2)):
        triples += draw(st.lists(schema, max_size=4))
    return Case(Taxonomy.from_axioms(axioms), ontology, Publication("p", triples))


def expected(case: Case) -> set[Triple]:
    terms = {term for triple in case.publication.triples for term in triple}
    return {each for each in closure((*case.publication.triples, *case.ontology)) if each[0] in terms}


def test_entailment_is_the_fixpoint_of_the_rules() -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=20_000 if SOAK else 150)
    @given(cases())
    def agrees(case: Case) -> None:
        made = entail(case.publication, case.taxonomy)
        assert set(made.triples) == expected(case)
        assert made.inferred == set(made.triples) - set(case.publication.triples)
        tally["cases"] += 1
        tally["by rules about classes"] += any(
            p == TYPE and o in CLASSES and not is_literal(s) for s, p, o in made.inferred
        )

    agrees()
    assert tally["by rules about classes"] >= 0.3 * tally["cases"], tally


@pytest.mark.parametrize("matcher", matcher_names("agreement"))
def test_every_matcher_sees_what_is_entailed(matcher: str) -> None:
    """Patterns of one and of two edges find the triples of the fixpoint, and nothing else."""

    @settings(max_examples=500 if SOAK else 12)
    @given(cases())
    def agrees(case: Case) -> None:
        engine = Engine(matcher=matcher, taxonomy=case.taxonomy, entailment="rdfs")
        engine.add("SELECT ?s ?p ?o { ?s ?p ?o }", id="all")
        engine.add(f"SELECT ?s ?o {{ ?s {MEMBER} ?o }}", id="members")
        engine.add(f"SELECT ?s ?a ?b {{ ?s {TYPE} ?a . ?a {SUBCLASS} ?b }}", id="types")
        report = engine.match(case.publication)
        found = {each.subscription_id: Counter(tuple(row.values()) for row in each.rows) for each in report}
        triples = expected(case)
        assert found["all"] == Counter(triples)
        assert found.get("members", Counter()) == Counter((s, o) for s, p, o in triples if p == MEMBER)
        joined = [(s, a, b) for s, p, a in triples if p == TYPE for c, q, b in triples if q == SUBCLASS and c == a]
        assert found.get("types", Counter()) == Counter(joined)

    agrees()
