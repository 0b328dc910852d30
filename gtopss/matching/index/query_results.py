"""Evaluate queries with the rows that the index found for their required parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from rdflib.term import Identifier

from gtopss.algebra.evaluation import STEPS_PER_TRIPLE
from gtopss.matching.index.encode import EncodedBatch
from gtopss.matching.index.kernels.emit import MATCH_UNSURE, MORE_ROWS
from gtopss.matching.index.kernels.search import SearchResult
from gtopss.matching.index.lazy_reports import IndexQueryMatch
from gtopss.matching.index.query_plan import QueryPlan, count_holds
from gtopss.matching.query_answers import PublicationQueries
from gtopss.model import Exceeded, Match, Publication, Row, Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec
from gtopss.semantics import BudgetExceeded, EvaluationContext

FoundRow: TypeAlias = tuple[int, int, int]
"""The branch of a row, the place of its first value (-1 for none) and its flags."""
RowCheck: TypeAlias = Callable[[EncodedSubscription, int, Row, EvaluationContext], Row | None]
"""Returns a row of a branch with its computed values; None if a test fails."""


class QuerySteps:
    """The steps that queries took. Thread-safe, but some increments may be lost."""

    def __init__(self) -> None:
        self.by_id: dict[str, int] = {}

    def add(self, subscription_id: str, steps: int) -> None:
        self.by_id[subscription_id] = self.by_id.get(subscription_id, 0) + steps


class PublicationQueryMatches:
    """Make the matches of the queries of one publication."""

    def __init__(
        self,
        publication: Publication,
        context: EvaluationContext,
        row_limit: int,
        codec: SubscriptionCodec,
        steps: QuerySteps,
    ) -> None:
        self._publication, self._context, self._row_limit = publication, context, row_limit
        self._codec, self._steps = codec, steps
        self._queries = PublicationQueries(publication, context, row_limit)

    def matches(
        self,
        encoded: EncodedSubscription,
        found: Sequence[FoundRow],
        terms: Sequence[Term],
        check: RowCheck,
        exceeded: dict[str, Exceeded],
        long_terms: dict[Term, Identifier],
    ) -> Iterator[IndexQueryMatch]:
        """Yield the match of one query; nothing if it has no solution.

        `found` are the rows of its required part, if it must have one. If a limit ended the search for rows, `exceeded`
        has the query. That says nothing of it, because the required part was found: it is evaluated from the beginning.
        """
        plan: QueryPlan = encoded.template.query_plan
        constants = self._codec.constants(encoded)
        self._context.budget.start_subscription()
        rows = None
        try:
            if plan.uses_rows and found and encoded.id not in exceeded and all(each[2] != MORE_ROWS for each in found):
                rows = self._source_rows(plan, encoded, found, terms, check)
                if not rows:
                    return
        except BudgetExceeded as reached:
            exceeded[encoded.id] = Exceeded(encoded.id, reached.amount, reached.limit)
            return
        exceeded.pop(encoded.id, None)
        runnable = plan.query(constants) if rows is not None else plan.whole_query(constants)
        if self._row_limit:
            answer = self._queries.answer(encoded.id, runnable.query, plan.select, rows)
        else:
            answer = self._queries.answer(encoded.id, runnable.core, (), rows)
        self._steps.add(encoded.id, self._queries.steps)
        while self._queries.exceeded:
            exceeded[encoded.id] = self._queries.exceeded.pop()
        if answer is not None:
            yield IndexQueryMatch(self._publication.id, encoded, self._codec, answer, long_terms)

    def _source_rows(
        self,
        plan: QueryPlan,
        encoded: EncodedSubscription,
        found: Sequence[FoundRow],
        terms: Sequence[Term],
        check: RowCheck,
    ) -> list[dict[Term, Term]]:
        """Return the solutions of the row source of a query. Raises BudgetExceeded."""
        self._context.budget.spend(STEPS_PER_TRIPLE * len(found))
        made: list[dict[Term, Term]] = []
        for branch, at, flags in found:
            row: Row | None = tuple(terms[at : at + len(encoded.template.plan[branch].variables)])
            if flags & MATCH_UNSURE:
                row = check(encoded, branch, row or (), self._context)
            if row is not None:
                made.append({name: row[place] for name, place in plan.places[branch]})  # type: ignore[misc]
        if plan.has_repeated_rows and len(made) > 1:
            made = [dict(each) for each in dict.fromkeys(tuple(row.items()) for row in map(_sorted, made))]
        return made


def _sorted(row: dict[Term, Term]) -> dict[Term, Term]:
    return dict(sorted(row.items()))


class UnsureRows:
    """Decide which subscriptions with unsure rows match, where only their ids are wanted."""

    def __init__(
        self,
        found: SearchResult,
        batch: EncodedBatch,
        encoded: Sequence[EncodedSubscription | None],
        codec: SubscriptionCodec,
    ) -> None:
        self._found, self._batch, self._encoded, self._codec = found, batch, encoded, codec
        self._branches, self._starts = found.branch.tolist(), found.row_start.tolist()
        self._flags = found.flags.tolist()

    @cached_property
    def _values(self) -> list[int]:
        values: list[int] = self._found.values.tolist()
        return values

    @cached_property
    def _terms(self) -> list[Term]:
        return self._batch.lines.take(self._found.values)

    def satisfied(
        self, number: int, by_slot: Mapping[int, list[int]], matches: Callable[..., Iterable[Match]]
    ) -> list[int] | None:
        """Return one row for each slot that matches the publication `number`; None if a limit was reached.

        `by_slot` has the places of the unsure rows of each slot; `matches` evaluates what the rows do not decide.
        """
        kept: list[int] = []
        hits: dict[int, list[FoundRow]] = {}
        for slot, places in by_slot.items():
            encoded = self._encoded[slot]
            if encoded is None:
                continue
            holds = self._decide_by_count(encoded, places)
            if holds is None:
                hits[slot] = [(self._branches[place], self._starts[place], self._flags[place]) for place in places]
            elif holds:
                kept.append(places[0])
        if hits:
            exceeded: dict[str, Exceeded] = {}
            matched = {
                match.subscription_id
                for match in matches(self._batch.publications[number], hits, {}, self._terms, exceeded)
            }
            if exceeded:
                return None
            for slot in hits:
                encoded = self._encoded[slot]
                if encoded is not None and encoded.id in matched:
                    kept.append(by_slot[slot][0])
        return kept

    def _decide_by_count(self, encoded: EncodedSubscription, places: Sequence[int]) -> bool | None:
        """Return whether a query matches if that follows from the number of its rows, else None."""
        plan: QueryPlan | None = encoded.template.query_plan
        if plan is None or plan.count is None:
            return None
        flags = self._flags
        if any(flags[place] & MATCH_UNSURE for place in places):
            return None
        number = self._codec.constant(encoded, plan.count.number)
        return count_holds(plan.count, number, self._values, map(self._starts.__getitem__, places))
