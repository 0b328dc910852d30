"""Two analyses of Aguilera et al. (PODC 1999): how tight Theorem 1's bound is, and the one of range tests.

The paper announces the second: "theoretical analysis [of the] algorithm [for] range tests [is] underway".

*The bound.* Theorem 1 holds for the worst set of subscriptions. All subscriptions with one test, or with one or two,
come near the worst set, because their nodes are visited often. The bound is nearer with two values for each attribute
than with five, and nearest with a single subscription, which tests the last attribute. The visited nodes are the exact
expectation, without noise.

*Range tests.* `MatchingTreeMatcher.expected_visits` sums the probability that a random event reaches a node over all
nodes, which is exact for independent, uniform attributes. The experiment compares it with the nodes that random events
visit, for the insertion of appendix A and for ours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, product
from typing import TypeAlias

from gtopss.attributes import AttributeMatcher
from gtopss.attributes.matchers.equality_tree import EqualityTree, expected_visits, expected_visits_bound
from gtopss.attributes.matchers.matching_tree import MatchingTreeMatcher
from gtopss.attributes.matchers.naive import NaiveMatcher
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import fixed_events, measure_matchers, measurement_as_y
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.statement_checks import (
    SUBLINEAR_EXPONENT,
    Statement,
    ahead,
    alike,
    exponent_below,
    grows_much_slower,
    smaller_measurement,
)
from gtopss.experiments.workloads.attribute_workloads import GryphonRangeWorkload

Values: TypeAlias = dict[int, int]
"""A subscription: a value for each tested attribute."""


@dataclass(frozen=True, slots=True)
class SubscriptionSet:
    """A set of subscriptions for each number of attributes, which have so many values each."""

    values: int
    subscriptions: Callable[[int, int], Iterable[Values]]


NEAR = 2.5
"""Greatest ratio of the bound to the expected visits that counts as near."""

NAIVE, PRINTED, ORDERED = "naive", "insertion as printed", "insertion in order"
ANALYSIS = {name: f"analysis, {name}" for name in (PRINTED, ORDERED)}
RANGES = GryphonRangeWorkload()
EVENTS_PER_RUN = 200


def smallest_subscriptions(attributes: int, values: int, tests: int) -> Iterator[Values]:
    """Yield all subscriptions with one to `tests` equality tests."""
    for number in range(1, tests + 1):
        for tested in combinations(range(attributes), number):
            for chosen in product(range(values), repeat=number):
                yield dict(zip(tested, chosen, strict=True))


SETS = {
    "one test, 5 values": SubscriptionSet(5, partial(smallest_subscriptions, tests=1)),
    "one or two tests, 5 values": SubscriptionSet(5, partial(smallest_subscriptions, tests=2)),
    "one test, 2 values": SubscriptionSet(2, partial(smallest_subscriptions, tests=1)),
    "one subscription, 5 values": SubscriptionSet(5, lambda attributes, _: [{attributes - 1: 0}]),
}
BOUNDS = {name: f"Theorem 1, {name}" for name in SETS}


def _bound(x: float, settings: ExperimentSettings) -> list[Point]:
    points, attributes = [], int(x)
    for name, chosen in SETS.items():
        tree = EqualityTree(attributes, collapse=False)
        for number, values in enumerate(chosen.subscriptions(attributes, chosen.values)):
            tree.insert(str(number), values)
        points += [
            Point(name, x, expected_visits(tree, chosen.values), {"subscriptions": len(tree)}),
            Point(BOUNDS[name], x, expected_visits_bound(attributes, chosen.values, len(tree))),
        ]
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
    subscriptions = list(RANGES.subscriptions(int(x), random.Random(settings.seed)))
    events = fixed_events(RANGES, EVENTS_PER_RUN, settings.seed)
    trees = {
        PRINTED: MatchingTreeMatcher(RANGES.schema(), insertion="printed", collapse=False),
        ORDERED: MatchingTreeMatcher(RANGES.schema()),
    }
    matchers: dict[str, AttributeMatcher] = {**trees, NAIVE: NaiveMatcher(RANGES.schema())}
    makers = {name: partial(matchers.__getitem__, name) for name in matchers}
    measured = measure_matchers(makers, subscriptions, events, x, settings.repeats)
    return [
        *measurement_as_y((each for each in measured if each.curve in trees), "nodes"),
        *measurement_as_y((each for each in measured if each.curve == NAIVE), "predicates"),
        *(Point(ANALYSIS[name], x, tree.expected_visits()) for name, tree in trees.items()),
    ]


def _sizes(settings: ExperimentSettings) -> Sequence[float]:
    return () if settings.data == "real" else settings.choose((200, 500), (250, 500, 1_000, 2_500, 5_000, 10_000))


def _attributes(settings: ExperimentSettings) -> Sequence[float]:
    return () if settings.data == "real" else settings.choose((3, 5), (2, 4, 6, 8, 10, 12))


BOUND = Experiment(
    name="gryphon-bound",
    paper=citations.GRYPHON,
    figure="Theorem 1",
    title="The bound for subscriptions whose nodes are visited often",
    paper_says="subscriptions chosen [to] maximize expected time, expected time [is] sub-linear in the number of "
    "subscriptions",
    x_label="attributes",
    y_label="expected visited nodes per event",
    curves=(*SETS, *BOUNDS.values()),
    xs=_attributes,
    measure=_bound,
    checks=(
        *(Check(f"the bound holds: {name}", ahead(name, BOUNDS[name])) for name in SETS),
        *(Check(f"ours: the bound is near, at most {NEAR:g} times: {name}", _near(name)) for name in SETS),
    ),
    shown_measurements=("subscriptions",),
    method="exact expectations, no measurement",
)

RANGE_TESTS = Experiment(
    name="gryphon-ranges",
    paper=citations.GRYPHON,
    figure="Discussion",
    title="Visited nodes with range tests, by number of subscriptions",
    paper_says="a generic matching algorithm [whose] performance scales better [than the] naive algorithm. ... a "
    "version of the algorithm [handles] inequality [and] range tests. ... theoretical analysis [of the] algorithm "
    "[for] range tests [is] underway",
    x_label="subscriptions",
    y_label="visited nodes (naive: evaluated predicates) per event",
    curves=(NAIVE, PRINTED, ORDERED, *ANALYSIS.values()),
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
        Check(
            "the printed insertion scales better than naive: it grows by half as much, or less",
            grows_much_slower(PRINTED, NAIVE),
        ),
        Check(
            "the printed insertion takes less time than naive at every size", smaller_measurement(PRINTED, NAIVE, "ms")
        ),
    ),
    shown_measurements=("ms",),
    method=f"counted, the mean of {EVENTS_PER_RUN} events; ms: minimum of {{repeats}} or more rounds",
)

GRYPHON_ANALYSIS = (BOUND, RANGE_TESTS)
