"""The workloads of `gtopss bench`, each fixed by a seed and a number of subscriptions."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.experiments.workloads.classes import kinds
from gtopss.experiments.workloads.news import few_shapes, many_matches
from gtopss.experiments.workloads.ranges import ranges
from gtopss.experiments.workloads.structures import broad, many_shapes
from gtopss.experiments.workloads.table1 import paper
from gtopss.experiments.workloads.workload import SEED, Workload

__all__ = ["SEED", "WORKLOADS", "Workload", "few_shapes"]

WORKLOADS: dict[str, Callable[[int], Workload]] = {
    "a": few_shapes,
    "b": many_shapes,
    "c": paper,
    "d": ranges,
    "e": kinds,
    "f": broad,
    "g": many_matches,
}
"""Every workload by its letter. Churn (h) is not another workload but another way to run `a`: `measure.churn`."""
