"""Evaluate queries for one publication, within its limits: rows of SELECT and ASK, graphs of CONSTRUCT and DESCRIBE."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from gtopss.algebra import Dataset, evaluate_query, query_rows
from gtopss.algebra.evaluation import Row as RowValues
from gtopss.model import Branch, Call, Exceeded, Publication, Row, Term, Triple
from gtopss.model.algebra import GRAPH_FORMS
from gtopss.model.dataset_publication import named_graphs
from gtopss.semantics import BudgetExceeded, EvaluationContext

_NO_VALUE = Call("UNBOUND", ())


class QueryAnswer(NamedTuple):
    """The solutions of a query in one publication, as values of its selected variables; or its graph."""

    rows: tuple[Row, ...] = ()
    truncated: bool = False
    graph: tuple[Triple, ...] | None = None


def result_branch(select: Sequence[Term]) -> Branch:
    """Return a branch whose columns are the selected variables: the form of the solutions of a query."""
    return Branch([], [], [(name, _NO_VALUE) for name in select])


class PublicationQueries:
    """The queries of one publication: they share its graphs and its budget. Not thread-safe."""

    def __init__(self, publication: Publication, context: EvaluationContext, row_limit: int) -> None:
        self._publication, self._context, self._row_limit = publication, context, row_limit
        self.exceeded: list[Exceeded] = []
        """The queries that a limit ended."""

    @cached_property
    def _dataset(self) -> Dataset:
        return Dataset(self._publication.triples, named_graphs(self._publication))

    @property
    def steps(self) -> int:
        """The steps of the last query."""
        return self._context.budget.steps

    def answer(
        self, subscription_id: str, query: Call, select: Sequence[Term], rows: Sequence[RowValues] | None = None
    ) -> QueryAnswer | None:
        """Return the answer of one query; None if it has no solution. `rows` are those of its step ROWS, if known.

        The caller starts the budget of the subscription.
        """
        if query.function in GRAPH_FORMS:
            return self._graph(subscription_id, query, rows)
        value_limit = self._context.budget.limits.match_values
        found: list[Row] = []
        more = False
        try:
            for row in query_rows(query, self._context, self._dataset, rows):
                value_limit -= len(select)
                if len(found) == self._row_limit or (value_limit < 0 and found):
                    more = True
                    break
                found.append(tuple(map(row.get, select)))
        except BudgetExceeded as reached:
            self.exceeded.append(Exceeded(subscription_id, reached.amount, reached.limit))
            more = bool(found)
        return QueryAnswer(tuple(found), more and self._row_limit > 0) if found or more else None

    def _graph(self, subscription_id: str, query: Call, rows: Sequence[RowValues] | None) -> QueryAnswer | None:
        """Return the graph of a CONSTRUCT or DESCRIBE query; None if it is empty."""
        limits = self._context.budget.limits
        most, values = (self._row_limit, limits.match_values) if self._row_limit else (limits.work, 1)
        made = evaluate_query(query, self._context, self._dataset, most, values, rows)
        if made.reached is not None:
            self.exceeded.append(Exceeded(subscription_id, made.reached.amount, made.reached.limit))
        if not made.triples:
            return None
        graph = made.triples if self._row_limit else ()
        return QueryAnswer((), made.truncated and self._row_limit > 0, graph)
