"""`owlInstance(x, C)`: is x an instance of C, by the ontology and the publication together? (DEBS 2007, section 2.1.3)

The publication's triples are added to the ontology and HermiT or Pellet, which owlready2 ships, classifies the whole: a
second or more of Java. One run answers every question about a publication, so that the operator is batched and keeps
the last publication's answers. Is-a over what is known beforehand needs no operator: that is what the taxonomy is for.
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
    """The operator for an ontology. An inconsistent publication makes the answer unknown."""
    memory = _LastPublication(ontology, reasoner)

    def instance(publication: Publication, questions: Sequence[tuple[Term, Term]]) -> list[bool]:
        taxonomy = memory.taxonomy(publication)
        return [
            not is_literal(each) and is_iri(cls) and taxonomy.instance_of(_name(each), iri_text(cls))
            for each, cls in questions
        ]

    return Operator(name, instance, 2, 2, cost=cost, timeout=timeout, batch=batch, check=_check_class)


class _LastPublication:
    """What the reasoner found for the last publication. A second batch of the same publication waits for the first."""

    def __init__(self, ontology: rdflib.Graph, reasoner: Reasoner) -> None:
        self._ontology, self._reasoner = ontology, reasoner
        self._lock = threading.Lock()
        self._last: tuple[Publication, Taxonomy] | None = None

    def __reduce__(self) -> tuple[type[_LastPublication], tuple[rdflib.Graph, Reasoner]]:
        """Another process has its own publications: it gets the ontology alone."""
        return _LastPublication, (self._ontology, self._reasoner)

    def taxonomy(self, publication: Publication) -> Taxonomy:
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
    """A blank node gets a name, or the reasoner would not speak of it."""
    return _BLANK + term[2:] if is_blank(term) else iri_text(term)


def _check_class(instance: Term | None, cls: Term | None) -> None:
    if cls is not None and not is_iri(cls):
        raise ValueError(f"{cls} is not a class")
