"""From what the kernels found to reports: rows become terms, and what no kernel can decide is decided here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias

from gtopss.matching.index.branch_plan import BranchPlan
from gtopss.matching.index.encode import Arrival
from gtopss.matching.index.kernels.array_types import Int64Array
from gtopss.matching.index.kernels.search import SearchResult
from gtopss.model import Counters, Match, MatchReport, Row, Solution, Subscription, Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec
from gtopss.model.matches import Exceeded
from gtopss.semantics import BranchExpressions, EvaluationContext, compile_expressions
from ontology import Taxonomy

_MOST_RULES = 50_000
CHECK_WORK = 100
"""Steps that a row checked in Python counts for."""
Solved: TypeAlias = tuple[int, Row]
"""A branch's number and one row that satisfies it."""


class IndexMatch(Match):
    """A match that makes its subscription and solutions when somebody looks at them: routing needs neither."""

    record: EncodedSubscription
    codec: SubscriptionCodec
    plan: Sequence[BranchPlan]
    solved: Sequence[Solved]

    def __init__(
        self,
        publication_id: str,
        record: EncodedSubscription,
        codec: SubscriptionCodec,
        plan: Sequence[BranchPlan] = (),
        solved: Sequence[Solved] = (),
        truncated: bool = False,
    ) -> None:
        self.__dict__.update(
            publication_id=publication_id, record=record, codec=codec, plan=plan, solved=solved, truncated=truncated
        )

    @property
    def subscription_id(self) -> str:
        return self.record.id

    @cached_property
    def subscription(self) -> Subscription:
        return self.codec.decode(self.record)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        branches = self.subscription.branches
        return tuple(Solution(branches[number], row) for number, row in self.solved)

    @cached_property
    def rows(self) -> tuple[dict[str, Term], ...]:
        return tuple(dict(_selected(self.plan[number], row)) for number, row in self.solved)

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if isinstance(other, IndexMatch) else other)

    def __hash__(self) -> int:
        return hash(self.plain())

    def plain(self) -> Match:
        """The same match with everything made."""
        return Match(self.publication_id, self.subscription, self.solutions, self.truncated)

    def __reduce__(self) -> tuple[Any, ...]:
        return Match, (self.publication_id, self.subscription, self.solutions, self.truncated)


class IndexReport(MatchReport):
    """A report of facts without rows, whose matches are made when somebody looks at them."""

    __slots__ = ("_codec", "_counted", "_made", "_number", "_records")
    _counted: Int64Array
    _made: tuple[Match, ...] | None
    _number: int
    _codec: SubscriptionCodec
    _records: list[EncodedSubscription]
    error, exceeded, undecided, operator_usage = (
        None,
        (),
        (),
        None,
    )  # in place of slots: nobody else's report has them either

    def __init__(
        self,
        publication_id: str,
        records: list[EncodedSubscription],
        codec: SubscriptionCodec,
        counted: Int64Array,
        number: int,
    ) -> None:
        keep = object.__setattr__
        keep(self, "publication_id", publication_id)
        keep(self, "_records", records)
        keep(self, "_codec", codec)
        keep(self, "_counted", counted)
        keep(self, "_number", number)
        keep(self, "_made", None)

    @property
    def matches(self) -> tuple[Match, ...]:
        if self._made is None:
            made = tuple(IndexMatch(self.publication_id, each, self._codec) for each in self._records)
            object.__setattr__(self, "_made", made)
            return made
        return self._made

    @property
    def counters(self) -> Counters:
        return _counters(self._counted[self._number].tolist(), len(self._records))

    def __len__(self) -> int:
        return len(self._records)

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        return tuple([record.id for record in self._records])

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if isinstance(other, IndexReport) else other)

    def __hash__(self) -> int:
        return hash(self.plain())

    def plain(self) -> MatchReport:
        """The same report with everything made."""
        return MatchReport(self.publication_id, self.matches, self.counters)

    def __reduce__(self) -> tuple[Any, ...]:
        return MatchReport, (self.publication_id, self.matches, self.counters)


class Answers:
    """Makes the reports of batches."""

    def __init__(
        self,
        records: Sequence[EncodedSubscription | None],
        codec: SubscriptionCodec,
        plans: Mapping[int, tuple[BranchPlan, ...]],
        taxonomy: Taxonomy,
    ) -> None:
        self._records, self._codec, self._plans, self._taxonomy = records, codec, plans, taxonomy
        self._rules: dict[tuple[int, bytes, int], BranchExpressions] = {}

    def reports(
        self,
        arrival: Arrival,
        found: SearchResult,
        edgeless: Mapping[int, tuple[int, ...]],
        row_limit: int,
        checks: int,
    ) -> list[MatchReport]:
        """One report for each publication. `edgeless` are branches without edges: slot to their numbers. At most
        `checks` rows are checked for a subscription and publication."""
        if row_limit == 0 and not edgeless and not found.unsure_count and not len(found.exceeded):
            return self._facts(arrival, found)
        return self._matches(arrival, found, edgeless, row_limit, checks)

    def _facts(self, arrival: Arrival, found: SearchResult) -> list[MatchReport]:
        """Who matches, and nothing else: the short way."""
        records, codec, slots, counted = self._records, self._codec, found.slot.tolist(), found.counters
        made: list[MatchReport] = []
        start = 0
        for number, (publication, end) in enumerate(zip(arrival.publications, found.ends.tolist(), strict=True)):
            told = dict.fromkeys(slots[start:end])
            here = [record for slot in told if (record := records[slot]) is not None]
            made.append(IndexReport(publication.id, here, codec, counted, number))
            start = end
        return made

    def _matches(
        self,
        arrival: Arrival,
        found: SearchResult,
        edgeless: Mapping[int, tuple[int, ...]],
        row_limit: int,
        checks: int,
    ) -> list[MatchReport]:
        told = list(
            zip(*(column.tolist() for column in (found.slot, found.branch, found.row_start, found.unsure)), strict=True)
        )
        counted, exceeded = found.counters.tolist(), self._exceeded(found)
        terms = list(map(arrival.lines.terms().__getitem__, found.values.tolist())) if len(found.values) else []
        made, start = [], 0
        for number, (publication, end) in enumerate(zip(arrival.publications, found.ends.tolist(), strict=True)):
            scope, given_up = EvaluationContext(publication, self._taxonomy), exceeded.get(number, {})
            hits: dict[int, list[tuple[int, int, int]]] = {}
            for slot, branch, at, unsure in told[start:end]:
                hits.setdefault(slot, []).append((branch, at, unsure))
            start = end
            matches = []
            for slot in dict.fromkeys((*hits, *edgeless)):
                record = self._records[slot]
                if record is None:
                    continue  # removed since the search began
                plan = self._plans[id(record.template)]
                rows = [
                    (branch, tuple(terms[at : at + len(plan[branch].variables)]) if at >= 0 else (), unsure)
                    for branch, at, unsure in hits.get(slot, ())
                ]
                if len(rows) > checks and sum(unsure for _, _, unsure in rows) > checks:
                    given_up[record.id] = max(given_up.get(record.id, 0), CHECK_WORK * len(rows))
                    left = checks
                    rows = [each for each in rows if not each[2] or (left := left - 1) >= 0]
                kept = list(islice(self._solved(record, rows, edgeless.get(slot, ()), scope), row_limit + 1))
                if len(kept) > row_limit:
                    given_up.pop(record.id, None)  # it has all that was wanted
                if kept:
                    truncated = row_limit > 0 and (len(kept) > row_limit or record.id in given_up)
                    matches.append(IndexMatch(publication.id, record, self._codec, plan, kept[:row_limit], truncated))
            counters = _counters(counted[number], len(matches))
            over = tuple(Exceeded(*each) for each in given_up.items())
            made.append(MatchReport(publication.id, tuple(matches), counters, exceeded=over))
        return made

    def _solved(
        self,
        record: EncodedSubscription,
        hits: Iterable[tuple[int, Row, int]],
        edgeless: Iterable[int],
        scope: EvaluationContext,
    ) -> Iterator[Solved]:
        """What holds of the rows that were found, as the subscription wants it."""
        rows = self._checked_rows(record, hits, edgeless, scope)
        return self._distinct(record, rows) if record.template.distinct else rows

    def _checked_rows(
        self,
        record: EncodedSubscription,
        hits: Iterable[tuple[int, Row, int]],
        edgeless: Iterable[int],
        scope: EvaluationContext,
    ) -> Iterator[Solved]:
        for branch, row, unsure in hits:
            checked = self._checked(record, branch, row, scope) if unsure else row
            if checked is not None:
                yield branch, checked
        for branch in edgeless:
            checked = self._checked(record, branch, (), scope)
            if checked is not None:
                yield branch, checked

    def _checked(self, record: EncodedSubscription, number: int, row: Row, scope: EvaluationContext) -> Row | None:
        """The row with its computed values, if all the branch's tests hold of it."""
        rules = self._rules_of(record, number)
        variables = self._plans[id(record.template)][number].variables
        values: dict[Term, Term] = dict(zip(variables, row, strict=True))  # type: ignore[arg-type]
        rules.bind(values, scope)
        if not all(test.holds(values, scope) for test in rules.tests):
            return None
        return row + tuple(values.get(name) for name, _ in rules.binds)

    def _rules_of(self, record: EncodedSubscription, number: int) -> BranchExpressions:
        """The branch's rules, compiled once as long as there is room."""
        key = (id(record.template), record.constants, number)
        rules = self._rules.get(key)
        if rules is None:
            if len(self._rules) >= _MOST_RULES:
                self._rules.clear()
            rules = self._rules[key] = compile_expressions(record.id, self._codec.decode_branch(record, number))
        return rules

    def _distinct(self, record: EncodedSubscription, rows: Iterable[Solved]) -> Iterator[Solved]:
        seen = set()
        for branch, row in rows:
            selected = _selected(self._plans[id(record.template)][branch], row)
            if selected not in seen:
                seen.add(selected)
                yield branch, row

    def _exceeded(self, found: SearchResult) -> dict[int, dict[str, int]]:
        """For each publication the subscriptions that were given up, with the work they took."""
        made: dict[int, dict[str, int]] = {}
        for publication, slot, work in found.exceeded.tolist():
            record = self._records[slot]
            if record is not None:
                made.setdefault(publication, {})[record.id] = work
        return made


def _counters(counted: Sequence[int], matched: int) -> Counters:
    probed, fired, candidates, joined, tested = counted
    return Counters(probed, fired, candidates, joined, tested, matched)


def _selected(plan: BranchPlan, row: Row) -> tuple[tuple[str, Term], ...]:
    return tuple([(name, value) for name, place in plan.selected if (value := row[place]) is not None])
