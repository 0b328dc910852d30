"""Every statement can fail: one that agrees with saved results differs once these are corrupted, and every one agrees
with some invented results and differs from others."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.experiments import result_files
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.experiment_table import EXPERIMENTS
from gtopss.experiments.papers.run_experiment import points_of

MAX_INVENTIONS = 3_000
"""Invented results that are tried until each statement has agreed and differed."""
EVERY = re.compile(r"\b(every|always|nowhere)\b")
RESULTS = sorted(
    path
    for folder in ("comparisons", "attributes")
    for path in (ROOT / "docs" / folder).glob("*.json")
    if result_files.load(path).get("experiment") in EXPERIMENTS
)


def _changed(points: Sequence[Point], curve: str, change: Callable[[Point, int], float]) -> list[Point]:
    """Return the points with other numbers, y and measurements alike, in one curve."""
    made, place = [], 0
    for point in points:
        if point.curve == curve:
            factor = change(point, place)
            measurements = {name: value * factor for name, value in point.measurements.items()}
            point, place = replace(point, y=point.y * factor, measurements=measurements), place + 1
        made.append(point)
    return made


def corruptions(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Yield the points with one curve made large, small, steep, falling or flat."""
    for curve, own in Curves(points).items():
        flat = own[0].y or 1.0
        yield _changed(points, curve, lambda point, place: 1e6)
        yield _changed(points, curve, lambda point, place: 1e-6)
        yield _changed(points, curve, lambda point, place: 100.0**place)
        yield _changed(points, curve, lambda point, place: 100.0**-place)
        yield _changed(points, curve, lambda point, place, flat=flat: flat / point.y if point.y else 1.0)
        yield [replace(point, y=1.0, measurements=dict.fromkeys(point.measurements, 1.0)) for point in points]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_statement_that_agrees_can_fail(path: Path) -> None:
    result = result_files.load(path)
    experiment: Experiment = EXPERIMENTS[result["experiment"]]
    points = points_of(result)
    agreeing = [check for check in experiment.checks if check.holds(Curves(points)).agrees]
    corrupted = [Curves(each) for each in corruptions(points)]
    for check in agreeing:
        verdicts = [check.holds(curves).agrees for curves in corrupted]
        assert False in verdicts, f"no corruption makes this statement differ: {check.statement}"


def spoiled(points: Sequence[Point], x: float) -> Iterator[list[Point]]:
    """Yield the points with those of one curve at one x made large or small."""
    for curve in Curves(points):
        for factor in (1e6, 1e-6):
            yield [
                replace(
                    point,
                    y=point.y * factor,
                    measurements={name: value * factor for name, value in point.measurements.items()},
                )
                if (point.curve, point.x) == (curve, x)
                else point
                for point in points
            ]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_statement_about_every_point_fails_at_any_point(path: Path) -> None:
    """A statement with such words must not be decided by the first and last points, or by a median."""
    result = result_files.load(path)
    points = points_of(result)
    for check in EXPERIMENTS[result["experiment"]].checks:
        if EVERY.search(check.statement) and check.holds(Curves(points)).agrees:
            for x in _common_xs(check, points):
                verdicts = [check.holds(Curves(each)).agrees for each in spoiled(points, x)]
                assert False in verdicts, f"no point at {x:g} makes this statement differ: {check.statement}"


def _common_xs(check: Check, points: Sequence[Point]) -> list[float]:
    """Return the values of x at which all curves that the statement needs have a point."""
    xs = sorted({point.x for point in points})
    named = {point.curve for point in points if not check.holds(Curves(_without(points, point.curve))).agrees}
    return [x for x in xs if named <= {point.curve for point in points if point.x == x}]


def _without(points: Sequence[Point], curve: str) -> list[Point]:
    return [point for point in points if point.curve != curve]


def test_there_are_saved_results_to_corrupt() -> None:
    assert len(RESULTS) > 20


class AnyMeasurements(Mapping[str, float]):
    """Measurements of every name, derived from the point's own number: one factor for each name and curve."""

    def __init__(self, y: float, seed: str) -> None:
        self._y, self._seed = y, seed

    def __getitem__(self, name: str) -> float:
        return self._y * 10 ** random.Random(f"{self._seed} {name}").choice((-3, -1, 0, 0, 0, 1, 3))

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __contains__(self, name: object) -> bool:
        return True


GROWTHS: Sequence[Callable[[float], float]] = (
    lambda x: 1.0,
    lambda x: x,
    lambda x: x**2,
    lambda x: 1 / x,
    lambda x: math.log(1 + x),
    lambda x: x**0.3,
    lambda x: math.exp(min(x, 300.0)),
)
FACTORS = (1e-6, 0.01, 0.2, 0.4, 0.8, 0.95, 1.0, 1.0, 1.02, 1.1, 1.5, 2.3, 3.0, 6.0, 100.0, 1e6)


def invented_points(experiment: Experiment, generator: random.Random) -> list[Point]:
    """Return points of every curve of an experiment: each a plain function of x, often the same one."""
    xs = experiment.xs(ExperimentSettings())
    common, points = generator.choice(GROWTHS), list[Point]()
    for curve in experiment.curves:
        growth = generator.choice((common, common, generator.choice(GROWTHS)))
        factor, seed = 1_000 * generator.choice(FACTORS), f"{generator.random()}"
        for x in xs:
            y = factor * growth(max(x, 0.1))
            points.append(Point(curve, x, y, AnyMeasurements(y, seed)))
    return points


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_statement_can_agree_and_differ(name: str) -> None:
    """Also those that the saved results do not confirm, or for which there is no result yet."""
    experiment, generator = EXPERIMENTS[name], random.Random(name)
    verdicts: dict[str, set[bool | None]] = {check.statement: set() for check in experiment.checks}
    for _ in range(MAX_INVENTIONS):
        open_checks = [check for check in experiment.checks if not {True, False} <= verdicts[check.statement]]
        if not open_checks:
            return
        curves = Curves(invented_points(experiment, generator))
        for check in open_checks:
            verdicts[check.statement].add(check.holds(curves).agrees)
    assert {statement: seen for statement, seen in verdicts.items() if not {True, False} <= seen} == {}
