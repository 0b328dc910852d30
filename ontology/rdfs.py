"""RDFS and SKOS documents as taxonomies: what is asserted, and nothing that needs a reasoner.

| triple | edge |
|---|---|
| ``c rdfs:subClassOf d`` | c below d |
| ``x rdf:type c`` | x an instance of c, unless c is a word of the language itself |
| ``p rdfs:subPropertyOf q`` | p below q |
| ``c owl:equivalentClass d`` | c and d equivalent: each below the other |
| ``p owl:equivalentProperty q`` | p and q equivalent |
| ``c skos:broader d``, ``skos:broaderTransitive`` | concept c below concept d |
| ``c skos:narrower d``, ``skos:narrowerTransitive`` | concept d below concept c |

SKOS's mapping relations (``skos:broadMatch`` and the like) relate concepts of different schemes loosely and
make no edge. Nor do blank nodes: an anonymous class (a restriction, an intersection) is no name that a
subscription could hold, and a blank node's label means nothing outside its document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rdflib import OWL, RDF, RDFS, SKOS, Graph, URIRef

from ontology.documents import Source, parse, read
from ontology.hierarchy import CyclePolicy, Pair
from ontology.imports import unread_imports
from ontology.taxonomy import Taxonomy

__all__ = ["Assertions", "assertions", "is_meta", "load_rdfs"]

_SKOS_META = frozenset({SKOS.Concept, SKOS.ConceptScheme, SKOS.Collection, SKOS.OrderedCollection})
_CLASS_TYPES = frozenset({RDFS.Class, OWL.Class, OWL.DeprecatedClass, SKOS.Concept})
_PROPERTY_TYPES = frozenset(
    {
        RDF.Property,
        OWL.ObjectProperty,
        OWL.DatatypeProperty,
        OWL.AnnotationProperty,
        OWL.OntologyProperty,
        OWL.DeprecatedProperty,
        OWL.FunctionalProperty,
        OWL.InverseFunctionalProperty,
        OWL.TransitiveProperty,
        OWL.SymmetricProperty,
        OWL.AsymmetricProperty,
        OWL.ReflexiveProperty,
        OWL.IrreflexiveProperty,
    }
)


@dataclass(frozen=True, slots=True)
class Assertions:
    """What a graph says about classes, instances and properties, between named terms only."""

    subclasses: tuple[Pair, ...]
    instances: tuple[Pair, ...]
    subproperties: tuple[Pair, ...]
    equivalent_classes: tuple[Pair, ...]
    equivalent_properties: tuple[Pair, ...]
    classes: tuple[str, ...]
    properties: tuple[str, ...]


def load_rdfs(source: Source, format: str | None = None, *, cycles: CyclePolicy = "refuse") -> Taxonomy:
    """The taxonomy that a path, a document's bytes or a graph asserts.

    The format is guessed from the file's suffix or else its content: Turtle, N-Triples, N3, RDF/XML, JSON-LD.
    ``owl:imports`` are not followed (:mod:`ontology.imports`).

    >>> zoo = load_rdfs(b'''@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://zoo/> .
    ...     :Cat rdfs:subClassOf :Animal . :Tom a :Cat .''')
    >>> zoo.is_a("http://zoo/Tom", "http://zoo/Animal")
    True
    """
    if isinstance(source, Graph):
        name, graph = "<graph>", source
    else:
        document = read(source, format)
        name, graph = document.name, parse(document)
    found = assertions(graph)
    return Taxonomy(
        found.subclasses,
        found.instances,
        found.subproperties,
        equivalent_classes=found.equivalent_classes,
        equivalent_properties=found.equivalent_properties,
        classes=found.classes,
        properties=found.properties,
        cycles=cycles,
        missing_imports=unread_imports(graph, source=name),
    )


def assertions(graph: Graph) -> Assertions:
    """Gathers the edges of the table above."""
    typed = list(_named(graph, RDF.type))
    return Assertions(
        subclasses=(
            *_plain(_named(graph, RDFS.subClassOf)),
            *_plain(_named(graph, SKOS.broader)),
            *_plain(_named(graph, SKOS.broaderTransitive)),
            *((child, parent) for parent, child in _plain(_named(graph, SKOS.narrower))),
            *((child, parent) for parent, child in _plain(_named(graph, SKOS.narrowerTransitive))),
        ),
        instances=tuple((str(term), str(cls)) for term, cls in typed if not is_meta(cls)),
        subproperties=tuple(_plain(_named(graph, RDFS.subPropertyOf))),
        equivalent_classes=tuple(_plain(_named(graph, OWL.equivalentClass))),
        equivalent_properties=tuple(_plain(_named(graph, OWL.equivalentProperty))),
        classes=tuple(str(term) for term, cls in typed if cls in _CLASS_TYPES),
        properties=tuple(str(term) for term, cls in typed if cls in _PROPERTY_TYPES),
    )


def is_meta(cls: URIRef) -> bool:
    """Whether a type is a word of RDF, RDFS, OWL or SKOS themselves, such as rdfs:Class or skos:Concept.

    Such a type says what part of speech a term is, not what it is about. As an instance edge it would put
    every class of an ontology below rdfs:Class, make each a class and an instance at once, and double the
    taxonomy with answers that nobody subscribes to. owl:Thing is about the world, and stays.
    """
    if cls in _SKOS_META:
        return True
    # rdflib's own startswith does not take a tuple.
    return cls != OWL.Thing and str(cls).startswith((str(RDF), str(RDFS), str(OWL)))


def _named(graph: Graph, predicate: URIRef) -> Iterator[tuple[URIRef, URIRef]]:
    for subject, found in graph.subject_objects(predicate):
        if isinstance(subject, URIRef) and isinstance(found, URIRef):
            yield subject, found


def _plain(pairs: Iterator[tuple[URIRef, URIRef]]) -> Iterator[Pair]:
    return ((str(one), str(other)) for one, other in pairs)
