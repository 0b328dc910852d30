"""Reports and matches that create their parts on first use: routing looks at few of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from rdflib.term import Identifier

from gtopss.matching.index.branch_plan import BranchPlan
from gtopss.matching.index.encode import BatchTerms
from gtopss.matching.index.kernels.array_types import Int16Array, Int32Array, Int64Array
from gtopss.matching.query_answers import QueryAnswer
from gtopss.model import Counters, Match, MatchReport, Row, Solution, Subscription, Term
from gtopss.model.codec import EncodedSubscription, SubscriptionCodec

BranchRow: TypeAlias = tuple[int, Row]
"""The number of a branch and one row that satisfies it."""


class IndexMatch(Match):
    """A match that decodes its subscription and builds its solutions on first use."""

    encoded: EncodedSubscription
    codec: SubscriptionCodec
    plans: Sequence[BranchPlan]
    branch_rows: Sequence[BranchRow]

    def __init__(
        self,
        publication_id: str,
        encoded: EncodedSubscription,
        codec: SubscriptionCodec,
        plans: Sequence[BranchPlan] = (),
        branch_rows: Sequence[BranchRow] = (),
        truncated: bool = False,
        long_terms: dict[Term, Identifier] | None = None,
    ) -> None:
        fields = {
            "publication_id": publication_id,
            "encoded": encoded,
            "codec": codec,
            "plans": plans,
            "branch_rows": branch_rows,
            "truncated": truncated,
            "long_terms": {} if long_terms is None else long_terms,
        }
        object.__setattr__(self, "__dict__", fields)  # the class is frozen

    @property
    def subscription_id(self) -> str:
        return self.encoded.id

    @cached_property
    def subscription(self) -> Subscription:
        return self.codec.decode(self.encoded)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        branches = self.subscription.branches
        return tuple(Solution(branches[number], row) for number, row in self.branch_rows)

    @cached_property
    def rows(self) -> tuple[dict[str, Term], ...]:
        return tuple(dict(selected_values(self.plans[number], row)) for number, row in self.branch_rows)

    def __eq__(self, other: object) -> bool:
        return self.to_match() == (other.to_match() if isinstance(other, IndexMatch) else other)

    def __hash__(self) -> int:
        return hash(self.to_match())

    def to_match(self) -> Match:
        """Return an equal `Match` with all parts created."""
        return Match(self.publication_id, self.subscription, self.solutions, self.truncated)

    def __reduce__(self) -> tuple[Any, ...]:
        return Match, (self.publication_id, self.subscription, self.solutions, self.truncated)


class IndexQueryMatch(IndexMatch):
    """A match of a query: its rows are values of the selected variables."""

    def __init__(
        self,
        publication_id: str,
        encoded: EncodedSubscription,
        codec: SubscriptionCodec,
        answer: QueryAnswer,
        long_terms: dict[Term, Identifier],
    ) -> None:
        super().__init__(publication_id, encoded, codec, truncated=answer.truncated, long_terms=long_terms)
        self.__dict__["answer"], self.__dict__["graph"] = answer, answer.graph

    answer: QueryAnswer

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        branch = self.encoded.template.query_plan.result_branch
        return tuple(Solution(branch, row) for row in self.answer.rows)

    @cached_property
    def rows(self) -> tuple[dict[str, Term], ...]:
        names = self.encoded.template.query_plan.names
        return tuple(
            {name: value for name, value in zip(names, row, strict=True) if value is not None}
            for row in self.answer.rows
        )

    def to_match(self) -> Match:
        return Match(self.publication_id, self.subscription, self.solutions, self.truncated, self.graph)

    def __reduce__(self) -> tuple[Any, ...]:
        return Match, (self.publication_id, self.subscription, self.solutions, self.truncated, self.graph)


class FoundValues(NamedTuple):
    """The values of all rows of a range of publications, as lines of its text."""

    values: Int32Array
    lines: BatchTerms


class FoundRows:
    """The rows of a range of publications. They become terms together, when somebody looks at one of them."""

    def __init__(self, branches: Int16Array, row_starts: Int64Array, found: FoundValues) -> None:
        self._branches, self._row_starts, self._found = branches, row_starts, found

    @cached_property
    def _columns(self) -> tuple[list[int], list[int], list[Term]]:
        return self._branches.tolist(), self._row_starts.tolist(), self._found.lines.take(self._found.values)

    def row(self, place: int, plans: Sequence[BranchPlan]) -> BranchRow:
        """Return a row of a subscription with these plans."""
        branches, row_starts, terms = self._columns
        branch, at = branches[place], row_starts[place]
        return branch, tuple(terms[at : at + len(plans[branch].variables)]) if at >= 0 else ()


class IndexReport(MatchReport):
    """A report of which no limit was reached. It creates its matches and counters on first use."""

    __slots__ = ("_codec", "_counter_rows", "_encoded", "_first_row", "_matches", "_number", "_rows")
    _codec: SubscriptionCodec
    _counter_rows: Int64Array
    _encoded: list[EncodedSubscription]
    _matches: tuple[Match, ...] | None
    _number: int
    _rows: FoundRows | None
    _first_row: int
    # class attributes instead of slots: a report with other values is a plain MatchReport
    error = None
    exceeded = ()
    undecided = ()
    operator_usage = None
    limits_reached = ()

    def __init__(
        self,
        publication_id: str,
        encoded: list[EncodedSubscription],
        codec: SubscriptionCodec,
        counter_rows: Int64Array,
        number: int,
        rows: FoundRows | None,
        first_row: int,
    ) -> None:
        """`counter_rows` has one row of counters per publication of the batch; `number` is this one's.

        The rows of the `encoded` subscriptions, one each, begin with `first_row` of `rows`, which is None if matches
        have no rows.
        """
        _set_id(self, publication_id)
        _set_encoded(self, encoded)
        _set_codec(self, codec)
        _set_counter_rows(self, counter_rows)
        _set_number(self, number)
        _set_rows(self, rows)
        _set_first_row(self, first_row)
        _set_matches(self, None)

    @property
    def matches(self) -> tuple[Match, ...]:
        rows = self._rows  # read before `_matches`: another thread may be setting both
        made = self._matches
        if made is None:
            made = tuple(self._make_matches(rows))
            _set_matches(self, made)
            _set_rows(self, None)  # so that a report that is kept does not keep the text of its batch
        return made

    def _make_matches(self, rows: FoundRows | None) -> Iterator[IndexMatch]:
        long_terms: dict[Term, Identifier] = {}
        for place, encoded in enumerate(self._encoded, self._first_row):
            plans = encoded.template.plan
            own = () if rows is None else (rows.row(place, plans),)
            yield IndexMatch(self.publication_id, encoded, self._codec, plans, own, long_terms=long_terms)

    def selected_values(self) -> Iterator[tuple[str, Sequence[Sequence[tuple[str, Term]]], bool]]:
        rows = self._rows
        if self._matches is not None or rows is None:
            yield from super().selected_values()
            return
        for place, encoded in enumerate(self._encoded, self._first_row):
            plans = encoded.template.plan
            branch, row = rows.row(place, plans)
            yield encoded.id, (selected_values(plans[branch], row),), False

    @property
    def counters(self) -> Counters:
        return counters_from(self._counter_rows[self._number].tolist(), len(self._encoded))

    def __len__(self) -> int:
        return len(self._encoded)

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        return tuple([encoded.id for encoded in self._encoded])

    def __eq__(self, other: object) -> bool:
        return self.to_report() == (other.to_report() if isinstance(other, IndexReport) else other)

    def __hash__(self) -> int:
        return hash(self.to_report())

    def to_report(self) -> MatchReport:
        """Return an equal `MatchReport` with all parts created."""
        return MatchReport(self.publication_id, self.matches, self.counters)

    def __reduce__(self) -> tuple[Any, ...]:
        return MatchReport, (self.publication_id, self.matches, self.counters)


# The slots themselves, because `object.__setattr__` looks each name up and takes twice as long.
_set_id, _set_encoded, _set_codec, _set_counter_rows, _set_number, _set_rows, _set_first_row, _set_matches = (
    getattr(IndexReport, name).__set__
    for name in ("publication_id", "_encoded", "_codec", "_counter_rows", "_number", "_rows", "_first_row", "_matches")
)


def counters_from(counted: Sequence[int], matched: int) -> Counters:
    """Return the counters of one publication from the kernels' row."""
    probed, fired, candidates, joined, tested = counted
    return Counters(probed, fired, candidates, joined, tested, matched)


def selected_values(plan: BranchPlan, row: Row) -> tuple[tuple[str, Term], ...]:
    """Return the selected names and values of a row; a column without a value is left out."""
    return tuple([(name, value) for name, place in plan.selected if (value := row[place]) is not None])
