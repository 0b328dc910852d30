"""Define the arrays of a segment: their shapes, their columns, and the numbers in them.

A segment is an immutable index of subscriptions. It keeps the two levels of the paper's merged graph GM: a vertex pair
is found by hash, then the label in a sorted list. An edge's number is its position in those lists.

    publication triple ──> vertex pairs ──> labels = edges ──> access lists ──> patterns ──> entries
                             level 1         level 2           (one edge,       (shared      (a branch of a
                                                                or two)          joins)       subscription)

The paper's words, used throughout the kernels:

    star       a variable, numbered 0, 1, ... within a pattern
    edge       a triple of constants and stars in GM; which star stands at an end is not part of it
    to fire    an edge fires in a publication if a triple of the publication matches it
    binding table   the triples that made an edge fire; here a linked list of *rows*

and ours:

    entry      one branch of one subscription
    pattern    the structure that equal entries share: a set of edges, and the star at each of their ends
    shape      the stars of a pattern without its constants; many patterns share a shape
    member     an entry, seen from its pattern
    slot       the number of a subscription in the index; reused after removals
    bound      the range of values that an entry allows for one star

Names of fields are part of the saved form of a segment (`storage.py`): renaming one makes saved engines unreadable.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gtopss.matching.index.kernels.array_types import (
    Float64Array,
    Int8Array,
    Int16Array,
    Int32Array,
    Int64Array,
    UInt8Array,
)

STAR, LOOP = -1, -2
"""Ends of an edge that are variables. LOOP at both ends means the same variable twice."""

CHECK_IN_PYTHON, NEEDS_EVERY_ROW, EVALUATE_QUERY, EVALUATE_KEPT_QUERY, ONE_ROW = 1, 2, 4, 8, 16
"""Bits of an entry's flags: Python must check each of its rows; all of its rows are needed, whatever the row limit;
Python evaluates a query with its rows, always or only if the values of rows are kept; one row is enough."""


NO_EDGE = 100
"""The domain of a bound that is no range: the star has no triple with the relation and the object at the low end.
The relation is a virtual one, or a property. The object of a property may be -1, for any object."""


class Entries(NamedTuple):
    """Branches of subscriptions with canonical stars: the input of `build`, and what `merge` recovers from a segment.

    A column named `..._starts` has one element more than there are entries: the end of the last one.
    """

    starts: Int64Array  # entry -> its first edge
    edges: Int32Array  # [edge, 3]: subject, property, object; each a global term number, or -1 - star
    rate: Float64Array  # [edge]: firings per publication; -1 if unknown
    slot: Int32Array  # entry -> the subscription's slot
    branch: Int16Array  # entry -> the number of the branch in its subscription
    flags: UInt8Array  # entry -> CHECK_IN_PYTHON, NEEDS_EVERY_ROW and the other bits
    star_starts: Int64Array  # entry -> its first variable
    stars: Int16Array  # [variable]: its star; variables in the order of the branch
    bound_starts: Int64Array  # entry -> its first bound
    bound_star: Int16Array  # [bound]: the star whose value is bounded
    bound_kinds: Int8Array  # [bound, 4]: domain and strictness of the low end, then of the high end; domain -1: no end
    bounds: Float64Array  # [bound, 4]: low from, low to, high from, high to; a threshold is an interval of floats


class Graph(NamedTuple):
    """The edges of GM by vertex pair and label."""

    sizes: Int64Array  # see the column names below
    pairs: Int32Array  # level 1, open addressing: [vertex pair, 4]: tail, head, first label, end of labels; end 0: free
    labels: Int32Array  # level 2: edge -> label, sorted within a pair; STAR is the first
    edge_pair: Int32Array  # edge -> vertex pair
    rate: Float64Array  # edge -> firings per publication before this segment was built; -1 if unknown


class Access(NamedTuple):
    """Lists of the patterns that an edge, or a pair of edges, gives access to.

    Each pattern is in one list: under its access edge alone (`edge_lists`), or under its access edge and a second edge
    (a *child* list), where the list of the first would be long. A guard is one more edge of the pattern, or -1: if it
    did not fire, the pattern cannot match.
    """

    edges: Int32Array  # [edge, EDGE_COLUMNS]: the EDGE_... columns below
    edge_lists: Int32Array  # [n, 2]: pattern, guard
    child_edge: Int32Array  # child -> the second edge
    child_marks: UInt8Array  # hash table by first and second edge (`hash_tables.py`): tags, 0 if free
    child_slots: Int32Array  # the child at each place of that table
    child_starts: Int32Array  # child -> its first row in `child_lists`
    child_lists: Int32Array  # [n, 2]: pattern, guard


class Patterns(NamedTuple):
    """The distinct structures of the entries."""

    about: Int32Array  # [pattern + 1, 5]: the PATTERN_... columns below
    edges: Int32Array  # the edges of each pattern, sorted
    shape_starts: Int32Array  # shape -> its first row in `shape_stars`
    shape_stars: Int16Array  # [edge of a shape, 3]: the star at the subject, property and object; -1 for a constant
    shape_sizes: Int16Array  # shape -> its number of stars


class Members(NamedTuple):
    """The entries, pattern by pattern, and the trees that find those with bounds."""

    about: Int32Array  # [entry + 1, 5]: the MEMBER_... columns below
    stars: Int16Array  # as in Entries
    bound_star: Int16Array  # as in Entries
    bound_kinds: Int8Array  # as in Entries
    bounds: Float64Array  # as in Entries
    trees: Int64Array  # [tree, 4]: the TREE_... columns below
    tree: Float64Array  # [box, 4]: low and high of the first star, low and high of the second; level by level


class Segment(NamedTuple):
    """An immutable index of entries. Nobody writes to its arrays once `build` has returned it."""

    graph: Graph
    access: Access
    patterns: Patterns
    members: Members


# Columns of Access.edges. All that is read of an edge that fires is in these 32 bytes, half a cache line.
EDGE_LABEL, EDGE_RANK, EDGE_SECOND_RANK, EDGE_FIRST_LISTED, EDGE_END_LISTED, EDGE_FIRST_CHILD, EDGE_END_CHILD = range(7)
"""EDGE_LABEL is the edge's element of `Graph.labels`. EDGE_RANK is its rank by expected firings, 0 for the rarest; a
second edge has a higher rank than its first. EDGE_SECOND_RANK is the same if it is the second edge of some child, else
-1. The others are its rows of `edge_lists`, and its children."""
EDGE_CHILD_LABELS = 7
"""A set of 32 bits: the labels of its children's second edges (`label_bit`)."""
EDGE_COLUMNS = 8

# Columns of Patterns.about and of Members.about. They share a row because they are read together: one cache line
# instead of five. The extra row at the end tells where the last pattern's edges and members, and the last entry's
# stars and bounds, end.
PATTERN_FIRST_EDGE, PATTERN_SHAPE, PATTERN_FLAGS, PATTERN_TREE, PATTERN_FIRST_MEMBER = range(5)
"""PATTERN_FLAGS is NEEDS_EVERY_ROW if some member has bounds or flags; PATTERN_TREE is -1 if there is no tree."""
MEMBER_SLOT, MEMBER_BRANCH, MEMBER_FLAGS, MEMBER_FIRST_STAR, MEMBER_FIRST_BOUND = range(5)
MEMBER_COLUMNS = PATTERN_COLUMNS = 5

# Columns of Members.trees.
TREE_FIRST_BOX, TREE_MEMBERS, TREE_STAR, TREE_SECOND_STAR = range(4)
"""TREE_SECOND_STAR is -1 if no member bounds another star."""

# Elements of Graph.sizes.
EDGE_COUNT, PATTERN_COUNT, ENTRY_COUNT, STAR_PAIR, LOOP_PAIR, MAX_PATTERN_EDGES, MAX_PATTERN_STARS, PAIR_KINDS = range(
    8
)
"""STAR_PAIR and LOOP_PAIR are the places of the pairs (*, *) and (*i, *i) in `Graph.pairs`, -1 if there are none;
PAIR_KINDS is a set of the bits below."""
GRAPH_SIZES = 8

STAR_TO_CONSTANT, CONSTANT_TO_STAR, CONSTANT_TO_CONSTANT = 1, 2, 4
"""Bits of PAIR_KINDS: which kinds of vertex pair the graph has. A kind that it lacks is not probed."""

TREE_FANOUT = 16
"""Children of a tree node. A level of at most so many boxes is the top."""


def empty_segment() -> Segment:
    """Return a segment without entries. Kernels take it as an example of the type of all segments."""

    def array(kind: npt.DTypeLike, *shape: int) -> npt.NDArray[Any]:
        return np.zeros(shape, kind)

    i1, i2, i4, i8, u1, f8 = np.int8, np.int16, np.int32, np.int64, np.uint8, np.float64
    sizes = array(i8, GRAPH_SIZES)
    sizes[[STAR_PAIR, LOOP_PAIR]] = -1
    return Segment(
        Graph(sizes, array(i4, 4, 4), array(i4, 0), array(i4, 0), array(f8, 0)),
        Access(
            array(i4, 0, EDGE_COLUMNS), array(i4, 0, 2), array(i4, 0), array(u1, 8), array(i4, 8), array(i4, 1),
            array(i4, 0, 2),
        ),
        Patterns(array(i4, 1, PATTERN_COLUMNS), array(i4, 0), array(i4, 1), array(i2, 0, 3), array(i2, 0)),
        Members(
            array(i4, 1, MEMBER_COLUMNS), array(i2, 0), array(i2, 0), array(i1, 0, 4), array(f8, 0, 4),
            array(i8, 0, 4), array(f8, 0, 4),
        ),
    )  # fmt: skip
