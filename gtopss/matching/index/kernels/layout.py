"""What the kernels read and write: flat arrays under names. Their sizes and numbers, nothing else.

A segment keeps the paper's two levels: the vertex pair, by hash, then the label, in a sorted list. An edge's number is
its place in those lists.

    publication triple ──> vertex pairs ──> labels = edges ──> access lists ──> patterns ──> entries
                             level 1         level 2           (one edge,       (shared      (a branch of a
                                                                or two)          joins)       subscription)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.matching.index.kernels.terms import Ints, Longs

Shorts = npt.NDArray[np.int16]
Signs = npt.NDArray[np.int8]
Marks = npt.NDArray[np.uint8]
Reals = npt.NDArray[np.float64]

STAR, LOOP = -1, -2
"""Ends of an edge that are variables; LOOP at both ends is the same variable twice."""

CHECK, EVERY_ROW = 1, 2
"""An entry's flags: its rows must be checked in Python; every row is needed, however many are wanted in the end."""


class Entries(NamedTuple):
    """Branches of subscriptions with canonical stars: what a segment is built from and taken apart into."""

    starts: Longs  # entry -> its first edge; one more at the end
    edges: Ints  # [edge, 3]: global numbers, or -1 - star
    rate: Reals  # how often each edge fires, a publication; -1 where nothing is known
    slot: Ints  # entry -> the subscription's place in the index
    branch: Shorts  # entry -> which of its branches
    flags: Marks
    star_starts: Longs  # entry -> its first variable
    stars: Shorts  # the star of each variable, in the order of the branch's variables
    bound_starts: Longs  # entry -> its first bound
    bound_star: Shorts
    bound_kinds: Signs  # [bound, 4]: domain and strictness of the low end, of the high end; domain -1: no such end
    bounds: Reals  # [bound, 4]: low from, low to, high from, high to (each threshold as an interval: `thresholds.py`)


class Graph(NamedTuple):
    """The edges of GM, by vertex pair and label."""

    sizes: Longs  # see SIZES
    pairs: Ints  # level 1, open addressing: [vertex pair, 4]: tail, head, its first label, their end; 0: free
    labels: Ints  # level 2: edge -> label, sorted within a pair; STAR first
    edge_pair: Ints  # edge -> vertex pair
    rate: Reals  # edge -> how often it fired before this segment was built; -1 where nothing is known


class Access(NamedTuple):
    """Which patterns an edge, or a pair of edges, gives access to."""

    starts: Ints  # [edge, 2]: the first of the patterns reached by it alone, of the second edges that split its list
    direct: Ints  # [n, 2]: pattern, and its guard: one more edge of it, or -1; if that did not fire, pass it over
    child_edge: Ints
    child_marks: Marks  # by edge and second edge: a table of marks (`tables.py`), 0: free
    child_slots: Ints  # the child of each mark
    grand_starts: Ints  # child -> the patterns reached by both edges
    grand: Ints  # as `direct`
    rank: Ints  # edge -> its place among all, by how often it may fire; a second edge's is the higher one
    second: Marks  # edge -> whether it splits some list


class Patterns(NamedTuple):
    """Distinct structures: their edges, and where their stars stand."""

    about: (
        Ints  # [pattern, 5]: its first edge, shape, flags (EVERY_ROW if some member needs it), tree or -1, first member
    )
    edges: Ints
    shape_starts: Ints  # shape -> its first edge
    shape_stars: Shorts  # [edge, 3]: star or -1
    shape_sizes: Shorts  # shape -> number of stars


class Members(NamedTuple):
    """Entries, pattern by pattern, and the trees that find those with bounds."""

    about: Ints  # [entry, 5]: its slot, branch, flags, first variable, first bound
    stars: Shorts
    bound_star: Shorts
    bound_kinds: Signs
    bounds: Reals
    trees: Longs  # [tree, 4]: its first box, members, star, second star or -1
    tree: Reals  # [box, 4]: what it reaches over of the first star, low and high, and of the second; level by level


class Segment(NamedTuple):
    """An immutable GM."""

    graph: Graph
    access: Access
    patterns: Patterns
    members: Members


FIRST_EDGE, SHAPE, FLAGS, TREE, FIRST_MEMBER = range(5)
SLOT, BRANCH, FLAGS, FIRST_STAR, FIRST_BOUND = range(5)
"""What stands where about a pattern, and about an entry. In one row, for it is read together: one look at memory, not
five. One more row at the end says where the last one's edges, members, stars and bounds end."""

SIZES = ("edges", "patterns", "entries", "star_pair", "loop_pair", "most_edges", "most_stars", "kinds")
EDGES, PATTERNS, ENTRIES, STAR_PAIR, LOOP_PAIR, MOST_EDGES, MOST_STARS, KINDS = range(len(SIZES))

FANOUT = 16
"""A tree node's children."""


def empty_segment() -> Segment:
    """A segment of nothing: what the kernels take for an example of all others."""

    def array(kind: npt.DTypeLike, *shape: int) -> npt.NDArray[Any]:
        return np.zeros(shape, kind)

    i1, i2, i4, i8, u1, f8 = np.int8, np.int16, np.int32, np.int64, np.uint8, np.float64
    sizes = array(i8, len(SIZES))
    sizes[[STAR_PAIR, LOOP_PAIR]] = -1
    return Segment(
        Graph(sizes, array(i4, 4, 4), array(i4, 0), array(i4, 0), array(f8, 0)),
        Access(
            array(i4, 1, 2), array(i4, 0, 2), array(i4, 0), array(u1, 8), array(i4, 8), array(i4, 1), array(i4, 0, 2),
            array(i4, 0), array(u1, 0),
        ),
        Patterns(array(i4, 1, 5), array(i4, 0), array(i4, 1), array(i2, 0, 3), array(i2, 0)),
        Members(
            array(i4, 1, 5), array(i2, 0), array(i2, 0), array(i1, 0, 4), array(f8, 0, 4), array(i8, 0, 4),
            array(f8, 0, 4),
        ),
    )  # fmt: skip
