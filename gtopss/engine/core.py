"""Implement the engine: hold subscriptions and settings, read inputs, call the matcher and the stages after it.

    given ──(inputs)──> Publication ──(matcher)──> report ──(operator subscriptions)──> MatchReport
    many  ──(inputs)──> BatchSource ──(matcher, threads)──> MatchBatch ──> reports

The engine adds nothing to the meaning. It reads inputs, keeps malformed ones from the matcher, and holds what the
matcher does not: subscriptions as written (`registry`), subscriptions that call operators (`operator_subscriptions`)
and the settings (`config`). `Engine` is the interface to all of this; it imports this module, and with it numpy, numba
and rdflib, when the first engine is created.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gtopss.engine.config import EngineConfig, EngineSettings, make_config, needs_other_matcher, reopened_config
from gtopss.engine.id_numbers import IdNumbers
from gtopss.engine.inputs import InputReader, PublicationLike
from gtopss.engine.operator_subscriptions import OperatorSubscriptions
from gtopss.engine.persistence import EngineState, read_state, write_state
from gtopss.engine.preparation import (
    PreparedSubscription,
    SubscriptionLike,
    parse_subscription,
    prepare_subscription,
    refuse_products,
)
from gtopss.engine.query_stage import QueryStage
from gtopss.engine.registry import SubscriptionRegistry
from gtopss.engine.shown_prefixes import ShownPrefixes
from gtopss.engine.snapshot_folder import new_snapshot, open_snapshot
from gtopss.engine.taxonomy_input import TaxonomyLike, read_taxonomy, warn_beyond_rdfs
from gtopss.errors import (
    DuplicateSubscription,
    GtopssError,
    NeverMatches,
    NotIndexed,
    SubscriptionNotFound,
    short_repr,
)
from gtopss.explain import Explanation, explain
from gtopss.explain.query_explanation import explain_query
from gtopss.language import rewrite_for_explanation
from gtopss.matching.batch_source import BatchSource
from gtopss.matching.matcher import Matcher
from gtopss.matching.table import MATCHERS
from gtopss.matching.threads import MatchThreads, available_processors
from gtopss.model import Branch, MatchReport, Publication, Subscription
from gtopss.model.display import counted
from gtopss.model.term_text import shorten_iris
from gtopss.operators import REGISTRY, Registry
from gtopss.semantics.lenient_constants import read_branch_constants
from ontology import Taxonomy
from ontology.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from gtopss.engine.batch_reader import BatchInput, BatchReader
    from gtopss.matching.match_batch import MatchBatch
    from gtopss.operators import OperatorPlan, OperatorStage

_log = logging.getLogger("gtopss.engine")
_set_prefixes = MatchReport.shown_prefixes.__set__  # type: ignore[union-attr]  # the slot of a frozen class


class EngineCore:
    """The state and the work of one `Engine`. Thread-safe, as described there."""

    def __init__(
        self, config: EngineConfig, taxonomy: Taxonomy, operators: Registry, clock: Callable[[], datetime]
    ) -> None:
        self.config = config
        self.taxonomy = taxonomy
        self.operators = operators
        self._clock = clock
        self._numbers = IdNumbers()  # for the ids of subscriptions and publications without one
        self._threads = MatchThreads(self.config.threads or available_processors())
        self.matcher = self._new_matcher()
        self._registry = SubscriptionRegistry()
        self.prefixes = ShownPrefixes()
        self._operator_subscriptions = OperatorSubscriptions(
            self._new_matcher,
            self._new_stage,
            self.config.value_limit,
            entailed=self.config.entailment is not None,
        )
        self._queries = QueryStage(
            self._written_query, self.taxonomy, self.config.evaluation_limits(), self.config.literals
        )
        self._operator_lock = threading.RLock()  # held during operator calls; taken before `_lock` where both are
        self._lock = threading.RLock()  # protects the registry and, where it is not thread-safe, the matcher
        self._start_reading()

    def _new_matcher(self) -> Matcher:
        return MATCHERS[self.config.matcher](self.taxonomy, **self.config.matcher_limits())

    def _new_stage(self) -> OperatorStage:
        from gtopss.operators import OperatorStage  # imports numba: slow

        return OperatorStage(
            self.operators,
            strategy=self.config.strategy,
            limits=self.config.operator_limits,
            taxonomy=self.taxonomy,
            evaluation_limits=self.config.operator_evaluation_limits(),
            literals=self.config.literals,
        )

    def _batch_reader(self) -> BatchReader:
        from gtopss.engine.batch_reader import BatchReader  # imports numpy: slow

        return BatchReader(self._inputs)

    def _start_reading(self) -> None:
        capabilities = self.matcher.capabilities
        self._inputs = InputReader(
            as_text=capabilities.text,
            entailment_taxonomy=self.taxonomy if self.config.entailment == "rdfs" else None,
            expansion_limit=self.config.expansion_limit,
            clock=self._clock,
            numbers=self._numbers,
            limits=self.config.document_limits or DEFAULT_LIMITS,
        )
        self._match_lock: AbstractContextManager[object] = nullcontext() if capabilities.threads else self._lock

    def use_threads(self, count: int) -> None:
        self.config = replace(self.config, threads=count)
        self._threads = MatchThreads(count)

    def without_subscriptions(self) -> EngineCore:
        return EngineCore(self.config, self.taxonomy, self.operators, self._clock)

    # --- subscriptions --------------------------------------------------------------------------------------

    @property
    def uses_now(self) -> bool:
        return self._registry.uses_now

    def __len__(self) -> int:
        return len(self.matcher) + len(self._registry.never_matching()) + len(self._operator_subscriptions)

    def add(self, subscription: SubscriptionLike, id: str | None) -> tuple[Subscription, list[UserWarning]]:
        """Register a subscription. Return it as written, and the warnings about it."""
        found: list[UserWarning] = []
        written = parse_subscription(
            subscription, id, lambda: f"subscription-{next(self._numbers)}", self.operators, found.append
        )
        text = subscription if isinstance(subscription, str) else None
        prepared = prepare_subscription(
            written,
            text,
            self.operators,
            allow_cartesian=self.config.allow_cartesian,
            literals=self.config.literals,
            entailed=self.config.entailment is not None,
            evaluates_queries=self.matcher.capabilities.queries,
        )
        if prepared.is_not_indexed and prepared.normal is not None:
            message = (
                f"subscription {written.id!r} has no required part that the index could use: it is evaluated for each "
                "publication, which is slow"
            )
            found.append(NotIndexed(message))
        impossible = self._register(prepared)
        self.prefixes.add(written)
        found += [NeverMatches(shorten_iris(reason, self.prefixes(written.id))) for reason in impossible]
        _log.debug("subscription %r was added", written.id)
        return written, found

    def summary(self) -> str:
        """Return what the engine is, in one line."""
        return (
            f"Engine: {counted(len(self), 'subscription')}, matcher {self.config.matcher!r}, "
            f"taxonomy of {self.taxonomy.summary()}"
        )

    def log_added(self, before: int, refused: int) -> None:
        """Log how many subscriptions were added since there were `before`, and how many were refused."""
        _log.info("added %s, refused %d", counted(len(self) - before, "subscription"), refused)

    def _register(self, prepared: PreparedSubscription) -> list[str]:
        """Register a subscription and return messages about what can never match."""
        written, normal, impossible = prepared.written, prepared.normal, prepared.impossible
        if prepared.operator_parts is not None:
            refuse = None if self.config.allow_cartesian else refuse_products
            with self._operator_lock, self._lock:
                self._registry.uses_now |= prepared.uses_now
                if self._is_registered(written.id):
                    raise DuplicateSubscription(written.id)
                impossible = self._operator_subscriptions.add(written, prepared.operator_parts, refuse)
            return [f"a branch of subscription {written.id!r} {reason}" for reason in impossible]
        with self._lock:
            self._registry.uses_now |= prepared.uses_now
            is_taken = written.id in self._registry or written.id in self._operator_subscriptions
            if is_taken or (normal is None and self._is_registered(written.id)):
                raise DuplicateSubscription(written.id)
            if normal is not None:
                self.matcher.add(normal)  # raises DuplicateSubscription for the ids that it has
            if normal is not written:
                self._registry.add(written, impossible, never_matches=normal is None)
        part = "subscription" if normal is None else "a branch of subscription"
        return [f"{part} {written.id!r} {reason}" for reason in impossible]

    def _is_registered(self, subscription_id: str) -> bool:
        try:
            self.subscription(subscription_id)
        except SubscriptionNotFound:
            return False
        return True

    def remove(self, subscription_id: str) -> None:
        if not isinstance(subscription_id, str):
            raise SubscriptionNotFound(subscription_id)
        self._remove(subscription_id)
        self.prefixes.remove(subscription_id)
        _log.debug("subscription %r was removed", subscription_id)

    def _remove(self, subscription_id: str) -> None:
        if subscription_id in self._operator_subscriptions:
            with self._operator_lock, self._lock:
                self._operator_subscriptions.remove(subscription_id)
            return
        with self._lock:
            if subscription_id not in self._registry.never_matching():
                self.matcher.remove(subscription_id)
            self._registry.remove(subscription_id)
            self._queries.forget(subscription_id)

    def subscription(self, subscription_id: str) -> Subscription:
        if not isinstance(subscription_id, str):
            raise SubscriptionNotFound(subscription_id)
        with self._lock:
            if subscription_id in self._operator_subscriptions:
                return self._operator_subscriptions.subscription(subscription_id)
            return self._registry.get(subscription_id) or self.matcher.subscription(subscription_id)

    def subscriptions(self) -> Iterator[Subscription]:
        with self._lock:
            ids = (*self.matcher.ids(), *self._registry.never_matching(), *self._operator_subscriptions.ids())
        for id in ids:
            with suppress(SubscriptionNotFound):  # removed meanwhile
                yield self.subscription(id)

    # --- matching -------------------------------------------------------------------------------------------

    def match(
        self, publication: PublicationLike, format: str | None, id: str | None, *, bindings: bool, dataset: bool
    ) -> MatchReport:
        read = self._inputs.read_dataset if dataset else self._inputs.read
        made = read(publication, format, id, with_time=self._registry.uses_now)
        row_limit = self.config.row_limit if bindings else 0
        with self._match_lock:
            report = self.matcher.match(made, row_limit)
        return self._with_prefixes(self._with_second_stage(made, report, row_limit))

    def match_many(
        self, publications: Iterable[PublicationLike], format: str | None, *, bindings: bool, batch: int
    ) -> Iterator[MatchReport]:
        if type(batch) is not int or batch < 1:
            raise GtopssError(f"batch is {short_repr(batch)}: it is a number of publications, 1 or more")
        return self._match_in_batches(iter(publications), format, self.config.row_limit if bindings else 0, batch)

    def _match_in_batches(
        self, publications: Iterator[PublicationLike], format: str | None, row_limit: int, batch: int
    ) -> Iterator[MatchReport]:
        while given := list(itertools.islice(publications, batch)):
            for source in self._batch_reader().open_batches(given, format, with_time=self._registry.uses_now):
                for found in self._match_source(source, row_limit):
                    yield from map(self._with_prefixes, found.reports())

    def match_batch(
        self,
        documents: BatchInput,
        format: str | None,
        *,
        offsets: Sequence[int] | npt.NDArray[np.integer[Any]] | None,
        ids: Sequence[str] | None,
        bindings: bool,
        received_at: datetime | None,
    ) -> MatchBatch:
        source = self._batch_reader().open_batch(
            documents, format, with_time=self._registry.uses_now, offsets=offsets, ids=ids, received_at=received_at
        )
        found = list(self._match_source(source, self.config.row_limit if bindings else 0))
        if len(found) == 1:
            return found[0]
        from gtopss.matching.match_batch import join_batches

        return join_batches(found)

    def _match_source(self, source: BatchSource, row_limit: int) -> Iterator[MatchBatch]:
        with self._match_lock:
            batches = self.matcher.match_batches(source, row_limit, self._threads)
        if len(self._operator_subscriptions) or self.config.entailment == "rdfs" or self._evaluates_queries():
            return (self._batch_with_second_stage(batch, row_limit) for batch in batches)
        return batches

    def _batch_with_second_stage(self, batch: MatchBatch, row_limit: int) -> MatchBatch:
        only_queries = not len(self._operator_subscriptions) and self.config.entailment != "rdfs"
        if only_queries and self._registry.queries().isdisjoint(batch.subscription_ids):
            return batch
        from gtopss.matching.match_batch import ReportBatch

        matched = zip(batch.publications, batch.reports(), strict=True)
        return ReportBatch(batch.publications, [self._with_second_stage(*each, row_limit) for each in matched])

    def _with_prefixes(self, report: MatchReport) -> MatchReport:
        _set_prefixes(report, self.prefixes)
        return report

    def _evaluates_queries(self) -> bool:
        return bool(self._registry.queries()) and not self.matcher.capabilities.queries

    def _written_query(self, subscription_id: str) -> Subscription | None:
        """Return a subscription with a query as it was written; None if it was removed."""
        with self._lock:
            return self._registry.get(subscription_id)

    def _with_second_stage(self, publication: Publication, report: MatchReport, row_limit: int) -> MatchReport:
        """Return the report with the matches of queries, and of subscriptions that call operators."""
        if self._evaluates_queries():
            found = self._registry.queries() & set(report.subscription_ids)
            if found:
                report = self._queries.complete(publication, report, found, row_limit)
        return self._with_operators(publication, report, row_limit)

    def _with_operators(self, publication: Publication, report: MatchReport, row_limit: int) -> MatchReport:
        """Return the report with the matches of subscriptions that call operators."""
        if self.config.entailment == "rdfs" and len(publication.inferred) >= self.config.expansion_limit:
            reached = dict.fromkeys(("expansion_limit", *report.limits_reached))
            report = replace(report.to_report(), limits_reached=tuple(reached))
        if not len(self._operator_subscriptions) or report.error is not None:
            return report
        with self._operator_lock:
            found = self._operator_subscriptions.match(publication, row_limit)
        return MatchReport(
            report.publication_id,
            (*report.matches, *found.matches),
            replace(report.counters, matched=len(report) + len(found.matches)),
            exceeded=(*report.exceeded, *found.exceeded),
            undecided=(*report.undecided, *found.undecided),
            operator_usage=found.usage,
            limits_reached=tuple(dict.fromkeys((*report.limits_reached, *found.limits_reached))),
        )

    def explain(self, publication: PublicationLike, subscription_id: str, format: str | None) -> Explanation:
        written = self.subscription(subscription_id)
        branches: Sequence[Branch] = written.branches
        read = self._inputs.read(publication, format, with_time=self._registry.uses_now)
        operator_calls = None
        if subscription_id in self._operator_subscriptions:
            with self._operator_lock:
                branches = self._operator_subscriptions.patterns(subscription_id)
                operator_calls = self._operator_subscriptions.explain(read, subscription_id)
        if self.config.literals == "lenient":
            branches = [read_branch_constants(branch) for branch in branches]
        made, branches = rewrite_for_explanation(branches, read, entailed=self.config.entailment is not None)
        known = Subscription(subscription_id, branches=branches)
        impossible = self._registry.impossible_branches(subscription_id)
        found = replace(
            explain(known, made, self.taxonomy, self.config.literals),
            impossible=impossible,
            operators=operator_calls,
            prefixes=self.prefixes(subscription_id),
        )
        if written.query is None:
            return found
        limits = self.config.evaluation_limits()
        return replace(found, query=explain_query(written, read, self.taxonomy, limits, self.config.literals))

    # --- operators ------------------------------------------------------------------------------------------

    def operator_subscription_ids(self) -> tuple[str, ...]:
        with self._lock:
            return self._operator_subscriptions.ids()

    def operators_in_use(self) -> Registry:
        with self._operator_lock:
            return Registry(self._operator_subscriptions.operators())

    def plan(self) -> OperatorPlan:
        with self._operator_lock:
            return self._operator_subscriptions.plan()

    # --- the index ------------------------------------------------------------------------------------------

    def costs(self, most: int | None) -> dict[str, int]:
        spent = Counter(self.matcher_with("costs", "costs()").costs())
        spent.update(self._queries.steps)
        return dict(spent.most_common(most))

    def matcher_with(self, capability: str, feature: str) -> Matcher:
        """Return the matcher. Raises GtopssError if it lacks a capability that the feature needs."""
        if not getattr(self.matcher.capabilities, capability):
            raise needs_other_matcher(feature, capability)
        return self.matcher

    # --- persistence ----------------------------------------------------------------------------------------

    def save(self, path: Path | str) -> None:
        matcher = self.matcher_with("saving", "save()")
        with new_snapshot(path) as snapshot:
            with self._lock:
                state = EngineState(
                    self.config,
                    next(self._numbers),
                    self._registry,
                    self._operator_subscriptions.subscriptions(),
                    self.taxonomy,
                ).to_json()
                matcher.save(snapshot)
            write_state(snapshot, state)
        _log.info("saved %s into %s", counted(len(self), "subscription"), path)

    @classmethod
    def open(
        cls,
        path: Path | str,
        operators: Registry | None,
        clock: Callable[[], datetime] | None,
        settings: EngineSettings,
    ) -> EngineCore:
        snapshot = open_snapshot(path)
        state = read_state(snapshot)
        core = make_core(reopened_config(state.config, settings), {}, state.taxonomy, operators, clock)
        core.matcher = MATCHERS[core.config.matcher].load(snapshot, core.taxonomy, **core.config.matcher_limits())
        core._registry = state.registry
        core._numbers = IdNumbers(state.next_number)
        core._start_reading()
        for each in state.operator_subscriptions:
            core.add(each, None)  # its warnings were reported when the subscription was added
        _log.info("opened %s with %s", path, counted(len(core), "subscription"))
        return core


def make_core(
    config: EngineConfig | None,
    settings: EngineSettings,
    taxonomy: TaxonomyLike,
    operators: Registry | None,
    clock: Callable[[], datetime] | None,
) -> EngineCore:
    """Return an empty core from the arguments of `Engine`."""
    made, read = make_config(config, settings), read_taxonomy(taxonomy)
    if made.entailment == "rdfs":
        warn_beyond_rdfs(read)
    return EngineCore(made, read, REGISTRY if operators is None else operators, clock or utc_now)


def utc_now() -> datetime:
    """Return the current time: the default clock of an engine."""
    return datetime.now(UTC)
