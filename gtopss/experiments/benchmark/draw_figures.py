"""Draw the figures of `gtopss bench` from its JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gtopss.experiments.line_plots import PlotLabels, draw_lines

SIZE_LABEL, TIME_LABEL = "number of subscriptions", "milliseconds per item"


def draw_figures(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw time by subscriptions for each workload, memory, and latency under churn; return the files."""
    note = (
        f"Lower is better. {results['matcher']} is the matcher of G-ToPSS. "
        f"{results['machine']}; Python {results['python']}; seed {results['seed']}"
    )
    drawn = []

    def plot(name: str, title: str, y_label: str, series: Mapping[str, list[tuple[float, float]]]) -> None:
        if any(series.values()):
            draw_lines(folder / name, PlotLabels(title, SIZE_LABEL, y_label, note), series)
            drawn.append(folder / name)

    times: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in results["points"]:
        if row["ms"] is not None:
            times[row["workload"], row["title"]][row["engine"]].append((row["size"], row["ms"]))
    for (letter, title), series in times.items():
        plot(f"time-{letter}.svg", f"Time to match an item: {title}", TIME_LABEL, series)
    kinds = {"index_bytes": "index arrays", "process_bytes": "process growth"}
    plot("memory.svg", "Memory of four-edge subscriptions", "bytes per subscription", _series(results["memory"], kinds))
    kinds = {f"{how}_p{part}_ms": f"p{part}, {said}" for part in (50, 99)
             for how, said in (("steady", "nothing changes"), ("churn", "1% change per second"))}  # fmt: skip
    plot("churn.svg", "Latency per item while subscriptions change", TIME_LABEL, _series(results["churn"], kinds))
    return drawn


def _series(rows: list[dict[str, Any]], kinds: Mapping[str, str]) -> dict[str, list[tuple[float, float]]]:
    return {name: [(row["size"], row[kind]) for row in rows if row[kind] is not None] for kind, name in kinds.items()}
