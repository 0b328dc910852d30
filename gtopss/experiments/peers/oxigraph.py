"""pyoxigraph, one SPARQL query per shape: the subscriptions are triples beside the item's.

One query per subscription is our own matcher `sparql` (`gtopss.matching`), listed beside this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyoxigraph as ox

from gtopss.experiments.peers.numbers import Above
from gtopss.experiments.peers.shapes import Group, Part, Shape, grouped, shapeless
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription, Term
from gtopss.model.terms import RDF_TYPE, iri_text, is_iri, literal, literal_parts
from ontology import Taxonomy

ITEM, WANTED, TAXONOMY = ox.DefaultGraph(), ox.NamedNode("urn:wanted"), ox.NamedNode("urn:taxonomy")
ABOVE, INSTANCE = ox.NamedNode("urn:above"), ox.NamedNode("urn:instance")
ANY = literal("any")  # what a subscription without constants has in their place


class OxigraphByShape:
    """The item is the default graph; subscriptions and the closed taxonomy are named graphs that stay."""

    name = "Oxigraph by shape"
    tuning = "in memory; a query per shape; constants as triples of a named graph; classes above each class as triples"

    def declines(self, workload: Workload) -> str | None:
        return shapeless(workload, 500)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None) -> None:
        self._store = ox.Store()
        self._ids, groups = grouped(subscriptions)
        above = Above(taxonomy)
        self._store.bulk_extend(
            ox.Quad(_node(name), link, _node(cls), TAXONOMY)
            for link, table in ((ABOVE, above.classes), (INSTANCE, above.types))
            for name, classes in table.items()
            for cls in classes
        )
        self._queries = [self._stored(place, group) for place, group in enumerate(groups)]

    def _stored(self, place: int, group: Group) -> str:
        names = [ox.NamedNode(f"urn:wanted:{place}:{each}") for each in range(max(1, group.shape.parameters))]
        self._store.bulk_extend(
            ox.Quad(ox.NamedNode(f"urn:row:{row}"), name, _term(constant), WANTED)
            for row, constants in group.rows
            for name, constant in zip(names, constants or (ANY,), strict=True)
        )
        rows = " ".join(f"?row {name} ?c{each} ." for each, name in enumerate(names))
        return f"SELECT DISTINCT ?row {{ {_pattern(group.shape)} GRAPH {WANTED} {{ {rows} }} {_filters(group.shape)} }}"

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
    edges = [" ".join(map(_shown, edge)) + " ." for edge in shape.edges]
    for number, test in enumerate(shape.is_a()):
        node, cls, kind = _shown(test.variable), _shown(test.parameter), f"?kind{number}"
        ways = [
            f"{{ {node} {RDF_TYPE} {kind} . GRAPH {TAXONOMY} {{ {kind} {ABOVE} {cls} }} }}",
            f"{{ GRAPH {TAXONOMY} {{ {node} {INSTANCE} {cls} }} }}",
            f"{{ GRAPH {TAXONOMY} {{ {node} {ABOVE} {cls} }} }}",
        ]
        edges.append(" UNION ".join(ways[:2] if test.function == "instanceOf" else ways))
    return " ".join(edges)


def _filters(shape: Shape) -> str:
    return " ".join(f"FILTER({_shown(t.variable)} {t.function} {_shown(t.parameter)})" for t in shape.ranges())


def _shown(part: Part) -> str:
    return f"?{'v' if part[0] == '?' else 'c'}{part[1:]}" if part[0] in "?$" else part


def _node(term: Term) -> ox.NamedNode:
    """Our items have no blank nodes."""
    return ox.NamedNode(iri_text(term))


def _term(term: Term) -> ox.NamedNode | ox.Literal:
    if is_iri(term):
        return _node(term)
    lexical, datatype, language = literal_parts(term)
    return ox.Literal(lexical, language=language) if language else ox.Literal(lexical, datatype=ox.NamedNode(datatype))
