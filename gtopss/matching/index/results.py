"""Build reports from what the kernels found: rows become terms, and Python tests what no kernel can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
from rdflib.term import Identifier

from gtopss.errors import GtopssError
from gtopss.matching.index.branch_plan import BranchPlan, tests_of_edges
from gtopss.matching.index.encode import OVER_EXPANSION, EncodedBatch
from gtopss.matching.index.encode import OVER_WORK as OVER_WORK_BEFORE
from gtopss.matching.index.index_batch import IndexBatch, MatchedRows, RangeMatches
from gtopss.matching.index.kernels.emit import MATCH_UNSURE, MORE_ROWS, OVER_PUBLICATION_WORK, OVER_VALUES, OVER_WORK
from gtopss.matching.index.kernels.search import SearchResult
from gtopss.matching.index.lazy_reports import (
    BranchRow,
    FoundRows,
    FoundValues,
    IndexMatch,
    IndexReport,
    counters_from,
    selected_values,
)
from gtopss.matching.index.query_plan import QueryPlan
from gtopss.matching.index.query_results import PublicationQueryMatches, QuerySteps, UnsureRows
from gtopss.model import Call, MatchReport, Publication, Row, Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec, Template
from gtopss.model.matches import Exceeded, take_rows
from gtopss.model.text_block import ids_of
from gtopss.semantics import (
    BranchExpressions,
    BudgetExceeded,
    CompiledTest,
    EvaluationContext,
    EvaluationLimits,
    compile_expressions,
)
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy

_MAX_CACHED_BRANCHES = 50_000
"""Compiled branches in the cache; it is emptied when it is full."""
_MAX_CACHED_BYTES = 500_000_000
"""About how many bytes the compiled branches in the cache may take; it is emptied when it is full."""

_LIMIT_NAMES = {OVER_WORK: "work_limit", OVER_PUBLICATION_WORK: "publication_work_limit", OVER_VALUES: "value_limit"}

_EXCEEDED_PUBLICATION = 0  # the column of `SearchResult.exceeded` with the publication

_FoundRow: TypeAlias = tuple[int, Row, int]
"""The number of a branch, a row, and 1 if Python must test it. A plain tuple: there may be very many."""


def _rows_by_slot(found: SearchResult, start: int, end: int) -> dict[int, list[tuple[int, int, int]]]:
    """Return branch, place of the first value (-1 for none) and flags of each row, for each slot."""
    columns = (found.slot, found.branch, found.row_start, found.flags)
    made: dict[int, list[tuple[int, int, int]]] = {}
    for slot, *row in zip(*(column[start:end].tolist() for column in columns), strict=True):
        made.setdefault(slot, []).append(tuple(row))
    return made


def _must_check(
    batch: EncodedBatch, found: SearchResult, columns: MatchedRows, any_edgeless: bool, limits: ReportLimits
) -> npt.NDArray[np.bool_]:
    """Return by publication whether Python must look at its rows: a row is unsure or one of several, or a limit was
    reached."""
    marks = np.full(len(batch.publications), any_edgeless)
    if found.flags.any():
        marks[columns.publication()[found.flags != 0]] = True
    if len(found.exceeded):
        marks[found.exceeded[:, _EXCEEDED_PUBLICATION]] = True
    if len(batch.over_limit):
        marks |= batch.over_limit != 0
    if limits.rows > 0 and not columns.has_each_slot_once():
        marks[columns.publication()[~columns.is_first_of_slot()]] = True
    return marks


def _limits_reached(mark: int) -> tuple[str, ...]:
    """Return the names of the limits that a publication reached before it was searched."""
    names = {OVER_EXPANSION: "expansion_limit", OVER_WORK_BEFORE: "publication_work_limit"}
    return tuple(name for bit, name in names.items() if mark & bit)


def _row_width(row: BranchRow) -> int:
    return len(row[1])


def _is_evaluated(plan: QueryPlan | None, limits: ReportLimits) -> bool:
    """Return whether a query is evaluated: for its rows always, and for ids unless the rows of the index decide."""
    return plan is not None and (limits.rows > 0 or not plan.is_decided_by_rows)


class ReportLimits(NamedTuple):
    """How many rows a match has, and what the checks in Python may spend on one publication."""

    rows: int
    evaluation: EvaluationLimits
    literals: LiteralRules = "sparql"
    """How the checks compare plain literals."""


class ReportBuilder:
    """Build the reports of batches. Thread-safe: it reads the index without its lock (see `SlotTable`)."""

    def __init__(
        self,
        encoded: Sequence[EncodedSubscription | None],
        codec: SubscriptionCodec,
        taxonomy: Taxonomy,
        query_steps: QuerySteps | None = None,
    ) -> None:
        """`encoded` are subscriptions by slot, which belong to the writer; the plan of a template is in it."""
        self._encoded, self._codec, self._taxonomy = encoded, codec, taxonomy
        self.query_steps = QuerySteps() if query_steps is None else query_steps
        self._compiled: dict[tuple[Template, bytes, int], BranchExpressions] = {}
        self._tests: WeakValueDictionary[Call, CompiledTest] = WeakValueDictionary()  # of all compiled branches
        self._compiled_bytes = 0  # threads may miscount it a little, which changes only when the cache is emptied

    def forget(self, encoded: EncodedSubscription) -> None:
        """Drop what was compiled for a subscription that is removed."""
        for number in range(len(encoded.template.branches)):
            expressions = self._compiled.pop((encoded.template, encoded.constants, number), None)
            self._compiled_bytes -= 0 if expressions is None else expressions.size
        self.query_steps.by_id.pop(encoded.id, None)

    def check(
        self,
        batch: EncodedBatch,
        found: SearchResult,
        edgeless: Mapping[int, tuple[int, ...]],
        limits: ReportLimits,
        errors: Mapping[int, GtopssError],
    ) -> RangeMatches:
        """Return what the kernels found, with the reports of those publications in which Python must test something.

        `edgeless` maps slots to the numbers of their branches without edges; `errors` are of publications that could
        not be read, and match nothing.
        """
        counts = found.ends.copy()
        counts[1:] -= found.ends[:-1]
        columns = MatchedRows(counts, found.slot, found.branch, found.row_start)
        must_check = _must_check(batch, found, columns, bool(edgeless), limits)
        if errors:
            must_check[list(errors)] = False
        checked: dict[int, MatchReport] = {}
        if limits.rows == 0 and not edgeless and found.flags.any():
            columns, must_check = self._decided(batch, found, columns, must_check, limits)
        if must_check.any():
            numbers = np.flatnonzero(must_check).tolist()
            checked.update(self._checked_reports(numbers, batch, found, edgeless, limits))
            columns = columns.where(~must_check[columns.publication()])
        if limits.rows == 0 and columns.branch.any():
            columns = columns.where(columns.is_first_of_slot())
        values = FoundValues(found.values, batch.lines) if limits.rows > 0 else None
        return RangeMatches(batch.publications, columns, values, found.counters, checked, errors)

    def _decided(
        self,
        batch: EncodedBatch,
        found: SearchResult,
        columns: MatchedRows,
        must_check: npt.NDArray[np.bool_],
        limits: ReportLimits,
    ) -> tuple[MatchedRows, npt.NDArray[np.bool_]]:
        """Decide the unsure rows of publications that reached no limit, where only ids are wanted.

        Return the rows without those that fail, and the publications that are still to be checked.
        """
        at_limit = np.zeros(len(must_check), np.bool_)
        if len(found.exceeded):
            at_limit[found.exceeded[:, _EXCEEDED_PUBLICATION]] = True
        if len(batch.over_limit):
            at_limit |= batch.over_limit != 0
        publication, keep = columns.publication(), np.ones(len(found.flags), np.bool_)
        unsure = np.flatnonzero((found.flags != 0) & ~at_limit[publication] & must_check[publication])
        by_publication: dict[int, dict[int, list[int]]] = {}
        for place, number, slot in zip(
            unsure.tolist(), publication[unsure].tolist(), found.slot[unsure].tolist(), strict=True
        ):
            by_publication.setdefault(number, {}).setdefault(slot, []).append(place)
        keep[unsure] = False
        decisions = UnsureRows(found, batch, self._encoded, self._codec)
        for number, by_slot in by_publication.items():
            kept = decisions.satisfied(number, by_slot, partial(self._matches, limits=limits))
            if kept is None:
                at_limit[number] = True
            else:
                keep[kept] = True
        keep |= at_limit[publication]
        columns = columns.where(keep)
        if (found.flags[unsure] & MATCH_UNSURE).any():  # a slot may have certain rows besides
            columns = columns.where(columns.is_first_of_slot())
        return columns, must_check & at_limit

    def report(
        self,
        batch: EncodedBatch,
        found: SearchResult,
        edgeless: Mapping[int, tuple[int, ...]],
        limits: ReportLimits,
    ) -> MatchReport:
        """Return the report of a batch of one publication. The view that it was searched with must still be open."""
        slots = found.slot.tolist()
        encoded = [each for slot in slots if (each := self._encoded[slot]) is not None]
        # As `_must_check`, without arrays. A slot with several rows, or one that was removed meanwhile, is left to it.
        is_plain = not edgeless and len(set(slots)) == len(encoded) == len(slots) and not any(found.flags.tolist())
        if not is_plain or len(found.exceeded) or any(batch.over_limit.tolist()):
            (checked,) = self.join([self.check(batch, found, edgeless, limits, {})]).reports()
            return checked
        rows = None
        if limits.rows > 0:
            rows = FoundRows(found.branch, found.row_start, FoundValues(found.values, batch.lines))
        return IndexReport(batch.publications[0].id, encoded, self._codec, found.counters, 0, rows, 0)

    def join(self, ranges: Sequence[RangeMatches]) -> IndexBatch:
        """Join the results of neighbouring ranges. The view that they were searched with must still be open."""
        return IndexBatch(ranges, self._encoded, self._codec)

    def _checked_reports(
        self,
        numbers: Iterable[int],
        batch: EncodedBatch,
        found: SearchResult,
        edgeless: Mapping[int, tuple[int, ...]],
        limits: ReportLimits,
    ) -> Iterator[tuple[int, MatchReport]]:
        """Yield the reports of these publications, with the limits that they reached."""
        terms, exceeded = batch.lines.take(found.values), self._exceeded_work(found)
        ids, over_limit = ids_of(batch.publications), batch.over_limit.tolist() or [0] * len(batch.publications)
        ends = [0, *found.ends.tolist()]
        for number in numbers:
            start, end = ends[number], ends[number + 1]
            work, of_slots = exceeded.get(number, {}), _rows_by_slot(found, start, end)
            matches = tuple(self._matches(batch.publications[number], of_slots, edgeless, terms, work, limits))
            counters = counters_from(found.counters[number].tolist(), len(matches))
            reached, exceeded_here = _limits_reached(over_limit[number]), tuple(work.values())
            yield number, MatchReport(ids[number], matches, counters, exceeded=exceeded_here, limits_reached=reached)

    def _matches(
        self,
        publication: Publication,
        hits: Mapping[int, list[tuple[int, int, int]]],
        edgeless: Mapping[int, tuple[int, ...]],
        terms: list[Term],
        exceeded: dict[str, Exceeded],
        limits: ReportLimits,
    ) -> Iterator[IndexMatch]:
        """Yield the matches of one publication. `exceeded` gets the subscriptions whose checks a limit ended."""
        context: EvaluationContext | None = None  # created for the first subscription that needs it: few do
        long_terms: dict[Term, Identifier] = {}
        queries: PublicationQueryMatches | None = None
        for slot in dict.fromkeys((*hits, *edgeless)):
            encoded = self._encoded[slot]
            if encoded is None:
                continue  # removed since the search began
            plans, found = encoded.template.plan, hits.get(slot, ())
            if _is_evaluated(encoded.template.query_plan, limits):
                if context is None:
                    context = EvaluationContext(publication, self._taxonomy, limits.evaluation, limits.literals)
                if queries is None:
                    queries = PublicationQueryMatches(publication, context, limits.rows, self._codec, self.query_steps)
                rows_of_query = () if slot in edgeless else found
                yield from queries.matches(encoded, rows_of_query, terms, self._checked, exceeded, long_terms)
                continue
            if len(found) == 1 and found[0][2] == MATCH_UNSURE and slot not in edgeless:
                if context is None:
                    context = EvaluationContext(publication, self._taxonomy, limits.evaluation, limits.literals)
                branch, at, _ = found[0]
                row = self._checked_row(
                    encoded, branch, terms[at : at + len(plans[branch].variables)], context, exceeded
                )
                if row is not None:
                    taken_row = ((branch, row),) if limits.rows > 0 else ()
                    truncated = limits.rows > 0 and encoded.id in exceeded
                    yield IndexMatch(publication.id, encoded, self._codec, plans, taken_row, truncated, long_terms)
                continue
            rows: Iterable[BranchRow] = (  # made one by one: limits may end the checks after a few
                (branch, tuple(terms[at : at + len(plans[branch].variables)]) if at >= 0 else ())
                for branch, at, _ in found
            )
            flags = [flags for _, _, flags in found]
            is_distinct = encoded.template.distinct and limits.rows > 0  # without rows, there is nothing to compare
            if any(flags) or is_distinct or slot in edgeless:
                if context is None:
                    context = EvaluationContext(publication, self._taxonomy, limits.evaluation, limits.literals)
                marked = zip(rows, flags, strict=True)
                to_check = ((*row, mark & MATCH_UNSURE) for row, mark in marked if mark != MORE_ROWS)
                without_edges: list[_FoundRow] = [(branch, (), 1) for branch in edgeless.get(slot, ())]
                rows = self._satisfied(encoded, chain(to_check, without_edges), context, exceeded)
                if is_distinct:
                    rows = self._distinct(encoded, rows)
            taken, more = take_rows(rows, _row_width, limits.rows, limits.evaluation.match_values)
            if more:
                exceeded.pop(encoded.id, None)  # the match is complete up to the limit of its rows
            if taken or more:
                truncated = limits.rows > 0 and (more or MORE_ROWS in flags or encoded.id in exceeded)
                yield IndexMatch(publication.id, encoded, self._codec, plans, taken, truncated, long_terms)

    def _checked_row(
        self,
        encoded: EncodedSubscription,
        branch: int,
        values: list[Term],
        context: EvaluationContext,
        exceeded: dict[str, Exceeded],
    ) -> Row | None:
        """Do the work of `_satisfied` for the only row of a subscription: the usual case."""
        context.budget.start_subscription()
        try:
            return self._checked(encoded, branch, tuple(values), context)
        except BudgetExceeded as reached:
            exceeded[encoded.id] = Exceeded(encoded.id, reached.amount, reached.limit)
            return None

    def _satisfied(
        self,
        encoded: EncodedSubscription,
        found: Iterable[_FoundRow],
        context: EvaluationContext,
        exceeded: dict[str, Exceeded],
    ) -> Iterator[BranchRow]:
        """Yield the rows that satisfy the subscription until a limit ends the checks: then `exceeded` gets it."""
        context.budget.start_subscription()
        try:
            yield from self._checked_rows(encoded, found, context)
        except BudgetExceeded as reached:
            exceeded[encoded.id] = Exceeded(encoded.id, reached.amount, reached.limit)

    def _checked_rows(
        self, encoded: EncodedSubscription, found: Iterable[_FoundRow], context: EvaluationContext
    ) -> Iterator[BranchRow]:
        """Yield the rows that satisfy the subscription."""
        checked = (
            (branch, self._checked(encoded, branch, row, context) if unsure else row) for branch, row, unsure in found
        )
        return ((branch, row) for branch, row in checked if row is not None)

    def _checked(self, encoded: EncodedSubscription, number: int, row: Row, context: EvaluationContext) -> Row | None:
        """Return the row with its computed values; None if a test of the branch fails."""
        expressions = self._expressions(encoded, number)
        variables = encoded.template.plan[number].variables
        values: dict[Term, Term] = dict(zip(variables, row, strict=True))  # type: ignore[arg-type]
        if not expressions.check(values, context):
            return None
        return row + tuple(values.get(name) for name, _ in expressions.binds)

    def _expressions(self, encoded: EncodedSubscription, number: int) -> BranchExpressions:
        """Return the compiled expressions of a branch, from the cache if they are there."""
        key = (encoded.template, encoded.constants, number)
        expressions = self._compiled.get(key)
        if expressions is None:
            branch = self._codec.decode_branch(encoded, number)
            plan: BranchPlan = encoded.template.plan[number]
            decided = tests_of_edges(plan, self._codec.constants(encoded)) if plan.edges else frozenset[Call]()
            expressions = compile_expressions(encoded.id, branch, skipped=decided, shared=self._tests)
            self._compiled_bytes += expressions.size
            if len(self._compiled) >= _MAX_CACHED_BRANCHES or self._compiled_bytes > _MAX_CACHED_BYTES:
                self._compiled.clear()
                self._compiled_bytes = expressions.size
            self._compiled[key] = expressions
        return expressions

    def _distinct(self, encoded: EncodedSubscription, rows: Iterable[BranchRow]) -> Iterator[BranchRow]:
        plans, seen = encoded.template.plan, set()
        for branch, row in rows:
            selected = selected_values(plans[branch], row)
            if selected not in seen:
                seen.add(selected)
                yield branch, row

    def _exceeded_work(self, found: SearchResult) -> dict[int, dict[str, Exceeded]]:
        """Return, per publication, the subscriptions whose search a limit ended."""
        exceeded: dict[int, dict[str, Exceeded]] = {}
        for publication, slot, amount, limit in found.exceeded.tolist():
            encoded = self._encoded[slot]
            if encoded is not None:
                exceeded.setdefault(publication, {})[encoded.id] = Exceeded(encoded.id, amount, _LIMIT_NAMES[limit])
        return exceeded
