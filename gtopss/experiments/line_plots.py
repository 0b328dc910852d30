"""Draw line plots. They are readable in grey and with colour blindness, and the same data gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from gtopss.atomic_files import write_atomically
from gtopss.errors import GtopssError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C8C")
"""The palette of Okabe and Ito, which is distinguishable under every common colour blindness."""
MARKERS = "os^Dv*Px"
STYLES = ("-", "--", "-.", ":")

_SETTINGS = {
    "svg.hashsalt": "gtopss",  # otherwise ids in the file are random
    "svg.fonttype": "none",  # text stays text: files are small and searchable
    "font.size": 10,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@dataclass(frozen=True, slots=True)
class PlotLabels:
    """The texts of a plot. `note` is printed under it."""

    title: str
    x_label: str
    y_label: str
    note: str = ""


def draw_lines(
    path: Path, labels: PlotLabels, series: Mapping[str, Sequence[tuple[float, float]]], *, log_scale: bool = True
) -> None:
    """Draw one curve per series, as SVG or PNG by the path's suffix.

    With `log_scale`, the y axis is logarithmic, and the x axis too if it spans a factor of 20 or more. Each curve has
    its own colour, marker and dash, and the legend lists them in the order of their last points.
    """
    pyplot = _pyplot()
    with pyplot.rc_context(_SETTINGS):
        figure, axes = pyplot.subplots(figsize=(7.2, 4.6), layout="constrained")
        try:
            for number, (name, points) in enumerate(series.items()):
                if not points:
                    continue
                xs, ys = zip(*sorted(points), strict=True)
                axes.plot(
                    xs,
                    ys,
                    label=name,
                    color=COLOURS[number % len(COLOURS)],
                    marker=MARKERS[number % len(MARKERS)],
                    linestyle=STYLES[number % len(STYLES)],
                    markersize=5,
                    linewidth=1.6,
                )
            _scale(axes, [point for points in series.values() for point in points], log_scale)
            axes.set_title(labels.title, loc="left", fontsize=12)
            axes.set_xlabel(labels.x_label)
            axes.set_ylabel(labels.y_label)
            _legend(axes)
            if labels.note:
                figure.supxlabel(labels.note, fontsize=8, color="#555555", wrap=True)
            stable = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
            drawn = BytesIO()
            figure.savefig(drawn, format=path.suffix.removeprefix("."), metadata=stable, dpi=150)
        finally:
            pyplot.close(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, drawn.getvalue())


def _scale(axes: Any, points: Sequence[tuple[float, float]], log_scale: bool) -> None:
    if log_scale and points and min(y for _, y in points) > 0:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    xs = [x for x, _ in points]
    if log_scale and xs and min(xs) > 0 and max(xs) >= 20 * min(xs):
        axes.set_xscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.10g}")  # 1,000 and 0.1, not powers of ten


def _legend(axes: Any) -> None:
    """Put the legend beside the plot, sorted by the last points of the curves, so that it aligns with them."""
    handles, names = axes.get_legend_handles_labels()
    if not handles:
        return
    order = sorted(range(len(handles)), key=lambda number: -float(handles[number].get_ydata()[-1]))
    axes.legend(
        [handles[number] for number in order],
        [names[number] for number in order],
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
    )


def _pyplot() -> Any:
    """Import matplotlib without a display. It is optional, and its import takes a second."""
    try:
        import matplotlib
    except ImportError as error:
        raise GtopssError("plots need matplotlib: pip install gtopss[compare]") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
