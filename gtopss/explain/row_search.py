"""Rows of a pattern in one publication, within a budget of steps.

`baselines.naive` finds the same rows, but cannot be stopped on the way to the first one; an explanation is asked for
on behalf of whoever registered the pattern, so it may be hostile and must end. The tests hold the two together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from gtopss.model import Term, Triple
from gtopss.model.expressions import leaf_terms
from gtopss.model.terms import is_variable
from gtopss.semantics import CompiledTest, EvaluationContext

Row: TypeAlias = dict[Term, Term]


class StepBudget:
    """Steps that a search may still take: a triple looked at, or a term of a test read, is one.

    `cut` says that some search under this budget, or under a slice of it, ended before it was through.
    """

    def __init__(self, steps: int, parent: StepBudget | None = None) -> None:
        self.left, self.exhausted, self._parent = steps, False, parent

    def spend(self, steps: int = 1) -> bool:
        """Take the steps; False, for good, once there are no more."""
        self.left -= steps
        if (self._parent is None or self._parent.spend(steps)) and self.left >= 0:
            return True
        self.mark_exhausted()
        return False

    def mark_exhausted(self) -> None:
        self.exhausted = True
        if self._parent is not None:
            self._parent.mark_exhausted()

    def slice(self, steps: int) -> StepBudget:
        """A smaller budget out of this one, so that one hopeless search leaves something for the next."""
        return StepBudget(steps, self)


class TripleIndex:
    """A publication's triples by what stands in each position."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self.triples = triples
        self._all = frozenset(triples)
        self._by: dict[tuple[int, Term], list[Triple]] = {}
        for triple in triples:
            for position, value in enumerate(triple):
                self._by.setdefault((position, value), []).append(triple)

    def candidates(self, edge: Triple, values: Row) -> Sequence[Triple]:
        """A short list that holds every triple which this edge, with these values, can be."""
        wanted = [values.get(part, part) for part in edge]
        lists = [self._by.get((i, part), []) for i, part in enumerate(wanted) if not is_variable(part)]
        if len(lists) == 3:
            triple = (wanted[0], wanted[1], wanted[2])
            return [triple] if triple in self._all else []
        return min(lists, key=len, default=self.triples)

    def extensions(self, edge: Triple, values: Row, budget: StepBudget) -> Iterator[Row]:
        """The ways to make one edge a triple of the publication."""
        for triple in self.candidates(edge, values):
            if not budget.spend():
                return
            extended = unify(edge, triple, values)
            if extended is not None:
                yield extended

    def order(self, edges: Iterable[Triple]) -> list[Triple]:
        """Edges so that each next one has as much bound as possible and, among equals, the fewest triples."""
        left = dict.fromkeys(edges)
        sizes = {edge: len(self.candidates(edge, {})) for edge in left}
        unbound = {edge: sum(map(is_variable, edge)) for edge in left}
        having: dict[Term, list[Triple]] = {}
        for edge in left:
            for name in set(filter(is_variable, edge)):
                having.setdefault(name, []).append(edge)
        heap = [(unbound[edge], sizes[edge], number, edge) for number, edge in enumerate(left)]
        heapq.heapify(heap)
        ordered = []
        while heap:
            count, _, number, edge = heapq.heappop(heap)
            if edge not in left or count != unbound[edge]:
                continue  # an entry from before some variable of the edge was bound
            del left[edge]
            ordered.append(edge)
            for name in filter(is_variable, edge):
                for other in having.pop(name, ()):
                    if other in left:
                        unbound[other] -= other.count(name)
                        heapq.heappush(heap, (unbound[other], sizes[other], number, other))
        return ordered


def unify(edge: Triple, triple: Triple, values: Row) -> Row | None:
    """The values and those that make the edge this triple, or None where they disagree."""
    extended = dict(values)
    for part, value in zip(edge, triple, strict=True):
        if is_variable(part):
            if extended.setdefault(part, value) != value:
                return None
        elif part != value:
            return None
    return extended


def rows(
    edges: Iterable[Triple],
    index: TripleIndex,
    budget: StepBudget,
    tests: Sequence[CompiledTest] = (),
    scope: EvaluationContext | None = None,
) -> Iterator[Row]:
    """Every substitution that makes all edges triples; those that fail a test are left as soon as it can be asked."""
    ordered = index.order(edges)
    due = _due(ordered, tests)
    stack: list[Iterator[Row]] = [iter([Row()])]
    while stack:
        values = next(stack[-1], None)
        if values is None:
            stack.pop()
            continue
        level = len(stack) - 1
        if scope is not None and not all(
            budget.spend(evaluation_steps(test)) and test.holds(values, scope) for test in due[level]
        ):
            continue
        if level < len(ordered):
            stack.append(index.extensions(ordered[level], values, budget))
        else:
            yield values


def evaluation_steps(test: CompiledTest) -> int:
    """Steps that asking the test costs."""
    return 1 + sum(1 for _ in leaf_terms(test.call))


def _due(ordered: Sequence[Triple], tests: Sequence[CompiledTest]) -> list[list[CompiledTest]]:
    """For each number of matched edges, the tests whose last variable has just been bound."""
    bound_at: dict[Term, int] = {}
    for level, edge in enumerate(ordered, start=1):
        for part in edge:
            bound_at.setdefault(part, level)
    due: list[list[CompiledTest]] = [[] for _ in range(len(ordered) + 1)]
    for test in tests:
        due[max((bound_at[name] for name in test.variables), default=0)].append(test)
    return due


def find_row(edges: Sequence[Triple], index: TripleIndex, budget: StepBudget) -> Row | None:
    """One row of these edges; None if there is none, or if the budget was cut before there was one.

    Parts that share no variable are asked one by one: together, a part without a row would be tried again for
    every row of the others.
    """
    found = Row()
    for part in components(edges):
        row = next(rows(part, index, budget), None)
        if row is None:
            return None
        found |= row
    return found


def components(edges: Iterable[Triple]) -> list[list[Triple]]:
    """The edges in groups that share no variable with one another, each in the order of writing."""
    position = {edge: number for number, edge in enumerate(edges)}
    having: dict[Term, list[Triple]] = {}
    for edge in position:
        for name in filter(is_variable, edge):
            having.setdefault(name, []).append(edge)
    groups, seen = list[list[Triple]](), set[Triple]()
    for edge in position:
        group, stack = list[Triple](), [edge]
        while stack:
            each = stack.pop()
            if each not in seen:
                seen.add(each)
                group.append(each)
                stack.extend(other for part in each for other in having.pop(part, ()))
        if group:
            groups.append(sorted(group, key=position.__getitem__))
    return groups
