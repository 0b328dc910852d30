"""Write the measured parts of a Markdown page from saved JSON, so that the page only contains what was measured.

The texts and statements may be newer than the numbers: they are written into the JSON too, so that both say the same.

The part between `<!-- measured: NAME -->` and `<!-- end -->` is replaced by the plot, table and verdicts of an
experiment; the rest of the page is not changed. The part between `<!-- verdicts: PREFIX -->` and `<!-- end -->` is
replaced by the verdicts of all experiments whose names begin with the prefix, with the variants of a figure side by
side: `PREFIX4-equal` and `PREFIX4-uniform` are two columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gtopss.atomic_files import write_atomically
from gtopss.experiments import result_files
from gtopss.experiments.curve_descriptions import describe_curves
from gtopss.experiments.papers.experiment import Curves, Data, Experiment, ExperimentSettings, Finding
from gtopss.experiments.papers.experiment_table import EXPERIMENTS
from gtopss.experiments.papers.run_experiment import (
    descriptions,
    draw_plot,
    file_stem,
    findings,
    points_of,
    saved_findings,
)

_PART = re.compile(r"(<!-- measured: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_VERDICTS = re.compile(r"(<!-- verdicts: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SHOWN_AS = {"bytes": ("megabytes", 1e-6), "insert_us": ("µs per insertion", 1.0)}
"""Measurements that tables show under another name, and the factor of their unit."""


def refresh_page(page: Path, folder: Path) -> list[str]:
    """Rewrite the measured parts and draw their plots; return the names of experiments without results."""
    missing = []

    def part(match: re.Match[str]) -> str:
        name = match[2]
        saved = _saved(EXPERIMENTS[name], folder) if name in EXPERIMENTS else []
        if not saved:
            missing.append(name)
        parts = [_part(EXPERIMENTS[name], result, path, page) for path, result in saved]
        return match[1] + "\n\n".join(parts) + ("\n" if parts else "") + match[3]

    text = _PART.sub(part, page.read_text(encoding="utf-8"))
    text = _VERDICTS.sub(lambda match: f"{match[1]}{_verdicts(match[2], folder)}\n{match[3]}", text)
    write_atomically(page, text)
    return missing


def result_table(result: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows: one column for each x, one row for each curve and each of its shown measurements."""
    curves = Curves(points_of(result))
    measured = [name for name in result["curves"] if name in curves]
    values = {name: {point.x: point.y for point in curves[name]} for name in measured}
    for measurement in result["shown_measurements"]:
        shown, factor = _SHOWN_AS.get(measurement, (measurement, 1.0))
        for name in measured:
            values[f"{name}, {shown}"] = {
                point.x: point.measurements[measurement] * factor
                for point in curves[name]
                if measurement in point.measurements
            }
    xs = sorted(result["measured"])
    heading = [result["x_label"], *(f"{x:,.12g}" for x in xs)]
    return heading, [[name, *(_number(points.get(x)) for x in xs)] for name, points in values.items()]


def _saved(experiment: Experiment, folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the finished results of an experiment, synthetic data first; of a full and a usual run, the full one."""
    found = []
    kinds: tuple[Data, ...] = ("synthetic", "real")
    for data in kinds:
        runs = ExperimentSettings(data=data, full=True), ExperimentSettings(data=data)
        paths = dict.fromkeys(folder / f"{file_stem(experiment, settings)}.json" for settings in runs)
        saved = ((path, result_files.load(path)) for path in paths if path.exists())
        found += [(path, result) for path, result in saved if result["measured"] == result["xs"]][:1]
    return found


def _part(experiment: Experiment, result: dict[str, Any], path: Path, page: Path) -> str:
    found = findings(experiment, points_of(result))
    result = result | descriptions(experiment) | {"findings": saved_findings(experiment, points_of(result))}
    result_files.save(path, result)
    plot = path.with_suffix(".svg")
    draw_plot(result, plot)
    heading, rows = result_table(result)
    data = "The paper's synthetic workload" if result["data"] == "synthetic" else "Real feeds and news"
    return "\n".join(
        [
            f"**{data}.** {result['machine']}; Python {result['python']}; "
            f"{result.get('method') or experiment.method.format(repeats=result['repeats'])}; "
            f"[all numbers]({_relative_to(page, path)}).",
            "",
            f"![{result['figure']}: {result['title']}]({_relative_to(page, plot)})",
            "",
            f"*{result['y_label']} by {result['x_label']}. {describe_curves(row[0] for row in rows)}*",
            "",
            _markdown(heading, rows),
            "",
            _markdown(["statement", "measured", "numbers"], [_verdict(*each) for each in found]),
        ]
    )


def _verdicts(prefix: str, folder: Path) -> str:
    """Return a table with a row for each figure and statement, and a column for each last word of the names."""
    columns: dict[str, None] = {}
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for name, experiment in EXPERIMENTS.items():
        for _, result in _saved(experiment, folder) if name.startswith(prefix) else ():
            column = name.rpartition("-")[2]
            columns[column] = None
            for statement, finding in findings(experiment, points_of(result)):
                found = f"**{finding.verdict}**: {finding.numbers}" if finding.numbers else f"**{finding.verdict}**"
                rows.setdefault((experiment.figure, statement), {})[column] = found
    cells = [[*key, *(found.get(column, "") for column in columns)] for key, found in rows.items()]
    return _markdown(["figure", "statement", *columns], cells)


def _verdict(statement: str, finding: Finding) -> list[str]:
    return [statement, f"**{finding.verdict}**", finding.numbers]


def _relative_to(page: Path, target: Path) -> str:
    return target.resolve().relative_to(page.resolve().parent).as_posix()


def _markdown(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---", *(["---:"] * (len(heading) - 1))], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"
