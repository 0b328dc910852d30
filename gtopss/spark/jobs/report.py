"""Draw the results of a job as one HTML page with plots. It needs no server and loads nothing from elsewhere."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from gtopss.errors import GtopssError
from gtopss.spark.jobs.report_data import MAX_LISTED_ROWS, MatchedItem, ReportData

_UNIT_DAYS = {"year": 365.0, "month": 28.0, "day": 1.0, "hour": 1 / 24}
_COLOUR = "#0072B2"
_SETTINGS = {
    "svg.hashsalt": "gtopss",  # otherwise ids in the file are random
    "svg.fonttype": "none",  # text stays text, which is smaller and can be searched
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem } svg { max-width: 100%; height: auto }
table { border-collapse: collapse } td, th { border-bottom: 1px solid #d0d7de; padding: .25rem .8rem; text-align: left }
td { overflow-wrap: anywhere } .none { color: #59636e }
"""


def report_page(data: ReportData, summary: Mapping[str, object], *, title: str = "Matches") -> str:
    """Return the page: a table of `summary`, then the plots and errors of `data`. All texts are escaped."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(_format(value))}</td></tr>" for name, value in summary.items()
    )
    sections = [
        (f"Matched items: the newest {len(data.items)}", _items(data.items)),
        ("Matches by subscription", _bars(data.by_subscription)),
        ("Matches by source", _bars(data.by_source)),
        (f"Matches over time, by {data.time_unit} of publication", _columns(data.over_time, data.time_unit)),
        ("Throughput, publications per second", _bars(data.throughput)),
        (
            "Errors" if len(data.errors) < MAX_LISTED_ROWS else f"Errors: the first {MAX_LISTED_ROWS}",
            _errors(data.errors),
        ),
    ]
    body = "\n".join(f"<h2>{escape(heading)}</h2>\n{content}" for heading, content in sections)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{_STYLE}</style></head>
<body><h1>{escape(title)}</h1><table>{rows}</table>
{body}
</body></html>
"""


def _format(value: object) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _errors(errors: Sequence[tuple[str, str, str]]) -> str:
    if not errors:
        return '<p class="none">None.</p>'
    rows = "".join(f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>" for row in errors)
    return f"<table><tr><th>subscription or document</th><th>error</th><th>place</th></tr>{rows}</table>"


def _items(items: Sequence[MatchedItem]) -> str:
    if not items:
        return '<p class="none">None.</p>'
    rows = []
    for each in items:
        title = escape(each.title)
        if each.link is not None:
            title = f'<a href="{escape(each.link)}" rel="noreferrer">{title}</a>'
        when = "" if each.published_at is None else f"{each.published_at:%Y-%m-%d %H:%M}"
        rows.append(f"<tr><td>{title}</td><td>{escape(each.subscription)}</td><td>{when}</td></tr>")
    return f"<table><tr><th>item</th><th>subscription</th><th>published</th></tr>{''.join(rows)}</table>"


def _bars(counts: Sequence[tuple[str, float]]) -> str:
    if not counts:
        return '<p class="none">Nothing to show.</p>'
    names = [name if len(name) <= 60 else f"{name[:28]}…{name[-30:]}" for name, _ in counts]

    def draw(axes: Any) -> None:
        places = range(len(counts))
        bars = axes.barh(places, [count for _, count in counts], color=_COLOUR, height=0.7)
        axes.set_yticks(places, [name.replace("$", r"\$") for name in names])
        axes.invert_yaxis()
        axes.bar_label(bars, labels=[f"{count:,.0f}" for _, count in counts], padding=3, fontsize=8)

    return _svg(0.6 + 0.28 * len(counts), draw)


def _columns(points: Sequence[tuple[Any, int]], unit: str) -> str:
    """Draw one column for each unit of time that has matches: a time without any stays empty."""
    if not points:
        return '<p class="none">No match has a time.</p>'

    def draw(axes: Any) -> None:
        width = 0.9 * _UNIT_DAYS[unit]
        axes.bar([at for at, _ in points], [count for _, count in points], color=_COLOUR, width=width, align="edge")
        axes.xaxis_date()
        axes.set_ylim(bottom=0)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.figure.autofmt_xdate()

    return _svg(3.2, draw)


def _svg(height: float, draw: Any) -> str:
    pyplot = _pyplot()
    with pyplot.rc_context(_SETTINGS):
        figure, axes = pyplot.subplots(figsize=(8.5, height), layout="constrained")
        try:
            draw(axes)
            drawn = io.StringIO()
            figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        finally:
            pyplot.close(figure)
    text = drawn.getvalue()
    return text[text.index("<svg") :]


def _pyplot() -> Any:
    """Import matplotlib without a display. It takes a second, so only reports do. Raises GtopssError if it lacks."""
    try:
        import matplotlib
    except ImportError as error:
        raise GtopssError("the report's plots need matplotlib: pip install 'gtopss[compare]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
