"""The interval binary search tree (Hanson, Chaabouni, Kim, Wang: SIGMOD 1990, described in Le Subscribe, section 3.1).

A binary search tree over the end points of intervals. A node marks the intervals that contain its key (`equal`), and
those that contain all keys that a search can still be looking for after it turns left or right (`less`, `greater`). A
search therefore collects the intervals that contain its key from the nodes on its path, each interval once.

The 1990 paper is not available to us. Le Subscribe says only that the tree is kept balanced; how rotations move marks
is reconstructed here: when y rotates above x from the right, x's marks on the right pass to y's key and right side, and
marks that now cover y's whole left side are removed from x. The tree is balanced as a treap (random priorities), where
Hanson uses AVL.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gtopss.attributes.counters import AttributeCounters


@dataclass(frozen=True, slots=True)
class Interval:
    """Values between two ends; None means that there is no end on that side.

    >>> Interval(5, False, 10, True).intersection(Interval(None, False, 8, False))
    Interval(low=5, low_closed=False, high=8, high_closed=False)
    """

    low: Any = None
    low_closed: bool = False
    high: Any = None
    high_closed: bool = False

    def __contains__(self, key: Any) -> bool:
        above = self.low is None or self.low < key or (self.low_closed and self.low == key)
        return above and (self.high is None or key < self.high or (self.high_closed and self.high == key))

    def intersection(self, other: Interval) -> Interval:
        """Return the interval of the values in both."""
        low, low_closed, high, high_closed = self.low, self.low_closed, self.high, self.high_closed
        if other.low is not None and (low is None or (other.low, not other.low_closed) > (low, not low_closed)):
            low, low_closed = other.low, other.low_closed
        if other.high is not None and (high is None or (other.high, other.high_closed) < (high, high_closed)):
            high, high_closed = other.high, other.high_closed
        return Interval(low, low_closed, high, high_closed)

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None or self.low < self.high:
            return False
        return not (self.low == self.high and self.low_closed and self.high_closed)

    @property
    def ends(self) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(end for end in (self.low, self.high) if end is not None))


@dataclass(slots=True)
class Node:
    """A key with the marks of the intervals that contain it or cover one of its sides."""

    key: Any
    priority: float
    uses: int = 0  # number of intervals that end here
    less: set[str] = field(default_factory=set)
    equal: set[str] = field(default_factory=set)
    greater: set[str] = field(default_factory=set)
    left: Node | None = None
    right: Node | None = None


class IntervalTree:
    """Named intervals over one total order. Each interval has at least one end."""

    def __init__(self, seed: int = 1990) -> None:
        self.root: Node | None = None
        self._random = random.Random(seed)

    def insert(self, name: str, interval: Interval) -> None:
        for end in interval.ends:
            self.root = self._with_key(self.root, end)
        for marks in self._mark_sets(interval):
            marks.add(name)

    def remove(self, name: str, interval: Interval) -> None:
        for marks in self._mark_sets(interval):
            marks.discard(name)
        for end in interval.ends:
            node = self._find(end)
            node.uses -= 1
            if not node.uses:
                self.root, _ = self._without_key(self.root, end)

    def containing(self, key: Any, counters: AttributeCounters) -> Iterator[str]:
        """Yield the names of the intervals that contain the key."""
        node = self.root
        while node is not None:
            counters.nodes += 1
            counters.predicates += 1
            if key == node.key:
                yield from node.equal
                return
            yield from node.less if key < node.key else node.greater
            node = node.left if key < node.key else node.right

    # --- marks ---------------------------------------------------------------------------------------------

    def _mark_sets(self, interval: Interval) -> Iterator[set[str]]:
        """Yield the sets of marks that an interval belongs to; its ends must be keys of the tree."""
        stack: list[tuple[Node | None, Any, Any]] = [(self.root, None, None)]
        while stack:
            node, low, high = stack.pop()
            if node is None:
                continue
            if node.key in interval:
                yield node.equal
            if _covers(interval, low, node.key):
                yield node.less
            elif _overlaps(interval, low, node.key):
                stack.append((node.left, low, node.key))
            if _covers(interval, node.key, high):
                yield node.greater
            elif _overlaps(interval, node.key, high):
                stack.append((node.right, node.key, high))

    # --- keys ----------------------------------------------------------------------------------------------

    def _find(self, key: Any) -> Node:
        node = self.root
        while node is not None and node.key != key:
            node = node.left if key < node.key else node.right
        assert node is not None
        return node

    def _with_key(self, node: Node | None, key: Any) -> Node:
        """Return the subtree with one more use of a key."""
        if node is None:
            return Node(key, self._random.random(), uses=1)
        if key == node.key:
            node.uses += 1
        elif key < node.key:
            node.left = self._with_key(node.left, key)
            return _rotate_right(node) if node.left.priority < node.priority else node
        else:
            node.right = self._with_key(node.right, key)
            return _rotate_left(node) if node.right.priority < node.priority else node
        return node

    def _without_key(self, node: Node | None, key: Any) -> tuple[Node | None, set[str]]:
        """Return the subtree without a key at which no interval ends, and the marks that its parent must add.

        The key is rotated down until it is a leaf. No interval then ends between its neighbours, so the intervals
        marked at the key are marked on both its sides too, and cover the whole side of the parent.
        """
        assert node is not None
        if key < node.key:
            node.left, marks = self._without_key(node.left, key)
            node.less |= marks
            return node, set()
        if key > node.key:
            node.right, marks = self._without_key(node.right, key)
            node.greater |= marks
            return node, set()
        if node.left is None and node.right is None:
            return None, node.equal
        if node.right is None or (node.left is not None and node.left.priority < node.right.priority):
            top = _rotate_right(node)
            top.right, marks = self._without_key(node, key)
            top.greater |= marks
        else:
            top = _rotate_left(node)
            top.left, marks = self._without_key(node, key)
            top.less |= marks
        return top, set()


def _covers(interval: Interval, low: Any, high: Any) -> bool:
    """Return whether all keys strictly between two neighbours (None: infinity) are in the interval."""
    if interval.low is not None and (low is None or low < interval.low):
        return False
    return interval.high is None or (high is not None and high <= interval.high)


def _overlaps(interval: Interval, low: Any, high: Any) -> bool:
    """Return whether some key strictly between two neighbours may be in the interval."""
    if interval.low is not None and high is not None and high <= interval.low:
        return False
    return interval.high is None or low is None or low < interval.high


def _rotate_left(node: Node) -> Node:
    """Rotate the right child above its parent, moving the marks, and return it."""
    top = node.right
    assert top is not None
    whole = node.less & node.equal & (node.greater | top.less)
    top.equal |= node.greater
    top.greater |= node.greater
    node.greater = (node.greater | top.less) - whole
    node.less -= whole
    node.equal -= whole
    top.less = whole
    node.right, top.left = top.left, node
    return top


def _rotate_right(node: Node) -> Node:
    """Rotate the left child above its parent, moving the marks, and return it."""
    top = node.left
    assert top is not None
    whole = node.greater & node.equal & (node.less | top.greater)
    top.equal |= node.less
    top.less |= node.less
    node.less = (node.less | top.greater) - whole
    node.greater -= whole
    node.equal -= whole
    top.greater = whole
    node.left, top.right = top.right, node
    return top
