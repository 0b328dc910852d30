"""The largest part of a pattern that matches.

Exact for up to `EXACT` edges that hang together: subsets by decreasing size, without those that hold an edge or a
pair of edges already known not to match. Finding it is NP-hard in the pattern's size, so longer ones get a greedy
answer, and every search has its share of the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from gtopss.explain.row_search import Row, StepBudget, TripleIndex, components, find_row
from gtopss.model import Triple

EXACT = 12
_CHECKS = 20  # no single search may take more than this fraction of the budget


@dataclass(frozen=True, slots=True)
class MatchedPart:
    """Edges that match together, with one row; `dead` edges match no triple even alone."""

    edges: tuple[Triple, ...]
    row: Row
    exact: bool
    dead: tuple[Triple, ...] = ()


def largest_part(edges: Sequence[Triple], index: TripleIndex, budget: StepBudget) -> MatchedPart:
    """The most edges that match together; among equals, those written first."""
    alive, dead = list[Triple](), list[Triple]()
    for edge in edges:
        row = find_row([edge], index, budget)
        certain = row is not None or not budget.exhausted
        (dead if certain and row is None else alive).append(edge)
    limit = max(budget.left // _CHECKS, 1)
    found = [_largest(component, index, budget, limit) for component in components(alive)]
    chosen = {edge for part in found for edge in part.edges}
    row = {name: value for part in found for name, value in part.row.items()}
    return MatchedPart(tuple(e for e in edges if e in chosen), row, all(part.exact for part in found), tuple(dead))


def _largest(edges: list[Triple], index: TripleIndex, budget: StepBudget, limit: int) -> MatchedPart:
    """Of edges that hang together and each match alone."""

    def ask(subset: Sequence[Triple]) -> tuple[Row | None, bool]:
        """A row of the subset, and whether the answer is certain."""
        share = budget.slice(limit)
        row = find_row(subset, index, share)
        return row, row is not None or not share.exhausted

    row, certain = ask(edges)
    if row is not None:
        return MatchedPart(tuple(edges), row, exact=True)
    best = _greedy(edges, index, budget, limit)
    if certain and len(best.edges) == len(edges) - 1:
        return MatchedPart(best.edges, best.row, exact=True)
    if len(edges) > EXACT:
        return best
    apart = set[frozenset[Triple]]()
    for pair in combinations(edges, 2):
        row, sure = ask(pair)
        certain &= sure
        if row is None and sure:
            apart.add(frozenset(pair))
    for size in range(len(edges) - 1, len(best.edges), -1):
        for subset in combinations(edges, size):
            if any(pair <= set(subset) for pair in apart):
                continue
            row, sure = ask(subset)
            certain &= sure
            if row is not None:
                return MatchedPart(subset, row, certain)
    return MatchedPart(best.edges, best.row, certain)


def _greedy(edges: list[Triple], index: TripleIndex, budget: StepBudget, limit: int) -> MatchedPart:
    """Edges in the order of writing, each kept if it still matches with those before."""
    chosen, row = list[Triple](), Row()
    for edge in edges:
        share = budget.slice(limit)
        wider = next(index.extensions(edge, row, share), None)  # most often the row at hand can be extended
        if wider is None:
            wider = find_row([*chosen, edge], index, share)
        if wider is not None:
            chosen.append(edge)
            row = wider
    return MatchedPart(tuple(chosen), row, exact=False)
