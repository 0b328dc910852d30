"""The graph of one publication: which conjunctions have which predicates (DEBS 2007, section 5.1).

"The subscription graph is stored twice": subscription to predicates, predicate to subscriptions. What the paper calls a
subscription is an *instance* here: a conjunction with values for its inputs. A conjunction without inputs has one
instance; any other has one for each distinct tuple of input values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeAlias

import numpy

from gtopss.operators.kernels.arrays import GraphArrays, Integers, Reals
from gtopss.operators.kernels.evaluation_tables import transpose

Numbers: TypeAlias = Sequence[float] | Reals


class PredicateGraph(GraphArrays):
    """Instances and predicates, numbered from 0, with estimates for both. Immutable: answers are entered in
    `EvaluationTables`."""

    __slots__ = ()

    @classmethod
    def from_lists(
        cls,
        instances: Sequence[Sequence[int]],
        selectivity: Numbers,
        *,
        cost: Numbers | None = None,
        value: Numbers | None = None,
    ) -> Self:
        """Build a graph from each instance's predicates, none of them twice.

        >>> PredicateGraph.from_lists([[0, 1], [1, 2]], [0.5, 0.5, 0.5]).predicate_instances.tolist()
        [0, 0, 1, 1]
        """
        start = numpy.zeros(len(instances) + 1, numpy.int32)
        numpy.cumsum([len(instance) for instance in instances], out=start[1:])
        predicates = numpy.array([predicate for instance in instances for predicate in instance], numpy.int32)
        return cls.from_arrays(start, predicates, selectivity, cost=cost, value=value)

    @classmethod
    def from_arrays(
        cls,
        instance_start: Integers,
        instance_predicates: Integers,
        selectivity: Numbers,
        *,
        cost: Numbers | None = None,
        value: Numbers | None = None,
    ) -> Self:
        """Build a graph from flat arrays. `cost` and `value` are 1 everywhere unless given."""
        chances = numpy.asarray(selectivity, numpy.float64)
        start, instances = transpose(instance_start, instance_predicates, len(chances))
        costs = numpy.ones(len(chances)) if cost is None else numpy.asarray(cost, numpy.float64)
        values = numpy.ones(len(instance_start) - 1) if value is None else numpy.asarray(value, numpy.float64)
        return cls(instance_start, instance_predicates, start, instances, values, chances, costs)

    @property
    def instance_count(self) -> int:
        return len(self.instance_start) - 1

    @property
    def predicate_count(self) -> int:
        return len(self.selectivity)

    @property
    def max_predicates(self) -> int:
        """The number of predicates of the longest instance: the paper's d."""
        return int(numpy.diff(self.instance_start).max(initial=0))

    def predicates_of(self, instance: int) -> list[int]:
        found: list[int] = self.instance_predicates[
            self.instance_start[instance] : self.instance_start[instance + 1]
        ].tolist()
        return found

    def with_estimates(self, selectivity: Reals, cost: Reals) -> Self:
        """Return the same graph with other estimates."""
        return self._replace(selectivity=selectivity, cost=cost)
