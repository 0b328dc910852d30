"""Synthetic workloads from the G-ToPSS paper's section 5 and Table 1.

A publication of size (k, m) is a path over k nodes plus m - k + 1 random edges. Subscriptions are generated in the
paper's four steps: some are subgraphs of a publication, some of another graph that they share (overlap), the rest are
random; then some nodes become variables, which may be constrained.

The paper leaves two things open. Table 1's subscription size (5, 35) cannot be a subgraph of a (35, 90) publication,
and "5 nodes and 35 edges" does not fit "the number of edges must be larger than the number of nodes"; it is read as 5
nodes and 5 edges, and experiments go from 4 to 12. The paper does not give the number of property labels; it is 50 by
default, and has an experiment of its own.

A constraint holds for the node that its variable replaces, so a subscription that was made to match still matches.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gtopss.experiments.workloads.connected_subgraph import connected_subgraph
from gtopss.experiments.workloads.workload import Workload, random_generator
from gtopss.model import Call, Publication, Subscription, Triple
from gtopss.model.expressions import call, compare, is_a
from gtopss.model.terms import Term, iri, iri_text, is_blank, is_iri, literal, literal_parts, variable
from ontology import Taxonomy

FAN_OUT = 4
"""Subclasses per class, and nodes per class, in the generated taxonomy."""


@dataclass(frozen=True, slots=True)
class GtopssTable1:
    """The paper's parameters, with its defaults where it states them."""

    publication_nodes: int = 35
    publication_edges: int = 90
    subscription_edges: int = 5
    subscription_nodes: int | None = None  # None: as many as edges
    subscriptions: int = 30_000
    matching: float = 0.001
    overlap: float = 0.5
    stars: int = 2
    with_stars: float = 0.9
    constrained: float = 0.0  # share of the subscriptions whose stars have constraints
    labels: int = 50
    vocabulary: int = 1_000
    seed: int = 2005

    def __post_init__(self) -> None:
        nodes = self.subscription_nodes or self.subscription_edges
        for size, edges in ((self.publication_nodes, self.publication_edges), (nodes, self.subscription_edges)):
            if not size - 1 <= edges <= size * size * self.labels:
                reason = f"a connected graph has at least {size - 1} and, with {self.labels} labels, at most"
                raise ValueError(f"{size} nodes cannot have {edges} edges: {reason} {size * size * self.labels}")


def synthetic_table1(table: GtopssTable1) -> Workload:
    """Return the workload of Table 1. The first publication is the one that subscriptions are made to match."""
    chance = random.Random(table.seed)
    matched = random_publication(table, chance)
    made = tuple(random_subscriptions(table, matched, chance))

    def publications(count: int) -> list[Publication]:
        others = random.Random(f"{table.seed} other publications")
        return [matched, *(random_publication(table, others, f"p{number}") for number in range(1, count))]

    return Workload(
        "table1", "the paper's Table 1", table.subscriptions, lambda: iter(made), publications, class_taxonomy(table)
    )


def table1_by_size(size: int) -> Workload:
    """Publications of 90 edges; 0.1% of the subscriptions match the first, and hardly any the others."""
    table = replace(GtopssTable1(), subscriptions=size)

    def publications(count: int) -> list[Publication]:
        chance = random_generator("c", size, "publications")
        return [random_publication(table, chance, f"p{i}") for i in range(count)]

    def made() -> Iterator[Subscription]:
        return random_subscriptions(table, publications(1)[0], random_generator("c", size, "subscriptions"))

    return Workload("c", "the paper's Table 1", size, made, publications)


def random_publication(table: GtopssTable1, generator: random.Random, id: str = "p") -> Publication:
    """Return a random connected publication of the table's size."""
    nodes = generator.sample(range(table.vocabulary), table.publication_nodes)
    return Publication.trusted(id, _graph(nodes, table.publication_edges, table.labels, generator))


def random_subscriptions(table: GtopssTable1, matched: Publication, generator: random.Random) -> Iterator[Subscription]:
    """Yield the subscriptions; a share of about `matching` matches the publication `matched`."""
    shared = random_publication(table, generator)
    size = table.subscription_nodes or table.subscription_edges
    everything = class_taxonomy(table) if table.constrained else Taxonomy()
    for number in range(table.subscriptions):
        share = number / table.subscriptions
        if share < table.matching:
            edges = connected_subgraph(matched.triples, table.subscription_edges, generator, nodes=size)
        elif share < table.matching + table.overlap:
            edges = connected_subgraph(shared.triples, table.subscription_edges, generator, nodes=size)
        else:
            nodes = generator.sample(range(table.vocabulary), size)
            edges = _graph(nodes, table.subscription_edges, table.labels, generator)
        others = [_node(generator.randrange(table.vocabulary)) for _ in range(table.stars if table.constrained else 0)]
        yield subscription_with_stars(f"s{number}", edges, table, others, everything, generator)


def class_taxonomy(table: GtopssTable1) -> Taxonomy:
    """Return all nodes of the vocabulary in a tree of classes, in which every tenth class has a second parent."""
    count = max(1, table.vocabulary // FAN_OUT)
    upward = [(_class(number), _class((number - 1) // FAN_OUT)) for number in range(1, count)]
    upward += [(_class(number), _class(number // 2)) for number in range(10, count, 10)]
    members = ((iri_text(_node(number)), _class(number % count)) for number in range(table.vocabulary))
    return Taxonomy(upward, members)


def subscription_with_stars(
    id: str,
    edges: Sequence[Triple],
    table: GtopssTable1,
    others: Sequence[Term],
    taxonomy: Taxonomy,
    generator: random.Random,
) -> Subscription:
    """Replace some nodes by variables: the fourth step. A constraint compares its variable with one of `others`."""
    stars = table.stars if generator.random() < table.with_stars else 0
    nodes = list(dict.fromkeys(node for s, _, o in edges for node in (s, o)))
    chosen = generator.sample(nodes, min(stars, len(nodes)))
    renamed: Mapping[Term, Term] = {node: variable(f"v{i}") for i, node in enumerate(chosen)}
    where: list[Call] = []
    if others and generator.random() < table.constrained:
        where = [
            _constraint(renamed[node], node, other, taxonomy, generator)
            for node, other in zip(chosen, others, strict=False)
            if not is_blank(node)
        ]
    return Subscription(id, [(renamed.get(s, s), p, renamed.get(o, o)) for s, p, o in edges], where=where)


def _constraint(name: Term, node: Term, other: Term, taxonomy: Taxonomy, generator: random.Random) -> Call:
    """Return a test that the node passes: half the time is-a, if the taxonomy has the node; otherwise by its text."""
    above = sorted(taxonomy.ancestors(iri_text(node))) if is_iri(node) and generator.random() < 0.5 else []
    if above:
        return is_a(name, iri(generator.choice(above)))
    operator = "<=" if _text(node) <= _text(other) else ">="
    return compare(call("STR", name), operator, literal(_text(other)))


def _text(node: Term) -> str:
    return iri_text(node) if is_iri(node) else literal_parts(node)[0]


def _graph(nodes: list[int], edges: int, labels: int, generator: random.Random) -> list[Triple]:
    """Return a path over the nodes with random edges added until there are enough distinct ones."""
    made = {(_node(a), _label(generator, labels), _node(b)): None for a, b in pairwise(nodes)}
    while len(made) < edges:
        made[_node(generator.choice(nodes)), _label(generator, labels), _node(generator.choice(nodes))] = None
    return list(made)


def _node(number: int) -> Term:
    return iri(f"urn:node:{number}")


def _class(number: int) -> str:
    return f"urn:class:{number}"


def _label(generator: random.Random, labels: int) -> Term:
    return iri(f"urn:label:{generator.randrange(labels)}")
