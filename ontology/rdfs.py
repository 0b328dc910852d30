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

from typing import NamedTuple

from rdflib import Graph, Literal, URIRef

from ontology.axiom_collector import IMPORTS, TYPE, AxiomCollector, is_language_term
from ontology.axioms import Axioms
from ontology.documents import OntologyDocument, Source, collect_axioms, parse_document, read_document
from ontology.hierarchy import CyclePolicy
from ontology.imports import warn_of_imports
from ontology.labels import LABEL_PROPERTIES
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.loading_report import report_loaded
from ontology.taxonomy import Taxonomy

__all__ = ["DocumentAxioms", "asserted_axioms", "is_language_term", "load_rdfs", "read_axioms"]


class DocumentAxioms(NamedTuple):
    """What a document asserts, and the documents that it imports, sorted."""

    axioms: Axioms
    imports: tuple[str, ...]


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
        name, read = "<graph>", asserted_axioms(source)
    else:
        document = read_document(source, format)
        name, read = document.name, read_axioms(document, limits)
    warn_of_imports(read.imports, source=name)
    taxonomy = Taxonomy.from_axioms(read.axioms, cycles=cycles, missing_imports=read.imports)
    report_loaded(taxonomy, name)
    return taxonomy


def read_axioms(document: OntologyDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> DocumentAxioms:
    """Return what a document in an RDF syntax asserts. Raises :class:`~ontology.errors.MalformedOntology`."""
    collector = collect_axioms(document, limits)
    if collector is None:  # Oxigraph does not read it: rdflib is more lenient, or says where the error is
        return asserted_axioms(parse_document(document, limits))
    return _collected(collector)


def asserted_axioms(graph: Graph) -> DocumentAxioms:
    """Return the axioms of a graph, as in the table above."""
    collector = AxiomCollector()
    for subject, predicate, value in graph:
        property = str(predicate)
        collector.note_property(property)
        if property == TYPE and isinstance(value, URIRef):
            collector.add_type(str(value))
        elif property == IMPORTS:
            collector.imports.add(str(value))
        if not isinstance(subject, URIRef):
            continue
        if isinstance(value, URIRef):
            collector.add(str(subject), property, str(value))
        elif isinstance(value, Literal) and property in LABEL_PROPERTIES:
            collector.add_label(str(subject), property, str(value), value.language or "")
    return _collected(collector)


def _collected(collector: AxiomCollector) -> DocumentAxioms:
    return DocumentAxioms(collector.axioms(), tuple(sorted(collector.imports)))
