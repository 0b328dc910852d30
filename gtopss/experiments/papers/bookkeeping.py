"""What planning and bookkeeping cost beside the operators: our own question, which the paper takes to be nothing.

The whole stage is run with an operator that only looks its answer up. All that the stage does is counted, per call that
was made: registration apart, but planning, what every publication begins with, learning and joins included. It is the
processor's time of this thread, since the machine may be shared; loops are compiled before the clock starts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy

from gtopss.experiments.papers.experiment import Check, Curves, Experiment, Finding, Point, Scale
from gtopss.experiments.workloads.operator_calls import PAPER, Table1, events, problem
from gtopss.model import Call, Publication, Term
from gtopss.model.terms import literal
from gtopss.operators import STRATEGIES, OperatorStage, Registry
from gtopss.operators.conjunction import Values
from gtopss.operators.conjunction_table import BranchKey

AIM = 10.0  # microseconds per call
PUBLICATIONS = 100  # the paper has 1,000; planning counts the less, the more there are
TABLE = Table1()


def _measure(x: float, scale: Scale) -> list[Point]:
    generator = numpy.random.default_rng([scale.seed, 0])
    made = problem(replace(TABLE, subscriptions=int(x)), generator)
    terms = [literal(str(number)) for number in range(made.predicate_count)]
    answers: dict[Term, bool] = {}
    registry = Registry()
    registry.operator("p", timeout=None)(lambda publication, number: answers[number])
    truths = [truth.astype(bool).tolist() for truth in events(made, PUBLICATIONS, generator)]
    keys = [(str(unit), 0) for unit in range(made.instance_count)]
    calls = [[Call("p", (terms[each],)) for each in made.predicates_of(unit)] for unit in range(made.instance_count)]
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
        gc.collect()  # walking over all that was registered is registration's, which is counted apart
        asked, taken = 0, 0.0
        for truth in truths:
            answers.update(zip(terms, truth, strict=True))
            started = time.thread_time()
            report = stage.evaluate(Publication("p", []), survivors)
            taken += time.thread_time() - started
            assert not report.unanswered
            asked += report.calls
        points.append(Point(name, x, 1e6 * taken / asked, {"calls": asked / PUBLICATIONS}))
    return points


def _within(name: str) -> Callable[[Curves], Finding]:
    def holds(curves: Curves) -> Finding:
        points = curves.get(name, ())
        if not points:
            return Finding(None, "")
        return Finding(points[-1].y <= AIM, f"{points[-1].y:.1f} µs at {points[-1].x:,.0f} subscriptions")

    return holds


BOOKKEEPING = Experiment(
    name="operators-bookkeeping",
    paper=PAPER,
    figure="Section 5.1",
    title="planning and bookkeeping per operator call",
    says="the primitive operations of subscription and predicate lookup/update can both be achieved in constant time.",
    x_label="subscriptions",
    y_label="µs per call",
    curves=tuple(STRATEGIES),
    xs=lambda scale: scale.choose((2_000, 5_000), (5_000, 10_000, 20_000)),
    measure=_measure,
    checks=tuple(Check(f"our aim: {name} takes at most {AIM:g} µs per call", _within(name)) for name in STRATEGIES),
    parameters=asdict(TABLE) | {"publications": PUBLICATIONS},
    log=False,
    also=("calls",),
    how=f"the processor's time of one thread over {PUBLICATIONS} publications",
)
