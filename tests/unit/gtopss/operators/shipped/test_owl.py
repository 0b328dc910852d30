"""The operator that runs an OWL reasoner."""

from __future__ import annotations

import pytest
import rdflib
from rdflib import OWL, RDF, RDFS

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, literal, term
from gtopss.operators import OperatorStage, Registry
from gtopss.operators.shipped.owl import owl_instance
from ontology import Reasoner


@pytest.mark.parametrize("reasoner", ["hermit", pytest.param("pellet", marks=pytest.mark.slow)])
def test_the_reasoner_runs_once_per_publication(reasoner: Reasoner) -> None:
    zoo = rdflib.Namespace("urn:zoo:")
    ontology = rdflib.Graph()
    restriction = rdflib.BNode()
    for triple in [
        (zoo.Parent, OWL.equivalentClass, restriction),
        (restriction, RDF.type, OWL.Restriction),
        (restriction, OWL.onProperty, zoo.hasChild),
        (restriction, OWL.someValuesFrom, zoo.Animal),
        (zoo.hasChild, RDF.type, OWL.ObjectProperty),
        (zoo.Parent, RDF.type, OWL.Class),
        (zoo.Animal, RDF.type, OWL.Class),
        (zoo.Cat, RDF.type, OWL.Class),
        (zoo.Cat, RDFS.subClassOf, zoo.Animal),
    ]:
        ontology.add(triple)
    registry = Registry([owl_instance(ontology, reasoner=reasoner)])
    stage = OperatorStage(registry)
    who = Term("?who")
    stage.add(("parents", 0), [call("owlInstance", "?who", zoo.Parent)], bound=[who])
    published = Publication(
        "p", [(zoo.tom, zoo.hasChild, zoo.kit), (zoo.kit, RDF.type, zoo.Cat), (zoo.tom, RDF.type, zoo.Animal)]
    )
    rows = [{who: term(zoo.tom)}, {who: term(zoo.kit)}, {who: literal("urn:zoo:tom")}]
    report = stage.evaluate(published, {("parents", 0): rows})
    assert report.matched == {("parents", 0): (rows[0],)}
    assert report.calls == 3
    assert len({each.seconds for each in report.answers}) == 1, "the three were one batch"
