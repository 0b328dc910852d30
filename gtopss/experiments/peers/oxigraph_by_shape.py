"""pyoxigraph with one SPARQL query per shape; the subscriptions are triples in the same store.

Our own matcher `sparql` (`gtopss.matching`) runs one query per subscription, and is a peer too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyoxigraph as ox

from gtopss.experiments.peers.subscription_shapes import (
    Part,
    Shape,
    ShapeGroup,
    declined_without_shapes,
    group_by_shape,
)
from gtopss.experiments.peers.term_numbers import ClassMembership
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription, Term
from gtopss.model.terms import RDF_TYPE, iri_text, is_iri, literal, literal_parts
from ontology import Taxonomy

ITEM, SUBSCRIPTIONS, TAXONOMY = ox.DefaultGraph(), ox.NamedNode("urn:subscriptions"), ox.NamedNode("urn:taxonomy")
SUPERCLASS, INSTANCE = ox.NamedNode("urn:superclass"), ox.NamedNode("urn:instance")
NO_CONSTANT = literal("any")  # the placeholder of a subscription without constants


class OxigraphByShape:
    """The item is the default graph; subscriptions and the closure of the taxonomy are permanent named graphs."""

    name = "Oxigraph by shape"
    tuning = "in memory; a query per shape; constants as triples of a named graph; classes above each class as triples"

    def declines(self, workload: Workload) -> str | None:
        return declined_without_shapes(workload, 500)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self._store = ox.Store()
        self._ids, groups = group_by_shape(subscriptions)
        membership = ClassMembership(taxonomy)
        self._store.bulk_extend(
            ox.Quad(_node(name), link, _node(cls), TAXONOMY)
            for link, table in ((SUPERCLASS, membership.classes), (INSTANCE, membership.types))
            for name, classes in table.items()
            for cls in classes
        )
        self._queries = [self._store_group(place, group) for place, group in enumerate(groups)]

    def _store_group(self, place: int, group: ShapeGroup) -> str:
        names = [ox.NamedNode(f"urn:parameter:{place}:{each}") for each in range(max(1, group.shape.parameters))]
        self._store.bulk_extend(
            ox.Quad(ox.NamedNode(f"urn:row:{row}"), name, _term(constant), SUBSCRIPTIONS)
            for row, constants in group.rows
            for name, constant in zip(names, constants or (NO_CONSTANT,), strict=True)
        )
        rows = " ".join(f"?row {name} ?c{each} ." for each, name in enumerate(names))
        pattern, filters = _pattern(group.shape), _filters(group.shape)
        return f"SELECT DISTINCT ?row {{ {pattern} GRAPH {SUBSCRIPTIONS} {{ {rows} }} {filters} }}"

    def match_many(self, publications: Sequence[Publication]) -> Iterator[set[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> set[str]:
        self._store.extend(ox.Quad(_node(s), _node(p), _term(o), ITEM) for s, p, o in publication.triples)
        found: set[str] = set()
        for query in self._queries:
            solutions = self._store.query(query)
            assert isinstance(solutions, ox.QuerySolutions)
            found |= {self._ids[int(str(solution[0]).rstrip(">").rpartition(":")[2])] for solution in solutions}
        self._store.clear_graph(ITEM)
        return found


def _pattern(shape: Shape) -> str:
    edges = [" ".join(map(_sparql_part, edge)) + " ." for edge in shape.edges]
    for number, test in enumerate(shape.is_a()):
        node, cls, kind = _sparql_part(test.variable), _sparql_part(test.parameter), f"?kind{number}"
        ways = [
            f"{{ {node} {RDF_TYPE} {kind} . GRAPH {TAXONOMY} {{ {kind} {SUPERCLASS} {cls} }} }}",
            f"{{ GRAPH {TAXONOMY} {{ {node} {INSTANCE} {cls} }} }}",
            f"{{ GRAPH {TAXONOMY} {{ {node} {SUPERCLASS} {cls} }} }}",
        ]
        edges.append(" UNION ".join(ways[:2] if test.function == "instanceOf" else ways))
    return " ".join(edges)


def _filters(shape: Shape) -> str:
    return " ".join(
        f"FILTER({_sparql_part(t.variable)} {t.function} {_sparql_part(t.parameter)})" for t in shape.ranges()
    )


def _sparql_part(part: Part) -> str:
    return f"?{'v' if part[0] == '?' else 'c'}{part[1:]}" if part[0] in "?$" else part


def _node(term: Term) -> ox.NamedNode:
    """Return an IRI; our items have no blank nodes."""
    return ox.NamedNode(iri_text(term))


def _term(term: Term) -> ox.NamedNode | ox.Literal:
    if is_iri(term):
        return _node(term)
    lexical, datatype, language = literal_parts(term)
    return ox.Literal(lexical, language=language) if language else ox.Literal(lexical, datatype=ox.NamedNode(datatype))
