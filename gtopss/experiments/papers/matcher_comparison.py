"""Run graph matchers on one workload: register subscriptions, compare answers, then time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.timing import TaskTimes, time_interleaved
from gtopss.experiments.workloads import Workload
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Matcher
from gtopss.matching.ops import IndexedOpsMatcher
from gtopss.matching.table import MATCHERS
from gtopss.model import MatchReport, Publication, Subscription
from ontology import Taxonomy

Answers = dict[str, Counter[frozenset[tuple[str, str]]]]

EXPERIMENTAL_MATCHERS: dict[str, type[Matcher]] = {IndexedOpsMatcher.name: IndexedOpsMatcher}
"""Matchers that only the experiments use."""
BATCH_PUBLICATIONS = 64
"""Publications per call, for matchers that accept several."""
MAX_SUBSCRIPTIONS: Mapping[str, float] = {"vf2": 10_000, "naive": 10_000}
"""A slow matcher is omitted above this number of subscriptions; its curve is clear by then."""


@dataclass(frozen=True, slots=True)
class NamedMatcher:
    """A matcher in which the subscriptions of a workload are registered."""

    name: str
    matcher: Matcher


def available_matchers(*names: str) -> tuple[str, ...]:
    """Return those of the names that this version has a matcher for."""
    return tuple(name for name in names if name in MATCHERS or name in EXPERIMENTAL_MATCHERS)


def timed_curves(*names: str) -> tuple[str, ...]:
    """Return the names of the curves that `time_matchers` measures for these matchers."""
    curves = []
    for name in available_matchers(*names):
        curves.append(name)
        if _matcher(name).capabilities.batches:
            curves.append(batch_curve(name))
    return tuple(curves)


def matchers_with_equal_answers(names: Sequence[str], workload: Workload) -> list[NamedMatcher]:
    """Register the workload in all matchers that can take its size, and require that their answers are equal."""
    matchers = [
        NamedMatcher(name, registered_matcher(name, workload.taxonomy, workload.subscriptions()))
        for name in available_matchers(*names)
        if workload.size <= MAX_SUBSCRIPTIONS.get(name, workload.size)
    ]
    publication = workload.first_publication
    found: dict[str, Answers] = {}
    for each in matchers:
        found[each.name] = answers(each.matcher.match(publication))
        if (match_many := _match_many(each.matcher)) is not None:
            found[batch_curve(each.name)] = answers(match_many(_copies(publication))[-1])
    require_equal_answers(found, f"{workload.size} subscriptions")
    return matchers


def registered_matcher(name: str, taxonomy: Taxonomy, subscriptions: Iterable[Subscription]) -> Matcher:
    """Return a matcher with these subscriptions registered, and with its background merge completed."""
    matcher = _matcher(name)(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    if matcher.capabilities.segments:  # otherwise they would be merged while other matchers are timed
        matcher.optimise()
    return matcher


def time_matchers(matchers: Sequence[NamedMatcher], workload: Workload, rounds: int) -> dict[str, TaskTimes]:
    """Measure the seconds to match the workload's first publication, with all bindings.

    A matcher that accepts many publications per call, as a stream would bring them, has a second curve: its time for
    `BATCH_PUBLICATIONS` copies of the same publication (so that the work is the same), divided by their number.
    """
    publication = workload.first_publication
    tasks: dict[str, Callable[[], object]] = {}
    for each in matchers:
        tasks[each.name] = partial(each.matcher.match, publication)
        if (match_many := _match_many(each.matcher)) is not None:
            tasks[batch_curve(each.name)] = partial(match_many, _copies(publication))
    measured = time_interleaved(tasks, rounds)
    for each in matchers:
        if (batch := measured.get(batch_curve(each.name))) is not None:
            measured[batch_curve(each.name)] = TaskTimes(
                batch.minimum / BATCH_PUBLICATIONS, batch.median / BATCH_PUBLICATIONS, batch.rounds
            )
    return measured


def batch_curve(name: str) -> str:
    """Return the name of the curve of a matcher that gets many publications per call."""
    return f"{name}, {BATCH_PUBLICATIONS} at a time"


def _match_many(matcher: Matcher) -> Callable[[Sequence[Publication]], list[MatchReport]] | None:
    return matcher.match_many if matcher.capabilities.batches else None


def _copies(publication: Publication) -> list[Publication]:
    return [publication.replace(id=f"copy {number}") for number in range(BATCH_PUBLICATIONS)]


def answers(report: MatchReport) -> Answers:
    """Return each matching subscription with its rows as a multiset, without rows if the match was truncated.

    Any rows are right for a truncated match, so they cannot be compared.
    """
    return {
        match.subscription_id: Counter()
        if match.truncated or len(match.solutions) >= DEFAULT_ROW_LIMIT
        else Counter(frozenset(row.items()) for row in match.rows)
        for match in report
    }


def _matcher(name: str) -> type[Matcher]:
    return EXPERIMENTAL_MATCHERS[name] if name in EXPERIMENTAL_MATCHERS else MATCHERS[name]
