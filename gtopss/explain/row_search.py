"""Search for the rows of a pattern in one publication, within a budget of steps.

`gtopss.matching.naive` finds the same rows, but it cannot be stopped before its first one. Whoever registered the
pattern may be hostile, so this search must end. The tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gtopss.explain.step_budget import StepBudget
from gtopss.explain.triple_index import Row, TripleIndex
from gtopss.model import Term, Triple
from gtopss.model.expressions import leaf_terms
from gtopss.model.terms import is_variable
from gtopss.semantics import CompiledTest, EvaluationContext


def rows(
    edges: Iterable[Triple],
    index: TripleIndex,
    budget: StepBudget,
    tests: Sequence[CompiledTest] = (),
    context: EvaluationContext | None = None,
) -> Iterator[Row]:
    """Yield every row that makes all edges triples of the publication and passes the tests.

    Each test is evaluated as soon as its variables are bound. The search ends early when the budget is exhausted.
    """
    ordered = index.order(edges)
    tests_by_level = _tests_by_level(ordered, tests)
    stack: list[Iterator[Row]] = [iter([Row()])]
    while stack:
        values = next(stack[-1], None)
        if values is None:
            stack.pop()
            continue
        level = len(stack) - 1
        if context is not None and not all(
            budget.spend(evaluation_steps(test)) and test.holds(values, context) for test in tests_by_level[level]
        ):
            continue
        if level < len(ordered):
            stack.append(index.extensions(ordered[level], values, budget))
        else:
            yield values


def evaluation_steps(test: CompiledTest) -> int:
    """Return how many steps one evaluation of the test costs."""
    return 1 + sum(1 for _ in leaf_terms(test.call))


def _tests_by_level(ordered: Sequence[Triple], tests: Sequence[CompiledTest]) -> list[list[CompiledTest]]:
    """Return, for each number of matched edges, the tests whose last variable that edge binds."""
    bound_at: dict[Term, int] = {}
    for level, edge in enumerate(ordered, start=1):
        for part in edge:
            bound_at.setdefault(part, level)
    by_level: list[list[CompiledTest]] = [[] for _ in range(len(ordered) + 1)]
    for test in tests:
        by_level[max((bound_at[name] for name in test.variables), default=0)].append(test)
    return by_level


def find_row(edges: Sequence[Triple], index: TripleIndex, budget: StepBudget) -> Row | None:
    """Return one row of these edges, or None if there is none or the budget ran out first.

    Connected components are searched one by one: in one search, a component without a row would be tried again for
    every row of the others.
    """
    found = Row()
    for component in components(edges):
        row = next(rows(component, index, budget), None)
        if row is None:
            return None
        found |= row
    return found


def components(edges: Iterable[Triple]) -> list[list[Triple]]:
    """Group edges into connected components: groups that share no variable. Each group keeps the written order."""
    position = {edge: number for number, edge in enumerate(edges)}
    edges_with: dict[Term, list[Triple]] = {}
    for edge in position:
        for name in filter(is_variable, edge):
            edges_with.setdefault(name, []).append(edge)
    groups, seen = list[list[Triple]](), set[Triple]()
    for edge in position:
        group, stack = list[Triple](), [edge]
        while stack:
            each = stack.pop()
            if each not in seen:
                seen.add(each)
                group.append(each)
                stack.extend(other for part in each for other in edges_with.pop(part, ()))
        if group:
            groups.append(sorted(group, key=position.__getitem__))
    return groups
