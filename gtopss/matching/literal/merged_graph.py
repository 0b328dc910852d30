"""Build GM from all subscriptions: Algorithm Insert (section 4.2) for each branch, into the arrays of the kernels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from gtopss.matching.literal.kernels.layout import ANY_STAR, SAME_STAR, Departures, MergedGraph, Numbers, Scratch
from gtopss.matching.literal.kernels.tables import hash_labels, hash_pairs
from gtopss.model import Branch, Term
from gtopss.model.expressions import Call
from gtopss.model.terms import is_variable

Edge: TypeAlias = tuple[int, int, int]
"""Tail, label and head: numbers of constants, or -1 - i for the star i."""

_INTEGER = re.compile(r'"([+-]?\d{1,15})"\^\^<http://www\.w3\.org/2001/XMLSchema#integer>')
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_INFINITE = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDepartures:
    """Parts of the default matcher that replace printed ones; none by default. `gtopss compare` measures them."""

    bound_ends: bool = False  # the edges of stage 1 do not number their stars
    sorted_labels: bool = False  # labels of a vertex pair are a sorted list
    access_edges: bool = False  # candidates by one edge of each pattern, not by counting
    shared_patterns: bool = False  # branches of equal structure are joined once
    backtracking: bool = False  # rows are joined one at a time

    def for_kernels(self) -> Departures:
        return Departures(self.sorted_labels, self.access_edges, self.backtracking)


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """GM in arrays, and what names its numbers."""

    arrays: MergedGraph
    scratch: Scratch
    numbers: dict[Term, int]  # of the constants
    columns: list[tuple[Term, ...]]  # by branch: the variables of its rows
    has_bounds: bool

    def nbytes(self) -> int:
        """Return the size of GM's arrays in bytes."""
        return sum(array.nbytes for array in self.arrays)


@dataclass(slots=True)
class _Patterns:
    """What is known of the branches before the arrays are made."""

    numbers: dict[Term, int] = field(default_factory=dict)
    edges: list[list[Edge]] = field(default_factory=list)
    stars: list[int] = field(default_factory=list)
    members: list[list[int]] = field(default_factory=list)
    columns: list[tuple[Term, ...]] = field(default_factory=list)

    def encode(self, branch: Branch, variables: Sequence[Term]) -> list[Edge]:
        stars = {name: -1 - i for i, name in enumerate(variables)}

        def number(part: Term) -> int:
            star = stars.get(part)
            return self.numbers.setdefault(part, len(self.numbers)) if star is None else star

        return [(number(s), number(p), number(o)) for s, p, o in branch.edges()]


def build_graph(branches: Sequence[Branch], departures: GraphDepartures) -> BuiltGraph:
    """Return GM of branches, which are numbered in the given order. A branch without edges is in no pattern."""
    patterns = _collect_patterns(branches, departures)
    keys = [[_key(edge, departures) for edge in edges] for edges in patterns.edges]
    pairs: dict[tuple[int, int], dict[int, int]] = {}
    edge_numbers: dict[Edge, int] = {}
    for edge in dict.fromkeys(edge for edges in keys for edge in edges):
        edge_numbers[edge] = pairs.setdefault((edge[0], edge[2]), {})[edge[1]] = len(edge_numbers)
    numbered = [[edge_numbers[edge] for edge in edges] for edges in keys]
    labels_start, labels = _label_lists(pairs.values())
    if not departures.sorted_labels:
        labels_start, labels = hash_labels(labels_start, labels)
    subs_start, subs = _lists(_patterns_by_edge(numbered, len(edge_numbers), departures))
    edges_start, edges = _lists(numbered)
    members_start, members = _lists(patterns.members)
    bounds = [_bounds(branch, columns) for branch, columns in zip(branches, patterns.columns, strict=True)]
    bounds_start, bound_columns = _lists([[column for column, *_ in each] for each in bounds])
    arrays = MergedGraph(
        pairs=hash_pairs(_table(pairs, 2)),
        labels_start=labels_start,
        labels=labels,
        subs_start=subs_start,
        subs=subs,
        edges_start=edges_start,
        edges=edges,
        columns=_table(
            ((-1 - part if part < 0 else -1 for part in edge) for edges in patterns.edges for edge in edges), 3
        ),
        distinct_edges=_row(len(set(each)) for each in numbered),
        stars=_row(patterns.stars),
        members_start=members_start,
        members=members,
        bounds_start=bounds_start,
        bound_columns=bound_columns,
        bounds=np.array([each[1:] for every in bounds for each in every], np.float64).reshape(-1, 2),
        star_tails=_row({tail for tail, head in pairs if tail < 0 <= head}),
        star_heads=_row({head for tail, head in pairs if head < 0 <= tail}),
        star_pairs=_table([pair for pair in pairs if max(pair) < 0], 2),
        star_labels=_row({edge[1] for edge in edge_numbers if edge[1] < 0}),
    )
    scratch = _scratch(len(edge_numbers), len(patterns.edges))
    return BuiltGraph(arrays, scratch, patterns.numbers, patterns.columns, bool(bound_columns.size))


def integer_value(term: Term) -> float:
    """Return the number that an xsd:integer of at most 15 digits stands for, NaN for any other term."""
    found = _INTEGER.fullmatch(term)
    return float(found[1]) if found else float("nan")


def _collect_patterns(branches: Sequence[Branch], departures: GraphDepartures) -> _Patterns:
    patterns = _Patterns()
    known: dict[tuple[Edge, ...], int] = {}
    for number, branch in enumerate(branches):
        variables = branch.variables()
        edges = patterns.encode(branch, variables)
        if departures.shared_patterns:
            variables, edges = _canonical(variables, edges)
        patterns.columns.append(variables)
        if not edges:
            continue
        pattern = known.setdefault(tuple(edges), len(patterns.edges)) if departures.shared_patterns else None
        if pattern is not None and pattern < len(patterns.edges):
            patterns.members[pattern].append(number)
            continue
        patterns.edges.append(_connected_order(edges))
        patterns.stars.append(len(variables))
        patterns.members.append([number])
    return patterns


def _canonical(variables: tuple[Term, ...], edges: list[Edge]) -> tuple[tuple[Term, ...], list[Edge]]:
    """Number the stars by the constants around them, so that most branches of equal structure have equal edges."""
    by_constants = sorted(edges, key=lambda edge: [max(part, -1) for part in edge])
    order = list(dict.fromkeys(part for edge in by_constants for part in edge if part < 0))
    renumbered = {old: -1 - new for new, old in enumerate(order)}

    def number(part: int) -> int:
        return renumbered.get(part, part)

    return (
        tuple(variables[-1 - old] for old in order),
        sorted((number(s), number(p), number(o)) for s, p, o in edges),
    )


def _connected_order(edges: Sequence[Edge]) -> list[Edge]:
    """Order the edges so that each, where possible, comes after one that shares a star with it."""
    left, ordered, seen = list(edges), list[Edge](), set[int]()
    while left:
        stars_of = [{part for part in edge if part < 0} for edge in left]
        place = next((n for n, stars in enumerate(stars_of) if not stars or stars & seen), 0)
        seen |= stars_of[place]
        ordered.append(left.pop(place))
    return ordered


def _key(edge: Edge, departures: GraphDepartures) -> Edge:
    """Return the edge of GM that stands for an edge of a pattern."""
    tail, label, head = edge
    if not departures.bound_ends:
        return edge
    if tail == head < 0:
        tail = head = SAME_STAR
    return tuple(part if part >= 0 or part == SAME_STAR else ANY_STAR for part in (tail, label, head))  # type: ignore[return-value]


def _patterns_by_edge(numbered: list[list[int]], edges: int, departures: GraphDepartures) -> list[list[int]]:
    """Return E.subs of each edge: with access edges, the patterns for which no edge is on fewer of them."""
    popularity = Counter(edge for each in numbered for edge in set(each))
    subs: list[list[int]] = [[] for _ in range(edges)]
    for pattern, each in enumerate(numbered):
        listed = [min(each, key=popularity.__getitem__)] if departures.access_edges else dict.fromkeys(each)
        for edge in listed:
            subs[edge].append(pattern)
    return subs


def _bounds(branch: Branch, columns: Sequence[Term]) -> list[tuple[int, float, float]]:
    """Return (column, lowest, highest) for the constraints of a branch that bound an integer."""
    found = []
    for test in branch.constraints():
        bounded = _bounded(test)
        if bounded is not None and bounded[0] in columns:
            found.append((columns.index(bounded[0]), *bounded[1:]))
    return found


def _bounded(test: Call) -> tuple[Term, float, float] | None:
    """Return the variable of a comparison with an integer, and the least and greatest integer that satisfy it."""
    sign = test.function
    if sign not in _MIRRORED or any(isinstance(argument, Call) for argument in test.arguments):
        return None
    variable, constant = (str(argument) for argument in test.arguments)
    if is_variable(Term(constant)):
        variable, constant, sign = constant, variable, _MIRRORED[sign]
    value = integer_value(Term(constant))
    if not is_variable(Term(variable)) or value != value:
        return None
    low = value + 1 if sign == ">" else value if sign in (">=", "=") else -_INFINITE
    high = value - 1 if sign == "<" else value if sign in ("<=", "=") else _INFINITE
    return Term(variable), low, high


def _scratch(edges: int, patterns: int) -> Scratch:
    def zeros(count: int) -> Numbers:
        return np.zeros(count, np.int32)

    return Scratch(zeros(edges), zeros(edges), zeros(edges), zeros(patterns), zeros(patterns), zeros(1))


def _label_lists(second_levels: Iterable[dict[int, int]]) -> tuple[Numbers, Numbers]:
    """Return where the list of each pair begins, and the lists: rows (label, edge), sorted by label."""
    lists = [sorted(each.items()) for each in second_levels]
    return _row(np.cumsum([0, *map(len, lists)])), _table([item for each in lists for item in each], 2)


def _lists(lists: Sequence[Sequence[int]]) -> tuple[Numbers, Numbers]:
    return _row(np.cumsum([0, *map(len, lists)])), _row(item for each in lists for item in each)


def _row(numbers: Iterable[int]) -> Numbers:
    return np.fromiter(numbers, np.int32)


def _table(rows: Iterable[Iterable[int]], columns: int) -> Numbers:
    return np.fromiter((number for row in rows for number in row), np.int32).reshape(-1, columns)
