"""The graph matchers on one workload: registered, their answers compared, then timed or weighed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gtopss.engine import MATCHERS
from gtopss.experiments.papers.agreement import Times, agree, take_turns
from gtopss.experiments.workloads.table1_generator import Workload
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Matcher
from gtopss.matching.ops import IndexedOpsMatcher
from gtopss.model import MatchReport, Publication, Subscription
from ontology import Taxonomy

Answers = dict[str, Counter[frozenset[tuple[str, str]]]]

VARIANTS: dict[str, type[Matcher]] = {IndexedOpsMatcher.name: IndexedOpsMatcher}
"""Matchers that only comparisons have a use for."""
BATCH = 64
"""Publications at a time, for matchers that take several."""
LIMITS: Mapping[str, float] = {"vf2": 10_000, "naive": 10_000}
"""Subscriptions beyond which a slow matcher is left out: its curve is clear by then."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A matcher with a workload's subscriptions in it."""

    name: str
    matcher: Matcher


def present(*names: str) -> tuple[str, ...]:
    """Those of the matchers that this version has."""
    return tuple(name for name in names if name in MATCHERS or name in VARIANTS)


def timed_curves(*names: str) -> tuple[str, ...]:
    """The curves that `timed` makes of these matchers."""
    return tuple(curve for name in present(*names) for curve in (name, *_batched(name)))


def _batched(name: str) -> tuple[str, ...]:
    return (in_batches(name),) if (MATCHERS | VARIANTS)[name].capabilities.batches else ()


def enter(names: Sequence[str], workload: Workload) -> list[Contender]:
    """The matchers that can take this many subscriptions, filled, and found to give the same answers."""
    count = len(workload.subscriptions)
    made = [
        Contender(name, registered(name, workload.taxonomy, workload.subscriptions))
        for name in present(*names)
        if count <= LIMITS.get(name, count)
    ]
    found: dict[str, Answers] = {}
    for each in made:
        found[each.name] = answers(each.matcher.match(workload.publication))
        if (match_many := _match_many(each.matcher)) is not None:
            found[in_batches(each.name)] = answers(match_many(_copies(workload.publication))[-1])
    agree(found, f"{count} subscriptions")
    return made


def registered(name: str, taxonomy: Taxonomy, subscriptions: Sequence[Subscription]) -> Matcher:
    matcher = (MATCHERS | VARIANTS)[name](taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    if matcher.capabilities.segments:  # what would be done in the background, while others are timed
        matcher.optimise()
    return matcher


def timed(contenders: Sequence[Contender], workload: Workload, rounds: int) -> dict[str, Times]:
    """Seconds to match the workload's publication, with all bindings.

    A matcher that takes many publications at a time, as a stream would bring them, has a second entry: its time with
    the same publication (so that the work is the same) `BATCH` times, divided by that.
    """
    tasks: dict[str, Callable[[], object]] = {}
    for each in contenders:
        tasks[each.name] = partial(each.matcher.match, workload.publication)
        if (match_many := _match_many(each.matcher)) is not None:
            tasks[in_batches(each.name)] = partial(match_many, _copies(workload.publication))
    measured = take_turns(tasks, rounds)
    for each in contenders:
        if (batch := measured.get(in_batches(each.name))) is not None:
            measured[in_batches(each.name)] = Times(batch.least / BATCH, batch.median / BATCH, batch.rounds)
    return measured


def in_batches(name: str) -> str:
    """What the curve of a matcher that takes many publications at a time is called."""
    return f"{name}, {BATCH} at a time"


def _match_many(matcher: Matcher) -> Callable[[Sequence[Publication]], list[MatchReport]] | None:
    return matcher.match_many if matcher.capabilities.batches else None


def _copies(publication: Publication) -> list[Publication]:
    return [publication.replace(id=f"copy {number}") for number in range(BATCH)]


def answers(report: MatchReport) -> Answers:
    """Each matching subscription with its rows as a multiset; a truncated match, of which any rows will do, without."""
    return {
        match.subscription_id: Counter()
        if match.truncated or len(match.solutions) >= DEFAULT_ROW_LIMIT
        else Counter(frozenset(row.items()) for row in match.rows)
        for match in report
    }
