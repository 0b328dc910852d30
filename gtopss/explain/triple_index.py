"""An index of one publication's triples by the term in each position."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from gtopss.explain.step_budget import StepBudget
from gtopss.model import Term, Triple
from gtopss.model.terms import is_variable

Row: TypeAlias = dict[Term, Term]
"""One value for each variable."""


class TripleIndex:
    """Look up the triples of a publication that an edge of a pattern can match. Immutable after construction."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self.triples = triples
        self._all = frozenset(triples)
        self._by_term: dict[tuple[int, Term], list[Triple]] = {}
        for triple in triples:
            for position, value in enumerate(triple):
                self._by_term.setdefault((position, value), []).append(triple)

    def candidates(self, edge: Triple, values: Row) -> Sequence[Triple]:
        """Return a short list that contains every triple which the edge can match, given these values."""
        parts = [values.get(part, part) for part in edge]
        lists = [self._by_term.get((i, part), []) for i, part in enumerate(parts) if not is_variable(part)]
        if len(lists) == 3:
            triple = (parts[0], parts[1], parts[2])
            return [triple] if triple in self._all else []
        return min(lists, key=len, default=self.triples)

    def extensions(self, edge: Triple, values: Row, budget: StepBudget) -> Iterator[Row]:
        """Yield the row extended by each triple that the edge matches."""
        for triple in self.candidates(edge, values):
            if not budget.spend():
                return
            extended = unify(edge, triple, values)
            if extended is not None:
                yield extended

    def order(self, edges: Iterable[Triple]) -> list[Triple]:
        """Order edges for a search: the fewest unbound variables first and, among equals, the fewest triples."""
        remaining = dict.fromkeys(edges)
        sizes = {edge: len(self.candidates(edge, {})) for edge in remaining}
        unbound = {edge: sum(map(is_variable, edge)) for edge in remaining}
        edges_with: dict[Term, list[Triple]] = {}
        for edge in remaining:
            for name in set(filter(is_variable, edge)):
                edges_with.setdefault(name, []).append(edge)
        heap = [(unbound[edge], sizes[edge], number, edge) for number, edge in enumerate(remaining)]
        heapq.heapify(heap)
        ordered = []
        while heap:
            count, _, number, edge = heapq.heappop(heap)
            if edge not in remaining or count != unbound[edge]:
                continue  # an outdated entry: a variable of the edge has been bound since
            del remaining[edge]
            ordered.append(edge)
            for name in filter(is_variable, edge):
                for other in edges_with.pop(name, ()):
                    if other in remaining:
                        unbound[other] -= other.count(name)
                        heapq.heappush(heap, (unbound[other], sizes[other], number, other))
        return ordered


def unify(edge: Triple, triple: Triple, values: Row) -> Row | None:
    """Return the row extended so that the edge becomes this triple, or None if they disagree."""
    extended = dict(values)
    for part, value in zip(edge, triple, strict=True):
        if is_variable(part):
            if extended.setdefault(part, value) != value:
                return None
        elif part != value:
            return None
    return extended
