"""The matchers side by side on one workload: answers compared first, then timed."""

from __future__ import annotations

import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import Any

from gtopss.bench.workload import Table1, publication, subscriptions
from gtopss.engine import Engine
from gtopss.model import MatchReport

PACKAGES = ("gtopss", "rdflib", "pyoxigraph", "networkx", "owlready2")


def compare_matchers(
    names: Sequence[str], sizes: Sequence[int], publications: int, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Milliseconds per publication for each matcher and size; raises if two matchers disagree."""
    points = []
    for size in sizes:
        table = replace(Table1(), subscriptions=size)
        generator = random.Random(table.seed)
        events = [publication(table, generator, f"p{i}") for i in range(publications)]
        registered = list(subscriptions(table, events[0], generator))
        expected: list[set[str]] | None = None
        for name in names:
            progress(f"{name}, {size} subscriptions")
            engine = Engine(matcher=name, allow_cartesian=True)
            started = time.perf_counter()
            for subscription in registered:
                engine.add(subscription)
            added = time.perf_counter() - started
            times, found = [], []
            for event in events:
                started = time.perf_counter()
                report = engine.match(event)
                times.append(time.perf_counter() - started)
                found.append(_answers(report))
            if expected is None:
                expected = found
            elif found != expected:
                raise AssertionError(f"{name} disagrees with {names[0]} at {size} subscriptions")
            points.append(
                {
                    "matcher": name,
                    "subscriptions": size,
                    "add_us": 1e6 * added / size,
                    "match_ms": 1e3 * statistics.median(times),
                    "matches": sum(map(len, found)),
                }
            )
    return {"workload": asdict(Table1()), "publications": publications, "points": points, **environment()}


def environment() -> dict[str, Any]:
    """What a figure needs to be believed: versions and machine."""
    return {
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {platform.system()}",
        "versions": {name: version(name) for name in PACKAGES},
    }


def _answers(report: MatchReport) -> set[str]:
    """(subscription, bindings) pairs as text, so that sets can be compared."""
    return {f"{match.subscription_id} {sorted(row.items())}" for match in report for row in match.rows}
