"""Search an equality tree by successor nodes, without repeated tests (Aguilera et al., PODC 1999, section 5).

A search follows value edges until it is blocked or reaches a leaf. Where it must continue is known in advance: on the
paths that differ from its own path only in having stars for some of the last values. The successors of a node are the
ends of these paths; the search resumes there, and the tests in between are not repeated.

This is a reconstruction, because the figure and the formulas of the section are lost in our text. Let a node lie at the
end of a run of values v_s..v_d-1 (the "consecutive non-* segments" that its path ends with). A set of stars T among the
levels of the run represents the path with stars there. If T leads to a node, that node is a successor unless a proper
prefix of T leads to a node too, because that node has T's node among its own successors. So every path is reached once.
If the path ends between two nodes (only in a collapsed tree), the node after it is a successor, and does not replace
another. The node at the end of the *-edge is a successor when the search is blocked, as the paper says.

`refined` is the paper's "more aggressive" analysis: an event that is blocked at a node has none of the node's values.
A successor that tests the same attribute for a subset of these values is blocked as well, and is replaced by its own
successors.

In a collapsed tree a value edge may skip levels. A search that follows such an edge skips a node whose only edge is a
*-edge, where it would have been blocked; the successors of that node are added immediately.

The paper computes the sets when the tree is analysed. Here a node's set is computed when it is first needed, and again
after the tree has changed. The analysis does not hold for an attribute with several values; the plain search is used
then.
"""

from __future__ import annotations

from collections.abc import Sequence

from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.domains import Value
from gtopss.attributes.matchers.equality_tree import STAR, EqualityTree, Label, Node


class SuccessorSearch:
    """A search that resumes at precomputed successor nodes when it is blocked or reaches a leaf."""

    def __init__(self, tree: EqualityTree, *, refined: bool) -> None:
        self._tree, self._refined = tree, refined
        self._version = tree.version

    def match(self, values: Sequence[Value | None], counters: AttributeCounters) -> set[str]:
        """Return the ids whose path matches the values by level; None is a missing value."""
        self._drop_stale_caches()
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
        """Return the size of all successor sets, for the paper's measure of space."""
        self._drop_stale_caches()
        return sum(len(self._blocked(node)) for node in self._tree.nodes())

    def _drop_stale_caches(self) -> None:
        if self._version != self._tree.version:
            for node in self._tree.nodes():
                node.successors = node.blocked = None
            self._version = self._tree.version

    def _blocked(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes where a search continues that is blocked at the node, or is at a leaf."""
        if node.blocked is None:
            star = (node.star,) if node.star is not None else ()
            adjacent = node.parent is not None and node.parent.level + 1 == node.level
            successors = self._successors(node) if adjacent else ()
            node.blocked = star + (self._refine(node, successors) if self._refined and not node.ids else successors)
        return node.blocked

    def _refine(self, blocked: Node, successors: tuple[Node, ...]) -> tuple[Node, ...]:
        """Replace the successors that must be blocked too by their own successors."""
        refined: list[Node] = []
        stack = list(successors)
        while stack:
            node = stack.pop()
            if node.level == blocked.level and node.edges.keys() <= blocked.edges.keys():
                stack.extend(self._successors(node))
                if node.star is not None:
                    refined.append(node.star)
            else:
                refined.append(node)
        return tuple(refined)

    def _successors(self, node: Node) -> tuple[Node, ...]:
        if node.successors is None:
            node.successors = tuple(_ends_of_starred_paths(node))
        return node.successors


def _ends_of_starred_paths(node: Node) -> list[Node]:
    """Return the successors of a node: the ends of the paths with stars in the run of values that ends there."""
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
