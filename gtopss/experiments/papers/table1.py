"""Experiments on the G-ToPSS paper's Table 1: one parameter is varied, and the matchers are timed or weighed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from gtopss.experiments.papers.contenders import enter, timed
from gtopss.experiments.papers.experiment import Data, Point, Scale
from gtopss.experiments.papers.matcher_footprint import matcher_footprint
from gtopss.experiments.papers.real_data import real
from gtopss.experiments.workloads.table1_generator import Table1, Workload, synthetic

PAPER = "Petrovic, Liu, Jacobsen: G-ToPSS: Fast Filtering of Graph-based Metadata, WWW 2005"
WHOLE = "reference, with subscriptions"
MEGABYTE = 2**20

SOURCES: dict[Data, Callable[[Table1], Workload]] = {"synthetic": synthetic, "real": real}
Vary: TypeAlias = Callable[[Table1, float], Table1]
Measure: TypeAlias = Callable[[float, Scale], list[Point]]


def table_of(scale: Scale) -> Table1:
    """Table 1; a tenth of its subscriptions for a quick look."""
    return replace(Table1(), subscriptions=3_000 if scale.quick else 30_000, seed=scale.seed)


def workload_of(table: Table1, scale: Scale) -> Workload:
    return SOURCES[scale.data](table)


def times(names: Sequence[str], vary: Vary, called: str = "{}") -> Measure:
    """Milliseconds to match the publication, bindings included; `called` makes a curve's name of a matcher's."""

    def measure(x: float, scale: Scale) -> list[Point]:
        workload = workload_of(vary(table_of(scale), x), scale)
        contenders = enter(names, workload)
        matches = len(contenders[0].matcher.match(workload.publication))
        return [
            Point(
                called.format(name),
                x,
                1e3 * each.least,
                {"median": 1e3 * each.median, "rounds": each.rounds, "matches": matches},
            )
            for name, each in timed(contenders, workload, scale.repeats).items()
        ]

    return measure


def memory(names: Sequence[str], vary: Vary) -> Measure:
    """Megabytes of the index; of the reference matcher also with the subscriptions that it keeps."""

    def measure(x: float, scale: Scale) -> list[Point]:
        workload = workload_of(vary(table_of(scale), x), scale)
        points = []
        for each in enter(names, workload):
            size = matcher_footprint(each.matcher)
            one = size.index / len(workload.subscriptions)
            points.append(Point(each.name, x, size.index / MEGABYTE, {"bytes a subscription": one}))
            if each.name == "reference":
                points.append(Point(WHOLE, x, size.whole / MEGABYTE))
        return points

    return measure
