"""Synthetic workloads after the G-ToPSS paper's section 5 and Table 1.

A publication of size (k, m) is a path over k nodes plus m - k + 1 random edges. Subscriptions are made in the paper's
four steps: some are subgraphs of a publication, some of another graph that they share (overlap), the rest are random;
then some nodes become variables. The paper's subscription size (5, 35) cannot be a subgraph of a (35, 90)
publication; it is read as 5 nodes and 5 edges. The number of property labels, which the paper omits, is a parameter.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from gtopss.model import Publication, Subscription, Triple
from gtopss.model.terms import Term, iri, variable


@dataclass(frozen=True, slots=True)
class Table1:
    """The paper's parameters, with its defaults where it states them."""

    publication_nodes: int = 35
    publication_edges: int = 90
    subscription_edges: int = 5
    subscriptions: int = 30_000
    matching: float = 0.001
    overlap: float = 0.5
    stars: int = 2
    with_stars: float = 0.9
    labels: int = 50
    vocabulary: int = 1_000
    seed: int = 2005


def publication(table: Table1, generator: random.Random, id: str = "p") -> Publication:
    nodes = generator.sample(range(table.vocabulary), table.publication_nodes)
    return Publication.trusted(id, _graph(nodes, table.publication_edges, table.labels, generator))


def subscriptions(table: Table1, matched: Publication, generator: random.Random) -> Iterator[Subscription]:
    """The subscriptions, of which about `matching` are satisfied by `matched`."""
    shared = publication(table, generator)
    for number in range(table.subscriptions):
        share = number / table.subscriptions
        if share < table.matching:
            edges = _subgraph(matched.triples, table.subscription_edges, generator)
        elif share < table.matching + table.overlap:
            edges = _subgraph(shared.triples, table.subscription_edges, generator)
        else:
            nodes = generator.sample(range(table.vocabulary), table.subscription_edges)
            edges = _graph(nodes, table.subscription_edges, table.labels, generator)
        starred = table.stars if generator.random() < table.with_stars else 0
        yield Subscription(f"s{number}", _with_stars(edges, starred, generator))


def _graph(nodes: list[int], edges: int, labels: int, generator: random.Random) -> list[Triple]:
    """A path over the nodes, then random edges until there are enough distinct ones."""
    made = {(_node(a), _label(generator, labels), _node(b)): None for a, b in pairwise(nodes)}
    while len(made) < edges:
        made[_node(generator.choice(nodes)), _label(generator, labels), _node(generator.choice(nodes))] = None
    return list(made)


def _subgraph(triples: tuple[Triple, ...], edges: int, generator: random.Random) -> list[Triple]:
    """A connected subgraph, grown edge by edge."""
    chosen = [generator.choice(triples)]
    while len(chosen) < edges:
        nodes = {node for s, _, o in chosen for node in (s, o)}
        near = [each for each in triples if each not in chosen and (each[0] in nodes or each[2] in nodes)]
        if not near:
            break
        chosen.append(generator.choice(near))
    return chosen


def _with_stars(edges: list[Triple], stars: int, generator: random.Random) -> list[Triple]:
    nodes = list(dict.fromkeys(node for s, _, o in edges for node in (s, o)))
    chosen = generator.sample(nodes, min(stars, len(nodes)))
    renamed: dict[Term, Term] = {node: variable(f"v{i}") for i, node in enumerate(chosen)}
    return [(renamed.get(s, s), p, renamed.get(o, o)) for s, p, o in edges]


def _node(number: int) -> Term:
    return iri(f"urn:node:{number}")


def _label(generator: random.Random, labels: int) -> Term:
    return iri(f"urn:label:{generator.randrange(labels)}")
