"""The workloads of `gtopss bench`, each determined by a seed and a number of subscriptions."""

from __future__ import annotations

from collections.abc import Callable

from gtopss.experiments.workloads.class_hierarchy import class_hierarchy
from gtopss.experiments.workloads.gtopss_table1 import table1_by_size
from gtopss.experiments.workloads.news_items import few_shapes, many_matches
from gtopss.experiments.workloads.news_words import (
    graph_without_words,
    keywords,
    one_keyword,
    patterns,
    words_and_graph,
)
from gtopss.experiments.workloads.random_graphs import broad_patterns, many_shapes
from gtopss.experiments.workloads.value_ranges import value_ranges
from gtopss.experiments.workloads.workload import SEED, Workload

__all__ = ["SEED", "TEXT_WORKLOADS", "WORKLOADS", "Workload", "few_shapes"]

WORKLOADS: dict[str, Callable[[int], Workload]] = {
    "a": few_shapes,
    "b": many_shapes,
    "c": table1_by_size,
    "d": value_ranges,
    "e": class_hierarchy,
    "f": broad_patterns,
    "g": many_matches,
}
"""Every workload of graphs by its letter. Churn (h) is another measurement of `a`: `benchmark.churn`."""

TEXT_WORKLOADS: dict[str, Callable[[int], Workload]] = {
    "i": keywords,
    "i-contains": one_keyword,
    "i-regex": patterns,
    "i-mixed": words_and_graph,
    "i-graph": graph_without_words,
}
"""The workloads about words: `i`, and what its variants are compared with."""
