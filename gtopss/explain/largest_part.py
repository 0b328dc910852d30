"""Find the largest part of a pattern that matches a publication.

The answer is exact for up to `MAX_EDGES_FOR_EXACT_PART` connected edges: subsets are tried by decreasing size, without
those that contain an edge or a pair of edges already known not to match. The problem is NP-hard in the size of the
pattern, so longer patterns get a greedy answer, and every search has a share of the step budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from gtopss.explain.limits import MAX_EDGES_FOR_EXACT_PART, PART_SEARCH_SHARE
from gtopss.explain.row_search import components, find_row
from gtopss.explain.step_budget import StepBudget
from gtopss.explain.triple_index import Row, TripleIndex
from gtopss.model import Triple


@dataclass(frozen=True, slots=True)
class MatchedPart:
    """Edges that match together, with one row of them.

    `exact` says that no larger part matches. `unmatched_alone` are the edges that match no triple even by themselves.
    """

    edges: tuple[Triple, ...]
    row: Row
    exact: bool
    unmatched_alone: tuple[Triple, ...] = ()


def largest_part(edges: Sequence[Triple], index: TripleIndex, budget: StepBudget) -> MatchedPart:
    """Return the most edges that match together; among equals, those written first."""
    candidates, unmatched_alone = list[Triple](), list[Triple]()
    for edge in edges:
        row = find_row([edge], index, budget)
        certain = row is not None or not budget.exhausted
        (unmatched_alone if certain and row is None else candidates).append(edge)
    search = _PartSearch(index, budget, max(budget.left // PART_SEARCH_SHARE, 1))
    found = [search.largest(component) for component in components(candidates)]
    chosen = {edge for part in found for edge in part.edges}
    row = {name: value for part in found for name, value in part.row.items()}
    exact = all(part.exact for part in found)
    return MatchedPart(tuple(edge for edge in edges if edge in chosen), row, exact, tuple(unmatched_alone))


class _PartSearch:
    """The search among the subsets of one component. No single subset may take more than `max_steps`."""

    def __init__(self, index: TripleIndex, budget: StepBudget, max_steps: int) -> None:
        self._index, self._budget, self._max_steps = index, budget, max_steps

    def largest(self, edges: list[Triple]) -> MatchedPart:
        """Return the largest part of connected edges that each match alone."""
        row, certain = self._row_of(edges)
        if row is not None:
            return MatchedPart(tuple(edges), row, exact=True)
        best = self._greedy(edges)
        if certain and len(best.edges) == len(edges) - 1:
            return MatchedPart(best.edges, best.row, exact=True)
        if len(edges) > MAX_EDGES_FOR_EXACT_PART:
            return best
        incompatible, pairs_certain = self._incompatible_pairs(edges)
        certain &= pairs_certain
        for size in range(len(edges) - 1, len(best.edges), -1):
            for subset in combinations(edges, size):
                if any(pair <= set(subset) for pair in incompatible):
                    continue
                row, subset_certain = self._row_of(subset)
                certain &= subset_certain
                if row is not None:
                    return MatchedPart(subset, row, certain)
        return MatchedPart(best.edges, best.row, certain)

    def _row_of(self, subset: Sequence[Triple]) -> tuple[Row | None, bool]:
        """Return a row of the subset, and whether the answer is certain."""
        share = self._budget.slice(self._max_steps)
        row = find_row(subset, self._index, share)
        return row, row is not None or not share.exhausted

    def _incompatible_pairs(self, edges: list[Triple]) -> tuple[set[frozenset[Triple]], bool]:
        """Return the pairs of edges that cannot match together, and whether every pair was decided."""
        incompatible, all_certain = set[frozenset[Triple]](), True
        for pair in combinations(edges, 2):
            row, certain = self._row_of(pair)
            all_certain &= certain
            if row is None and certain:
                incompatible.add(frozenset(pair))
        return incompatible, all_certain

    def _greedy(self, edges: list[Triple]) -> MatchedPart:
        """Take edges in the written order, each if it still matches together with those taken before."""
        chosen, row = list[Triple](), Row()
        for edge in edges:
            share = self._budget.slice(self._max_steps)
            extended = next(self._index.extensions(edge, row, share), None)  # usually the current row can be extended
            if extended is None:
                extended = find_row([*chosen, edge], self._index, share)
            if extended is not None:
                chosen.append(edge)
                row = extended
        return MatchedPart(tuple(chosen), row, exact=False)
