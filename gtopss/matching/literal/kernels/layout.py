"""The arrays of GM: a two-level hash table of edges, the subscriptions on each edge, and their patterns."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int32]
Reals: TypeAlias = npt.NDArray[np.float64]

FREE = -(2**31)
"""A place of a hash table that holds nothing. Constants are numbers from 0, stars are negative."""

ANY_STAR = -(2**31) + 1
"""The one star of a GM whose stars are not numbered in stage 1."""
SAME_STAR = -(2**31) + 2
"""Both ends of an edge from a star to itself, in such a GM."""


class MergedGraph(NamedTuple):
    """GM. A *pattern* is the paper's S; its *members* are the branches of subscriptions that it stands for.

    `x_start[n]` and `x_start[n + 1]` delimit what belongs to n in the array x.
    """

    pairs: Numbers  # T1: rows (tail, head, number of the pair), by open addressing
    labels_start: Numbers
    labels: Numbers  # every T2, one after the other: rows (label, edge); a hash table or a sorted list for each pair
    subs_start: Numbers
    subs: Numbers  # E.subs: the patterns on each edge
    edges_start: Numbers
    edges: Numbers  # the edges of each pattern, in the order of its joins
    columns: Numbers  # for each of them, the columns of tail, label and head in the rows of the pattern; -1: a constant
    distinct_edges: Numbers  # by pattern: edges of GM that it needs, which may be fewer than it has
    stars: Numbers  # by pattern: columns of its rows
    members_start: Numbers
    members: Numbers
    bounds_start: Numbers
    bound_columns: Numbers  # by member: columns whose values must lie between two numbers
    bounds: Reals  # rows (lowest, highest)
    star_tails: Numbers  # stars *i for which GM has an edge (*i, constant)
    star_heads: Numbers
    star_pairs: Numbers
    star_labels: Numbers


class Departures(NamedTuple):
    """Which parts of the default matcher replace printed ones."""

    sorted_labels: bool  # T2 is a sorted list, not a hash table
    access_edges: bool  # a pattern is on the list of one edge, and the others are looked up; edges are not counted
    backtracking: bool  # rows are joined one at a time, from the shortest table; the first one is enough for ids


class Scratch(NamedTuple):
    """What a publication changes. The arrays are reset by the next one."""

    fired: Numbers  # the edges that fired
    table_rows: Numbers  # by edge: rows of its binding table; 0 unless it fired
    table_start: Numbers  # by edge: where its table begins
    counts: Numbers  # by pattern: S.edgeCount
    candidates: Numbers  # SubSet
    used: Numbers  # one element: how many edges fired
