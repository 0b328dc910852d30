"""Synthetic workloads from Table 1 of "Scalable Event Matching for Overlapping Subscriptions in Pub/Sub Systems"
(DEBS 2007, section 5.2).

Predicates get popularity weights, uniform in [0, 1] or by Zipf's law; a subscription draws its predicates by these
weights, without repetition. The paper gives the share of subscriptions that match an event, 0.2%, but not how likely
its predicates are. Three assumptions are compared, each scaled so that the expected share of matches is the paper's:

| selectivity | probability that a predicate holds                         |
|-------------|------------------------------------------------------------|
| `equal`     | the same                                                   |
| `uniform`   | uniform between 0 and a bound                              |
| `skewed`    | a power of a uniform number: most are unlikely, some likely|

An event is the set of predicates that hold for it, drawn independently, as the paper assumes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy

from gtopss.experiments.kernels.operator_calls import find_repeated
from gtopss.operators.kernels.arrays import Flags, Integers, Reals
from gtopss.operators.predicate_graph import PredicateGraph

Popularity: TypeAlias = Literal["uniform", "zipf"]
Selectivity: TypeAlias = Literal["equal", "uniform", "skewed"]
SELECTIVITIES: tuple[Selectivity, ...] = ("equal", "uniform", "skewed")


@dataclass(frozen=True, slots=True)
class OperatorTable1:
    """The paper's parameters, and `selectivity`, which it omits."""

    subscriptions: int = 20_000
    predicates: int = 5_000
    popularity: Popularity = "zipf"
    exponent: float = 1.0
    shortest: int = 3
    longest: int = 5
    matching: float = 0.002
    selectivity: Selectivity = "uniform"


def common_parameters(tables: Iterable[OperatorTable1]) -> dict[str, Any]:
    """Return the parameters that have the same value in all tables: those that do not vary with x.

    >>> sorted(common_parameters([OperatorTable1(longest=5), OperatorTable1(longest=7)]))[:4]
    ['exponent', 'matching', 'popularity', 'predicates']
    """
    first, *others = map(asdict, tables)
    return {name: value for name, value in first.items() if all(other[name] == value for other in others)}


def random_predicate_graph(table: OperatorTable1, generator: numpy.random.Generator) -> PredicateGraph:
    """Generate subscriptions over predicates with known selectivities."""
    start = numpy.zeros(table.subscriptions + 1, numpy.int32)
    lengths = generator.integers(table.shortest, table.longest + 1, table.subscriptions)
    numpy.cumsum(lengths, out=start[1:])
    predicates = _draw(start, _weights(table, generator), generator)
    return PredicateGraph.from_arrays(start, predicates, _selectivity(table, start, predicates, generator))


def random_events(graph: PredicateGraph, count: int, generator: numpy.random.Generator) -> Iterator[Flags]:
    """Yield an array for each event, with 1 for each predicate that holds."""
    for _ in range(count):
        yield (generator.random(graph.predicate_count) < graph.selectivity).astype(numpy.int8)


def _weights(table: OperatorTable1, generator: numpy.random.Generator) -> Reals:
    if table.popularity == "uniform":
        return generator.random(table.predicates)
    ranks = numpy.arange(1, table.predicates + 1, dtype=numpy.float64)
    # In random order: a strategy that breaks ties by predicate number must not learn the popularity from it.
    return generator.permutation(ranks**-table.exponent)


def _draw(start: Integers, weights: Reals, generator: numpy.random.Generator) -> Integers:
    """Draw predicates by weight; a predicate that the subscription already has is drawn again."""
    upto = numpy.cumsum(weights) / weights.sum()
    drawn: Integers = numpy.searchsorted(upto, generator.random(start[-1])).astype(numpy.int32)
    while len(again := find_repeated(start, drawn)):
        drawn[again] = numpy.searchsorted(upto, generator.random(len(again)))
    return drawn


def _selectivity(
    table: OperatorTable1, start: Integers, predicates: Integers, generator: numpy.random.Generator
) -> Reals:
    """Return selectivities, scaled by bisection until the expected share of matches is the table's."""
    uniform = generator.random(table.predicates)
    low, high = 0.0, 1.0
    made = uniform
    for _ in range(50):
        mean = (low + high) / 2
        if table.selectivity == "equal":
            made = numpy.full(table.predicates, mean)
        elif table.selectivity == "uniform":
            made = numpy.minimum(2.0 * mean * uniform, 1.0)
        else:
            made = uniform ** (1.0 / mean - 1.0)
        if _matching(start, predicates, made) > table.matching:
            high = mean
        else:
            low = mean
    return made


def _matching(start: Integers, predicates: Integers, selectivity: Reals) -> float:
    """Return the expected share of subscriptions that match an event."""
    with numpy.errstate(divide="ignore"):
        chances = numpy.exp(numpy.add.reduceat(numpy.log(selectivity[predicates]), start[:-1]))
    return float(chances.mean())
