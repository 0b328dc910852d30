"""Attribute matchers side by side on one workload: answers compared, then work counted, timed and weighed.

One run gives several figures: counters show an order that no noise can change, times come second.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from statistics import linear_regression, mean

from gtopss.attributes import AttributeMatcher, AttributeReport, AttributeSubscription, Event
from gtopss.experiments.papers.agreement import agree, take_turns
from gtopss.experiments.papers.experiment import Curves, Finding, Point
from gtopss.experiments.papers.statements import Statement

LAST = 1_000
"""Insertions that are timed: the last ones, when all the others are there."""


def side_by_side(
    makers: Mapping[str, Callable[[], AttributeMatcher]],
    subscriptions: Sequence[AttributeSubscription],
    events: Sequence[Event],
    x: float,
    repeats: int,
) -> list[Point]:
    """A point for each matcher: milliseconds an event; counters, bytes and insertion time among the facts."""
    matchers: dict[str, AttributeMatcher] = {}
    facts: dict[str, dict[str, float]] = {}
    for name, make in makers.items():
        matcher = matchers[name] = make()
        early = max(0, len(subscriptions) - LAST)
        for each in subscriptions[:early]:
            matcher.insert(each)
        started = time.process_time()
        for each in subscriptions[early:]:
            matcher.insert(each)
        seconds = time.process_time() - started
        facts[name] = {"insert_us": 1e6 * seconds / (len(subscriptions) - early)}
    reports = {name: [matcher.match(event) for event in events] for name, matcher in matchers.items()}
    agree({name: [each.subscription_ids for each in made] for name, made in reports.items()}, f"{x:g}")
    for name, made in reports.items():
        facts[name] |= counted(made) | {"bytes": matchers[name].structure_bytes()}
    times = take_turns({name: partial(_match_all, each, events) for name, each in matchers.items()}, repeats)
    return [Point(name, x, 1e3 * times[name].least / len(events), facts[name]) for name in makers]


def _match_all(matcher: AttributeMatcher, events: Iterable[Event]) -> None:
    for event in events:
        matcher.match(event)


def counted(reports: Sequence[AttributeReport]) -> dict[str, float]:
    """The mean counters of some events."""
    names = asdict(reports[0].counters)
    means = {name: mean(getattr(report.counters, name) for report in reports) for name in names}
    matches = mean(len(report.subscription_ids) for report in reports)
    return means | {"work": mean(report.counters.work for report in reports), "matches": matches}


def showing(points: Iterable[Point], fact: str, scale: float = 1.0) -> list[Point]:
    """The same points with one of their facts as y, and y as the fact `ms`."""
    return [Point(each.curve, each.x, each.facts[fact] * scale, {**each.facts, "ms": each.y}) for each in points]


# --- statements ------------------------------------------------------------------------------------------------


def no_worse(one: str, other: str, since: float, tolerance: float = 0.0) -> Statement:
    """From some x on, `one` takes no more than `other`, but for a tolerance."""

    def holds(curves: Curves) -> Finding:
        times = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other) if ours.x >= since]
        if not times:
            return Finding(None, "")
        return Finding(min(times) >= 1 - tolerance, f"{other} takes {min(times):.3g} to {max(times):.3g} times as much")

    return holds


def exponent_below(curve: str, most: float) -> Statement:
    """The least-squares slope of the curve in a doubly logarithmic plot is below a limit."""

    def holds(curves: Curves) -> Finding:
        points = curves.get(curve, ())
        if len(points) < 2:
            return Finding(None, "")
        slope, _ = linear_regression([math.log(each.x) for each in points], [math.log(each.y) for each in points])
        return Finding(slope < most, f"fitted exponent {slope:.2f}")

    return holds


def crosses(one: str, other: str) -> Statement:
    """`one` takes more than `other` at the smallest x, and less at the largest."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        if len(pairs) < 2:
            return Finding(None, "")
        ahead = [ours.x for ours, theirs in pairs if ours.y < theirs.y]
        where = f"{one} is ahead from {ahead[0]:,g} on" if ahead else f"{one} is never ahead"
        first, last = pairs[0], pairs[-1]
        return Finding(first[0].y > first[1].y and last[0].y < last[1].y, where)

    return holds
