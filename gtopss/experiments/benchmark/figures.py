"""The figures of `gtopss bench`, drawn from its JSON alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark.plots import lines

SIZE, TIME = "subscriptions", "ms an item"


def draw(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """Time against the number of subscriptions for each workload, memory, and latency under churn."""
    note = f"seed {results['seed']}; {results['machine']}; Python {results['python']}"
    drawn = []

    def plot(name: str, title: str, y_label: str, series: Mapping[str, list[tuple[float, float]]]) -> None:
        if any(series.values()):
            lines(folder / name, title, SIZE, y_label, series, note=note)
            drawn.append(folder / name)

    times: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in results["points"]:
        if row["ms"] is not None:
            times[row["workload"], row["title"]][row["engine"]].append((row["size"], row["ms"]))
    for (letter, title), series in times.items():
        plot(f"time-{letter}.svg", f"Time an item: {title}", TIME, series)
    kinds = {"index_bytes": "index arrays", "process_bytes": "process growth"}
    plot("memory.svg", "Memory of four-edge subscriptions", "bytes each", _series(results["memory"], kinds))
    kinds = {f"{how}_p{part}_ms": f"p{part}, {said}" for part in (50, 99)
             for how, said in (("still", "nothing changes"), ("churn", "1% change a second"))}  # fmt: skip
    plot("churn.svg", "One item's latency while subscriptions change", TIME, _series(results["churn"], kinds))
    return drawn


def _series(rows: list[dict[str, Any]], kinds: Mapping[str, str]) -> dict[str, list[tuple[float, float]]]:
    return {name: [(row["size"], row[kind]) for row in rows if row[kind] is not None] for kind, name in kinds.items()}
