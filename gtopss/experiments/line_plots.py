"""Draw line plots. They are readable in grey and with colour blindness, and the same data gives the same bytes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gtopss.atomic_files import write_atomically
from gtopss.errors import GtopssError
from gtopss.experiments.curve_styles import styles_of

Scale: TypeAlias = Literal["log", "linear", "log-x"]
"""`log`: y is logarithmic, and x too if it spans a factor of 20 or more. `linear`: both are linear, and y starts at 0.
`log-x`: only x is logarithmic, so that a logarithm is a straight line."""
_MIN_LOG_SPAN = 20
_TITLE_CHARACTERS = 56  # in a line, so that the title is no wider than the axes
_Y_LABEL_CHARACTERS = 44  # in a line, so that the label is no longer than the axis
_MAX_MINOR_SPAN = 100  # of an x axis, above which only powers of ten are labelled
_X_TICKS = 6  # at most, so that numbers like 80,000 do not overlap

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
    path: Path, labels: PlotLabels, series: Mapping[str, Sequence[tuple[float, float]]], *, scale: Scale = "log"
) -> None:
    """Draw one curve per series, as SVG or PNG by the path's suffix.

    A curve has the same colour, marker and dash in every plot (`curve_styles`), and the legend lists the curves in the
    order of their last points.
    """
    pyplot = _pyplot()
    with pyplot.rc_context(_SETTINGS):
        figure, axes = pyplot.subplots(figsize=(7.2, 4.6), layout="constrained")
        try:
            styles = styles_of(series)
            for name, points in series.items():
                if not points:
                    continue
                xs, ys = zip(*sorted(points), strict=True)
                axes.plot(
                    xs,
                    ys,
                    label=name,
                    color=styles[name].colour,
                    marker=styles[name].marker,
                    linestyle=styles[name].dash,
                    markersize=5,
                    linewidth=1.6,
                )
            _set_scale(axes, [point for points in series.values() for point in points], scale)
            axes.set_title(textwrap.fill(labels.title, _TITLE_CHARACTERS), loc="left", fontsize=12)
            axes.set_xlabel(_with_scale(labels.x_label, axes.get_xscale()))
            axes.set_ylabel(textwrap.fill(_with_scale(labels.y_label, axes.get_yscale()), _Y_LABEL_CHARACTERS))
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


def _set_scale(axes: Any, points: Sequence[tuple[float, float]], scale: Scale) -> None:
    if scale == "log" and points and min(y for _, y in points) > 0:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    xs = [x for x, _ in points]
    if scale != "linear" and xs and min(xs) > 0 and max(xs) >= _MIN_LOG_SPAN * min(xs):
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=_X_TICKS)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.10g}")  # 1,000 and 0.1, not powers of ten
        if axis.get_scale() == "log":
            axis.set_minor_formatter(_minor_formatter(axis))


def _minor_formatter(axis: Any) -> Any:
    """Return a formatter that labels the ticks between powers of ten alike, where an axis spans few powers.

    Numbers side by side need more room than numbers above others: an x axis has only 2, 5, 20, 50 and so on.
    """
    from matplotlib.ticker import LogFormatter

    class PlainLogFormatter(LogFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            shown = bool(super().__call__(x, pos))
            if axis.axis_name == "x":
                low, high = axis.get_view_interval()
                shown = f"{x:.0e}"[0] in "25" and high < _MAX_MINOR_SPAN * low
            return f"{x:,.10g}" if shown else ""

    return PlainLogFormatter(labelOnlyBase=False)


def _with_scale(label: str, scale: str) -> str:
    """Return the label of an axis, which says so if its distances are ratios."""
    return f"{label} (logarithmic scale)" if scale == "log" else label


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
        raise GtopssError("plots need matplotlib: pip install 'gtopss[compare]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
