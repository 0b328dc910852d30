"""The paper's two hash tables for one publication (DEBS 2007, section 5.1).

In the paper, table 1 lists the remaining predicates of each unresolved subscription, and table 2 the unresolved
subscriptions of each predicate; both lists shrink. Here the lists are those of the graph, which never change. Flags and
counts say what is left: whether an instance is undecided, how many answers it lacks, and how many undecided instances
need a predicate. All are flat arrays; `kernels.arrays` lists them.
"""

from __future__ import annotations

from typing import Any

import numpy

from gtopss.operators.kernels.arrays import FALSE, TRUE, UNANSWERED, UNKNOWN, TableArrays
from gtopss.operators.kernels.evaluation_tables import count_demand, drop_instance, enter_answer
from gtopss.operators.predicate_graph import PredicateGraph

__all__ = ["FALSE", "TRUE", "UNANSWERED", "UNKNOWN", "EvaluationTables"]


class EvaluationTables:
    """The two tables while a publication is evaluated. Strategies read the arrays; only these methods write them."""

    def __init__(self, graph: PredicateGraph) -> None:
        self.graph = graph
        self.undecided = numpy.ones(graph.instance_count, numpy.int8)
        self.remaining = numpy.diff(graph.instance_start)
        self.demand = numpy.zeros(graph.predicate_count)
        self.final_demand = numpy.zeros(graph.predicate_count)
        self.started = numpy.zeros(graph.predicate_count, numpy.int8)
        self.truth = numpy.full(graph.predicate_count, UNANSWERED, numpy.int8)
        self.completed = numpy.empty(graph.instance_count, numpy.int32)
        self.raised = numpy.empty(graph.instance_count, numpy.int32)
        self.list_lengths = numpy.zeros(2, numpy.int64)
        count_demand(graph.instance_start, graph.instance_predicates, graph.value, self.demand, self.final_demand)
        named = TableArrays(
            graph.instance_start, graph.instance_predicates, graph.predicate_start, graph.predicate_instances,
            graph.value, self.undecided, self.remaining, self.demand, self.final_demand, self.truth, self.completed,
            self.raised, self.list_lengths,
        )  # fmt: skip
        self.arrays: tuple[Any, ...] = tuple(named)
        """The fields of `TableArrays`, as the kernels take them."""

    def mark_started(self, predicate: int) -> None:
        """Note that a call was started, so that no strategy proposes this predicate again."""
        self.started[predicate] = 1

    def enter_answer(self, predicate: int, truth: int) -> list[int]:
        """Enter TRUE, FALSE or UNKNOWN. Return the instances that now have all their answers, none of them false.

        An unknown answer does not count as false: the instance's other predicates may still decide it.
        """
        self.started[predicate] = 1
        length = enter_answer(predicate, truth, self.arrays)
        if length == 0:
            return []
        instances: list[int] = self.completed[:length].tolist()
        self.list_lengths[0] = 0
        return instances

    def drop(self, instance: int) -> None:
        """Remove an instance whose decision is no longer needed."""
        drop_instance(instance, self.arrays)
