"""Measure the cost of planning and bookkeeping per operator call. This is our own question; the paper neglects the
cost.

The whole operator stage runs with an operator that only looks up its answer. The time per call includes planning, the
setup of each publication, learning and joins, but not registration. It is the processor time of this thread, since the
machine may be shared; loops are compiled before the clock starts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import numpy

from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.statement_checks import grows_by
from gtopss.experiments.workloads.operator_calls import (
    OperatorTable1,
    common_parameters,
    random_events,
    random_predicate_graph,
)
from gtopss.model import Call, Publication, Term
from gtopss.model.terms import literal
from gtopss.operators import STRATEGIES, OperatorStage, Registry
from gtopss.operators.conjunction import Values
from gtopss.operators.conjunction_table import BranchKey

TARGET_MICROSECONDS_PER_CALL = 10.0
PUBLICATIONS = 100  # the paper has 1,000; the more there are, the smaller the share of planning
SIZES = (5_000, 10_000, 20_000)
CONSTANT = 1.5  # factor by which a time may grow with four times the subscriptions and still be called constant


def _table_at(subscriptions: float) -> OperatorTable1:
    return OperatorTable1(subscriptions=int(subscriptions))


def _measure(x: float, settings: ExperimentSettings) -> list[Point]:
    generator = numpy.random.default_rng([settings.seed, 0])
    graph = random_predicate_graph(_table_at(x), generator)
    terms = [literal(str(number)) for number in range(graph.predicate_count)]
    answers: dict[Term, bool] = {}
    registry = Registry()
    registry.operator("p", timeout=None)(lambda publication, number: answers[number])
    truths = [truth.astype(bool).tolist() for truth in random_events(graph, PUBLICATIONS, generator)]
    keys = [(str(unit), 0) for unit in range(graph.instance_count)]
    calls = [[Call("p", (terms[each],)) for each in graph.predicates_of(unit)] for unit in range(graph.instance_count)]
    survivors: dict[BranchKey, list[Values]] = {key: [{}] for key in keys}
    points = []
    for name in STRATEGIES:
        warm = OperatorStage(registry, strategy=name)
        warm.add(keys[0], calls[0])
        answers.update(zip(terms, truths[0], strict=True))
        warm.evaluate(Publication("p", []), {keys[0]: [{}]})
        stage = OperatorStage(registry, strategy=name)
        for key, each in zip(keys, calls, strict=True):
            stage.add(key, each)
        gc.collect()  # collecting what registration left is part of registration, which is not counted
        calls_made, seconds = 0, 0.0
        for truth in truths:
            answers.update(zip(terms, truth, strict=True))
            started = time.thread_time()
            report = stage.evaluate(Publication("p", []), survivors)
            seconds += time.thread_time() - started
            assert not report.unanswered
            calls_made += report.calls
        points.append(Point(name, x, 1e6 * seconds / calls_made, {"calls": calls_made / PUBLICATIONS}))
    return points


def _within_target(name: str) -> Callable[[Curves], Finding]:
    def holds(curves: Curves) -> Finding:
        points = curves.get(name, ())
        if not points:
            return Finding(None, "")
        return Finding(
            points[-1].y <= TARGET_MICROSECONDS_PER_CALL, f"{points[-1].y:.1f} µs at {points[-1].x:,.0f} subscriptions"
        )

    return holds


OPERATOR_BOOKKEEPING = Experiment(
    name="operators-bookkeeping",
    paper=citations.EXPENSIVE_OPERATORS,
    figure="Section 5.1",
    title="planning and bookkeeping per operator call",
    paper_says="the primitive operations of subscription and predicate lookup/update can both be achieved in constant "
    "time.",
    x_label="subscriptions",
    y_label="µs per call",
    curves=tuple(STRATEGIES),
    xs=lambda settings: settings.choose((2_000, 5_000), SIZES),
    measure=_measure,
    checks=(
        Check(
            f"constant time: Sequential's time per call grows at most {CONSTANT:g} times from {SIZES[0]:,} to "
            f"{SIZES[-1]:,} subscriptions",
            grows_by("sequential", SIZES[0], SIZES[-1], 0, CONSTANT),
        ),
        *(
            Check(
                f"our target: {name} takes at most {TARGET_MICROSECONDS_PER_CALL:g} µs per call", _within_target(name)
            )
            for name in STRATEGIES
        ),
    ),
    parameters=common_parameters(map(_table_at, SIZES)) | {"publications": PUBLICATIONS},
    scale="linear",
    shown_measurements=("calls",),
    method=f"processor time of one thread over {PUBLICATIONS} publications",
)
