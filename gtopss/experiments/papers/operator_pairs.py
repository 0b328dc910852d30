"""Measure what Sub-Order loses because it compares a limited number of pairs (DEBS 2007, section 4.2.5).

The paper compares all pairs of subscriptions. `chain_order.MAX_COMPARED_PAIRS` limits the pairs that share a predicate,
since with Zipf popularity there are tens of millions of them. Here the limit grows until all of them are compared, on
the workload that Figures 6 to 8 have in common. Counts are means over seeds and events, and deterministic.

The curve `sub_order, equal, by popularity` sorts predicates of equal selectivity by popularity instead of by number:
the paper has no rule for them.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy

from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.operator_evaluation import calls_made, plan_strategies
from gtopss.experiments.papers.statement_checks import ahead, grows_by
from gtopss.experiments.workloads.operator_calls import (
    SELECTIVITIES,
    OperatorTable1,
    Selectivity,
    common_parameters,
    random_events,
    random_predicate_graph,
)
from gtopss.operators.chain_order import MAX_COMPARED_PAIRS, affordable_neighbours
from gtopss.operators.kernels.chain_order import count_pairs
from gtopss.operators.strategies.protocol import Strategy
from gtopss.operators.strategies.sequential import Sequential
from gtopss.operators.strategies.sub_order import SubOrder

SEEDS, QUICK_SEEDS = 4, 2  # few, because a plan that compares all pairs takes 10 s or more
EVENTS_PER_SEED, QUICK_EVENTS_PER_SEED = 50, 5
ALL_PAIRS = 100_000_000  # a limit above the number of pairs of the workload, 52 million
LITTLE = 0.05  # share of the calls up to which more pairs change little
BY_POPULARITY = "sub_order, equal, by popularity"
TABLE, QUICK_TABLE = OperatorTable1(), OperatorTable1(subscriptions=2_000, predicates=500)


def _compared(selectivity: Selectivity, max_pairs: int) -> dict[str, Callable[[], Strategy]]:
    """Return the strategies to compare, by curve."""
    compared: dict[str, Callable[[], Strategy]] = {
        f"sequential, {selectivity}": Sequential,
        f"sub_order, {selectivity}": lambda: SubOrder(max_pairs=max_pairs),
    }
    if selectivity == "equal":  # if all costs are equal, the rule "expected" differs from "printed" only in ties
        compared[BY_POPULARITY] = lambda: SubOrder("expected", max_pairs)
    return compared


def _measure(x: float, settings: ExperimentSettings) -> list[Point]:
    limit, calls, pairs = int(x), defaultdict[str, list[int]](list), list[int]()
    for selectivity in SELECTIVITIES:
        table = replace(QUICK_TABLE if settings.quick else TABLE, selectivity=selectivity)
        for seed in range(QUICK_SEEDS if settings.quick else SEEDS):
            generator = numpy.random.default_rng([settings.seed, seed])
            graph = random_predicate_graph(table, generator)
            pairs.append(count_pairs(graph.predicate_start, affordable_neighbours(graph, limit)))
            planned = plan_strategies(graph, _compared(selectivity, limit))
            for truth in random_events(graph, QUICK_EVENTS_PER_SEED if settings.quick else EVENTS_PER_SEED, generator):
                for curve, called in calls_made(graph, truth, planned).items():
                    calls[curve].append(int(numpy.count_nonzero(called)))
    compared = {"pairs": statistics.fmean(pairs)}
    return [
        Point(curve, x, statistics.fmean(each), compared if "sub" in curve else {}) for curve, each in calls.items()
    ]


def _checks(curve: str, selectivity: Selectivity, case: str, *, whose: str = "") -> tuple[Check, ...]:
    return (
        Check(
            f"{whose}{case}: Sub-Order makes fewer calls than Sequential at every limit",
            ahead(curve, f"sequential, {selectivity}"),
        ),
        Check(
            f"ours, {case}: from {MAX_COMPARED_PAIRS:,} pairs to all, Sub-Order's calls change by at most {LITTLE:.0%}",
            grows_by(curve, MAX_COMPARED_PAIRS, ALL_PAIRS, 1 - LITTLE, 1 + LITTLE),
        ),
    )


OPERATOR_PAIRS = Experiment(
    name="operators-pairs",
    paper=citations.EXPENSIVE_OPERATORS,
    figure="Section 4.2.5",
    title="calls of Sub-Order by the pairs that it compares",
    paper_says="we construct a complete graph (V, E) and a weight function. Each vertex in V corresponds to a "
    "subscription chain, and the weight of an edge (u, v) is the cost savings of evaluating u before v.",
    x_label="pairs that are compared, at most; with 100,000,000 all",
    y_label="operator calls per event",
    curves=tuple(curve for selectivity in SELECTIVITIES for curve in _compared(selectivity, 0)),
    xs=lambda settings: settings.choose(
        (10_000, MAX_COMPARED_PAIRS, ALL_PAIRS), (100_000, MAX_COMPARED_PAIRS, 5_000_000, ALL_PAIRS)
    ),
    measure=_measure,
    checks=(
        *(check for each in SELECTIVITIES for check in _checks(f"sub_order, {each}", each, f"{each} selectivities")),
        *_checks(BY_POPULARITY, "equal", "equal selectivities sorted by popularity", whose="ours, "),
    ),
    parameters=common_parameters(replace(TABLE, selectivity=each) for each in SELECTIVITIES)
    | {"seeds": SEEDS, "events of each": EVENTS_PER_SEED},
    method=f"means over {SEEDS} seeds with {EVENTS_PER_SEED} events each; the counts are deterministic",
)
