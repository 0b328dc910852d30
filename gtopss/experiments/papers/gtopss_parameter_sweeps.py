"""Vary one parameter of the G-ToPSS paper's Table 1, and measure the time or memory of the matchers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from gtopss.experiments.papers.experiment import Data, ExperimentSettings, Point
from gtopss.experiments.papers.matcher_comparison import matchers_with_equal_answers, time_matchers
from gtopss.experiments.papers.matcher_footprint import matcher_footprint
from gtopss.experiments.workloads import Workload
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, synthetic_table1
from gtopss.experiments.workloads.gtopss_table1_real import real_table1

REFERENCE_WITH_SUBSCRIPTIONS = "reference, with subscriptions"
BYTES_PER_MIB = 2**20

WORKLOAD_SOURCES: dict[Data, Callable[[GtopssTable1], Workload]] = {"synthetic": synthetic_table1, "real": real_table1}
Vary: TypeAlias = Callable[[GtopssTable1, float], GtopssTable1]
Measure: TypeAlias = Callable[[float, ExperimentSettings], list[Point]]


def table_for_settings(settings: ExperimentSettings) -> GtopssTable1:
    """Return Table 1, with a tenth of its subscriptions for a quick run."""
    return replace(GtopssTable1(), subscriptions=3_000 if settings.quick else 30_000, seed=settings.seed)


def workload_for_settings(table: GtopssTable1, settings: ExperimentSettings) -> Workload:
    return WORKLOAD_SOURCES[settings.data](table)


def sweep_times(names: Sequence[str], vary: Vary, curve_format: str = "{}") -> Measure:
    """Return a function that measures the milliseconds to match the first publication, with bindings.

    `curve_format` makes the name of a curve from the name of its matcher.
    """

    def measure(x: float, settings: ExperimentSettings) -> list[Point]:
        workload = workload_for_settings(vary(table_for_settings(settings), x), settings)
        matchers = matchers_with_equal_answers(names, workload)
        matches = len(matchers[0].matcher.match(workload.first_publication))
        return [
            Point(
                curve_format.format(name),
                x,
                1e3 * each.minimum,
                {"median": 1e3 * each.median, "rounds": each.rounds, "matches": matches},
            )
            for name, each in time_matchers(matchers, workload, settings.repeats).items()
        ]

    return measure


def sweep_memory(names: Sequence[str], vary: Vary) -> Measure:
    """Return a function that measures the MiB of the index; of the reference matcher also with its subscriptions."""

    def measure(x: float, settings: ExperimentSettings) -> list[Point]:
        workload = workload_for_settings(vary(table_for_settings(settings), x), settings)
        points = []
        for each in matchers_with_equal_answers(names, workload):
            footprint = matcher_footprint(each.matcher)
            measurements = {"bytes per subscription": footprint.index / workload.size}
            points.append(Point(each.name, x, footprint.index / BYTES_PER_MIB, measurements))
            if each.name == "reference":
                points.append(Point(REFERENCE_WITH_SUBSCRIPTIONS, x, footprint.whole / BYTES_PER_MIB))
        return points

    return measure
