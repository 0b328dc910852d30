"""The tree of the matching-tree algorithm for equality tests (Aguilera et al., PODC 1999, section 4, appendix B).

Each level of the tree tests one attribute. An edge is labelled with a value, or is the *-edge of the subscriptions that
do not test the attribute. A subscription is one path from the root to a leaf, so space is at most (number of
subscriptions) x (attributes + 1).

With `collapse` (section 5, first optimisation) a node whose only outgoing edge is a *-edge is omitted, and the edge to
it leads to the end of its *-edge. Edges may then skip levels, and a skipped level is a *. The paper collapses a
finished tree; here such nodes are never created, so the tree supports insertion and removal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gtopss.attributes.domains import Value

STAR = object()
"""The label of a *-edge."""
Label: TypeAlias = Value | object


class Node:
    """A test of the attribute of its level. A leaf's level is the number of attributes; only leaves have ids."""

    __slots__ = ("blocked", "edges", "ids", "label", "level", "parent", "star", "successors")

    def __init__(self, level: int) -> None:
        self.level = level
        self.edges: dict[Label, Node] = {}
        self.star: Node | None = None
        self.parent: Node | None = None
        self.label: Label = STAR
        self.ids: dict[str, None] = {}
        self.successors: tuple[Node, ...] | None = None  # a cache of `SuccessorSearch`
        self.blocked: tuple[Node, ...] | None = None  # a cache of `SuccessorSearch`

    def child(self, label: Label) -> Node | None:
        return self.star if label is STAR else self.edges.get(label)

    def attach(self, label: Label, child: Node) -> None:
        child.parent, child.label = self, label
        if label is STAR:
            self.star = child
        else:
            self.edges[label] = child

    def detach(self, label: Label) -> None:
        if label is STAR:
            self.star = None
        else:
            del self.edges[label]


class EqualityTree:
    """A tree of paths of values and stars, with subscription ids at the leaves."""

    def __init__(self, levels: int, *, collapse: bool) -> None:
        self.levels, self.collapse = levels, collapse
        self.sentinel = Node(-1)  # the parent of the root, so that the root is replaced like any other node
        self._leaf: dict[str, Node] = {}
        self.version = 0  # increases with each change

    @property
    def root(self) -> Node | None:
        return self.sentinel.star

    def __len__(self) -> int:
        return len(self._leaf)

    def insert(self, id: str, values: Mapping[int, Value]) -> None:
        """Insert a path with values at some levels and stars at the others: the paper's process sub."""
        if self.collapse:
            path: list[tuple[int, Label]] = sorted(values.items())
        else:
            path = [(level, values.get(level, STAR)) for level in range(self.levels)]
        parent, label = self.sentinel, STAR
        for level, next_label in [*path, (self.levels, STAR)]:
            child = parent.child(label)
            while child is not None and child.level < level:
                parent, label = child, STAR
                child = parent.child(label)
            if child is None or child.level > level:
                made = Node(level)
                if child is not None:
                    made.attach(STAR, child)
                parent.attach(label, made)
                child = made
            parent, label = child, next_label
        parent.ids[id] = None
        self._leaf[id] = parent
        self.version += 1

    def remove(self, id: str) -> None:
        node = self._leaf.pop(id)
        del node.ids[id]
        self.version += 1
        while not (node.ids or node.edges or node.star) and node.parent is not None:
            node.parent.detach(node.label)
            node = node.parent
        if self.collapse and not node.edges and node.star is not None and node.parent is not None:
            node.parent.attach(node.label, node.star)

    def nodes(self) -> Iterator[Node]:
        stack = [self.root] if self.root else []
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.edges.values())
            if node.star is not None:
                stack.append(node.star)


def expected_visits(tree: EqualityTree, values: int) -> float:
    """Return the expected number of nodes that a uniformly random event visits, if each attribute has `values` values.

    In the notation of section 4, the sum of the costs of all nodes over the number of events.
    """
    total = 0.0
    stack = [(tree.root, 1.0)] if tree.root else []
    while stack:
        node, chance = stack.pop()
        total += chance
        stack += [(child, chance / values) for child in node.edges.values()]
        if node.star is not None:
            stack.append((node.star, chance))
    return total


def expected_visits_bound(attributes: int, values: int, subscriptions: int) -> float:
    """Return Theorem 1's upper bound of the expected number of visited nodes (plain tree, uniform random events).

    The formula is lost in our text of the paper; it is taken from Le Subscribe, section 3.1, "Aguilera algorithm".
    """

    k1 = attributes + 1
    log_v, log_k1 = math.log(values), math.log(k1)
    exponent = log_k1 / (log_v + log_k1)  # 1 - lambda
    numerator = values * k1 * (k1 * math.pow(subscriptions, exponent) - 1) * (log_v + log_k1)
    return numerator / ((values * k1 - 1) * log_k1)
