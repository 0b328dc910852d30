"""Subscriptions to random graphs: as many shapes as subscriptions, and patterns of almost only variables.

Items are random graphs of twenty triples. Five subscriptions are subgraphs of each of the first items, so an item
matches a few, whatever the number of subscriptions; the others are subgraphs of graphs that are never published.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from gtopss.experiments.workloads.connected_subgraph import connected_subgraph
from gtopss.experiments.workloads.workload import Workload, random_generator
from gtopss.model import Publication, Subscription, Term, Triple
from gtopss.model.terms import iri, literal, variable

ITEM_NODES, ITEM_EDGES = 12, 20
SUBSCRIPTIONS_PER_ITEM = 5  # for items that subscriptions are made to match
MAX_MATCHED_ITEMS = 1_000  # the first items, which subscriptions are made to match
SUBSCRIPTIONS_PER_UNPUBLISHED_GRAPH = 10
SELF_LOOP_SHARE = 0.1  # of the items

VARIABLE_ONLY_PATTERNS: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (("?x", "?p", "?y"),),
    (("?x", "?p", "?y"), ("?y", "?q", "?z")),
    (("?x", "?p", "?y"), ("?x", "?q", "?z")),
    (("?x", "?p", "?y"), ("?z", "?q", "?y")),
    (("?x", "?p", "?y"), ("?y", "?p", "?z")),
    (("?x", "?p", "?x"),),
    (("?x", "?p", "?y"), ("?y", "?q", "?x")),
    (("?x", "?p", "?y"), ("?y", "?q", "?z"), ("?z", "?r", "?x")),
)
"""Nearly every item matches the first four, few match the others."""


def many_shapes(size: int) -> Workload:
    """Subgraphs of two to five edges with some nodes replaced by variables: nearly as many shapes as subscriptions."""

    def subscription(number: int, triples: list[Triple], chance: random.Random) -> Subscription:
        edges = connected_subgraph(triples, chance.randint(2, 5), chance)
        nodes = list(dict.fromkeys(node for s, _, o in edges for node in (s, o)))
        open_ends = chance.sample(nodes, chance.randint(1, len(nodes) - 1))
        names = {node: variable(f"v{i}") for i, node in enumerate(open_ends)}
        return Subscription(f"s{number}", [(names.get(s, s), p, names.get(o, o)) for s, p, o in edges])

    return _workload("b", "as many shapes as subscriptions", size, _Vocabulary(20_000, 500), subscription)


def broad_patterns(size: int) -> Workload:
    """Variables for every node and sometimes for a property: only properties distinguish the subscriptions."""

    def subscription(number: int, triples: list[Triple], chance: random.Random) -> Subscription:
        if number < len(VARIABLE_ONLY_PATTERNS):
            return Subscription(f"s{number}", VARIABLE_ONLY_PATTERNS[number])
        edges = connected_subgraph(triples, chance.choice((2, 2, 2, 3)), chance)
        names: dict[Term, Term] = {}
        for subject, _, object_ in edges:
            for node in (subject, object_):
                names.setdefault(node, variable(f"v{len(names)}"))
        opened = [(names[s], p, names[o]) for s, p, o in edges]
        if chance.random() < 0.05:  # a self-loop with any property
            opened[0] = (opened[0][0], variable("p"), opened[0][0])
        return Subscription(f"s{number}", opened)

    return _workload("f", "broad and variable-only patterns", size, _Vocabulary(20_000, 2_000), subscription)


class _Vocabulary:
    """The numbers of nodes and properties to draw from."""

    def __init__(self, nodes: int, properties: int) -> None:
        self.nodes, self.properties = nodes, properties

    def graph(self, chance: random.Random) -> list[Triple]:
        """Return a random tree with additional edges between its nodes; two leaves are literals."""
        nodes = [iri(f"urn:node:{chance.randrange(self.nodes)}") for _ in range(ITEM_NODES)]
        edges = [(chance.randrange(place), place) for place in range(1, ITEM_NODES)]
        while len(edges) < ITEM_EDGES - 2:
            edges.append((chance.randrange(ITEM_NODES), chance.randrange(ITEM_NODES)))
        triples = [(nodes[a], self._property(chance), nodes[b]) for a, b in edges if a != b]
        triples += [(nodes[0], self._property(chance), literal(f"text {chance.randrange(self.nodes)}")) for _ in "ab"]
        if chance.random() < SELF_LOOP_SHARE:
            triples.append((nodes[1], self._property(chance), nodes[1]))
        return triples

    def _property(self, chance: random.Random) -> Term:
        return iri(f"urn:property:{chance.randrange(self.properties)}")


def _workload(
    name: str,
    title: str,
    size: int,
    vocabulary: _Vocabulary,
    subscription: Callable[[int, list[Triple], random.Random], Subscription],
) -> Workload:
    matched_items = max(1, min(MAX_MATCHED_ITEMS, size // (2 * SUBSCRIPTIONS_PER_ITEM)))

    def items(count: int) -> Iterator[list[Triple]]:
        chance = random_generator(name, size, "publications")
        return (vocabulary.graph(chance) for _ in range(count))

    def subscriptions() -> Iterator[Subscription]:
        chance = random_generator(name, size, "subscriptions")
        sources = list(items(matched_items))
        for number in range(size):
            if number < matched_items * SUBSCRIPTIONS_PER_ITEM:
                triples = sources[number % matched_items]
            elif number % SUBSCRIPTIONS_PER_UNPUBLISHED_GRAPH == 0 or number == matched_items * SUBSCRIPTIONS_PER_ITEM:
                triples = vocabulary.graph(chance)
            yield subscription(number, triples, chance)

    def publications(count: int) -> list[Publication]:
        return [Publication.trusted(f"p{i}", triples) for i, triples in enumerate(items(count))]

    return Workload(name, title, size, subscriptions, publications)
