"""Synthetic workloads after Table 1 of "Scalable Event Matching for Overlapping Subscriptions in Pub/Sub Systems"
(DEBS 2007, section 5.2).

Predicates get popularity weights, uniform in [0, 1] or by Zipf's law; a subscription draws its predicates by these
weights, none of them twice. The paper fixes the share of subscriptions that an event matches, 0.2%, and does not say
how likely its predicates are. So that must be assumed, and three assumptions are made side by side, each scaled so that
the expected share of matches is the paper's:

| selectivity | every predicate's chance to hold                           |
|-------------|------------------------------------------------------------|
| `equal`     | the same                                                   |
| `uniform`   | uniform between 0 and a bound                              |
| `skewed`    | a power of a uniform number: most are unlikely, some likely|

An event is the set of predicates that hold for it, drawn independently, as the paper assumes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy

from gtopss.experiments.kernels.operator_calls import find_repeated
from gtopss.operators.kernels.arrays import Flags, Integers, Reals
from gtopss.operators.predicate_graph import PredicateGraph

PAPER = "Liu, Parthasarathy, Ranganathan, Yang: Scalable Event Matching for Overlapping Subscriptions, DEBS 2007"

Popularity: TypeAlias = Literal["uniform", "zipf"]
Selectivity: TypeAlias = Literal["equal", "uniform", "skewed"]
SELECTIVITIES: tuple[Selectivity, ...] = ("equal", "uniform", "skewed")


@dataclass(frozen=True, slots=True)
class Table1:
    """The paper's parameters, and the one that it omits."""

    subscriptions: int = 20_000
    predicates: int = 5_000
    popularity: Popularity = "zipf"
    exponent: float = 1.0
    shortest: int = 3
    longest: int = 5
    matching: float = 0.002
    selectivity: Selectivity = "uniform"


def problem(table: Table1, generator: numpy.random.Generator) -> PredicateGraph:
    """Subscriptions over predicates whose selectivities are known."""
    start = numpy.zeros(table.subscriptions + 1, numpy.int32)
    lengths = generator.integers(table.shortest, table.longest + 1, table.subscriptions)
    numpy.cumsum(lengths, out=start[1:])
    predicates = _draw(start, _weights(table, generator), generator)
    return PredicateGraph.from_arrays(start, predicates, _selectivity(table, start, predicates, generator))


def events(made: PredicateGraph, count: int, generator: numpy.random.Generator) -> Iterator[Flags]:
    """For each event, 1 for the predicates that hold."""
    for _ in range(count):
        yield (generator.random(made.predicate_count) < made.selectivity).astype(numpy.int8)


def _weights(table: Table1, generator: numpy.random.Generator) -> Reals:
    if table.popularity == "uniform":
        return generator.random(table.predicates)
    ranks = numpy.arange(1, table.predicates + 1, dtype=numpy.float64)
    # In any order: a predicate's number must not tell its popularity to whoever breaks ties by numbers.
    return generator.permutation(ranks**-table.exponent)


def _draw(start: Integers, weights: Reals, generator: numpy.random.Generator) -> Integers:
    """Predicates by weight; what a subscription already has is drawn again."""
    upto = numpy.cumsum(weights) / weights.sum()
    drawn: Integers = numpy.searchsorted(upto, generator.random(start[-1])).astype(numpy.int32)
    while len(again := find_repeated(start, drawn)):
        drawn[again] = numpy.searchsorted(upto, generator.random(len(again)))
    return drawn


def _selectivity(table: Table1, start: Integers, predicates: Integers, generator: numpy.random.Generator) -> Reals:
    """The distribution, scaled by bisection until the expected share of matches is the table's."""
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
    """The expected share of subscriptions that an event matches."""
    with numpy.errstate(divide="ignore"):
        chances = numpy.exp(numpy.add.reduceat(numpy.log(selectivity[predicates]), start[:-1]))
    return float(chances.mean())
