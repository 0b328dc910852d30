"""`gtopss compare`: repeat the experiments of the papers, and check their statements against the measurements."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from gtopss.cli.arguments import messages
from gtopss.extras import require_extra

if TYPE_CHECKING:
    from gtopss.experiments.papers.experiment import Experiment

PLAIN_WIDTH = 120  # characters of a line that is not printed on a terminal
NAME_WIDTH = 20  # characters of the column with the names of the curves; longer names take several lines
CELL_PADDING = 3  # characters between two columns


def compare(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Experiments to run: names, the first part of a name, or `all`. Default: list the experiments.",
            metavar="NAME...",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use small sizes: minutes, enough to see the shape of each curve.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Also run the papers' largest sizes, which take hours or many gigabytes.")
    ] = False,
    data: Annotated[
        Literal["synthetic", "real"],
        typer.Option(help="synthetic: workloads generated as in the paper. real: the feeds and news of this project."),
    ] = "synthetic",
    seed: Annotated[int, typer.Option(help="Random seed for generated workloads.")] = 2005,
    repeats: Annotated[int, typer.Option(min=1, help="Measured runs per point, after one warm-up run.")] = 5,
    out: Annotated[Path, typer.Option(help="Folder for the results (JSON) and their plots (SVG).")] = Path(
        "build/compare"
    ),
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore earlier results in --out and measure again.")] = False,
    page: Annotated[
        Path | None, typer.Option(help="Markdown page whose result sections are rewritten from --out.")
    ] = None,
) -> None:
    """Repeat the experiments of the papers, and report which of their statements the measurements confirm.

    The matches of all systems are compared before anything is timed. If a run is interrupted, start it again: it
    continues where it stopped.

    Exit code 0: done, even if statements are not confirmed. 1: two systems found different matches, or an experiment
    failed. 2: wrong usage.
    """
    # Imported here because no other command needs the matchers of all papers.
    require_extra("compare", "gtopss compare")
    from gtopss.experiments.papers.experiment import ExperimentSettings
    from gtopss.experiments.papers.experiment_table import EXPERIMENTS
    from gtopss.experiments.papers.result_pages import refresh_page, result_table
    from gtopss.experiments.papers.run_experiment import file_stem, run_experiment

    if quick and full:
        raise typer.BadParameter("--quick and --full cannot be combined: leave out one of them")
    chosen = _select_experiments(names or [], EXPERIMENTS)
    settings = ExperimentSettings(quick, data, seed, repeats, full)
    for experiment in chosen:
        if not experiment.xs(settings):
            messages.print(f"{experiment.name}: nothing to measure on {data} data")
            continue
        started = time.perf_counter()
        result = run_experiment(experiment, settings, out, fresh=fresh, progress=messages.print)
        _print_result(experiment, result, *result_table(result))
        seconds, stem = time.perf_counter() - started, out / file_stem(experiment, settings)
        messages.print(f"took {seconds:.0f} s; the plot is {stem}.svg, and all points are in {stem}.json")
    if page is not None:
        for name in refresh_page(page, out):
            messages.print(f"{page}: no results of {name} in {out}")
    elif not chosen:
        _print_list(EXPERIMENTS)


def _select_experiments(names: list[str], known: Mapping[str, Experiment]) -> list[Experiment]:
    """Return the experiments with these names or, if none has the name, with this first part of a name.

    `operators` selects all of that paper; `le-subscribe-9` is the name of one.
    """
    if "all" in names:
        return list(known.values())
    chosen: dict[str, Experiment] = {}
    for name in names:
        chosen_names = [name] if name in known else [each for each in known if each.startswith(f"{name}-")]
        found = {each: known[each] for each in chosen_names}
        if not found:
            close = [each for each in known if name in each][:3] or get_close_matches(name, known, n=3)
            hint = f"did you mean {' or '.join(close)}? " if close else ""
            raise typer.BadParameter(
                f"there is no experiment {name!r}: {hint}`gtopss compare` without a name lists them"
            )
        chosen |= found
    return list(chosen.values())


def _print_list(known: Mapping[str, Experiment]) -> None:
    console = Console(highlight=False)
    longest = max(map(len, known))
    for paper, experiments in groupby(known.values(), attrgetter("paper")):
        console.print(paper, style="bold", markup=False)
        listed = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        listed.add_column(no_wrap=True, min_width=longest)  # a name is typed as it is printed
        listed.add_column()
        for each in experiments:
            listed.add_row(each.name, f"{each.figure}: {each.title}")
        console.print(listed)
        console.print()
    console.print("To run one at small sizes: gtopss compare gtopss-9g --quick")


def _fitting_columns(heading: list[str], rows: list[list[str]], width: int) -> list[list[int]]:
    """Return the columns of numbers in groups that fit beside the names: each group is a table of its own."""
    groups: list[list[int]] = []
    left = 0
    for column in range(1, len(heading)):
        needed = max(len(row[column]) for row in (heading, *rows)) + CELL_PADDING
        if needed > left:
            groups.append([])
            left = width - NAME_WIDTH - 2 * CELL_PADDING
        groups[-1].append(column)
        left -= needed
    return groups


def _print_result(experiment: Experiment, result: dict[str, Any], heading: list[str], rows: list[list[str]]) -> None:
    from gtopss.experiments.curve_descriptions import describe_curves
    from gtopss.experiments.papers.statement_checks import NOT_MEASURED

    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    console.print(f"{experiment.figure}: {experiment.title}", style="italic", markup=False)
    for columns in _fitting_columns(heading, rows, console.width):
        shown = Table(box=box.SIMPLE_HEAD)
        shown.add_column(heading[0], overflow="fold", min_width=NAME_WIDTH)
        for column in columns:
            shown.add_column(heading[column], justify="right", no_wrap=True)
        for row in rows:
            shown.add_row(row[0], *(row[column] for column in columns))
        console.print(shown)
    meanings = describe_curves(row[0] for row in rows)
    console.print(f"The numbers are {experiment.y_label} ({result['method']}). {meanings}", markup=False)
    console.print(f"The paper: {experiment.paper_says}", markup=False)
    for finding in result["findings"]:
        numbers = f" ({finding['numbers']})" if finding["numbers"] else ""
        if finding["verdict"] == NOT_MEASURED.verdict and result["quick"]:
            numbers = " (it needs larger sizes: run without --quick)"
        console.print(f"  {finding['verdict']}: {finding['statement']}{numbers}", markup=False)
    if any(finding["statement"].startswith("ours") for finding in result["findings"]):
        console.print("Statements that begin with `ours` are not the paper's.", markup=False)
    console.print()
