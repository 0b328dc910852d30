"""Explain a subscription: its solutions if it matches, else the largest part that matches and what fails then.

Every branch gets an equal share of `MAX_STEPS`. Within it, the search for solutions may take half, and the search for
the largest part half of the rest. A search that stopped early is marked in the result (`settled`, `exact`,
`complete`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from gtopss.explain import limits
from gtopss.explain.closeness import closeness
from gtopss.explain.closest_value import closest_value
from gtopss.explain.constraint_checks import check_constraint, compute_binds
from gtopss.explain.explanation import (
    Binding,
    Bindings,
    BranchExplanation,
    Check,
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
from gtopss.explain.near_triples import near_triples
from gtopss.explain.row_search import components, evaluation_steps, rows
from gtopss.explain.step_budget import ExplainedEvaluation, StepBudget
from gtopss.explain.triple_index import Row, TripleIndex, unify
from gtopss.model import Branch, Publication, Subscription, Triple
from gtopss.model.expressions import leaf_terms
from gtopss.semantics import BranchExpressions, CompiledTest, EvaluationContext, compile_expressions
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy


def explain(
    subscription: Subscription, publication: Publication, taxonomy: Taxonomy, literals: LiteralRules = "sparql"
) -> Explanation:
    """Explain why the subscription matches the publication, or what is missing.

    >>> found = explain(
    ...     Subscription("s", [("?who", "<urn:knows>", "<urn:bob>")]),
    ...     Publication("p", [("<urn:ann>", "<urn:knows>", "<urn:rob>")]),
    ...     Taxonomy(),
    ... )
    >>> print(found)
    s does not match p: 0 of 1 edges match
      ✘ ?who  <urn:knows>  <urn:bob>   no triple matches this edge
          near: <urn:ann>  <urn:knows>  <urn:rob>   object is <urn:rob>, not <urn:bob>
    """
    index, context = TripleIndex(publication.triples), EvaluationContext(publication, taxonomy, literals=literals)
    context.budget = evaluation = ExplainedEvaluation()
    text_context = EvaluationContext(publication, taxonomy, literals=literals)
    text_context.budget = ExplainedEvaluation(limits.MAX_TEXT_CHECK_STEPS)
    contexts = _Contexts(context, text_context)
    count = len(subscription.branches)
    steps, edge_triples = limits.MAX_STEPS // count, limits.MAX_EDGE_TRIPLES // count
    branches = []
    for number, branch in enumerate(subscription.branches, start=1):
        expressions = compile_expressions(subscription.id, branch)
        budget = StepBudget(steps)
        explained = _BranchExplainer(number, branch, expressions, index, contexts, budget, edge_triples).explain()
        if evaluation.exhausted:
            explained = replace(explained, settled=False, complete=False)
        branches.append(explained)
    return Explanation(subscription.id, publication.id, tuple(sorted(branches, key=closeness)))


class _Contexts(NamedTuple):
    """The context of the search, and that of the texts which are shown; each has a budget of its own."""

    search: EvaluationContext
    texts: EvaluationContext


class _EvaluatedRow(NamedTuple):
    """A row with its computed values, and the constraints that hold on it as the bits of a number."""

    values: Row
    holding: int


class _BranchExplainer:
    """Explain one branch in one publication."""

    def __init__(
        self,
        number: int,
        branch: Branch,
        expressions: BranchExpressions,
        index: TripleIndex,
        contexts: _Contexts,
        budget: StepBudget,
        edge_triples: int,
    ) -> None:
        """`edge_triples` is how many triples may be compared with an edge that fails."""
        self.number, self.branch, self.expressions = number, branch, expressions
        self._edge_triples = edge_triples
        self.index, self.context, self.budget = index, contexts.search, budget
        self._text_context = contexts.texts
        self.edges = branch.edges()
        bound = set(branch.variables())
        self._tests_on_edges = [test for test in expressions.tests if test.variables <= bound]
        bind_steps = sum(1 for bind in branch.binds for _ in leaf_terms(bind.expression))
        self._steps_per_row = sum(map(evaluation_steps, expressions.tests)) + bind_steps + 1

    def explain(self) -> BranchExplanation:
        found = self._explain_match()
        settled = found is not None or not self.budget.exhausted
        if found is None:
            part = largest_part(self.edges, self.index, self.budget.half())
            all_edges_match = len(part.edges) == len(self.edges)
            found = self._explain_failing_constraint(part) if all_edges_match else self._explain_failing_edge(part)
        return replace(found, settled=settled or found.matched, complete=not self.budget.exhausted)

    # --- matches -----------------------------------------------------------------------------------------------

    def _explain_match(self) -> BranchExplanation | None:
        """Return the branch's solutions, or None if none was found."""
        share = self.budget.half()
        found, count = list[Row](), 0
        for row in rows(self.edges, self.index, share, self._tests_on_edges, self.context):
            if not share.spend(self._steps_per_row):
                break
            values = dict(row)
            self.expressions.bind(values, self.context)
            if all(test.holds(values, self.context) for test in self.expressions.tests):
                if count == limits.MAX_ROWS_PER_BRANCH:
                    share.mark_exhausted()
                    break
                count += 1
                if count <= limits.MAX_SOLUTIONS_SHOWN:
                    found.append(row)
        return self._matched(found, count - len(found)) if found else None

    def _matched(self, found: list[Row], more: int) -> BranchExplanation:
        solutions = tuple(map(self._solution, found))
        first = solutions[0]
        return BranchExplanation(self.number, self.branch, first.edges, first.bindings, solutions, more)

    def _solution(self, row: Row) -> SolutionExplanation:
        values, computed = compute_binds(self.branch, self.expressions, row, self.context)
        checks = tuple(self._check(test, values) for test in self.expressions.tests)
        return SolutionExplanation(self._bindings(values), _edge_matches(self.edges, row), computed, checks)

    def _check(self, test: CompiledTest, values: Row) -> Check:
        return check_constraint(test, values, self.context, self._text_context)

    def _bindings(self, values: Row) -> Bindings:
        return tuple(Binding(name, values[name]) for name in self.branch.columns() if name in values)

    # --- misses ------------------------------------------------------------------------------------------------

    def _missed(self, part: MatchedPart, row: Row, failure: Failure) -> BranchExplanation:
        matched, bindings = _edge_matches(part.edges, row), self._bindings(row)
        return BranchExplanation(self.number, self.branch, matched, bindings, failure=failure, exact=part.exact)

    def _explain_failing_edge(self, part: MatchedPart) -> BranchExplanation:
        """Explain a miss in which an edge matches no triple, or none together with the matched part."""
        if part.unmatched_alone:
            edge = part.unmatched_alone[0]
        else:
            edge = next(each for each in self.edges if each not in part.edges)
        candidates = islice(self.index.candidates(edge, {}), self._edge_triples)
        triples = [t for t in candidates if unify(edge, t, {}) is not None]
        if not triples:
            compared = islice(self.index.triples, self._edge_triples)
            near = near_triples(edge, compared, limits.MAX_TRIPLES_SHOWN)
            return self._missed(part, part.row, EdgeFailure(edge, near))
        row, conflicts = self._smallest_conflict(part, edge, triples[: limits.MAX_CONFLICT_CANDIDATES])
        shown = tuple(triples[: limits.MAX_TRIPLES_SHOWN])
        return self._missed(part, row, JoinFailure(edge, shown, len(triples) - len(shown), conflicts))

    def _smallest_conflict(
        self, part: MatchedPart, edge: Triple, triples: list[Triple]
    ) -> tuple[Row, tuple[Conflict, ...]]:
        """Find the row of the part and the triple of the edge that disagree on the fewest variables."""
        connected = next(group for group in components([*part.edges, edge]) if edge in group)
        connected.remove(edge)
        best_row, best = part.row, None
        share = self.budget.half()
        for number, row in enumerate(rows(connected, self.index, share)):
            if number >= limits.MAX_CONFLICT_CANDIDATES:
                break
            for triple in triples:
                needs = dict(zip(edge, triple, strict=True))
                found = tuple(Conflict(v, row[v], needs[v]) for v in needs if v in row and row[v] != needs[v])
                if best is None or len(found) < len(best):
                    best_row, best = {**part.row, **row}, found
        return best_row, best or ()

    def _explain_failing_constraint(self, part: MatchedPart) -> BranchExplanation:
        """Explain a miss in which all edges match: the row that satisfies the most constraints, and what fails."""
        evaluated, tests = self._evaluated_rows(part), self.expressions.tests
        all_hold = (1 << len(tests)) - 1
        if solved := [row.values for row in evaluated if row.holding == all_hold]:
            # The search for solutions ran out of steps before it reached these rows.
            shown = solved[: limits.MAX_SOLUTIONS_SHOWN]
            return self._matched(shown, len(solved) - len(shown))
        best, holding = max(evaluated, key=lambda row: row.holding.bit_count())
        failing = next(number for number in range(len(tests)) if not holding >> number & 1)
        check = self._check(tests[failing], best)
        only_this_fails = [row.values for row in evaluated if row.holding == all_hold ^ (1 << failing)]
        compared = only_this_fails or [row.values for row in evaluated if not row.holding >> failing & 1]
        closest = closest_value(check.deciding, compared, self.context, only_failure=bool(only_this_fails))
        if closest is not None and only_this_fails and check.deciding == check.constraint:
            best = only_this_fails[closest[0]]
        values, computed = compute_binds(self.branch, self.expressions, best, self.context)
        checks = tuple(self._check(test, values) for test in tests)
        failure = ConstraintFailure(checks[failing], checks, computed, closest and closest[1], len(evaluated))
        return self._missed(part, values, failure)

    def _evaluated_rows(self, part: MatchedPart) -> list[_EvaluatedRow]:
        """Return the rows of all edges, up to the limits, with the constraints that hold. There is at least one."""
        evaluated = list[_EvaluatedRow]()
        for row in rows(self.edges, self.index, self.budget):
            if len(evaluated) == limits.MAX_ROWS_PER_BRANCH:
                self.budget.mark_exhausted()
                break
            evaluated.append(self._evaluate(row))
            if not self.budget.spend(self._steps_per_row):
                break
        return evaluated or [self._evaluate(part.row)]  # no steps were left: use the part's own row

    def _evaluate(self, row: Row) -> _EvaluatedRow:
        values = dict(row)
        self.expressions.bind(values, self.context)
        holding = sum(test.holds(values, self.context) << n for n, test in enumerate(self.expressions.tests))
        return _EvaluatedRow(values, holding)


def _edge_matches(edges: tuple[Triple, ...], row: Row) -> tuple[EdgeMatch, ...]:
    return tuple(EdgeMatch((s, p, o), (row.get(s, s), row.get(p, p), row.get(o, o))) for s, p, o in edges)
