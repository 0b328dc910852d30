"""Load RDFS and SKOS documents as taxonomies: what they assert, without reasoning.

| triple | edge |
|---|---|
| ``c rdfs:subClassOf d`` | c below d |
| ``x rdf:type c`` | x an instance of c, unless c is a term of RDF, RDFS, OWL or SKOS itself |
| ``p rdfs:subPropertyOf q`` | p below q |
| ``c owl:equivalentClass d`` | c and d equivalent: each below the other |
| ``p owl:equivalentProperty q`` | p and q equivalent |
| ``p rdfs:domain c``, ``p rdfs:range c`` | no edge, but a domain or range of p, for RDFS entailment |
| ``c skos:broader d``, ``skos:broaderTransitive`` | concept c below concept d |
| ``c skos:narrower d``, ``skos:narrowerTransitive`` | concept d below concept c |
| ``x skos:prefLabel "text"``, ``rdfs:label`` and the like | no edge, but a label of x (:mod:`ontology.labels`) |

SKOS's mapping relations (``skos:broadMatch`` and the like) relate concepts of different schemes loosely and make no
edge. Blank nodes make no edge either: no subscription can name an anonymous class (a restriction, an intersection), and
a blank node's label has no meaning outside its document.
"""

from __future__ import annotations

from collections.abc import Iterator

from rdflib import OWL, RDF, RDFS, SKOS, Graph, Literal, URIRef

from ontology.axioms import Axioms, LabelStatement, Pair
from ontology.documents import Source, parse_document, read_document
from ontology.hierarchy import CyclePolicy
from ontology.imports import unread_imports
from ontology.labels import LABEL_PROPERTIES
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.taxonomy import Taxonomy

__all__ = ["asserted_axioms", "is_language_term", "load_rdfs"]

_SKOS_LANGUAGE_TERMS = frozenset({SKOS.Concept, SKOS.ConceptScheme, SKOS.Collection, SKOS.OrderedCollection})
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


def load_rdfs(
    source: Source,
    format: str | None = None,
    *,
    cycles: CyclePolicy = "refuse",
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> Taxonomy:
    """Load the taxonomy that a path, a document's bytes or a graph asserts.

    The format is detected from the file's suffix or its content: Turtle, N-Triples, N3, RDF/XML, JSON-LD.
    ``owl:imports`` are not followed (:mod:`ontology.imports`).

    >>> zoo = load_rdfs(b'''@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://zoo/> .
    ...     :Cat rdfs:subClassOf :Animal . :Tom a :Cat .''')
    >>> zoo.is_a("http://zoo/Tom", "http://zoo/Animal")
    True
    """
    if isinstance(source, Graph):
        name, graph = "<graph>", source
    else:
        document = read_document(source, format)
        name, graph = document.name, parse_document(document, limits)
    missing_imports = unread_imports(graph, source=name)
    return Taxonomy.from_axioms(asserted_axioms(graph), cycles=cycles, missing_imports=missing_imports)


def asserted_axioms(graph: Graph) -> Axioms:
    """Return the axioms of a graph, as in the table above."""
    typed = list(_named(graph, RDF.type))
    return Axioms(
        subclasses=(
            *_plain(_named(graph, RDFS.subClassOf)),
            *_plain(_named(graph, SKOS.broader)),
            *_plain(_named(graph, SKOS.broaderTransitive)),
            *((child, parent) for parent, child in _plain(_named(graph, SKOS.narrower))),
            *((child, parent) for parent, child in _plain(_named(graph, SKOS.narrowerTransitive))),
        ),
        instances=tuple((str(term), str(cls)) for term, cls in typed if not is_language_term(cls)),
        subproperties=tuple(_plain(_named(graph, RDFS.subPropertyOf))),
        equivalent_classes=tuple(_plain(_named(graph, OWL.equivalentClass))),
        equivalent_properties=tuple(_plain(_named(graph, OWL.equivalentProperty))),
        classes=tuple(str(term) for term, cls in typed if cls in _CLASS_TYPES),
        properties=tuple(str(term) for term, cls in typed if cls in _PROPERTY_TYPES),
        labels=tuple(_labels(graph)),
        domains=tuple(_plain(_named(graph, RDFS.domain))),
        ranges=tuple(_plain(_named(graph, RDFS.range))),
        beyond_rdfs=tuple(sorted(_beyond_rdfs(graph))),
    )


def is_language_term(cls: URIRef) -> bool:
    """Return whether a class belongs to RDF, RDFS, OWL or SKOS themselves, such as rdfs:Class or skos:Concept.

    Such a type describes the role of a term in the language, not its meaning. As an instance edge it would put every
    class of an ontology below rdfs:Class, make each a class and an instance at once, and double the taxonomy with
    answers that no subscription needs. owl:Thing describes the domain, and is accepted.
    """
    if cls in _SKOS_LANGUAGE_TERMS:
        return True
    # rdflib's own startswith does not take a tuple.
    return cls != OWL.Thing and str(cls).startswith((str(RDF), str(RDFS), str(OWL)))


_UNDERSTOOD_OWL = frozenset(
    {"Class", "Thing", "Ontology", "ObjectProperty", "DatatypeProperty", "AnnotationProperty", "OntologyProperty"}
    | {"DeprecatedClass", "DeprecatedProperty", "NamedIndividual", "equivalentClass", "equivalentProperty", "imports"}
    | {"versionInfo", "versionIRI", "priorVersion", "backwardCompatibleWith", "incompatibleWith", "deprecated"}
)
"""Terms of OWL that a taxonomy understands, and those that say nothing about classes or properties."""


def _beyond_rdfs(graph: Graph) -> set[str]:
    """Return the terms of OWL, and rdfs:Datatype, by which a graph says more than RDFS understands."""
    found = set()
    owl = str(OWL)
    for _, predicate, value in graph:
        for term in map(str, (predicate, value) if predicate == RDF.type else (predicate,)):
            if term.startswith(owl) and term[len(owl) :] not in _UNDERSTOOD_OWL:
                found.add(f"owl:{term[len(owl) :]}")
        if predicate == RDF.type and value == RDFS.Datatype:
            found.add("rdfs:Datatype")
    return found


def _named(graph: Graph, predicate: URIRef) -> Iterator[tuple[URIRef, URIRef]]:
    for subject, found in graph.subject_objects(predicate):
        if isinstance(subject, URIRef) and isinstance(found, URIRef):
            yield subject, found


def _labels(graph: Graph) -> Iterator[LabelStatement]:
    for property in LABEL_PROPERTIES:
        for subject, label in graph.subject_objects(URIRef(property)):
            if isinstance(subject, URIRef) and isinstance(label, Literal):
                yield str(subject), property, str(label), label.language or ""


def _plain(pairs: Iterator[tuple[URIRef, URIRef]]) -> Iterator[Pair]:
    return ((str(one), str(other)) for one, other in pairs)
