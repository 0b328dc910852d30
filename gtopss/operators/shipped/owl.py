"""`owlInstance(x, C)`: whether x is an instance of C by the ontology and the publication (DEBS 2007, section 2.1.3).

The publication's triples are added to the ontology, and HermiT or Pellet, which owlready2 ships, classifies the result.
That takes a second or more in Java. One run answers all calls for a publication, so the operator is batched and keeps
the result for the last publication. Is-a by the ontology alone needs no operator: use the taxonomy.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import rdflib

from gtopss.model import Publication, Term
from gtopss.model.terms import iri_text, is_blank, is_iri, is_literal, to_rdflib
from gtopss.operators.declaration import Operator
from ontology import Reasoner, Taxonomy, load

_BLANK = "urn:gtopss:blank:"


def owl_instance(
    ontology: rdflib.Graph,
    *,
    name: str = "owlInstance",
    reasoner: Reasoner = "hermit",
    cost: float = 100.0,
    timeout: float = 60.0,
    batch: int = 1000,
) -> Operator:
    """Create the operator for an ontology. The answer is unknown for an inconsistent publication."""
    last = _LastPublication(ontology, reasoner)

    def are_instances(publication: Publication, arguments: Sequence[tuple[Term, Term]]) -> list[bool]:
        taxonomy = last.taxonomy(publication)
        return [
            not is_literal(each) and is_iri(cls) and taxonomy.instance_of(_name(each), iri_text(cls))
            for each, cls in arguments
        ]

    return Operator(name, are_instances, 2, 2, cost=cost, timeout=timeout, batch=batch, check=_check_class)


class _LastPublication:
    """The taxonomy of the last publication. Thread-safe: a second batch of the same publication waits for the first."""

    def __init__(self, ontology: rdflib.Graph, reasoner: Reasoner) -> None:
        self._ontology, self._reasoner = ontology, reasoner
        self._lock = threading.Lock()
        self._last: tuple[Publication, Taxonomy] | None = None

    def __reduce__(self) -> tuple[type[_LastPublication], tuple[rdflib.Graph, Reasoner]]:
        """Pickle the ontology only: another process has other publications."""
        return _LastPublication, (self._ontology, self._reasoner)

    def taxonomy(self, publication: Publication) -> Taxonomy:
        """Return the inferred taxonomy of the ontology with the publication's triples."""
        with self._lock:
            if self._last is None or self._last[0] is not publication:
                graph = rdflib.Graph()
                for axiom in self._ontology:
                    graph.add(axiom)
                for subject, property, object_ in publication.triples:
                    graph.add((_node(subject), _node(property), _node(object_)))
                self._last = publication, load(graph, reasoner=self._reasoner)
            return self._last[1]


def _node(term: Term) -> rdflib.term.Node:
    return rdflib.URIRef(_name(term)) if is_blank(term) else to_rdflib(term)


def _name(term: Term) -> str:
    """Return the IRI of a term. A blank node gets one too, or the reasoner would not report it."""
    return _BLANK + term[2:] if is_blank(term) else iri_text(term)


def _check_class(instance: Term | None, cls: Term | None) -> None:
    if cls is not None and not is_iri(cls):
        raise ValueError(f"{cls} is not a class")
