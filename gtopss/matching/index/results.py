"""Build reports from what the kernels found: rows become terms, and Python tests what no kernel can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast
from weakref import WeakValueDictionary

from rdflib.term import Identifier

from gtopss.matching.index.branch_plan import BranchPlan, tests_of_edges
from gtopss.matching.index.encode import OVER_EXPANSION, EncodedBatch
from gtopss.matching.index.encode import OVER_WORK as OVER_WORK_BEFORE
from gtopss.matching.index.kernels.emit import MATCH_UNSURE, MORE_ROWS, OVER_PUBLICATION_WORK, OVER_VALUES, OVER_WORK
from gtopss.matching.index.kernels.search import SearchResult
from gtopss.matching.index.lazy_reports import BranchRow, IndexMatch, IndexReport, counters_from, selected_values
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
from ontology import Taxonomy

_MAX_CACHED_BRANCHES = 50_000
"""Compiled branches in the cache; it is emptied when it is full."""
_MAX_CACHED_BYTES = 500_000_000
"""About how many bytes the compiled branches in the cache may take; it is emptied when it is full."""

_LIMIT_NAMES = {OVER_WORK: "work_limit", OVER_PUBLICATION_WORK: "publication_work_limit", OVER_VALUES: "value_limit"}

_FoundRow: TypeAlias = tuple[int, Row, int]
"""The number of a branch, a row, and 1 if Python must test it. A plain tuple: there may be very many."""


class _Hits(NamedTuple):
    """What the kernels found in a batch, as columns: slot, branch, where its values begin (-1 for none), and flags."""

    slots: list[int]
    branches: list[int]
    row_starts: list[int]
    flags: list[int]

    def by_slot(self, places: range) -> dict[int, list[tuple[int, int, int]]]:
        """Return the branches, row starts and flags at these places for each slot."""
        made: dict[int, list[tuple[int, int, int]]] = {}
        for place in places:
            row = self.branches[place], self.row_starts[place], self.flags[place]
            made.setdefault(self.slots[place], []).append(row)
        return made


def _limits_reached(mark: int) -> tuple[str, ...]:
    """Return the names of the limits that a publication reached before it was searched."""
    names = {OVER_EXPANSION: "expansion_limit", OVER_WORK_BEFORE: "publication_work_limit"}
    return tuple(name for bit, name in names.items() if mark & bit)


def _row_width(row: BranchRow) -> int:
    return len(row[1])


class ReportLimits(NamedTuple):
    """How many rows a match has, and what the checks in Python may spend on one publication."""

    rows: int
    evaluation: EvaluationLimits


class ReportBuilder:
    """Build the reports of batches. Thread-safe: it reads the index without its lock (see `SlotTable`)."""

    def __init__(
        self,
        encoded: Sequence[EncodedSubscription | None],
        codec: SubscriptionCodec,
        taxonomy: Taxonomy,
    ) -> None:
        """`encoded` are subscriptions by slot, which belong to the writer; the plan of a template is in it."""
        self._encoded, self._codec, self._taxonomy = encoded, codec, taxonomy
        self._compiled: dict[tuple[Template, bytes, int], BranchExpressions] = {}
        self._tests: WeakValueDictionary[Call, CompiledTest] = WeakValueDictionary()  # of all compiled branches
        self._compiled_bytes = 0  # threads may miscount it a little, which changes only when the cache is emptied

    def forget(self, encoded: EncodedSubscription) -> None:
        """Drop what was compiled for a subscription that is removed."""
        for number in range(len(encoded.template.branches)):
            expressions = self._compiled.pop((encoded.template, encoded.constants, number), None)
            self._compiled_bytes -= 0 if expressions is None else expressions.size

    def build(
        self,
        batch: EncodedBatch,
        found: SearchResult,
        edgeless: Mapping[int, tuple[int, ...]],
        limits: ReportLimits,
    ) -> list[MatchReport]:
        """Return one report per publication.

        `edgeless` maps slots to the numbers of their branches without edges.
        """
        plain = not edgeless and not found.unsure_count and not len(found.exceeded) and not batch.over_limit.any()
        if limits.rows == 0 and plain:
            return self._reports_without_rows(batch, found)
        return self._reports_with_rows(batch, found, edgeless, limits)

    def _reports_without_rows(self, batch: EncodedBatch, found: SearchResult) -> list[MatchReport]:
        """Report which subscriptions match, and nothing else: the fast path of routing."""
        by_slot, codec, slots, counters = self._encoded, self._codec, found.slot.tolist(), found.counters
        matching: list[EncodedSubscription | None] = list(map(by_slot.__getitem__, slots))
        is_simple = all(matching) and not found.branch.any()  # nothing was removed meanwhile, or matches twice
        reports: list[MatchReport] = []
        start = 0
        for number, (id, end) in enumerate(zip(ids_of(batch.publications), found.ends.tolist(), strict=True)):
            here = matching[start:end]
            if not is_simple:
                here = [by_slot[slot] for slot in dict.fromkeys(slots[start:end])]
            known = here if is_simple else [each for each in here if each is not None]
            reports.append(IndexReport(id, cast("list[EncodedSubscription]", known), codec, counters, number))
            start = end
        return reports

    def _reports_with_rows(
        self, batch: EncodedBatch, found: SearchResult, edgeless: Mapping[int, tuple[int, ...]], limits: ReportLimits
    ) -> list[MatchReport]:
        hits = _Hits(*(each.tolist() for each in (found.slot, found.branch, found.row_start, found.flags)))
        exceeded, counted = self._exceeded_work(found), found.counters
        terms, over_limit = batch.lines.take(found.values), batch.over_limit.tolist() or [0] * len(batch.publications)
        reports, start = list[MatchReport](), 0
        for number, (id, end) in enumerate(zip(ids_of(batch.publications), found.ends.tolist(), strict=True)):
            slots, here = hits.slots[start:end], range(start, end)
            is_certain = limits.rows > 0 and not any(hits.flags[start:end]) and not edgeless and number not in exceeded
            start = end
            if is_certain and not over_limit[number] and len(set(slots)) == len(slots):
                matches = self._single_rows(id, hits, here, terms)
                encoded = [match.encoded for match in matches]
                reports.append(IndexReport(id, encoded, self._codec, counted, number, matches))
                continue
            work = exceeded.get(number, {})
            of_slots = hits.by_slot(here)
            found_here = tuple(self._matches(batch.publications[number], of_slots, edgeless, terms, work, limits))
            counters = counters_from(counted[number].tolist(), len(found_here))
            reached, exceeded_here = _limits_reached(over_limit[number]), tuple(work.values())
            reports.append(MatchReport(id, found_here, counters, exceeded=exceeded_here, limits_reached=reached))
        return reports

    def _single_rows(self, id: str, hits: _Hits, places: range, terms: list[Term]) -> tuple[IndexMatch, ...]:
        """Return the matches of a publication whose subscriptions have one row each, of which none is checked."""
        made, long_terms = [], dict[Term, Identifier]()
        for place in places:
            encoded = self._encoded[hits.slots[place]]
            if encoded is None:
                continue  # removed since the search began
            plans, branch, at = encoded.template.plan, hits.branches[place], hits.row_starts[place]
            row = tuple(terms[at : at + len(plans[branch].variables)]) if at >= 0 else ()
            made.append(IndexMatch(id, encoded, self._codec, plans, ((branch, row),), long_terms=long_terms))
        return tuple(made)

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
        for slot in dict.fromkeys((*hits, *edgeless)):
            encoded = self._encoded[slot]
            if encoded is None:
                continue  # removed since the search began
            plans, found = encoded.template.plan, hits.get(slot, ())
            if len(found) == 1 and found[0][2] == MATCH_UNSURE and slot not in edgeless:
                if context is None:
                    context = EvaluationContext(publication, self._taxonomy, limits.evaluation)
                branch, at, _ = found[0]
                row = self._checked_row(
                    encoded, branch, terms[at : at + len(plans[branch].variables)], context, exceeded
                )
                if row is not None:
                    taken_row = ((branch, row),) if limits.rows > 0 else ()
                    truncated = limits.rows > 0 and encoded.id in exceeded
                    yield IndexMatch(publication.id, encoded, self._codec, plans, taken_row, truncated, long_terms)
                continue
            rows: Iterable[BranchRow] = [
                (branch, tuple(terms[at : at + len(plans[branch].variables)]) if at >= 0 else ())
                for branch, at, _ in found
            ]
            flags = [flags for _, _, flags in found]
            if any(flags) or encoded.template.distinct or slot in edgeless:
                if context is None:
                    context = EvaluationContext(publication, self._taxonomy, limits.evaluation)
                marked = zip(rows, flags, strict=True)
                to_check = [(*row, mark & MATCH_UNSURE) for row, mark in marked if mark != MORE_ROWS]
                to_check += [(branch, (), 1) for branch in edgeless.get(slot, ())]
                rows = self._satisfied(encoded, to_check, context, exceeded)
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
        """Return the rows that satisfy the subscription, distinct ones where it says DISTINCT."""
        checked = (
            (branch, self._checked(encoded, branch, row, context) if unsure else row) for branch, row, unsure in found
        )
        rows = ((branch, row) for branch, row in checked if row is not None)
        return self._distinct(encoded, rows) if encoded.template.distinct else rows

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
