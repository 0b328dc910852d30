"""Successor nodes: the search of an equality tree without repeated tests (Aguilera et al., PODC 1999, section 5).

A search follows edges with values until it is blocked or at a leaf. Where it must look then is known beforehand: on the
paths that differ from the one it came by only in having stars for some of its last values. `successors` finds the
nodes at their ends; the search resumes there, and the tests in between are not made again.

Reconstructed, as the figure and the formulas of the section are lost to us. Let a node lie at the end of a run of
values v_s..v_d-1 (the "consecutive non-* segments" that its path ends with). A set of stars T among the levels of the
run stands for the path with stars there. If it leads to a node, that node is a successor unless a shorter beginning of
T leads to one too: that one has T's node among its own successors. So every path is reached once. If the path ends
between two nodes (which only a collapsed tree has), the node after it is a successor and takes nobody's place. The
node at the end of the *-edge is a successor when the search is blocked, as the paper says.

`refined` is the paper's "more aggressive" analysis: who is blocked at a node has none of its values, so a successor
that tests the same attribute for some of the same values and no other is blocked as well, and is replaced by where that
search would go on.

In a collapsed tree an edge with a value may end below the next level; the search that follows it skips a node that only
a *-edge leaves, where it would have been blocked. Those successors are taken up at once.

The paper computes the sets when the tree is analysed. Here a node's set is computed when it is first needed, and anew
after the tree has changed. With several values to an attribute the analysis does not hold; the plain search is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Value
from gtopss.attributes.matchers.equality_tree import STAR, EqualityTree, Label, Node


class SuccessorSearch:
    """A search that knows, at each node where it can stop, where to go on."""

    def __init__(self, tree: EqualityTree, *, refined: bool) -> None:
        self._tree, self._refined = tree, refined
        self._version = tree.version

    def match(self, values: Sequence[Value | None], counters: AttributeCounters) -> set[str]:
        """The ids whose path fits the values, of which None is a missing one."""
        self._forget_stale()
        found: set[str] = set()
        stack = [self._tree.root] if self._tree.root else []
        while stack:
            node = stack.pop()
            counters.nodes += 1
            if node.ids:
                found.update(node.ids)
                stack.extend(self._blocked(node))
                continue
            counters.predicates += 1
            value = values[node.level]
            child = node.edges.get(value) if value is not None else None
            if child is None:
                stack.extend(self._blocked(node))
            else:
                stack.append(child)
                if child.level > node.level + 1:
                    stack.extend(self._successors(child))
        return found

    def entries(self) -> int:
        """The size of all successor sets, for the paper's measure of space."""
        self._forget_stale()
        return sum(len(self._blocked(node)) for node in self._tree.nodes())

    def _forget_stale(self) -> None:
        if self._version != self._tree.version:
            for node in self._tree.nodes():
                node.successors = node.blocked = None
            self._version = self._tree.version

    def _blocked(self, node: Node) -> tuple[Node, ...]:
        """Where a search goes on that cannot follow an edge with a value, or is at a leaf."""
        if node.blocked is None:
            star = (node.star,) if node.star is not None else ()
            adjacent = node.parent is not None and node.parent.level + 1 == node.level
            successors = self._successors(node) if adjacent else ()
            node.blocked = star + (self._refine(node, successors) if self._refined and not node.ids else successors)
        return node.blocked

    def _refine(self, blocked: Node, successors: tuple[Node, ...]) -> tuple[Node, ...]:
        kept: list[Node] = []
        stack = list(successors)
        while stack:
            node = stack.pop()
            if node.level == blocked.level and node.edges.keys() <= blocked.edges.keys():
                stack.extend(self._successors(node))
                if node.star is not None:
                    kept.append(node.star)
            else:
                kept.append(node)
        return tuple(kept)

    def _successors(self, node: Node) -> tuple[Node, ...]:
        if node.successors is None:
            node.successors = tuple(_ends_of_starred_paths(node))
        return node.successors


def _ends_of_starred_paths(node: Node) -> list[Node]:
    """The nodes that stand for the paths with stars in the run of values that ends at `node`."""
    run: dict[int, Label] = {}
    start = node
    while start.parent is not None and start.label is not STAR:
        if start is not node and start.parent.level + 1 < start.level:
            break  # a skipped level is a star, and ends the run
        run[start.parent.level] = start.label
        start = start.parent
    if not run:
        return []
    end = max(run) + 1
    reached: dict[tuple[int, ...], Node] = {}
    stack: list[tuple[Node, int, tuple[int, ...]]] = [(start, min(run), ())]
    while stack:
        at, level, stars = stack.pop()
        if level == end:
            reached[stars] = at
        elif at.level > level:
            stack.append((at, level + 1, (*stars, level)))
        else:
            if at.star is not None:
                stack.append((at.star, level + 1, (*stars, level)))
            if run[level] in at.edges:
                stack.append((at.edges[run[level]], level + 1, stars))
    nodes = {stars for stars, at in reached.items() if at.level == end}
    return [
        at
        for stars, at in reached.items()
        if stars and not any(stars[:length] in nodes for length in range(1, len(stars)))
    ]
