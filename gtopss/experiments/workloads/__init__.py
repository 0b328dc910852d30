"""The workloads of `gtopss bench`, each determined by a seed and a number of subscriptions."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.experiments.workloads.class_hierarchy import class_hierarchy
from gtopss.experiments.workloads.gtopss_table1 import table1_by_size
from gtopss.experiments.workloads.news_items import few_shapes, many_matches
from gtopss.experiments.workloads.random_graphs import broad_patterns, many_shapes
from gtopss.experiments.workloads.value_ranges import value_ranges
from gtopss.experiments.workloads.workload import SEED, Workload

__all__ = ["SEED", "WORKLOADS", "Workload", "few_shapes"]

WORKLOADS: dict[str, Callable[[int], Workload]] = {
    "a": few_shapes,
    "b": many_shapes,
    "c": table1_by_size,
    "d": value_ranges,
    "e": class_hierarchy,
    "f": broad_patterns,
    "g": many_matches,
}
"""Every workload by its letter. Churn (h) is not another workload but another measurement of `a`: `benchmark.churn`."""
