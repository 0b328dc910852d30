"""Tree-cover interval labels: is-a by one bisection or one bit, descendants as slices.

R. Agrawal, A. Borgida, H. V. Jagadish: *Efficient Management of Transitive Relationships in Large Data and
Knowledge Bases*, SIGMOD 1989. A spanning tree of the graph is walked once and every node gets a position,
so that a subtree is a run of adjacent positions; what a node reaches outside its subtree is added as further
runs, merged where they touch. "Is x below c" becomes "does x's position lie in a run of c".

| paper | here |
|---|---|
| postorder number | ``positions[x]`` (preorder: the run then starts with the node itself) |
| interval list | :class:`Runs` |
| tree cover | ``_tree_parents``: each node hangs under its deepest parent |

The paper's lists stay short on graphs that are nearly trees, as class hierarchies are. On a random graph
with two or three parents each they do not: the closure has tens of millions of pairs, whichever way it is
written. There, a node whose cover breaks into more than ``LONGEST_RUN_LIST`` runs holds a bitmap instead
(:class:`Bitmap`), the choice of container that Roaring bitmaps make (Chambi, Lemire, Kaser, Godin: *Better
bitmap performance with Roaring bitmaps*, 2016). Python's integers then do the merging 30 bits at a time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Bitmap", "Label", "Labelling", "Runs", "label"]

LONGEST_RUN_LIST = 32
"""Runs a node may have before a bitmap takes over: a bisection of at most seven steps, and 256 bytes."""

Run: TypeAlias = tuple[int, int]
"""Positions from the first up to, but not including, the second."""


@dataclass(frozen=True, slots=True)
class Runs:
    """A few runs of positions: ``edges`` holds begin, end, begin, end ... in rising order.

    >>> 4 in Runs(array("I", [3, 5, 9, 10])), 5 in Runs(array("I", [3, 5, 9, 10]))
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
    """Many runs of positions: bit ``i`` of ``data``, least significant first, is position ``base + i``.

    ``runs`` takes each position by itself: where a bitmap is worth having, few of them touch.
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


Label: TypeAlias = Runs | Bitmap


@dataclass(frozen=True, slots=True)
class Labelling:
    """The labels of one graph, frozen until the graph changes.

    ``order[positions[x]] == x`` for every node, and ``labels[c]`` covers the positions of c, of its
    equivalents (which stand side by side and share one label object) and of all that is below them.
    """

    order: tuple[str, ...]
    positions: dict[str, int]
    labels: dict[str, Label]

    def below(self, node: str, other: str) -> bool:
        """Whether ``node`` is ``other``, equivalent to it or below it; False where either is not labelled."""
        position = self.positions.get(node)
        cover = self.labels.get(other)
        return position is not None and cover is not None and position in cover

    def covered(self, node: str) -> Iterator[str]:
        """The node, its equivalents and all below them: a slice per run, or name by name from a bitmap."""
        cover = self.labels.get(node)
        if cover is not None:
            for start, end in cover.runs():
                yield from self.order[start:end]


def label(groups: Sequence[tuple[str, ...]], parents: Sequence[Sequence[int]]) -> Labelling:
    """Labels a graph whose nodes are ``groups`` of equivalent names and whose edges are acyclic.

    ``parents[g]`` lists the groups directly above group ``g``, each once and never ``g`` itself.

    >>> labelling = label([("Animal",), ("Cat", "Feline"), ("Tom",)], [[], [0], [1]])
    >>> sorted(labelling.covered("Feline"))
    ['Cat', 'Feline', 'Tom']
    >>> labelling.below("Animal", "Cat")
    False
    """
    downward = _parents_first(parents)
    tree = _tree_parents(downward, parents)
    order, subtrees = _walk(groups, downward, tree)
    labels: dict[str, Label] = {}
    # What the children contribute outside their parent's subtree; dropped as soon as the parent is done.
    loose_runs: list[list[Run]] = [[] for _ in groups]
    loose_bits = [0] * len(groups)
    for group in reversed(downward):
        runs, bits = _merge(subtrees[group], loose_runs[group], loose_bits[group])
        loose_runs[group], loose_bits[group] = [], 0
        cover = _bitmap(bits) if bits else Runs(array("I", [edge for run in runs for edge in run]))
        labels.update(dict.fromkeys(groups[group], cover))
        for parent in parents[group]:
            loose_bits[parent] |= bits
            start, end = subtrees[parent]
            for run in runs:
                if run[0] < start or run[1] > end:
                    loose_runs[parent].append(run)
    return Labelling(tuple(order), {name: position for position, name in enumerate(order)}, labels)


def _parents_first(parents: Sequence[Sequence[int]]) -> list[int]:
    """Kahn's topological order, roots first."""
    children: list[list[int]] = [[] for _ in parents]
    for group, above in enumerate(parents):
        for parent in above:
            children[parent].append(group)
    waiting = [len(above) for above in parents]
    order = [group for group, count in enumerate(waiting) if count == 0]
    for group in order:  # grows while it is read
        for child in children[group]:
            waiting[child] -= 1
            if waiting[child] == 0:
                order.append(child)
    if len(order) != len(parents):
        raise ValueError("the groups' edges hold a cycle: condense it before labelling")
    return order


def _tree_parents(downward: Iterable[int], parents: Sequence[Sequence[int]]) -> list[int]:
    """The parent that each group hangs under in the spanning tree, -1 for a root.

    The deepest parent is chosen: it has the most groups above it, and each of them then needs no extra run.
    """
    depth = [0] * len(parents)
    tree = [-1] * len(parents)
    for group in downward:
        if parents[group]:
            tree[group] = max(parents[group], key=depth.__getitem__)
            depth[group] = depth[tree[group]] + 1
    return tree


def _walk(
    groups: Sequence[tuple[str, ...]], downward: Sequence[int], tree: Sequence[int]
) -> tuple[list[str], list[Run]]:
    """The names in preorder, and the run of positions that each group's subtree takes up.

    No recursion and no stack: sizes are summed upward, then each group takes its place in its parent's run.
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
    """The union, as a short list of runs and no bits, or as bits and no runs."""
    merged = _touching_joined([subtree, *loose_runs]) if loose_runs else [subtree]
    if not loose_bits and len(merged) <= LONGEST_RUN_LIST:
        return merged, 0
    bits = loose_bits
    for start, end in merged:
        bits |= ((1 << (end - start)) - 1) << start
    if (bits & ~(bits << 1)).bit_count() > LONGEST_RUN_LIST:
        return [], bits
    return _runs_of(bits), 0


def _touching_joined(runs: list[Run]) -> list[Run]:
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
    """The runs of ones, lowest first.

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
