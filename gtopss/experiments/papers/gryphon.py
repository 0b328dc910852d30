"""Repeat the simulation of Aguilera et al. (PODC 1999, discussion): matching time and space by subscriptions.

The theorem's bound is a curve too, and each optimisation of section 5 is switched on and off. Our text has lost all
numbers of the simulation; those of `GryphonWorkload` are our choice. Time is measured as in the paper, in visited
nodes, and in milliseconds; space in edges and entries of successor sets, and in bytes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache, partial

from gtopss.attributes import AttributeMatcher
from gtopss.attributes.matchers.equality_tree import expected_visits_bound
from gtopss.attributes.matchers.equality_tree_matcher import EqualityTreeMatcher
from gtopss.attributes.matchers.naive import NaiveMatcher
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import fixed_events, measure_matchers, measurement_as_y
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.statement_checks import (
    SUBLINEAR_EXPONENT,
    ahead,
    exponent_below,
    grows_much_slower,
    measurement_stays,
)
from gtopss.experiments.workloads.attribute_workloads import GryphonWorkload

PLAIN, COLLAPSED, SUCCESSORS, REFINED, FACTORED, ALL = (
    "plain",
    "collapsed",
    "collapsed, successors",
    "collapsed, refined successors",
    "collapsed, factored",
    "all",
)
NAIVE = "naive"
MAX_NAIVE_SUBSCRIPTIONS = 10_000
"""Naive is omitted above this size."""
BOUND = "bound of Theorem 1"
SWITCHES: dict[str, dict[str, bool | int]] = {
    PLAIN: {},
    COLLAPSED: {"collapse": True},
    SUCCESSORS: {"collapse": True, "successors": True},
    REFINED: {"collapse": True, "refined": True},
    FACTORED: {"collapse": True, "factor": 2},
    ALL: {"collapse": True, "refined": True, "factor": 2},
}
WORKLOAD = GryphonWorkload()
EVENTS_PER_RUN = 200


@cache
def _by_size(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the trees, whose points also have their number of edges, and up to a size the naive algorithm."""
    subscriptions = list(WORKLOAD.subscriptions(int(x), random.Random(settings.seed)))
    events = fixed_events(WORKLOAD, EVENTS_PER_RUN, settings.seed)
    trees = {name: _make_tree(name) for name in SWITCHES}
    matchers: dict[str, AttributeMatcher] = {**trees}
    if x <= MAX_NAIVE_SUBSCRIPTIONS:
        matchers[NAIVE] = NaiveMatcher(WORKLOAD.schema())
    makers = {name: partial(matchers.__getitem__, name) for name in matchers}
    points = measure_matchers(makers, subscriptions, events, x, settings.repeats)
    edges = {name: {"edges": tree.edges()} for name, tree in trees.items()}
    return [Point(each.curve, x, each.y, {**each.measurements, **edges.get(each.curve, {})}) for each in points]


def _make_tree(name: str) -> EqualityTreeMatcher:
    switches = SWITCHES[name]
    return EqualityTreeMatcher(
        WORKLOAD.schema(),
        collapse=bool(switches.get("collapse")),
        successors=bool(switches.get("successors")),
        refined=bool(switches.get("refined")),
        factor=int(switches.get("factor", 0)),
        order=WORKLOAD.names,
    )


def _of_trees(x: float, settings: ExperimentSettings, measurement: str) -> list[Point]:
    return measurement_as_y((each for each in _by_size(x, settings) if each.curve in SWITCHES), measurement)


def _nodes(x: float, settings: ExperimentSettings) -> list[Point]:
    bound = expected_visits_bound(WORKLOAD.attributes, WORKLOAD.values, int(x))
    return [*_of_trees(x, settings, "nodes"), Point(BOUND, x, bound)]


def _sizes(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()
    return settings.choose((1_000, 4_000), (1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000))


_PARAMETERS = asdict(WORKLOAD) | {"events": EVENTS_PER_RUN, "factored attributes": 2}
_COUNTED = f"counted, the mean of {EVENTS_PER_RUN} events"

NODES = Experiment(
    name="gryphon-time",
    paper=citations.GRYPHON,
    figure="Discussion, left",
    title="Visited nodes by number of subscriptions",
    paper_says="the expected time to match a random event is sub-linear in the number of subscriptions (Theorem 1)",
    x_label="subscriptions",
    y_label="visited nodes per event",
    curves=(*SWITCHES, BOUND),
    xs=_sizes,
    measure=_nodes,
    parameters=_PARAMETERS,
    method=_COUNTED,
    checks=(
        Check("the plain tree stays under the bound of Theorem 1", ahead(PLAIN, BOUND)),
        Check("the plain tree grows sub-linearly", exponent_below(PLAIN, SUBLINEAR_EXPONENT)),
        Check("the tree with all optimisations grows sub-linearly", exponent_below(ALL, SUBLINEAR_EXPONENT)),
        Check("collapsing *-chains reduces matching time", ahead(COLLAPSED, PLAIN)),
        Check("successor nodes improve on the collapsed tree", ahead(SUCCESSORS, COLLAPSED)),
        Check("refined successor sets improve on successor nodes", ahead(REFINED, SUCCESSORS)),
        Check("factoring improves on the collapsed tree", ahead(FACTORED, COLLAPSED)),
    ),
)

MILLISECONDS = Experiment(
    name="gryphon-ms",
    paper=citations.GRYPHON,
    figure="Discussion, left",
    title="Time by number of subscriptions",
    paper_says="(the actual Java prototype matched an event in [a lost number of] milliseconds); a generic matching "
    "algorithm [whose] performance scales better [than the] naive algorithm",
    x_label="subscriptions",
    y_label="ms per event",
    curves=(NAIVE, *SWITCHES),
    xs=_sizes,
    measure=_by_size,
    parameters=_PARAMETERS,
    shown_measurements=("insert_us",),
    checks=(
        Check(
            "pre-processing is linear: the insertion of one takes the same time at every size",
            measurement_stays(PLAIN, "insert_us", 1.25),
        ),
        Check("the plain tree grows sub-linearly", exponent_below(PLAIN, SUBLINEAR_EXPONENT)),
        Check(
            "the plain tree scales better than naive: it grows by half as much, or less",
            grows_much_slower(PLAIN, NAIVE),
        ),
        Check("collapsing *-chains reduces matching time", ahead(COLLAPSED, PLAIN)),
        Check("successor nodes improve on the collapsed tree", ahead(SUCCESSORS, COLLAPSED)),
        Check("refined successor sets improve on successor nodes", ahead(REFINED, SUCCESSORS)),
        Check("factoring improves on the collapsed tree", ahead(FACTORED, COLLAPSED)),
    ),
)

SPACE = Experiment(
    name="gryphon-space",
    paper=citations.GRYPHON,
    figure="Discussion, right",
    title="Space by number of subscriptions",
    paper_says="space measured by counting the number of edges plus the size of the successor sets; the space "
    "requirement of the matching tree is linear in the number of subscriptions",
    x_label="subscriptions",
    y_label="edges and successor entries",
    curves=tuple(SWITCHES),
    xs=_sizes,
    measure=lambda x, settings: _of_trees(x, settings, "edges"),
    parameters=_PARAMETERS,
    method="counted",
    checks=(
        Check("the plain tree takes space linear in the subscriptions, or less", exponent_below(PLAIN, 1.02)),
        Check("with successor sets, space is linear too, or less", exponent_below(SUCCESSORS, 1.02)),
        Check("with refined successor sets, space is linear too, or less", exponent_below(REFINED, 1.02)),
        Check("collapsing saves space", ahead(COLLAPSED, PLAIN)),
        Check("factoring costs space", ahead(COLLAPSED, FACTORED)),
    ),
)

GRYPHON = (NODES, MILLISECONDS, SPACE)
