"""Collect the matches of one publication, each subscription within the budget of evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from rdflib.term import Identifier

from gtopss.algebra import QueryResult
from gtopss.model import Counters, Exceeded, Match, MatchReport, Solution, Subscription, Term, Undecided
from gtopss.semantics import BudgetExceeded, EvaluationContext


class EngineFailure(Exception):
    """Another engine, which runs a subscription as a query, failed at it."""


class MatchCollector:
    """Collect matches, and name the subscriptions whose search ended early. For one publication and one thread."""

    def __init__(self, context: EvaluationContext, row_limit: int) -> None:
        self.context, self.row_limit = context, row_limit
        self._matches: list[Match] = []
        self._exceeded: list[Exceeded] = []
        self._undecided: list[Undecided] = []
        self._long_terms: dict[Term, Identifier] = {}

    def add(self, subscription: Subscription, found: Iterable[Solution]) -> None:
        """Add the match of these solutions, if there is one. Evaluates no more of them than the row limit needs."""
        self.context.budget.start_subscription()
        publication_id, decided = self.context.publication.id, len(self._exceeded) + len(self._undecided)
        solutions = self._while_possible(subscription.id, found)
        value_limit = self.context.budget.limits.match_values
        match = Match.of(publication_id, subscription, solutions, self.row_limit, value_limit, self._long_terms)
        if match is not None:
            if decided < len(self._exceeded) + len(self._undecided):
                match = replace(match, truncated=self.row_limit > 0)
            self._matches.append(match)

    def _while_possible(self, subscription_id: str, found: Iterable[Solution]) -> Iterator[Solution]:
        try:
            yield from found
        except BudgetExceeded as reached:
            self._exceeded.append(Exceeded(subscription_id, reached.amount, reached.limit))
        except EngineFailure as failure:
            self._undecided.append(Undecided(subscription_id, (str(failure),)))

    @contextmanager
    def while_possible(self, subscription_id: str) -> Iterator[None]:
        """Return a context in which the failure of another engine leaves the subscription undecided."""
        try:
            yield
        except EngineFailure as failure:
            self._undecided.append(Undecided(subscription_id, (str(failure),)))

    def add_graph(self, subscription: Subscription, made: QueryResult) -> None:
        """Add the match of a CONSTRUCT or DESCRIBE query, if its graph has triples."""
        if made.reached is not None:
            self._exceeded.append(Exceeded(subscription.id, made.reached.amount, made.reached.limit))
        if made.triples:
            graph = made.triples if self.row_limit else ()
            truncated = made.truncated and self.row_limit > 0
            publication_id = self.context.publication.id
            self._matches.append(Match(publication_id, subscription, (), truncated, graph, self._long_terms))

    def report(self, counters: Counters) -> MatchReport:
        """Return the report of the publication."""
        counters.matched = len(self._matches)
        publication_id = self.context.publication.id
        return MatchReport(
            publication_id,
            tuple(self._matches),
            counters,
            exceeded=tuple(self._exceeded),
            undecided=tuple(self._undecided),
        )
