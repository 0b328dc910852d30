"""Reports and matches that create their parts on first use: routing looks at few of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

from rdflib.term import Identifier

from gtopss.matching.index.branch_plan import BranchPlan
from gtopss.matching.index.kernels.array_types import Int64Array
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


class IndexReport(MatchReport):
    """A report of which no limit was reached. It creates its counters on first use, and matches without rows too."""

    __slots__ = ("_codec", "_counter_rows", "_encoded", "_matches", "_number")
    _codec: SubscriptionCodec
    _counter_rows: Int64Array
    _encoded: list[EncodedSubscription]
    _matches: tuple[Match, ...] | None
    _number: int
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
        matches: tuple[Match, ...] | None = None,
    ) -> None:
        """`counter_rows` has one row of counters per publication of the batch; `number` is this one's.

        `matches` are those of the `encoded` subscriptions; None if they have no rows.
        """
        set_field = object.__setattr__  # the class is frozen
        set_field(self, "publication_id", publication_id)
        set_field(self, "_encoded", encoded)
        set_field(self, "_codec", codec)
        set_field(self, "_counter_rows", counter_rows)
        set_field(self, "_number", number)
        set_field(self, "_matches", matches)

    @property
    def matches(self) -> tuple[Match, ...]:
        if self._matches is None:
            matches = tuple(IndexMatch(self.publication_id, each, self._codec) for each in self._encoded)
            object.__setattr__(self, "_matches", matches)
            return matches
        return self._matches

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


def counters_from(counted: Sequence[int], matched: int) -> Counters:
    """Return the counters of one publication from the kernels' row."""
    probed, fired, candidates, joined, tested = counted
    return Counters(probed, fired, candidates, joined, tested, matched)


def selected_values(plan: BranchPlan, row: Row) -> tuple[tuple[str, Term], ...]:
    """Return the selected names and values of a row; a column without a value is left out."""
    return tuple([(name, value) for name, place in plan.selected if (value := row[place]) is not None])
