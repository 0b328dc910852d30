"""Compare the cost rule of DEBS 2007, section 4.3, as it is printed with c / (1 - p). The paper has no figure for it.

The workload is Table 1's, with a cost for each predicate: log-uniform between 1 and x. The y axis is the cost of all
calls of an event. `sub_order` keeps chains sorted by selectivity and multiplies p by c, as printed; the curve
`sub_order, c/(1-p)` is the same procedure with expected costs and chains sorted by c / (1 - p).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy

from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.operator_evaluation import calls_made, plan_strategies
from gtopss.experiments.papers.statement_checks import ahead, ahead_of_all, no_worse
from gtopss.experiments.workloads.operator_calls import OperatorTable1, random_events, random_predicate_graph
from gtopss.operators.strategies import STRATEGIES
from gtopss.operators.strategies.protocol import Strategy
from gtopss.operators.strategies.sub_order import SubOrder

SEEDS, QUICK_SEEDS = 20, 2
EVENTS_PER_SEED, QUICK_EVENTS_PER_SEED = 50, 3
EXPECTED_RULE = "sub_order, c/(1-p)"
TABLE = OperatorTable1()
COMPARED: dict[str, Callable[[], Strategy]] = {**STRATEGIES, EXPECTED_RULE: lambda: SubOrder("expected")}
PLANNED = ("sub_order", EXPECTED_RULE, "linked_gain_order", "gain_order")


def _measure(x: float, settings: ExperimentSettings) -> list[Point]:
    table = replace(TABLE, subscriptions=2_000, predicates=500) if settings.quick else TABLE
    spent: dict[str, list[float]] = {name: [] for name in COMPARED}
    for seed in range(QUICK_SEEDS if settings.quick else SEEDS):
        generator = numpy.random.default_rng([settings.seed, seed])
        free = random_predicate_graph(table, generator)
        costs = numpy.exp(generator.random(free.predicate_count) * numpy.log(x))
        graph = free.with_estimates(free.selectivity, costs)
        planned = plan_strategies(graph, COMPARED)
        for truth in random_events(graph, QUICK_EVENTS_PER_SEED if settings.quick else EVENTS_PER_SEED, generator):
            for name, called in calls_made(graph, truth, planned).items():
                spent[name].append(float(graph.cost[called.astype(bool)].sum()))
    return [Point(name, x, statistics.fmean(each)) for name, each in spent.items()]


OPERATOR_COSTS = Experiment(
    name="operators-costs",
    paper=citations.EXPENSIVE_OPERATORS,
    figure="Section 4.3",
    title="cost of calls by how much the costs of predicates differ",
    paper_says="The only difference is that the probability, p(i,j) of each node in a chain is now multiplied by the "
    "cost of the predicate in the cost difference expressions. The rest of the analysis and the algorithm remains the "
    "same.",
    x_label="cost of the most expensive predicate; the cheapest costs 1",
    y_label="cost of calls per event",
    curves=tuple(COMPARED),
    xs=lambda settings: settings.choose((1, 10), (1, 3, 10, 30, 100)),
    measure=_measure,
    checks=(
        Check("ours: Sub-Order with the printed rule costs less than Sequential", ahead("sub_order", "sequential")),
        Check("ours: c/(1-p) costs no more than the printed rule", no_worse(EXPECTED_RULE, "sub_order", 1)),
        Check(
            "ours: linked_gain_order costs less than Sub-Order with either rule",
            ahead_of_all("linked_gain_order", ("sub_order", EXPECTED_RULE)),
        ),
        Check("ours: adaptive costs less than every planned order", ahead_of_all("adaptive", PLANNED)),
    ),
    parameters=asdict(TABLE) | {"seeds": SEEDS, "events of each": EVENTS_PER_SEED},
    method=f"means over {SEEDS} seeds with {EVENTS_PER_SEED} events each; the costs are deterministic",
)
