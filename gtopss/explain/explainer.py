"""Finding why: solutions if there are any, else the largest part that matches and what fails then.

Every branch gets its share of `STEPS`; within it, the search for solutions may take half, the search for the
largest part half of the rest. What is cut short is said so in the result (`settled`, `exact`, `complete`).
"""

from __future__ import annotations

from dataclasses import replace

from gtopss.explain.constraint_checks import check_constraint, closest, compute
from gtopss.explain.explanation import (
    Binding,
    Bindings,
    BranchExplanation,
    Conflict,
    ConstraintFailure,
    EdgeFailure,
    EdgeMatch,
    Explanation,
    Failure,
    JoinFailure,
    SolutionExplanation,
)
from gtopss.explain.largest_part import MatchedPart, largest_part
from gtopss.explain.near_triples import nearest
from gtopss.explain.row_search import Row, StepBudget, TripleIndex, components, evaluation_steps, rows, unify
from gtopss.model import Branch, Publication, Subscription, Triple
from gtopss.model.expressions import leaf_terms
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy

STEPS = 400_000  # for one explanation; about a second
ROWS = 10_000  # rows examined, and solutions counted, for one branch
SOLUTIONS = 10  # solutions shown for one branch
NEAREST = 3  # triples shown beside an edge
_PAIRS = 200  # rows of the part, and triples of the edge, among which the best conflict is sought


def explain(subscription: Subscription, publication: Publication, taxonomy: Taxonomy) -> Explanation:
    """Why the subscription matches the publication, or what it fails on.

    >>> found = explain(
    ...     Subscription("s", [("?who", "<urn:knows>", "<urn:bob>")]),
    ...     Publication("p", [("<urn:ann>", "<urn:knows>", "<urn:rob>")]),
    ...     Taxonomy(),
    ... )
    >>> print(found)
    s does not match p: 0 of 1 edges match
      ✘ ?who  <urn:knows>  <urn:bob>   no triple matches it
          near: <urn:ann>  <urn:knows>  <urn:rob>   object is <urn:rob>, not <urn:bob>
    """
    index, scope = TripleIndex(publication.triples), EvaluationContext(publication, taxonomy)
    steps = STEPS // len(subscription.branches)
    branches = []
    for number, branch in enumerate(subscription.branches, start=1):
        walk = _BranchExplainer(
            number, branch, compile_expressions(subscription.id, branch), index, scope, StepBudget(steps)
        )
        branches.append(walk.explain())
    return Explanation(subscription.id, publication.id, tuple(sorted(branches, key=_got_furthest)))


def _got_furthest(each: BranchExplanation) -> tuple[int, ...]:
    missing = len(each.branch.edges()) - len(each.part)
    failing = sum(not check.holds for check in each.checks())
    return not each.matched, missing, failing, -len(each.part), each.number


class _BranchExplainer:
    """One branch in one publication."""

    def __init__(
        self,
        number: int,
        branch: Branch,
        rules: BranchExpressions,
        index: TripleIndex,
        scope: EvaluationContext,
        budget: StepBudget,
    ) -> None:
        self.number, self.branch, self.rules = number, branch, rules
        self.index, self.scope, self.budget = index, scope, budget
        self.edges = branch.edges()
        bound = set(branch.variables())
        self._early = [test for test in rules.tests if test.variables <= bound]
        self._row_weight = sum(map(evaluation_steps, rules.tests)) + sum(
            1 for b in branch.binds for _ in leaf_terms(b.expression)
        )

    def explain(self) -> BranchExplanation:
        made = self._solutions()
        settled = made is not None or not self.budget.exhausted
        if made is None:
            part = largest_part(self.edges, self.index, self.budget.slice(max(self.budget.left // 2, 1)))
            made = self._miss(part) if len(part.edges) < len(self.edges) else self._rows(part)
        return replace(made, settled=settled or made.matched, complete=not self.budget.exhausted)

    def _solutions(self) -> BranchExplanation | None:
        share = self.budget.slice(max(self.budget.left // 2, 1))
        found, count = list[Row](), 0
        for row in rows(self.edges, self.index, share, self._early, self.scope):
            if not share.spend(self._row_weight + 1):
                break
            values = dict(row)
            self.rules.bind(values, self.scope)
            if all(test.holds(values, self.scope) for test in self.rules.tests):
                if count == ROWS:
                    share.mark_exhausted()
                    break
                count += 1
                if count <= SOLUTIONS:
                    found.append(row)
        return self._matched(found, count - len(found)) if found else None

    def _matched(self, found: list[Row], more: int) -> BranchExplanation:
        solutions = tuple(map(self._solution, found))
        first = solutions[0]
        return BranchExplanation(self.number, self.branch, first.edges, first.bindings, solutions, more)

    def _solution(self, row: Row) -> SolutionExplanation:
        values, computed = compute(self.branch, self.rules, row, self.scope)
        checks = tuple(check_constraint(test, values, self.scope) for test in self.rules.tests)
        return SolutionExplanation(self._bindings(values), _behind(self.edges, row), computed, checks)

    def _bindings(self, values: Row) -> Bindings:
        return tuple(Binding(name, values[name]) for name in self.branch.columns() if name in values)

    # --- misses ------------------------------------------------------------------------------------------------

    def _missed(self, part: MatchedPart, row: Row, failure: Failure) -> BranchExplanation:
        behind = _behind(part.edges, row)
        bindings = self._bindings(row)
        return BranchExplanation(self.number, self.branch, behind, bindings, failure=failure, exact=part.exact)

    def _miss(self, part: MatchedPart) -> BranchExplanation:
        """Some edge has no triple, or none that goes with the rest."""
        edge = part.dead[0] if part.dead else next(each for each in self.edges if each not in part.edges)
        alone = [t for t in self.index.candidates(edge, {}) if unify(edge, t, {}) is not None]
        if not alone:
            return self._missed(part, part.row, EdgeFailure(edge, nearest(edge, self.index.triples, NEAREST)))
        row, conflicts = self._conflicts(part, edge, alone[:_PAIRS])
        return self._missed(
            part, row, JoinFailure(edge, tuple(alone[:NEAREST]), max(len(alone) - NEAREST, 0), conflicts)
        )

    def _conflicts(self, part: MatchedPart, edge: Triple, triples: list[Triple]) -> tuple[Row, tuple[Conflict, ...]]:
        """The row of the part and the triple of the edge that disagree on the fewest variables."""
        hanging = next(group for group in components([*part.edges, edge]) if edge in group)
        hanging.remove(edge)
        best_row, best = part.row, None
        share = self.budget.slice(max(self.budget.left // 2, 1))
        for number, row in enumerate(rows(hanging, self.index, share)):
            if number >= _PAIRS:
                break
            for triple in triples:
                needs = dict(zip(edge, triple, strict=True))
                found = tuple(Conflict(v, row[v], needs[v]) for v in needs if v in row and row[v] != needs[v])
                if best is None or len(found) < len(best):
                    best_row, best = {**part.row, **row}, found
        return best_row, best or ()

    def _rows(self, part: MatchedPart) -> BranchExplanation:
        """Every edge matches: the row that satisfies the most constraints, and what fails there."""
        tests, every = self.rules.tests, (1 << len(self.rules.tests)) - 1
        seen = list[tuple[Row, int]]()
        for row in rows(self.edges, self.index, self.budget):
            if len(seen) == ROWS:
                self.budget.mark_exhausted()
                break
            seen.append(self._asked(row))
            if not self.budget.spend(self._row_weight + 1):
                break
        if not seen:  # no steps were left; the part's own row will do
            seen.append(self._asked(part.row))
        if solved := [values for values, held in seen if held == every]:
            # the search for solutions was cut before it came here
            return self._matched(solved[:SOLUTIONS], max(len(solved) - SOLUTIONS, 0))
        best, held = max(seen, key=lambda each: each[1].bit_count())
        failing = next(number for number in range(len(tests)) if not held >> number & 1)
        check = check_constraint(tests[failing], best, self.scope)
        others = [values for values, held in seen if held == every ^ (1 << failing)]
        pool = others or [values for values, held in seen if not held >> failing & 1]
        near = closest(check.asked, pool, self.scope, alone=bool(others))
        if near is not None and others and check.asked == check.constraint:
            best = others[near[0]]
        values, computed = compute(self.branch, self.rules, best, self.scope)
        checks = tuple(check_constraint(test, values, self.scope) for test in tests)
        failure = ConstraintFailure(checks[failing], checks, computed, near and near[1], len(seen))
        return self._missed(part, values, failure)

    def _asked(self, row: Row) -> tuple[Row, int]:
        """The row with its computed values, and the tests that hold as the bits of a number."""
        values = dict(row)
        self.rules.bind(values, self.scope)
        return values, sum(test.holds(values, self.scope) << n for n, test in enumerate(self.rules.tests))


def _behind(edges: tuple[Triple, ...], row: Row) -> tuple[EdgeMatch, ...]:
    return tuple(EdgeMatch((s, p, o), (row.get(s, s), row.get(p, p), row.get(o, o))) for s, p, o in edges)
