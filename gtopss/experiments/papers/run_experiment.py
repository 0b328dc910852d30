"""Run one experiment, x by x. Each x is saved when it is measured, so an interrupted run can resume."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gtopss.experiments import line_plots, result_files
from gtopss.experiments.curve_descriptions import describe_curves
from gtopss.experiments.papers.experiment import Curves, Experiment, ExperimentSettings, Finding, Point

Progress = Callable[[str], None]


def run_experiment(
    experiment: Experiment, settings: ExperimentSettings, folder: Path, *, fresh: bool, progress: Progress
) -> dict[str, Any]:
    """Measure each x that is not yet measured, write the JSON and its plot, and return the content of the JSON.

    With `fresh`, a saved result is ignored.
    """
    path = folder / f"{file_stem(experiment, settings)}.json"
    conditions = _conditions(experiment, settings)
    saved = None if fresh else _saved_result(path, conditions)
    result = (saved or conditions | {"measured": [], "points": []}) | descriptions(experiment)
    result["method"] = experiment.method.format(repeats=settings.repeats)
    xs = experiment.xs(settings)
    for number, x in enumerate(xs, start=1):
        where = f"{path.stem} {number}/{len(xs)}: {experiment.x_label} {x:g}"
        if x in result["measured"]:
            progress(f"{where}: already measured")
            continue
        progress(where)
        result["points"] += [asdict(point) for point in experiment.measure(x, settings)]
        result["measured"].append(x)
        result_files.save(path, result)
    result["findings"] = saved_findings(experiment, points_of(result))
    result_files.save(path, result)
    draw_plot(result, path.with_suffix(".svg"))
    return result


def file_stem(experiment: Experiment, settings: ExperimentSettings) -> str:
    """Return the file name of an experiment without suffix. Each kind of run has its own, so none is overwritten."""
    return "-".join(
        [
            experiment.name,
            *(["real"] if settings.data == "real" else []),
            *(["quick"] if settings.quick else []),
            *(["full"] if _is_larger(experiment, settings) else []),
        ]
    )


def _is_larger(experiment: Experiment, settings: ExperimentSettings) -> bool:
    """Return whether a full run of the experiment measures more than the usual one."""
    return settings.full and list(experiment.xs(settings)) != list(experiment.xs(replace(settings, full=False)))


def points_of(result: dict[str, Any]) -> list[Point]:
    return [Point(**point) for point in result["points"]]


def findings(experiment: Experiment, points: Sequence[Point]) -> list[tuple[str, Finding]]:
    """Return the experiment's statements, each with its finding for these points."""
    curves = Curves(points)
    return [(check.statement, check.holds(curves)) for check in experiment.checks]


def saved_findings(experiment: Experiment, points: Sequence[Point]) -> list[dict[str, str]]:
    """Return the findings as they are saved in the JSON."""
    return [
        {"statement": statement, "verdict": finding.verdict, "numbers": finding.numbers}
        for statement, finding in findings(experiment, points)
    ]


def draw_plot(result: dict[str, Any], path: Path) -> None:
    """Draw the plot of a saved result. Under it are the meaning of the curves and the paper's sentence."""
    curves = Curves(points_of(result))
    series = {name: [(point.x, point.y) for point in curves[name]] for name in result["curves"] if name in curves}
    data = "" if result["data"] == "synthetic" else ", real data"
    labels = line_plots.PlotLabels(
        f"{result['figure']}: {result['title']}{data}",
        result["x_label"],
        result["y_label"],
        note=f"{describe_curves(series)} The paper: {result['paper_says']}",
    )
    line_plots.draw_lines(path, labels, series, scale=result["scale"])


def _conditions(experiment: Experiment, settings: ExperimentSettings) -> dict[str, Any]:
    """Return everything that the points depend on. A result saved under other conditions is not continued."""
    return {
        "experiment": experiment.name,
        "curves": list(experiment.curves),
        "parameters": dict(experiment.parameters),
        "xs": list(experiment.xs(settings)),
        **{name: value for name, value in asdict(settings).items() if name != "full"},  # `xs` has its effect
        **result_files.environment(),
    }


def descriptions(experiment: Experiment) -> dict[str, Any]:
    """Return the texts and display settings of an experiment, which do not affect its points."""
    return {
        "paper": experiment.paper,
        "figure": experiment.figure,
        "title": experiment.title,
        "paper_says": experiment.paper_says,
        "x_label": experiment.x_label,
        "y_label": experiment.y_label,
        "scale": experiment.scale,
        "shown_measurements": list(experiment.shown_measurements),
    }


def _saved_result(path: Path, conditions: dict[str, Any]) -> dict[str, Any] | None:
    """Return the saved result of a run under the same conditions, if there is one."""
    try:
        saved = result_files.load(path)
    except (OSError, ValueError):
        return None
    if not isinstance(saved, dict) or any(saved.get(key) != value for key, value in conditions.items()):
        return None
    return saved
