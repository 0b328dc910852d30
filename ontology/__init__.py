"""Taxonomies for is-a filtering: classes, instances and properties, from RDFS, SKOS and OWL documents.

A leaf of the project: nothing here knows of publications or subscriptions.

| module | what it holds |
|---|---|
| ``taxonomy`` | the questions: is-a, ancestors, paths; live edits |
| ``hierarchy`` | one graph of names, its cycles and equivalences |
| ``intervals`` | the labels that answer in constant time |
| ``documents`` | bytes to triples, without opening anything else |
| ``guard`` | what XML is safe to parse |
| ``jsonld`` | the same for JSON-LD |
| ``imports`` | what an ontology imports, and was not read |
| ``rdfs``, ``owl``, ``load`` | triples to taxonomies |
| ``reasoners`` | HermiT and Pellet |
| ``errors`` | the tree of what can go wrong |
"""

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
from ontology.load import load
from ontology.owl import load_owl
from ontology.rdfs import load_rdfs
from ontology.reasoners import Reasoner
from ontology.taxonomy import EdgeKind, Taxonomy

__all__ = [
    "CyclePolicy",
    "CyclicTaxonomy",
    "EdgeKind",
    "ImportNotFollowed",
    "InconsistentOntology",
    "MalformedOntology",
    "MalformedXML",
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
