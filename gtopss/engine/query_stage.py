"""Evaluate queries for the publications that satisfy their required part: the second stage of matching.

    publication ──> matcher: the required part of each query matches or not ──> the algebra of those that it matches

The matcher holds only the branches of a query (`gtopss.language.required`), as an ASK. What its report says of them is
replaced here by the solutions of the query.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from rdflib.term import Identifier

from gtopss.algebra import Dataset, evaluate_query, query_rows
from gtopss.model import Branch, Call, Counters, Exceeded, Match, MatchReport, Publication, Solution, Subscription, Term
from gtopss.model.algebra import GRAPH_FORMS
from gtopss.model.dataset_publication import named_graphs
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy

MAX_DECODED = 4_096
"""Subscriptions that are kept decoded, each of a few kilobytes; all are forgotten when there are more."""
_NO_VALUE = Call("UNBOUND", ())


class QueryStage:
    """Evaluates queries. Thread-safe: each publication has its own state, and a decoded query is immutable."""

    def __init__(
        self,
        subscription: Callable[[str], Subscription | None],
        taxonomy: Taxonomy,
        limits: EvaluationLimits,
        literals: LiteralRules = "sparql",
    ) -> None:
        """`subscription` returns the subscription of an id as written, or None if it was removed."""
        self._subscription, self._taxonomy, self._limits = subscription, taxonomy, limits
        self._literals: LiteralRules = literals
        self._decoded: dict[str, tuple[Subscription, Branch]] = {}
        self.steps: dict[str, int] = {}
        """Subscription -> the steps of its evaluations. Written without a lock: some increments may be lost."""

    def forget(self, subscription_id: str) -> None:
        """Forget a subscription that was removed."""
        self._decoded.pop(subscription_id, None)
        self.steps.pop(subscription_id, None)

    def complete(self, publication: Publication, report: MatchReport, ids: Set[str], row_limit: int) -> MatchReport:
        """Return the report with the matches of the queries `ids`, whose required parts it has as matches.

        A limit that ended the search for a required part says nothing of these queries: the part was found.
        """
        context = EvaluationContext(publication, self._taxonomy, self._limits, self._literals)
        work = _PublicationQueries(publication, context, row_limit)
        matches: list[Match] = []
        evaluated = set[str]()  # without rows, an index may report a required part once for each of its solutions
        for match in report.matches:
            if match.subscription_id not in ids:
                matches.append(match)
            elif match.subscription_id in evaluated:
                continue
            elif (known := self._known(match.subscription_id)) is not None:
                evaluated.add(match.subscription_id)
                found = work.match(*known)
                self.steps[match.subscription_id] = self.steps.get(match.subscription_id, 0) + work.steps
                if found is not None:
                    matches.append(found)
        return MatchReport(
            report.publication_id,
            tuple(matches),
            _counted(report.counters, matches),
            error=report.error,
            exceeded=(*(each for each in report.exceeded if each.subscription_id not in ids), *work.exceeded),
            undecided=report.undecided,
            operator_usage=report.operator_usage,
            limits_reached=report.limits_reached,
        )

    def _known(self, subscription_id: str) -> tuple[Subscription, Branch] | None:
        known = self._decoded.get(subscription_id)
        if known is None:
            written = self._subscription(subscription_id)
            if written is None:
                return None
            if len(self._decoded) >= MAX_DECODED:
                self._decoded.clear()
            known = self._decoded[subscription_id] = written, result_branch(written)
        return known


def result_branch(subscription: Subscription) -> Branch:
    """Return a branch whose columns are the selected variables: the form of the solutions of a query."""
    return Branch([], [], [(name, _NO_VALUE) for name in subscription.select])


class _PublicationQueries:
    """The queries of one publication: they share its indexes and its budget."""

    def __init__(self, publication: Publication, context: EvaluationContext, row_limit: int) -> None:
        self._publication, self._context, self._row_limit = publication, context, row_limit
        self._dataset = Dataset(publication.triples, named_graphs(publication))
        self._long_terms: dict[Term, Identifier] = {}
        self.exceeded: list[Exceeded] = []

    @property
    def steps(self) -> int:
        """The steps of the last query."""
        return self._context.budget.steps

    def match(self, subscription: Subscription, columns: Branch) -> Match | None:
        """Return the match of one query; None if it has no solution."""
        query = subscription.query
        assert query is not None
        self._context.budget.start_subscription()
        if query.function in GRAPH_FORMS:
            return self._graph_match(subscription, query)
        match = None
        value_limit = self._context.budget.limits.match_values
        found: list[Solution] = []
        more = False
        try:
            for row in query_rows(query, self._context, self._dataset):
                value_limit -= len(columns.binds)
                if len(found) == self._row_limit or (value_limit < 0 and found):
                    more = True
                    break
                found.append(Solution(columns, tuple([row.get(bind.variable) for bind in columns.binds])))
        except BudgetExceeded as reached:
            self.exceeded.append(Exceeded(subscription.id, reached.amount, reached.limit))
            more = bool(found)
        if found or more:
            truncated = more and self._row_limit > 0
            solutions = tuple(found)
            match = Match(self._publication.id, subscription, solutions, truncated, long_terms=self._long_terms)
        return match

    def _graph_match(self, subscription: Subscription, query: Call) -> Match | None:
        """Return the match of a CONSTRUCT or DESCRIBE query; None if its graph is empty."""
        limits = self._context.budget.limits
        rows, values = (self._row_limit, limits.match_values) if self._row_limit else (limits.work, 1)
        made = evaluate_query(query, self._context, self._dataset, rows, values)
        if made.reached is not None:
            self.exceeded.append(Exceeded(subscription.id, made.reached.amount, made.reached.limit))
        if not made.triples:
            return None
        graph = made.triples if self._row_limit else ()
        truncated = made.truncated and self._row_limit > 0
        return Match(self._publication.id, subscription, (), truncated, graph, self._long_terms)


def _counted(counters: Counters, matches: list[Match]) -> Counters:
    return replace(counters, matched=len(matches))
