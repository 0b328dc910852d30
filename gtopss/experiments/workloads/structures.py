"""Subscriptions that share little or say little: as many shapes as subscriptions, and patterns almost all variables.

Items are random graphs of twenty triples. Five subscriptions are cut from each of the first items, so that an item is
wanted by a few whatever the number of subscriptions; the others are cut from graphs that never arrive.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from gtopss.experiments.workloads.workload import Workload, generator
from gtopss.model import Publication, Subscription, Term, Triple
from gtopss.model.terms import iri, literal, variable

ITEM_NODES, ITEM_EDGES = 12, 20
PER_ITEM = 5  # subscriptions cut from each item
WANTED = 1_000  # items that subscriptions are cut from
PER_GRAPH = 10  # subscriptions cut from each graph that never arrives
SELF_LOOPS = 0.1  # share of items in which a node points at itself

UNIVERSAL: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (("?x", "?p", "?y"),),
    (("?x", "?p", "?y"), ("?y", "?q", "?z")),
    (("?x", "?p", "?y"), ("?x", "?q", "?z")),
    (("?x", "?p", "?y"), ("?z", "?q", "?y")),
    (("?x", "?p", "?y"), ("?y", "?p", "?z")),
    (("?x", "?p", "?x"),),
    (("?x", "?p", "?y"), ("?y", "?q", "?x")),
    (("?x", "?p", "?y"), ("?y", "?q", "?z"), ("?z", "?r", "?x")),
)
"""Patterns of variables alone; nearly every item satisfies the first four, few the others."""


def many_shapes(size: int) -> Workload:
    """Two to five edges cut from a graph, some ends made variables: nearly every subscription has its own shape."""

    def subscription(number: int, triples: list[Triple], chance: random.Random) -> Subscription:
        edges = cut(triples, chance.randint(2, 5), chance)
        nodes = list(dict.fromkeys(node for s, _, o in edges for node in (s, o)))
        open_ends = chance.sample(nodes, chance.randint(1, len(nodes) - 1))
        names = {node: variable(f"v{i}") for i, node in enumerate(open_ends)}
        return Subscription(f"s{number}", [(names.get(s, s), p, names.get(o, o)) for s, p, o in edges])

    return _workload("b", "as many shapes as subscriptions", size, _Vocabulary(20_000, 500), subscription)


def broad(size: int) -> Workload:
    """Variables in every node and sometimes in a property: only properties tell the subscriptions apart."""

    def subscription(number: int, triples: list[Triple], chance: random.Random) -> Subscription:
        if number < len(UNIVERSAL):
            return Subscription(f"s{number}", UNIVERSAL[number])
        edges = cut(triples, chance.choice((2, 2, 2, 3)), chance)
        names: dict[Term, Term] = {}
        for subject, _, object_ in edges:
            for node in (subject, object_):
                names.setdefault(node, variable(f"v{len(names)}"))
        opened = [(names[s], p, names[o]) for s, p, o in edges]
        if chance.random() < 0.05:  # a node that points at itself by any property
            opened[0] = (opened[0][0], variable("p"), opened[0][0])
        return Subscription(f"s{number}", opened)

    return _workload("f", "broad and variable-only patterns", size, _Vocabulary(20_000, 2_000), subscription)


class _Vocabulary:
    """How many nodes and properties there are to draw from."""

    def __init__(self, nodes: int, properties: int) -> None:
        self.nodes, self.properties = nodes, properties

    def graph(self, chance: random.Random) -> list[Triple]:
        """A random tree, then edges between any two of its nodes; two leaves are literals."""
        nodes = [iri(f"urn:node:{chance.randrange(self.nodes)}") for _ in range(ITEM_NODES)]
        edges = [(chance.randrange(place), place) for place in range(1, ITEM_NODES)]
        while len(edges) < ITEM_EDGES - 2:
            edges.append((chance.randrange(ITEM_NODES), chance.randrange(ITEM_NODES)))
        made = [(nodes[a], self._property(chance), nodes[b]) for a, b in edges if a != b]
        made += [(nodes[0], self._property(chance), literal(f"text {chance.randrange(self.nodes)}")) for _ in "ab"]
        if chance.random() < SELF_LOOPS:
            made.append((nodes[1], self._property(chance), nodes[1]))
        return made

    def _property(self, chance: random.Random) -> Term:
        return iri(f"urn:property:{chance.randrange(self.properties)}")


def cut(triples: list[Triple], edges: int, chance: random.Random) -> list[Triple]:
    """A connected subgraph, grown edge by edge."""
    chosen = [chance.choice(triples)]
    while len(chosen) < edges:
        nodes = {node for s, _, o in chosen for node in (s, o)}
        near = [each for each in triples if each not in chosen and (each[0] in nodes or each[2] in nodes)]
        if not near:
            break
        chosen.append(chance.choice(near))
    return chosen


def _workload(
    name: str,
    title: str,
    size: int,
    vocabulary: _Vocabulary,
    subscription: Callable[[int, list[Triple], random.Random], Subscription],
) -> Workload:
    wanted = max(1, min(WANTED, size // (2 * PER_ITEM)))

    def items(count: int) -> Iterator[list[Triple]]:
        chance = generator(name, size, "publications")
        return (vocabulary.graph(chance) for _ in range(count))

    def subscriptions() -> Iterator[Subscription]:
        chance = generator(name, size, "subscriptions")
        sources = list(items(wanted))
        for number in range(size):
            if number < wanted * PER_ITEM:
                triples = sources[number % wanted]
            elif number % PER_GRAPH == 0 or number == wanted * PER_ITEM:
                triples = vocabulary.graph(chance)
            yield subscription(number, triples, chance)

    def publications(count: int) -> list[Publication]:
        return [Publication.trusted(f"p{i}", triples) for i, triples in enumerate(items(count))]

    return Workload(name, title, size, subscriptions, publications)
