"""Interval labels over a tree cover: is-a takes one bisection or one bit test, descendants are slices.

R. Agrawal, A. Borgida, H. V. Jagadish: *Efficient Management of Transitive Relationships in Large Data and
Knowledge Bases*, SIGMOD 1989. A spanning tree of the graph is traversed once and every node gets a position, so that a
subtree is a run of adjacent positions. What a node reaches outside its subtree is added as further runs, and touching
runs are merged. "Is x below c" becomes "is x's position in a run of c".

| paper | here |
|---|---|
| postorder number | ``positions[x]`` (preorder: the run then starts with the node itself) |
| interval list | :class:`RunList` |
| tree cover | ``_tree_parents``: each node is a child of its deepest parent |

The paper's lists stay short on graphs that are nearly trees, as class hierarchies are. They do not on a random graph
with two or three parents per node, whose closure has tens of millions of pairs in any representation. There, a node
with more than ``MAX_RUNS_PER_LABEL`` runs gets a bitmap instead (:class:`Bitmap`), as in Roaring bitmaps (Chambi,
Lemire, Kaser, Godin: *Better bitmap performance with Roaring bitmaps*, 2016). Python's integers then merge 30 bits at
a time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Bitmap", "Label", "Labelling", "RunList", "label_graph"]

MAX_RUNS_PER_LABEL = 32
"""RunList in one list: a bisection of at most seven steps, and 256 bytes. A node with more runs gets a bitmap."""

Run: TypeAlias = tuple[int, int]
"""Positions from the first up to, but not including, the second."""


@dataclass(frozen=True, slots=True)
class RunList:
    """A few runs of positions. ``edges`` contains begin, end, begin, end ... in ascending order.

    >>> 4 in RunList(array("I", [3, 5, 9, 10])), 5 in RunList(array("I", [3, 5, 9, 10]))
    (True, False)
    """

    edges: array[int]

    def __contains__(self, position: int) -> bool:
        # An odd number of edges at or before the position means that a run has begun and not ended.
        return bisect_right(self.edges, position) & 1 == 1

    def runs(self) -> Iterator[Run]:
        edges = self.edges
        return zip(edges[::2], edges[1::2], strict=True)


@dataclass(frozen=True, slots=True)
class Bitmap:
    """Many runs of positions. Bit ``i`` of ``data``, least significant first, is position ``base + i``.

    ``runs`` yields each position separately: where a bitmap is used, few positions are adjacent.
    """

    base: int
    data: bytes

    def __contains__(self, position: int) -> bool:
        offset = position - self.base
        byte = offset >> 3
        return 0 <= byte < len(self.data) and self.data[byte] >> (offset & 7) & 1 == 1

    def runs(self) -> Iterator[Run]:
        for index, byte in enumerate(self.data):
            if byte:
                start = self.base + 8 * index
                for offset in range(8):
                    if byte >> offset & 1:
                        yield start + offset, start + offset + 1


Label: TypeAlias = RunList | Bitmap


@dataclass(frozen=True, slots=True)
class Labelling:
    """The labels of one graph. Immutable: a changed graph needs a new labelling.

    ``order[positions[x]] == x`` for every node, and ``labels[c]`` covers the positions of c, of its
    equivalents (which are adjacent and share one label object) and of every node below them.
    """

    order: tuple[str, ...]
    positions: dict[str, int]
    labels: dict[str, Label]

    def is_below(self, node: str, other: str) -> bool:
        """Return whether ``node`` is ``other``, equivalent to it or below it. False if either is not labelled."""
        position = self.positions.get(node)
        cover = self.labels.get(other)
        return position is not None and cover is not None and position in cover

    def covered(self, node: str) -> Iterator[str]:
        """Yield the node, its equivalents and every node below them."""
        cover = self.labels.get(node)
        if cover is not None:
            for start, end in cover.runs():
                yield from self.order[start:end]


def label_graph(groups: Sequence[tuple[str, ...]], parents: Sequence[Sequence[int]]) -> Labelling:
    """Label an acyclic graph whose nodes are ``groups`` of equivalent names.

    ``parents[g]`` lists the groups directly above group ``g``, each once and never ``g`` itself.

    >>> labelling = label_graph([("Animal",), ("Cat", "Feline"), ("Tom",)], [[], [0], [1]])
    >>> sorted(labelling.covered("Feline"))
    ['Cat', 'Feline', 'Tom']
    >>> labelling.is_below("Animal", "Cat")
    False
    """
    downward = _parents_first(parents)
    tree = _tree_parents(downward, parents)
    order, subtrees = _preorder(groups, downward, tree)
    labels: dict[str, Label] = {}
    # What the children reach outside their parent's subtree. Freed as soon as the parent is labelled.
    loose_runs: list[list[Run]] = [[] for _ in groups]
    loose_bits = [0] * len(groups)
    for group in reversed(downward):
        runs, bits = _merge(subtrees[group], loose_runs[group], loose_bits[group])
        loose_runs[group], loose_bits[group] = [], 0
        cover = _bitmap(bits) if bits else RunList(array("I", [edge for run in runs for edge in run]))
        labels.update(dict.fromkeys(groups[group], cover))
        for parent in parents[group]:
            loose_bits[parent] |= bits
            start, end = subtrees[parent]
            for run in runs:
                if run[0] < start or run[1] > end:
                    loose_runs[parent].append(run)
    return Labelling(tuple(order), {name: position for position, name in enumerate(order)}, labels)


def _parents_first(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return the groups in topological order (Kahn), roots first."""
    children: list[list[int]] = [[] for _ in parents]
    for group, above in enumerate(parents):
        for parent in above:
            children[parent].append(group)
    unplaced_parents = [len(above) for above in parents]
    order = [group for group, count in enumerate(unplaced_parents) if count == 0]
    for group in order:  # the list grows during the iteration
        for child in children[group]:
            unplaced_parents[child] -= 1
            if unplaced_parents[child] == 0:
                order.append(child)
    if len(order) != len(parents):
        raise ValueError("the edges form a cycle: condense it before labelling")
    return order


def _tree_parents(downward: Iterable[int], parents: Sequence[Sequence[int]]) -> list[int]:
    """Return each group's parent in the spanning tree, -1 for a root.

    The deepest parent is chosen: it has the most groups above it, and none of them then needs an extra run.
    """
    depth = [0] * len(parents)
    tree = [-1] * len(parents)
    for group in downward:
        if parents[group]:
            tree[group] = max(parents[group], key=depth.__getitem__)
            depth[group] = depth[tree[group]] + 1
    return tree


def _preorder(
    groups: Sequence[tuple[str, ...]], downward: Sequence[int], tree: Sequence[int]
) -> tuple[list[str], list[Run]]:
    """Return the names in preorder, and the run of positions of each group's subtree.

    This needs no recursion and no stack: sizes are summed upward, then each group gets its place in its parent's run.
    """
    size = [len(names) for names in groups]
    for group in reversed(downward):
        if tree[group] >= 0:
            size[tree[group]] += size[group]
    order = [""] * sum(len(names) for names in groups)
    subtrees: list[Run] = [(0, 0)] * len(groups)
    free = [0] * len(groups)
    free_root = 0
    for group in downward:
        parent = tree[group]
        if parent < 0:
            start = free_root
            free_root += size[group]
        else:
            start = free[parent]
            free[parent] += size[group]
        order[start : start + len(groups[group])] = groups[group]
        free[group] = start + len(groups[group])
        subtrees[group] = start, start + size[group]
    return order, subtrees


def _merge(subtree: Run, loose_runs: list[Run], loose_bits: int) -> tuple[list[Run], int]:
    """Return the union: either a short list of runs and no bits, or bits and no runs."""
    merged = _merge_touching([subtree, *loose_runs]) if loose_runs else [subtree]
    if not loose_bits and len(merged) <= MAX_RUNS_PER_LABEL:
        return merged, 0
    bits = loose_bits
    for start, end in merged:
        bits |= ((1 << (end - start)) - 1) << start
    if (bits & ~(bits << 1)).bit_count() > MAX_RUNS_PER_LABEL:
        return [], bits
    return _runs_of(bits), 0


def _merge_touching(runs: list[Run]) -> list[Run]:
    runs.sort()
    joined = [runs[0]]
    for start, end in runs:
        last_start, last_end = joined[-1]
        if start > last_end:
            joined.append((start, end))
        elif end > last_end:
            joined[-1] = last_start, end
    return joined


def _runs_of(bits: int) -> list[Run]:
    """Return the runs of ones, lowest first.

    >>> _runs_of(0b1011100)
    [(2, 5), (6, 7)]
    """
    runs: list[Run] = []
    position = 0
    while bits:
        zeros = (bits & -bits).bit_length() - 1
        bits >>= zeros
        ones = (~bits & (bits + 1)).bit_length() - 1
        bits >>= ones
        runs.append((position + zeros, position + zeros + ones))
        position += zeros + ones
    return runs


def _bitmap(bits: int) -> Bitmap:
    base = (bits & -bits).bit_length() - 1
    bits >>= base
    return Bitmap(base, bits.to_bytes((bits.bit_length() + 7) // 8, "little"))
