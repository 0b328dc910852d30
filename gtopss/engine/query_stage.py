"""Evaluate queries for the publications that satisfy their required part: the second stage of matching.

    publication ──> matcher: the required part of each query matches or not ──> the algebra of those that it matches

This is for matchers that do not evaluate queries themselves (`Capabilities.queries`). Such a matcher holds only the
branches of a query (`gtopss.language.required`), as an ASK. What its report says of them is replaced here by the
solutions of the query.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from rdflib.term import Identifier

from gtopss.matching.query_answers import PublicationQueries, result_branch
from gtopss.model import Branch, Counters, Match, MatchReport, Publication, Solution, Subscription, Term
from gtopss.semantics import EvaluationContext, EvaluationLimits
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy

MAX_DECODED = 4_096
"""Subscriptions that are kept decoded, each of a few kilobytes; all are forgotten when there are more."""


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
        work = PublicationQueries(publication, context, row_limit)
        long_terms: dict[Term, Identifier] = {}
        matches: list[Match] = []
        evaluated = set[str]()  # without rows, an index may report a required part once for each of its solutions
        for match in report.matches:
            if match.subscription_id not in ids:
                matches.append(match)
            elif match.subscription_id in evaluated:
                continue
            elif (known := self._known(match.subscription_id)) is not None:
                evaluated.add(match.subscription_id)
                subscription, columns = known
                assert subscription.query is not None
                context.budget.start_subscription()
                found = work.answer(subscription.id, subscription.query, subscription.select)
                self.steps[subscription.id] = self.steps.get(subscription.id, 0) + work.steps
                if found is not None:
                    solutions = tuple(Solution(columns, row) for row in found.rows)
                    match = Match(publication.id, subscription, solutions, found.truncated, found.graph, long_terms)
                    matches.append(match)
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
            known = self._decoded[subscription_id] = written, result_branch(written.select)
        return known


def _counted(counters: Counters, matches: list[Match]) -> Counters:
    return replace(counters, matched=len(matches))
