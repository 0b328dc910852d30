"""Predicates over curves, from which the checks of the papers' statements are made.

Each predicate returns a `Finding` with the numbers that support it, or "not measured" if a curve is missing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from itertools import pairwise

from gtopss.experiments.papers.experiment import Curves, Finding, Point

Statement = Callable[[Curves], Finding]
NOISE_TOLERANCE = 0.15
"""Share by which y may go the wrong way between two neighbouring points without being a finding."""
MUCH = 2.0
"""Factor from which "much", "far" or "largely" more than another curve holds."""
SUBLINEAR_EXPONENT = 0.95
"""Exponent of growth below which a curve is called sublinear."""
MIN_LINEAR_R2 = 0.95
"""Smallest R² of the least-squares line for a curve to be called linear."""
MIN_KEPT_SLOPE = 0.8
"""Smallest slope of the last interval, as a share of that of the first, for exact counts to be called linear."""
NOT_MEASURED = Finding(None, "")


# --- one curve -------------------------------------------------------------------------------------------------


def linear(curve: str, unit: str, per: str) -> Statement:
    """The curve is a rising straight line: constant cost per x."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        slope, share = _line(curves[curve])
        return Finding(slope > 0 and share >= MIN_LINEAR_R2, f"{slope:,.3g} {unit} per {per}, R² {share:.3f}")

    return holds


def linear_count(curve: str, unit: str, per: str) -> Statement:
    """The curve is a rising straight line that keeps its slope to the end. For counts, which have no noise."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        straight = linear(curve, unit, per)(curves)
        points = curves[curve]
        first, last = (_slope(*pair) for pair in (points[:2], points[-2:]))
        keeps = first > 0 and last >= MIN_KEPT_SLOPE * first
        return Finding(bool(straight.agrees) and keeps, f"{straight.numbers}; slope from {first:.3g} to {last:.3g}")

    return holds


def logarithmic(curve: str) -> Statement:
    """The curve rises by a constant amount whenever x is multiplied: a straight line over log x."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        slope, share = _line(tuple(replace(point, x=math.log10(point.x)) for point in curves[curve]))
        return Finding(slope > 0 and share >= MIN_LINEAR_R2, f"{_shown(slope)} per tenfold, R² {share:.3f}")

    return holds


def rises(curve: str) -> Statement:
    """The curve increases with x, apart from noise."""
    return _monotone(curve, 1)


def rises_through(curve: str, xs: Sequence[float]) -> Statement:
    """The curve increases from each of these xs to the next. No step may go the other way because of noise."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        ys = {point.x: point.y for point in curves[curve]}
        if not ys.keys() >= set(xs):
            return NOT_MEASURED
        chosen = [ys[x] for x in xs]
        return Finding(all(after > before for before, after in pairwise(chosen)), ", ".join(map(_shown, chosen)))

    return holds


def falls(curve: str) -> Statement:
    """The curve decreases with x, apart from noise."""
    return _monotone(curve, -1)


def count_rises(curve: str) -> Statement:
    """The curve increases with every x. For counts, which have no noise."""
    return _monotone(curve, 1, tolerance=0)


def count_falls(curve: str) -> Statement:
    """The curve decreases with every x. For counts, which have no noise."""
    return _monotone(curve, -1, tolerance=0)


def grows_by(curve: str, first: float, last: float, minimum: float, maximum: float) -> Statement:
    """From x = `first` to x = `last`, y grows by a factor between `minimum` and `maximum`."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        ys = {point.x: point.y for point in curves[curve]}
        if first not in ys or last not in ys:
            return NOT_MEASURED
        factor = ys[last] / ys[first]
        return Finding(minimum <= factor <= maximum, f"{factor:.2f} times")

    return holds


def stays_between(curve: str, base: float, minimum: float, maximum: float) -> Statement:
    """At every other x, y is between `minimum` and `maximum` times y at x = `base`."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        ys = {point.x: point.y for point in curves[curve]}
        if base not in ys:
            return NOT_MEASURED
        factors = [y / ys[base] for x, y in ys.items() if x != base]
        within = minimum <= min(factors) and max(factors) <= maximum
        return Finding(within, f"{min(factors):.2f} to {max(factors):.2f} times")

    return holds


def exponent_below(curve: str, limit: float) -> Statement:
    """The least-squares slope of the curve in a log-log plot is below a limit."""

    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        points = curves[curve]
        slope, _ = statistics.linear_regression(
            [math.log(each.x) for each in points], [math.log(each.y) for each in points]
        )
        return Finding(slope < limit, f"fitted exponent {slope:.2f}")

    return holds


# --- two curves ------------------------------------------------------------------------------------------------


def ahead(one: str, other: str) -> Statement:
    """`one` takes less than `other` at every x."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        times = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other)]
        return Finding(min(times) > 1, f"{other} takes {_shown(min(times))} to {_shown(max(times))} times as much")

    return holds


def ahead_of_all(one: str, others: Sequence[str]) -> Statement:
    """`one` takes less than each of the others at every x."""

    @_measured(one, *others)
    def holds(curves: Curves) -> Finding:
        times = {other: min(theirs.y / ours.y for ours, theirs in curves.pairs(one, other)) for other in others}
        closest = min(times, key=times.__getitem__)
        return Finding(times[closest] > 1, f"{closest} takes at least {_shown(times[closest])} times as much")

    return holds


def much_ahead(one: str, other: str) -> Statement:
    """`other` takes at least `MUCH` times what `one` takes, at every x."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        times = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other)]
        return Finding(min(times) >= MUCH, f"{other} takes {_shown(min(times))} to {_shown(max(times))} times as much")

    return holds


def gap_grows(one: str, other: str, share: float = math.inf) -> Statement:
    """The difference between `other` and `one` grows with x, in all by less than this share of `one` at the last x."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        gaps = [theirs.y - ours.y for ours, theirs in pairs]
        grows = all(after > before * (1 - NOISE_TOLERANCE) for before, after in pairwise(gaps))
        growth = gaps[-1] - gaps[0]
        numbers = f"from {_shown(gaps[0])} to {_shown(gaps[-1])}"
        if share < math.inf:
            numbers += f", {growth / pairs[-1][0].y:.1%} of {_shown(pairs[-1][0].y)}"
        return Finding(grows and 0 < growth < share * pairs[-1][0].y, numbers)

    return holds


def times_ahead(one: str, other: str, times: float, at: float) -> Statement:
    """At one x, `other` takes at least so many times what `one` takes."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        found = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other) if ours.x == at]
        return Finding(found[0] >= times, f"{other} takes {_shown(found[0])} times as much") if found else NOT_MEASURED

    return holds


def alike(one: str, other: str, tolerance: float) -> Statement:
    """The curves differ by no more than this share of `one` at every x."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        off = [abs(theirs.y / ours.y - 1) for ours, theirs in curves.pairs(one, other)]
        return Finding(max(off) <= tolerance, f"{min(off):.1%} to {max(off):.1%} apart")

    return holds


def alike_at_end(one: str, other: str, tolerance: float) -> Statement:
    """At the largest x, the curves differ by no more than this share of `one`."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        return alike_at(one, other, tolerance, pairs[-1][0].x)(curves) if pairs else NOT_MEASURED

    return holds


def alike_at(one: str, other: str, tolerance: float, at: float) -> Statement:
    """At one x, the curves differ by no more than this share of `one`."""

    def holds(curves: Curves) -> Finding:
        off = [abs(theirs.y / ours.y - 1) for ours, theirs in curves.pairs(one, other) if ours.x == at]
        return Finding(off[0] <= tolerance, f"{off[0]:.0%} apart at {at:,.12g}") if off else NOT_MEASURED

    return holds


def no_worse(one: str, other: str, since: float = -math.inf) -> Statement:
    """From x = `since` on, `one` takes no more than `other`."""

    def holds(curves: Curves) -> Finding:
        times = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other) if ours.x >= since]
        if not times:
            return NOT_MEASURED
        return Finding(min(times) >= 1, f"{other} takes {min(times):.3g} to {max(times):.3g} times as much")

    return holds


def crosses(one: str, other: str) -> Statement:
    """`one` takes more than `other` at the smallest x, and less at the largest."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        ahead_at = [ours.x for ours, theirs in pairs if ours.y < theirs.y]
        where = f"{one} is ahead from {ahead_at[0]:,.12g} on" if ahead_at else f"{one} is never ahead"
        first, last = pairs[0], pairs[-1]
        return Finding(first[0].y > first[1].y and last[0].y < last[1].y, where)

    return holds


def factor_within(one: str, other: str, minimum: float, maximum: float) -> Statement:
    """At every x, `other` takes between `minimum` and `maximum` times what `one` takes."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        times = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other)]
        numbers = f"{_shown(min(times))} to {_shown(max(times))} times"
        return Finding(minimum <= min(times) and max(times) <= maximum, numbers)

    return holds


def factor_at(one: str, other: str, minimum: float, maximum: float, at: float) -> Statement:
    """At one x, `other` takes between `minimum` and `maximum` times what `one` takes."""

    def holds(curves: Curves) -> Finding:
        found = [theirs.y / ours.y for ours, theirs in curves.pairs(one, other) if ours.x == at]
        if not found:
            return NOT_MEASURED
        return Finding(minimum <= found[0] <= maximum, f"{_shown(found[0])} times at {at:,.12g}")

    return holds


def factor_at_end(one: str, other: str, minimum: float, maximum: float = math.inf) -> Statement:
    """At the largest x, `other` takes between `minimum` and `maximum` times what `one` takes."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        return factor_at(one, other, minimum, maximum, pairs[-1][0].x)(curves) if pairs else NOT_MEASURED

    return holds


def below_by_share(one: str, other: str, share: float) -> Statement:
    """On average over x, `one` is below `other` by at least this share."""

    def holds(curves: Curves) -> Finding:
        shares = _shares_below(curves, one, other)
        if not shares:
            return NOT_MEASURED
        each = f"{min(shares):.1%} to {max(shares):.1%}"
        return Finding(statistics.fmean(shares) >= share, f"{statistics.fmean(shares):.1%} on average, {each}")

    return holds


def share_shrinks(one: str, other: str) -> Statement:
    """`one` is below `other` at the first x, and the share by which it is below shrinks with every step."""

    def holds(curves: Curves) -> Finding:
        shares = _shares_below(curves, one, other)
        if len(shares) < 2:
            return NOT_MEASURED
        shrinks = all(after < before for before, after in pairwise(shares))
        return Finding(shares[0] > 0 and shrinks, ", ".join(f"{share:.1%}" for share in shares))

    return holds


def saves_share_at(one: str, other: str, share: float, at: float) -> Statement:
    """At one x, `one` is below `other` by at least this share."""

    def holds(curves: Curves) -> Finding:
        found = [1 - less.y / more.y for less, more in curves.pairs(one, other) if less.x == at]
        return Finding(found[0] >= share, f"{found[0]:.1%} less at {at:,.12g}") if found else NOT_MEASURED

    return holds


def at_most_share(part: str, whole: str, share: float) -> Statement:
    """At every x, `part` is at most this share of `whole`, which may be above 1."""

    @_measured(part, whole)
    def holds(curves: Curves) -> Finding:
        shares = [less.y / more.y for less, more in curves.pairs(part, whole)]
        return Finding(max(shares) <= share, f"{min(shares):.0%} to {max(shares):.0%}")

    return holds


def saves_share_at_best(one: str, other: str, share: float) -> Statement:
    """At some x, `one` is below `other` by at least this share."""

    def holds(curves: Curves) -> Finding:
        found = _shares_below(curves, one, other)
        return Finding(max(found) >= share, f"up to {max(found):.1%} less") if found else NOT_MEASURED

    return holds


def grows_much_slower(one: str, other: str) -> Statement:
    """From the first x to the last, `other` grows by at least `MUCH` times as much as `one`, as the slopes of lines."""

    @_measured(one, other)
    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        ours, theirs = (pairs[-1][side].y - pairs[0][side].y for side in (0, 1))
        numbers = f"{one} grows by {_shown(ours)}, {other} by {_shown(theirs)}"
        return Finding(theirs > 0 and theirs >= MUCH * ours, numbers)

    return holds


def smaller_measurement(one: str, other: str, measurement: str) -> Statement:
    """The measurement is smaller for `one` than for `other` at every x."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        if not pairs or any(measurement not in point.measurements for pair in pairs for point in pair):
            return NOT_MEASURED
        times = [theirs.measurements[measurement] / ours.measurements[measurement] for ours, theirs in pairs]
        return Finding(min(times) > 1, f"{_shown(min(times))} to {_shown(max(times))} times as much")

    return holds


def measurement_stays(curve: str, measurement: str, factor: float) -> Statement:
    """At every x, the measurement is at most `factor` times its smallest value."""

    def holds(curves: Curves) -> Finding:
        found = [each.measurements[measurement] for each in curves.get(curve, ()) if measurement in each.measurements]
        if len(found) < 2:
            return NOT_MEASURED
        return Finding(max(found) <= factor * min(found), f"{_shown(min(found))} to {_shown(max(found))}")

    return holds


def measurement_rises(curve: str, measurement: str) -> Statement:
    """The measurement increases with every x."""

    def holds(curves: Curves) -> Finding:
        found = [each.measurements[measurement] for each in curves.get(curve, ()) if measurement in each.measurements]
        if len(found) < 2:
            return NOT_MEASURED
        rising = all(after > before for before, after in pairwise(found))
        return Finding(rising, f"from {_shown(found[0])} to {_shown(found[-1])}")

    return holds


# --- helpers ---------------------------------------------------------------------------------------------------


def _monotone(curve: str, sign: int, tolerance: float = NOISE_TOLERANCE) -> Statement:
    @_measured(curve)
    def holds(curves: Curves) -> Finding:
        ys = [point.y for point in curves[curve]]
        steps = all(sign * (after - before) > -tolerance * before for before, after in pairwise(ys))
        return Finding(steps and sign * (ys[-1] - ys[0]) > 0, f"from {_shown(ys[0])} to {_shown(ys[-1])}")

    return holds


def _measured(*names: str) -> Callable[[Statement], Statement]:
    """Evaluate a statement only if all its curves have two or more points at common xs."""

    def wrapped(statement: Statement) -> Statement:
        @wraps(statement)
        def holds(curves: Curves) -> Finding:
            common = [{point.x for point in curves.get(name, ())} for name in names]
            return statement(curves) if len(set.intersection(*common)) > 1 else NOT_MEASURED

        return holds

    return wrapped


def _shares_below(curves: Curves, one: str, other: str) -> list[float]:
    return [1 - less.y / more.y for less, more in curves.pairs(one, other)]


def _slope(before: Point, after: Point) -> float:
    return (after.y - before.y) / (after.x - before.x)


def _line(points: tuple[Point, ...]) -> tuple[float, float]:
    """Return the slope of the least-squares line, and its R²."""
    xs, ys = [point.x for point in points], [point.y for point in points]
    slope, _ = statistics.linear_regression(xs, ys)
    constant = max(ys) == min(ys)
    return slope, 1.0 if constant else statistics.correlation(xs, ys) ** 2


def _shown(number: float) -> str:
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.4g}" if 0.99 < number < 1.01 else f"{number:.3g}"  # a ratio near 1: on which side of it
