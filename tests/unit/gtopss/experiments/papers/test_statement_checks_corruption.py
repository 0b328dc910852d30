"""Every statement that agrees with saved results differs once the results are corrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ROOT

from gtopss.experiments import result_files
from gtopss.experiments.papers.experiment import Curves, Experiment, Point
from gtopss.experiments.papers.experiment_table import EXPERIMENTS
from gtopss.experiments.papers.run_experiment import points_of

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


def test_there_are_saved_results_to_corrupt() -> None:
    assert len(RESULTS) > 20
