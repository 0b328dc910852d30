"""Synthetic workloads after the G-ToPSS paper's section 5 and Table 1.

A publication of size (k, m) is a path over k nodes plus m - k + 1 random edges. Subscriptions are made in the paper's
four steps: some are subgraphs of a publication, some of another graph that they share (overlap), the rest are random;
then some nodes become variables, which may be constrained.

Two things had to be decided. Table 1's subscription size (5, 35) cannot be a subgraph of a (35, 90) publication, nor
have "5 nodes and 35 edges" a meaning beside "the number of edges must be larger than the number of nodes"; it is read
as 5 nodes and 5 edges, and experiments go from 4 to 12. The number of property labels, which the paper does not give,
is 50 unless said otherwise, and has an experiment of its own.

A constraint is true of the node that its variable took the place of, so that what was made to match still does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gtopss.model import Call, Publication, Subscription, Triple
from gtopss.model.expressions import call, compare, is_a
from gtopss.model.terms import Term, iri, iri_text, is_blank, is_iri, literal, literal_parts, variable
from ontology import Taxonomy

FAN_OUT = 4
"""Classes below a class, and nodes in a class, of the taxonomy that `taxonomy` makes."""


@dataclass(frozen=True, slots=True)
class Table1:
    """The paper's parameters, with its defaults where it states them."""

    publication_nodes: int = 35
    publication_edges: int = 90
    subscription_edges: int = 5
    subscription_nodes: int | None = None  # as many as edges, if None
    subscriptions: int = 30_000
    matching: float = 0.001
    overlap: float = 0.5
    stars: int = 2
    with_stars: float = 0.9
    constrained: float = 0.0  # share of the subscriptions with stars whose stars have constraints
    labels: int = 50
    vocabulary: int = 1_000
    seed: int = 2005

    def __post_init__(self) -> None:
        nodes = self.subscription_nodes or self.subscription_edges
        for size, edges in ((self.publication_nodes, self.publication_edges), (nodes, self.subscription_edges)):
            if not size - 1 <= edges <= size * size * self.labels:
                reason = f"a connected graph has at least {size - 1} and, with {self.labels} labels, at most"
                raise ValueError(f"{size} nodes cannot have {edges} edges: {reason} {size * size * self.labels}")


@dataclass(frozen=True, slots=True)
class Workload:
    """What an experiment feeds to all that it compares."""

    publication: Publication
    subscriptions: tuple[Subscription, ...]
    taxonomy: Taxonomy


def synthetic(table: Table1) -> Workload:
    """One publication and all subscriptions, as Table 1 has them."""
    generator = random.Random(table.seed)
    matched = publication(table, generator)
    return Workload(matched, tuple(subscriptions(table, matched, generator)), taxonomy(table))


def publication(table: Table1, generator: random.Random, id: str = "p") -> Publication:
    nodes = generator.sample(range(table.vocabulary), table.publication_nodes)
    return Publication.trusted(id, _graph(nodes, table.publication_edges, table.labels, generator))


def subscriptions(table: Table1, matched: Publication, generator: random.Random) -> Iterator[Subscription]:
    """The subscriptions, of which about `matching` are satisfied by `matched`."""
    shared = publication(table, generator)
    size = table.subscription_nodes or table.subscription_edges
    everything = taxonomy(table) if table.constrained else Taxonomy()
    for number in range(table.subscriptions):
        share = number / table.subscriptions
        if share < table.matching:
            edges = subgraph(matched.triples, size, table.subscription_edges, generator)
        elif share < table.matching + table.overlap:
            edges = subgraph(shared.triples, size, table.subscription_edges, generator)
        else:
            nodes = generator.sample(range(table.vocabulary), size)
            edges = _graph(nodes, table.subscription_edges, table.labels, generator)
        others = [_node(generator.randrange(table.vocabulary)) for _ in range(table.stars if table.constrained else 0)]
        yield with_stars(f"s{number}", edges, table, others, everything, generator)


def taxonomy(table: Table1) -> Taxonomy:
    """All nodes of the vocabulary under a tree of classes, every tenth class under a second parent as well."""
    count = max(1, table.vocabulary // FAN_OUT)
    upward = [(_class(number), _class((number - 1) // FAN_OUT)) for number in range(1, count)]
    upward += [(_class(number), _class(number // 2)) for number in range(10, count, 10)]
    members = ((iri_text(_node(number)), _class(number % count)) for number in range(table.vocabulary))
    return Taxonomy(upward, members)


def subgraph(triples: Sequence[Triple], nodes: int, edges: int, generator: random.Random) -> list[Triple]:
    """A connected subgraph, grown edge by edge: to so many nodes first, then between them, as far as there is more."""
    chosen = [generator.choice(triples)]
    while len(chosen) < edges:
        reached = {node for s, _, o in chosen for node in (s, o)}
        near = [each for each in triples if each not in chosen and (each[0] in reached or each[2] in reached)]
        if not near:
            break
        growing = len(reached) < nodes
        wanted = [each for each in near if (each[0] in reached and each[2] in reached) != growing]
        chosen.append(generator.choice(wanted or near))
    return chosen


def with_stars(
    id: str,
    edges: Sequence[Triple],
    table: Table1,
    others: Sequence[Term],
    taxonomy: Taxonomy,
    generator: random.Random,
) -> Subscription:
    """The fourth step: some nodes become variables. A constraint compares its variable's value with one of `others`."""
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
    """A test that the node passes: is-a where the taxonomy knows it, every other time; else by its text."""
    above = sorted(taxonomy.ancestors(iri_text(node))) if is_iri(node) and generator.random() < 0.5 else []
    if above:
        return is_a(name, iri(generator.choice(above)))
    operator = "<=" if _text(node) <= _text(other) else ">="
    return compare(call("STR", name), operator, literal(_text(other)))


def _text(node: Term) -> str:
    return iri_text(node) if is_iri(node) else literal_parts(node)[0]


def _graph(nodes: list[int], edges: int, labels: int, generator: random.Random) -> list[Triple]:
    """A path over the nodes, then random edges until there are enough distinct ones."""
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
