"""Taxonomies for is-a filtering: classes, instances and properties, loaded from RDFS, SKOS and OWL documents.

This package imports nothing of gtopss, and knows neither publications nor subscriptions.

| module | contents |
|---|---|
| ``loading``, ``rdfs``, ``owl`` | load a taxonomy from a document |
| ``taxonomy`` | ``Taxonomy``: construction, edits, storage |
| ``queries`` | is-a, ancestors, paths: what a taxonomy answers |
| ``labels`` | what terms are called |
| ``axioms``, ``axiom_collector`` | what a taxonomy is made of, and how it is gathered from triples |
| ``loading_report`` | says what was loaded |
| ``hierarchy``, ``instance_table`` | the graph of names, and the instances of its classes |
| ``property_classes`` | domains and ranges |
| ``interval_labels`` | labels that answer is-a in constant time |
| ``formats``, ``documents`` | recognise and parse a document, without opening anything else |
| ``limits`` | ``DocumentLimits``: what a document may contain |
| ``nesting``, ``expansion`` | find what is too deep, or takes too much memory |
| ``xml_safety``, ``jsonld`` | refuse unsafe XML and remote JSON-LD contexts |
| ``imports`` | ``owl:imports``, which are not followed |
| ``reasoners``, ``pellet_classes`` | HermiT and Pellet; Pellet on older Java |
| ``names`` | rdflib terms as plain names |
| ``errors`` | all errors |
"""

from ontology.axioms import Axioms
from ontology.errors import (
    CyclicTaxonomy,
    InconsistentOntology,
    MalformedOntology,
    MalformedXML,
    OntologyError,
    ReasonerFailed,
    RemoteContextRefused,
    UnsafeXML,
)
from ontology.hierarchy import CyclePolicy
from ontology.imports import ImportNotFollowed
from ontology.loading import load
from ontology.loading_report import NothingLoaded
from ontology.owl import Reasoner, load_owl
from ontology.rdfs import load_rdfs
from ontology.taxonomy import EdgeKind, Taxonomy

__all__ = [
    "Axioms",
    "CyclePolicy",
    "CyclicTaxonomy",
    "EdgeKind",
    "ImportNotFollowed",
    "InconsistentOntology",
    "MalformedOntology",
    "MalformedXML",
    "NothingLoaded",
    "OntologyError",
    "Reasoner",
    "ReasonerFailed",
    "RemoteContextRefused",
    "Taxonomy",
    "UnsafeXML",
    "load",
    "load_owl",
    "load_rdfs",
]
