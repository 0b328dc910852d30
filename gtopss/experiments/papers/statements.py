"""Predicates that papers' sentences are made of. Each returns what it found, with the numbers that show it."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import wraps
from itertools import pairwise

from gtopss.experiments.papers.experiment import Curves, Finding, Point

Statement = Callable[[Curves], Finding]
NOISE = 0.15
"""By how much a time may go the wrong way between two neighbouring points without being a finding."""
STRAIGHT = 0.95
"""The least share of a curve's variation that a straight line must explain to be called linear."""


def linear(curve: str, unit: str, per: str) -> Statement:
    """A straight line: constant cost per x."""

    @_of(curve)
    def holds(curves: Curves) -> Finding:
        slope, share = _line(curves[curve])
        return Finding(slope > 0 and share >= STRAIGHT, f"{slope:,.3g} {unit} per {per}, R² {share:.3f}")

    return holds


def rises(curve: str) -> Statement:
    return _monotone(curve, 1)


def falls(curve: str) -> Statement:
    return _monotone(curve, -1)


def grows_by(curve: str, first: float, last: float, least: float, most: float) -> Statement:
    """From one x to another, y becomes so many times as large."""

    @_of(curve)
    def holds(curves: Curves) -> Finding:
        ys = {point.x: point.y for point in curves[curve]}
        if first not in ys or last not in ys:
            return Finding(None, "")
        times = ys[last] / ys[first]
        return Finding(least <= times <= most, f"{times:.2f} times")

    return holds


def ahead(one: str, other: str) -> Statement:
    """`one` takes less than `other` at every x."""

    @_of(one, other)
    def holds(curves: Curves) -> Finding:
        times = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other)]
        return Finding(min(times) > 1, f"{_shown(min(times))} to {_shown(max(times))} times")

    return holds


def gap_grows(one: str, other: str) -> Statement:
    """What `other` takes more than `one` grows with x."""

    @_of(one, other)
    def holds(curves: Curves) -> Finding:
        gaps = [theirs.y - ours.y for ours, theirs in curves.pairs(one, other)]
        grows = all(after > before * (1 - NOISE) for before, after in pairwise(gaps))
        return Finding(grows and gaps[-1] > gaps[0], f"from {_shown(gaps[0])} to {_shown(gaps[-1])}")

    return holds


def times_ahead(one: str, other: str, times: float, at: float) -> Statement:
    """At one x, `other` takes so many times what `one` does."""

    @_of(one, other)
    def holds(curves: Curves) -> Finding:
        found = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other) if ours.x == at]
        return Finding(found[0] >= times, f"{found[0]:,.0f} times") if found else Finding(None, "")

    return holds


def alike(one: str, other: str, tolerance: float) -> Statement:
    """Two curves that differ by no more than this share of the first, at the median x."""

    @_of(one, other)
    def holds(curves: Curves) -> Finding:
        off = statistics.median(abs(theirs.y / ours.y - 1) for ours, theirs in curves.pairs(one, other))
        return Finding(off <= tolerance, f"{off:.0%} apart at the median")

    return holds


def _monotone(curve: str, sign: int) -> Statement:
    @_of(curve)
    def holds(curves: Curves) -> Finding:
        ys = [point.y for point in curves[curve]]
        steps = all(sign * (after - before) > -NOISE * before for before, after in pairwise(ys))
        return Finding(steps and sign * (ys[-1] - ys[0]) > 0, f"from {_shown(ys[0])} to {_shown(ys[-1])}")

    return holds


def _of(*names: str) -> Callable[[Statement], Statement]:
    """Only asked when each curve, and each pair of them, has two points or more."""

    def wrapped(statement: Statement) -> Statement:
        @wraps(statement)
        def holds(curves: Curves) -> Finding:
            common = [{point.x for point in curves.get(name, ())} for name in names]
            return statement(curves) if len(set.intersection(*common)) > 1 else Finding(None, "")

        return holds

    return wrapped


def _line(points: tuple[Point, ...]) -> tuple[float, float]:
    """Slope of the least-squares line, and the share of the variation that it explains."""
    xs, ys = [point.x for point in points], [point.y for point in points]
    slope, _ = statistics.linear_regression(xs, ys)
    constant = max(ys) == min(ys)
    return slope, 1.0 if constant else statistics.correlation(xs, ys) ** 2


def _shown(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"
