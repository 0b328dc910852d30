"""Run attribute matchers on one workload: compare answers, then count work, measure times and memory.

One run gives the points of several figures. Counters come first, because noise cannot change them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from statistics import mean
from typing import Protocol

from gtopss.attributes import AttributeMatcher, AttributeReport, AttributeSubscription, Event
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers.experiment import Point
from gtopss.experiments.timing import processor_seconds, time_interleaved

TIMED_INSERTIONS = 1_000
"""Insertions that are timed: the last ones, when all other subscriptions are registered."""


class EventSource(Protocol):
    """A workload, as far as its events are concerned."""

    def events(self, count: int, generator: random.Random) -> Iterator[Event]: ...


def fixed_events(workload: EventSource, count: int, seed: int) -> list[Event]:
    """Return events that do not depend on the number of subscriptions, so that all points of a curve have the same."""
    return list(workload.events(count, random.Random(f"{seed} events")))


def measure_matchers(
    makers: Mapping[str, Callable[[], AttributeMatcher]],
    subscriptions: Sequence[AttributeSubscription],
    events: Sequence[Event],
    x: float,
    repeats: int,
) -> list[Point]:
    """Return a point for each matcher: milliseconds per event, and counters, bytes and insertion time."""
    matchers: dict[str, AttributeMatcher] = {}
    measurements: dict[str, dict[str, float]] = {}
    for name, make in makers.items():
        matchers[name] = make()
        measurements[name] = {"insert_us": _insertion_us(matchers[name], subscriptions)}
    reports = {name: [matcher.match(event) for event in events] for name, matcher in matchers.items()}
    require_equal_answers({name: [each.subscription_ids for each in made] for name, made in reports.items()}, f"{x:g}")
    for name, made in reports.items():
        measurements[name] |= mean_counters(made) | {"bytes": matchers[name].structure_bytes()}
    tasks = {name: partial(match_all, each, events) for name, each in matchers.items()}
    times = time_interleaved(tasks, repeats)
    return [Point(name, x, 1e3 * times[name].minimum / len(events), measurements[name]) for name in makers]


def _insertion_us(matcher: AttributeMatcher, subscriptions: Sequence[AttributeSubscription]) -> float:
    """Insert all subscriptions; return the microseconds per insertion of the last ones.

    Garbage is not collected meanwhile: a collection looks at every object of all matchers, which may take longer than
    the timed insertions.
    """
    untimed = max(0, len(subscriptions) - TIMED_INSERTIONS)
    insert_all(matcher, subscriptions[:untimed])
    timed = subscriptions[untimed:]
    return 1e6 * processor_seconds(partial(insert_all, matcher, timed)) / len(timed)


def insert_all(matcher: AttributeMatcher, subscriptions: Iterable[AttributeSubscription]) -> None:
    for subscription in subscriptions:
        matcher.insert(subscription)


def match_all(matcher: AttributeMatcher, events: Iterable[Event]) -> None:
    for event in events:
        matcher.match(event)


def mean_counters(reports: Sequence[AttributeReport]) -> dict[str, float]:
    """Return the means of all counters, of the total work and of the number of matches."""
    names = asdict(reports[0].counters)
    means = {name: mean(getattr(report.counters, name) for report in reports) for name in names}
    matches = mean(len(report.subscription_ids) for report in reports)
    return means | {"work": mean(report.counters.work for report in reports), "matches": matches}


def measurement_as_y(points: Iterable[Point], measurement: str, factor: float = 1.0) -> list[Point]:
    """Return the same points with one of their measurements as y, and y as the measurement `ms`."""
    return [
        Point(each.curve, each.x, each.measurements[measurement] * factor, {**each.measurements, "ms": each.y})
        for each in points
    ]
