"""The measured parts of a page, made from saved JSON so that it cannot say what was not measured.

A part stands between `<!-- measured: NAME -->` and `<!-- end -->`; what people wrote around it is left alone. Between
`<!-- verdicts: PREFIX -->` and `<!-- end -->` stands what all experiments whose names begin so say to the statements of
each figure, those of one figure side by side: `PREFIX4-equal` and `PREFIX4-uniform` are two columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark import results
from gtopss.experiments.papers.experiment import Curves, Experiment, Finding, Scale
from gtopss.experiments.papers.run import draw, findings, points_of, stem
from gtopss.experiments.papers.table import EXPERIMENTS

_PART = re.compile(r"(<!-- measured: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_VERDICTS = re.compile(r"(<!-- verdicts: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def refresh(page: Path, folder: Path) -> list[str]:
    """Write the measured parts anew, and draw their plots; the names of experiments that have no results yet."""
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
    page.write_text(text, encoding="utf-8")
    return missing


def table(result: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heading and rows: one row for each x, one column for each curve, and for each fact of it that is to be shown."""
    columns: dict[str, dict[float, float]] = {}
    for name, points in Curves(points_of(result)).items():
        columns[name] = {point.x: point.y for point in points}
        for fact in result["also"]:
            columns[f"{name}, {fact}"] = {point.x: point.facts[fact] for point in points if fact in point.facts}
    order = [f"{name}{fact}" for fact in ("", *(f", {each}" for each in result["also"])) for name in result["curves"]]
    chosen = [name for name in order if name in columns]
    rows = [[f"{x:,g}", *(_number(columns[name].get(x)) for name in chosen)] for x in sorted(result["measured"])]
    return [f"{result['x_label']} ({result['y_label']})", *chosen], rows


def _saved(experiment: Experiment, folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The results of an experiment at full size, synthetic first, as far as they are finished."""
    scales = Scale(data="synthetic"), Scale(data="real")
    paths = [folder / f"{stem(experiment, scale)}.json" for scale in scales]
    saved = [(path, results.load(path)) for path in paths if path.exists()]
    return [(path, result) for path, result in saved if result["measured"] == result["xs"]]


def _part(experiment: Experiment, result: dict[str, Any], path: Path, page: Path) -> str:
    plot = path.with_suffix(".svg")
    draw(result, plot)
    heading, rows = table(result)
    data = "The paper's synthetic workload" if result["data"] == "synthetic" else "Real feeds and news"
    found = findings(experiment, points_of(result))
    return "\n".join(
        [
            f"**{data}.** {result['machine']}; Python {result['python']}; "
            f"{experiment.how.format(repeats=result['repeats'])}; [all numbers]({_from(page, path)}).",
            "",
            f"![{result['figure']}: {result['title']}]({_from(page, plot)})",
            "",
            _markdown(heading, rows),
            "",
            _markdown(["statement", "measured", "numbers"], [_verdict(*each) for each in found]),
        ]
    )


def _verdicts(prefix: str, folder: Path) -> str:
    """A row for each figure and statement, a column for each last word of the names."""
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


def _from(page: Path, target: Path) -> str:
    return target.resolve().relative_to(page.resolve().parent).as_posix()


def _markdown(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---", *(["---:"] * (len(heading) - 1))], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"
