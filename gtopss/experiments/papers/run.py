"""One experiment, x by x. What was measured is saved at once, so an interrupted run goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark import plots, results
from gtopss.experiments.papers.experiment import Curves, Experiment, Finding, Point, Scale

Progress = Callable[[str], None]


def run(experiment: Experiment, scale: Scale, folder: Path, *, fresh: bool, progress: Progress) -> dict[str, Any]:
    """Measure what is not yet measured; write the JSON and its plot; return the JSON's content."""
    path = folder / f"{stem(experiment, scale)}.json"
    conditions = _conditions(experiment, scale)
    begun = None if fresh else _begun(path, conditions)
    result = (begun or conditions | {"measured": [], "points": []}) | _words(experiment)
    xs = experiment.xs(scale)
    for number, x in enumerate(xs, start=1):
        where = f"{path.stem} {number}/{len(xs)}: {experiment.x_label} {x:g}"
        if x in result["measured"]:
            progress(f"{where}: measured before")
            continue
        progress(where)
        result["points"] += [asdict(point) for point in experiment.measure(x, scale)]
        result["measured"].append(x)
        results.save(path, result)
    result["findings"] = [
        {"statement": statement, "verdict": finding.verdict, "numbers": finding.numbers}
        for statement, finding in findings(experiment, points_of(result))
    ]
    results.save(path, result)
    draw(result, path.with_suffix(".svg"))
    return result


def stem(experiment: Experiment, scale: Scale) -> str:
    """The name of an experiment's files; one for each kind of run, so that none overwrites another's points."""
    return "-".join([experiment.name, *(["real"] if scale.data == "real" else []), *(["quick"] if scale.quick else [])])


def points_of(result: dict[str, Any]) -> list[Point]:
    return [Point(**point) for point in result["points"]]


def findings(experiment: Experiment, points: Sequence[Point]) -> list[tuple[str, Finding]]:
    """What the points say to the paper's statements."""
    curves = Curves(points)
    return [(check.statement, check.holds(curves)) for check in experiment.checks]


def draw(result: dict[str, Any], path: Path) -> None:
    """The plot of a saved result, with the paper's sentence under it."""
    curves = Curves(points_of(result))
    series = {name: [(point.x, point.y) for point in curves[name]] for name in result["curves"] if name in curves}
    data = "" if result["data"] == "synthetic" else ", real data"
    plots.lines(
        path,
        f"{result['figure']}: {result['title']}{data}",
        result["x_label"],
        result["y_label"],
        series,
        log=result["log"],
        note=f"The paper: {result['says']}",
    )


def _conditions(experiment: Experiment, scale: Scale) -> dict[str, Any]:
    """All that the points depend on. A result saved under other conditions is not continued."""
    return {
        "experiment": experiment.name,
        "curves": list(experiment.curves),
        "parameters": dict(experiment.parameters),
        "xs": list(experiment.xs(scale)),
        **asdict(scale),
        **results.environment(),
    }


def _words(experiment: Experiment) -> dict[str, Any]:
    return {
        "paper": experiment.paper,
        "figure": experiment.figure,
        "title": experiment.title,
        "says": experiment.says,
        "x_label": experiment.x_label,
        "y_label": experiment.y_label,
        "log": experiment.log,
        "also": list(experiment.also),
    }


def _begun(path: Path, conditions: dict[str, Any]) -> dict[str, Any] | None:
    """The saved result of a run under the same conditions, if there is one."""
    try:
        saved = results.load(path)
    except (OSError, ValueError):
        return None
    if not isinstance(saved, dict) or any(saved.get(key) != value for key, value in conditions.items()):
        return None
    return saved
