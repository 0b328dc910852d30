"""Match small jobs without compiled code, and large ones with it.

`reference` needs neither numba nor compiled kernels: it starts about a second earlier than `gm`, and a minute earlier
where no kernel is compiled yet. After the start, `gm` is faster, and the more so the more subscriptions there are. This
matcher starts with `reference` and changes to `gm` when the job turns out to be large:

- there are more than `MAX_SMALL_JOB_SUBSCRIPTIONS` subscriptions, or `MAX_UNCOMPILED_SUBSCRIPTIONS` if `gm` would have
  to be compiled first;
- matching has taken as long as it takes to start `gm`, so that a job takes at most about twice as long as with the
  better one of the two;
- a subscription reached a limit, which `gm` reaches later or not at all; or `reference` does not support it.

The matches are the same: `tests/contract` and `tests/differential` compare all matchers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Unpack

from gtopss.errors import UnsupportedSubscription
from gtopss.matching.batch_source import BatchSource
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Matcher, MatcherLimits
from gtopss.matching.reference import ReferenceMatcher
from gtopss.matching.threads import ONE_THREAD, MatchThreads
from gtopss.model import MatchReport, Publication, Subscription
from ontology import Taxonomy

if TYPE_CHECKING:
    from gtopss.matching.match_batch import MatchBatch

MAX_SMALL_JOB_SUBSCRIPTIONS = 100
"""Subscriptions that `reference` holds; with more, `gm` is started at once if its kernels are compiled."""
MAX_UNCOMPILED_SUBSCRIPTIONS = 10_000
"""Subscriptions that `reference` holds if the kernels are not compiled, which takes a minute or more."""
LOADING_SECONDS = 1.0
"""Time that it takes to load numba and the compiled kernels, about."""
COMPILING_SECONDS = 30.0
"""Time of matching by `reference` after which the kernels are compiled, if they are not."""

_log = logging.getLogger("gtopss.matching")


class AutoMatcher(Matcher):
    """Match with `reference` until the job is large, then with `gm`. For one thread at a time."""

    name = "auto"

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._limits = limits
        self._matcher: Matcher = ReferenceMatcher(taxonomy, **limits)
        self._is_small_job = True
        self._is_uncompiled = False
        """Whether the kernels were found not to be compiled, when there were many subscriptions."""
        self._seconds = 0.0

    @property
    def uses(self) -> str:
        """The name of the matcher in use: `reference` or `gm`."""
        return self._matcher.name

    def __len__(self) -> int:
        return len(self._matcher)

    def add(self, subscription: Subscription) -> None:
        maximum = MAX_UNCOMPILED_SUBSCRIPTIONS if self._is_uncompiled else MAX_SMALL_JOB_SUBSCRIPTIONS
        if self._is_small_job and len(self) >= maximum:
            if self._is_uncompiled or _is_compiled():
                self._start_gm(f"there are more than {maximum:,} subscriptions")
            else:
                self._is_uncompiled = True
        try:
            self._matcher.add(subscription)
        except UnsupportedSubscription:
            if not self._is_small_job or subscription.query is not None:
                raise
            self._start_gm("a subscription needs it")
            self._matcher.add(subscription)

    def remove(self, subscription_id: str) -> None:
        self._matcher.remove(subscription_id)

    def subscription(self, subscription_id: str) -> Subscription:
        return self._matcher.subscription(subscription_id)

    def ids(self) -> tuple[str, ...]:
        return self._matcher.ids()

    def match_many(self, publications: Sequence[Publication], row_limit: int = DEFAULT_ROW_LIMIT) -> list[MatchReport]:
        reports: list[MatchReport] = []
        while self._is_small_job and len(reports) < len(publications):
            started = perf_counter()
            (report,) = self._matcher.match_many([publications[len(reports)]], row_limit)
            self._seconds += perf_counter() - started
            if report.exceeded or report.limits_reached:
                self._start_gm(f"a subscription reached a limit in {report.publication_id}")
                break  # the same publication again
            reports.append(report)
            if self._seconds >= LOADING_SECONDS and self._is_worth_starting_gm():
                self._start_gm(f"matching has taken {self._seconds:.0f} s")
        if len(reports) < len(publications):
            reports += self._matcher.match_many(publications[len(reports) :], row_limit)
        return reports

    def match_batches(
        self, source: BatchSource, row_limit: int = DEFAULT_ROW_LIMIT, threads: MatchThreads = ONE_THREAD
    ) -> Iterator[MatchBatch]:
        if self._is_small_job:
            return super().match_batches(source, row_limit, threads)
        return self._matcher.match_batches(source, row_limit, threads)

    def _is_worth_starting_gm(self) -> bool:
        return self._seconds >= COMPILING_SECONDS or _is_compiled()

    def _start_gm(self, reason: str) -> None:
        from gtopss.matching.index.matcher import IndexMatcher

        _log.info("continuing with the matcher gm: %s", reason)
        started = IndexMatcher(self._taxonomy, **self._limits)
        with started.adding_many():
            for id in self._matcher.ids():
                started.add(self._matcher.subscription(id))
        self._matcher, self._is_small_job = started, False


def _is_compiled() -> bool:
    """Return whether the kernels of `gm` are compiled."""
    from gtopss.matching.index.warmup import has_compiled_code  # imports numba: slow

    return has_compiled_code()
