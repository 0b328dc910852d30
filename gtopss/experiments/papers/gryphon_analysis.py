"""Two analyses of Aguilera et al. (PODC 1999): how tight Theorem 1's bound is, and the one of range tests.

The paper announces the second: "theoretical analysis [of the] algorithm [for] range tests [is] underway".

*The bound.* Theorem 1 holds for the worst set of subscriptions. The experiment uses such a set: all subscriptions with
the fewest tests, whose nodes are visited most often. The visited nodes are the exact expectation, without noise.

*Range tests.* `MatchingTreeMatcher.expected_visits` sums the probability that a random event reaches a node over all
nodes, which is exact for independent, uniform attributes. The experiment compares it with the nodes that random events
visit, for the insertion of appendix A and for ours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import combinations, product

from gtopss.attributes.matchers.equality_tree import EqualityTree, expected_visits, expected_visits_bound
from gtopss.attributes.matchers.matching_tree import MatchingTreeMatcher
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import measure_matchers, measurement_as_y
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.statement_checks import (
    SUBLINEAR_EXPONENT,
    Statement,
    ahead,
    alike,
    exponent_below,
)
from gtopss.experiments.workloads.attribute_workloads import GryphonRangeWorkload

VALUES = 5
ONE_TEST, TWO_TESTS = "all subscriptions with one test", "all subscriptions with one or two tests"
TESTS = {ONE_TEST: 1, TWO_TESTS: 2}
BOUNDS = {name: f"Theorem 1, {name}" for name in TESTS}
NEAR = 6.0
"""Greatest ratio of the bound to the expected visits that counts as near."""

PRINTED, ORDERED = "insertion as printed", "insertion in order"
ANALYSIS = {name: f"analysis, {name}" for name in (PRINTED, ORDERED)}
RANGES = GryphonRangeWorkload()
EVENTS_PER_RUN = 200


def smallest_subscriptions(attributes: int, values: int, tests: int) -> Iterator[dict[int, int]]:
    """Yield all subscriptions with one to `tests` equality tests, as a value for each tested attribute."""
    for number in range(1, tests + 1):
        for tested in combinations(range(attributes), number):
            for chosen in product(range(values), repeat=number):
                yield dict(zip(tested, chosen, strict=True))


def _bound(x: float, settings: ExperimentSettings) -> list[Point]:
    points = []
    for name, tests in TESTS.items():
        tree = EqualityTree(int(x), collapse=False)
        for number, values in enumerate(smallest_subscriptions(int(x), VALUES, tests)):
            tree.insert(str(number), values)
        size = {"subscriptions": float(len(tree))}
        points.append(Point(name, x, expected_visits(tree, VALUES), size))
        points.append(Point(BOUNDS[name], x, expected_visits_bound(int(x), VALUES, len(tree)), size))
    return points


def _near(name: str) -> Statement:
    """The bound is at most `NEAR` times the expected visits, at every x."""

    def holds(curves: Curves) -> Finding:
        times = [bound.y / visits.y for visits, bound in curves.pairs(name, BOUNDS[name])]
        if not times:
            return Finding(None, "")
        return Finding(max(times) <= NEAR, f"the bound is {min(times):.3g} to {max(times):.3g} times the expectation")

    return holds


def _ranges(x: float, settings: ExperimentSettings) -> list[Point]:
    generator = random.Random(settings.seed)
    subscriptions = list(RANGES.subscriptions(int(x), generator))
    events = list(RANGES.events(EVENTS_PER_RUN, generator))
    matchers = {
        PRINTED: MatchingTreeMatcher(RANGES.schema(), insertion="printed", collapse=False),
        ORDERED: MatchingTreeMatcher(RANGES.schema()),
    }
    makers = {name: partial(matchers.__getitem__, name) for name in matchers}
    measured = measure_matchers(makers, subscriptions, events, x, settings.repeats)
    return [
        *measurement_as_y(measured, "nodes"),
        *(Point(ANALYSIS[name], x, matcher.expected_visits()) for name, matcher in matchers.items()),
    ]


def _sizes(settings: ExperimentSettings) -> Sequence[float]:
    return () if settings.data == "real" else settings.choose((200, 500), (250, 500, 1_000, 2_500, 5_000, 10_000))


def _attributes(settings: ExperimentSettings) -> Sequence[float]:
    return () if settings.data == "real" else settings.choose((3, 5), (2, 4, 6, 8, 10, 12))


BOUND = Experiment(
    name="gryphon-bound",
    paper=citations.GRYPHON,
    figure="Theorem 1",
    title="The bound for the worst subscriptions",
    paper_says="subscriptions chosen [to] maximize expected time, expected time [is] sub-linear in the number of "
    "subscriptions",
    x_label="attributes",
    y_label="expected visited nodes per event",
    curves=(*TESTS, *BOUNDS.values()),
    xs=_attributes,
    measure=_bound,
    parameters={"values": VALUES},
    checks=(
        *(Check(f"the bound holds for {name}", ahead(name, BOUNDS[name])) for name in TESTS),
        *(Check(f"ours: the bound is near, {name}: at most {NEAR:g} times", _near(name)) for name in TESTS),
    ),
    shown_measurements=("subscriptions",),
    method="exact expectations, no measurement",
)

RANGE_TESTS = Experiment(
    name="gryphon-ranges",
    paper=citations.GRYPHON,
    figure="Discussion",
    title="Visited nodes with range tests, by number of subscriptions",
    paper_says="a version of the algorithm [handles] inequality and range tests. ... theoretical analysis [of the] "
    "algorithm [for] range tests [is] underway",
    x_label="subscriptions",
    y_label="visited nodes per event",
    curves=(PRINTED, ORDERED, *ANALYSIS.values()),
    xs=_sizes,
    measure=_ranges,
    parameters=asdict(RANGES) | {"events": EVENTS_PER_RUN},
    checks=(
        *(Check(f"ours: the analysis predicts the {name}", alike(name, ANALYSIS[name], 0.1)) for name in ANALYSIS),
        Check(
            "with range tests and the printed insertion, visits grow sub-linearly",
            exponent_below(PRINTED, SUBLINEAR_EXPONENT),
        ),
        Check("ours: with insertion in order, visits grow sub-linearly", exponent_below(ORDERED, SUBLINEAR_EXPONENT)),
        Check("ours: insertion in order visits fewer nodes than the printed one", ahead(ORDERED, PRINTED)),
    ),
)

GRYPHON_ANALYSIS = (BOUND, RANGE_TESTS)
