"""Define the protocol that every matcher implements; `tests/contract` runs every matcher through it.

A matcher declares its optional features in `capabilities`. Callers read the declaration and never test for a class.
To add a matcher, write one module with a subclass and add one line to `gtopss/matching/table.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, TypedDict, Unpack

from gtopss.errors import (
    DuplicateSubscription,
    GtopssError,
    MalformedPublication,
    SubscriptionNotFound,
    UnsupportedSubscription,
)
from gtopss.matching.batch_source import BatchSource
from gtopss.matching.threads import ONE_THREAD, MatchThreads
from gtopss.model import MatchReport, Publication, Subscription
from gtopss.semantics import EvaluationContext, EvaluationLimits
from gtopss.semantics.budget import (
    DEFAULT_PUBLICATION_TEXT_LIMIT,
    DEFAULT_ROW_TEXT_LIMIT,
    DEFAULT_VALUE_LIMIT,
    DEFAULT_WORK_LIMIT,
)
from gtopss.semantics.lenient_literals import LiteralRules
from ontology import Taxonomy

if TYPE_CHECKING:
    from gtopss.matching.match_batch import MatchBatch
    from gtopss.snapshot_files import SnapshotReader, SnapshotWriter

DEFAULT_ROW_LIMIT = 10_000
"""Solutions per match unless the caller sets another limit; a match with more is marked as truncated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Declare which optional features a matcher has. A matcher refuses the others with a `GtopssError`."""

    batches: bool = False
    """`match_many` costs less than matching the publications one by one."""
    threads: bool = False
    """Several threads may match and change subscriptions at the same time; otherwise the caller must take turns."""
    text: bool = False
    """Matches a `TextPublication` from its text; other matchers read its triples."""
    work_limits: bool = False
    """The constructor takes a `work_limit`, and reports name the subscriptions that exceeded it."""
    saving: bool = False
    """`save` and `load` work."""
    costs: bool = False
    """`costs` reports the steps spent on each subscription."""
    segments: bool = False
    """Subscriptions are in merged segments: `optimise` and `index_bytes` work."""
    queries: bool = False
    """Evaluates subscriptions with a `query` itself; for other matchers the engine does, as a second stage."""
    taxonomy_changes: bool = False
    """`affected_by_taxonomy` names the subscriptions that a taxonomy edit affects."""


class MatcherLimits(TypedDict, total=False):
    """The limits and rules that a matcher is created with: fields of `EngineConfig`, which explains them."""

    work_limit: int | None
    row_text_limit: int
    publication_text_limit: int
    value_limit: int
    expansion_limit: int
    literals: LiteralRules


class Matcher(ABC):
    """Hold subscriptions and find those that a publication satisfies."""

    name: ClassVar[str]
    """The name in `MATCHERS`, `EngineConfig.matcher` and error messages."""
    capabilities: ClassVar[Capabilities] = Capabilities()

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        """Create an empty matcher."""
        work_limit = limits.get("work_limit")
        if work_limit is not None and not self.capabilities.work_limits:
            raise self._unsupported("work_limit")
        self._taxonomy = taxonomy
        self._literals: LiteralRules = limits.get("literals", "sparql")
        self._evaluation_limits = EvaluationLimits(
            DEFAULT_WORK_LIMIT if work_limit is None else work_limit,
            limits.get("row_text_limit", DEFAULT_ROW_TEXT_LIMIT),
            limits.get("publication_text_limit", DEFAULT_PUBLICATION_TEXT_LIMIT),
            limits.get("value_limit", DEFAULT_VALUE_LIMIT),
        )

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of registered subscriptions."""

    @abstractmethod
    def add(self, subscription: Subscription) -> None:
        """Register a subscription.

        Raises DuplicateSubscription if the id is taken, UnsupportedSubscription if the matcher cannot answer it.
        """

    @abstractmethod
    def remove(self, subscription_id: str) -> None:
        """Remove a subscription, as if it had never been added. Raises SubscriptionNotFound."""

    @abstractmethod
    def subscription(self, subscription_id: str) -> Subscription:
        """Return the subscription that was added under this id. Raises SubscriptionNotFound."""

    @abstractmethod
    def ids(self) -> tuple[str, ...]:
        """Return the ids of all registered subscriptions."""

    @abstractmethod
    def match_many(self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT) -> list[MatchReport]:
        """Return one report per publication, in order: the subscriptions it satisfies, with their solutions.

        A match has at most `row_limit` solutions. With `row_limit=0` matches have no solutions and are never
        truncated. A malformed publication gets a report with its `error`, and does not stop the others.
        """

    def match_batches(
        self, source: BatchSource, row_limit: int = DEFAULT_ROW_LIMIT, threads: MatchThreads = ONE_THREAD
    ) -> Iterator[MatchBatch]:
        """Return the matches of a batch, as arrays, in one or more batches of successive publications.

        A matcher whose result is too large for one batch may match the rest while the iterator is used, so that not all
        is in memory at once. Rows and errors are as in `match_many`.
        """
        from gtopss.matching.match_batch import ReportBatch  # imports numpy: slow

        read = source.read(0, len(source))
        found = iter(
            self.match_many([each for n, each in enumerate(read.publications) if n not in read.errors], row_limit)
        )
        reports = (
            MatchReport(each.id, (), error=read.errors[number]) if number in read.errors else next(found)
            for number, each in enumerate(read.publications)
        )
        return iter([ReportBatch(read.publications, reports)])

    def match(self, publication: Publication, row_limit: int = DEFAULT_ROW_LIMIT) -> MatchReport:
        """Match a batch of one publication. Raises MalformedPublication."""
        (report,) = self.match_many([publication], row_limit)
        if report.error is not None:
            raise report.error
        return report

    def adding_many(self) -> AbstractContextManager[object]:
        """Return a context in which many subscriptions are added; a matcher may postpone work until it ends."""
        return nullcontext()

    def _refuse_query(self, subscription: Subscription) -> None:
        """Raise UnsupportedSubscription for a query that this matcher does not evaluate itself."""
        if subscription.query is not None and not self.capabilities.queries:
            reason = "it is more than a graph pattern; an Engine evaluates it in a second stage"
            raise UnsupportedSubscription(subscription.id, self.name, reason)

    # --- optional: see `capabilities` ------------------------------------------------------------------------

    def save(self, snapshot: SnapshotWriter) -> None:
        """Write all subscriptions into a snapshot, for `load`."""
        raise self._unsupported("save()")

    @classmethod
    def load(cls, snapshot: SnapshotReader, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> Self:
        """Read what `save` wrote. Raises InvalidSnapshot."""
        raise cls._unsupported("load()")

    def costs(self) -> dict[str, int]:
        """Return the steps spent on each subscription, most expensive first."""
        raise self._unsupported("costs()")

    def optimise(self) -> None:
        """Merge all segments into one."""
        raise self._unsupported("optimise()")

    def index_bytes(self) -> int:
        """Return the size of the index's arrays in bytes."""
        raise self._unsupported("index_bytes()")

    def affected_by_taxonomy(self) -> tuple[str, ...]:
        """Return the ids of the subscriptions that taxonomy edits affected since the previous call."""
        raise self._unsupported("affected_by_taxonomy()")

    @classmethod
    def _unsupported(cls, feature: str) -> GtopssError:
        return GtopssError(f"the matcher {cls.name!r} does not support {feature}")


class OneByOneMatcher(Matcher):
    """Implement the protocol for matchers without batches: `match_many` matches one publication at a time.

    Subclasses store what they need of a subscription in `_insert` and discard it in `_discard`.
    """

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._subscriptions: dict[str, Subscription] = {}

    @abstractmethod
    def _insert(self, subscription: Subscription) -> None:
        """Store a subscription whose id is new. May raise InvalidSubscription, before it changes anything."""

    @abstractmethod
    def _discard(self, subscription: Subscription) -> None:
        """Undo `_insert`."""

    @abstractmethod
    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        """Return the report of one publication. May raise MalformedPublication."""

    def _context(self, publication: Publication) -> EvaluationContext:
        return EvaluationContext(publication, self._taxonomy, self._evaluation_limits, self._literals)

    def __len__(self) -> int:
        return len(self._subscriptions)

    def add(self, subscription: Subscription) -> None:
        if subscription.id in self._subscriptions:
            raise DuplicateSubscription(subscription.id)
        self._refuse_query(subscription)
        self._insert(subscription)
        self._subscriptions[subscription.id] = subscription

    def remove(self, subscription_id: str) -> None:
        self._discard(self.subscription(subscription_id))
        del self._subscriptions[subscription_id]

    def subscription(self, subscription_id: str) -> Subscription:
        if subscription_id not in self._subscriptions:
            raise SubscriptionNotFound(subscription_id)
        return self._subscriptions[subscription_id]

    def ids(self) -> tuple[str, ...]:
        return tuple(self._subscriptions)

    def match_many(self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT) -> list[MatchReport]:
        reports = []
        for publication in publications:
            try:
                reports.append(self._match_one(publication, row_limit))
            except MalformedPublication as error:
                reports.append(MatchReport(publication.id, (), error=error))
        return reports
