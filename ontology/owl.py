"""OWL documents as taxonomies, with a reasoner's conclusions if one is asked for.

The asserted edges are those of :mod:`ontology.rdfs`, so that both loaders agree on what a document says. A
reasoner adds classes below classes, equivalences and instances' types that follow from the axioms; they are
kept apart as inferred edges, which ``directly_a`` never uses. The paper's conclusions leave this open as an
extension: inference by description logics "without significant changes to the matching engine".

``owl:imports`` are not followed (:mod:`ontology.imports`).
"""

from __future__ import annotations

import re
from contextlib import redirect_stderr
from io import BytesIO, StringIO

from rdflib import Graph

from ontology.documents import Document, Source, parse, read
from ontology.errors import MalformedOntology
from ontology.hierarchy import CyclePolicy
from ontology.imports import unread_imports
from ontology.rdfs import assertions
from ontology.reasoners import Inferences, Reasoner, infer, quad_store
from ontology.taxonomy import Taxonomy
from ontology.xml_safety import check_xml

__all__ = ["load_owl"]

_OWLREADY2_PLACE = re.compile(r"line (\d+), column (\d+)")
_NOTHING_INFERRED = Inferences((), (), (), (), (), ())


def load_owl(
    source: Source,
    format: str | None = None,
    *,
    reasoner: Reasoner | None = None,
    cycles: CyclePolicy = "refuse",
) -> Taxonomy:
    """The taxonomy of a path, a document's bytes or a graph, in OWL/XML or any syntax of ``load_rdfs``.

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
        document = read(source, format)
        name = document.name
        graph = _translate(document) if document.format == "owl-xml" else parse(document)
    asserted = assertions(graph)
    inferred = _NOTHING_INFERRED if reasoner is None else infer(graph, asserted, reasoner, name=name)
    return Taxonomy(
        asserted.subclasses,
        asserted.instances,
        asserted.subproperties,
        inferred_subclasses=inferred.subclasses,
        inferred_instances=inferred.instances,
        inferred_subproperties=inferred.subproperties,
        equivalent_classes=asserted.equivalent_classes,
        inferred_equivalent_classes=inferred.equivalent_classes,
        equivalent_properties=asserted.equivalent_properties,
        inferred_equivalent_properties=inferred.equivalent_properties,
        classes=asserted.classes,
        properties=asserted.properties,
        cycles=cycles,
        unsatisfiable=inferred.unsatisfiable,
        missing_imports=unread_imports(graph, source=name),
    )


def _translate(document: Document) -> Graph:
    """OWL/XML as triples, by owlready2, the one parser here that reads it."""
    check_xml(document.content, source=document.name)  # owlready2 does not say where a document breaks off
    world = quad_store()
    try:
        ontology = world.get_ontology(document.base or "http://document.invalid/")
        triples = BytesIO()
        # owlready2 prints a traceback through sys.excepthook before it raises.
        with world, redirect_stderr(StringIO()):
            ontology.graph.parse(BytesIO(document.content), format="owlxml", default_base=document.base)
        ontology.graph.save(triples, format="ntriples")
    except Exception as error:
        place = _OWLREADY2_PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2]) + 1) if place else (None, None)
        raise MalformedOntology(
            "well-formed XML but not OWL/XML", source=document.name, line=line, column=column
        ) from error
    finally:
        world.close()
    return parse(Document(document.name, triples.getvalue(), "nt", document.base))
