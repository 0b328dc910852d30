"""Load OWL documents as taxonomies, optionally with a reasoner's inferences.

The asserted edges are those of :mod:`ontology.rdfs`, so that both loaders agree on what a document asserts. A reasoner
adds the subclasses, equivalences and types that follow from the axioms. They are stored separately as inferred edges,
which ``directly_a`` never uses. The paper's conclusions name this as an extension: inference by description logics
"without significant changes to the matching engine".

``owl:imports`` are not followed (:mod:`ontology.imports`).
"""

from __future__ import annotations

import re
from contextlib import redirect_stderr
from io import BytesIO, StringIO
from typing import Literal, TypeAlias

from rdflib import Graph

from ontology.axioms import Axioms
from ontology.documents import OntologyDocument, Source, parse_document, read_document
from ontology.errors import MalformedOntology
from ontology.hierarchy import CyclePolicy
from ontology.imports import warn_of_imports
from ontology.limits import DEFAULT_LIMITS, DocumentLimits
from ontology.loading_report import report_loaded
from ontology.rdfs import DocumentAxioms, asserted_axioms, read_axioms
from ontology.taxonomy import Taxonomy
from ontology.xml_safety import check_xml

__all__ = ["Reasoner", "load_owl", "parse_ontology", "read_ontology_axioms"]

Reasoner: TypeAlias = Literal["hermit", "pellet"]

_OWLREADY2_POSITION = re.compile(r"line (\d+), column (\d+)")


def load_owl(
    source: Source,
    format: str | None = None,
    *,
    reasoner: Reasoner | None = None,
    cycles: CyclePolicy = "refuse",
    limits: DocumentLimits = DEFAULT_LIMITS,
) -> Taxonomy:
    """Load the taxonomy of a path, a document's bytes or a graph, in OWL/XML or any format of ``load_rdfs``.

    >>> zoo = load_owl(b'''@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://zoo/> .
    ...     @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ...     :Cat a owl:Class ; rdfs:subClassOf :Animal . :Feline owl:equivalentClass :Cat .''')
    >>> zoo.is_a("http://zoo/Feline", "http://zoo/Animal")
    True
    """
    if reasoner not in (None, "hermit", "pellet"):
        raise ValueError(f'reasoner must be "hermit", "pellet" or None, not {reasoner!r}')
    if isinstance(source, Graph):
        name, graph = "<graph>", source
    else:
        document = read_document(source, format)
        name = document.name
        graph = parse_ontology(document, limits)
    asserted, imports = asserted_axioms(graph)
    inferred = Axioms() if reasoner is None else _infer(graph, asserted, reasoner, name)
    warn_of_imports(imports, source=name)
    taxonomy = Taxonomy.from_axioms(asserted, inferred, cycles=cycles, missing_imports=imports)
    report_loaded(taxonomy, name)
    return taxonomy


def read_ontology_axioms(document: OntologyDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> DocumentAxioms:
    """Return what a document in OWL/XML or in an RDF syntax asserts."""
    if document.format == "owl-xml":
        return asserted_axioms(_translate_owl_xml(document, limits))
    return read_axioms(document, limits)


def parse_ontology(document: OntologyDocument, limits: DocumentLimits = DEFAULT_LIMITS) -> Graph:
    """Return the triples of a document in OWL/XML or in an RDF syntax."""
    return _translate_owl_xml(document, limits) if document.format == "owl-xml" else parse_document(document, limits)


def _infer(graph: Graph, asserted: Axioms, reasoner: Reasoner, name: str) -> Axioms:
    from ontology.reasoners import infer_axioms  # owlready2 is imported where it is needed: that takes long

    return infer_axioms(graph, asserted, reasoner, name=name)


def _translate_owl_xml(document: OntologyDocument, limits: DocumentLimits) -> Graph:
    """Translate OWL/XML to triples with owlready2, the only parser here that reads it."""
    from ontology.reasoners import new_world

    # owlready2 does not report where a document is truncated.
    check_xml(document.content, limits=limits, source=document.name)
    world = new_world()
    try:
        ontology = world.get_ontology(document.base or "http://document.invalid/")
        triples = BytesIO()
        # owlready2 prints a traceback through sys.excepthook before it raises.
        with world, redirect_stderr(StringIO()):
            ontology.graph.parse(BytesIO(document.content), format="owlxml", default_base=document.base)
        ontology.graph.save(triples, format="ntriples")
    except Exception as error:
        place = _OWLREADY2_POSITION.search(str(error))
        line, column = (int(place[1]), int(place[2]) + 1) if place else (None, None)
        raise MalformedOntology(
            "well-formed XML but not OWL/XML", source=document.name, line=line, column=column
        ) from error
    finally:
        world.close()
    return parse_document(OntologyDocument(document.name, triples.getvalue(), "nt", document.base), limits)
