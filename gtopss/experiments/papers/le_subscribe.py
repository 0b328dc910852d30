"""Repeat Le Subscribe, section 4: Figures 9 to 11, the time of insertions, and the remark on equalities that are not
selective.

The paper's programs were written in K and Java and sent events to each other. There is no communication here;
`le_subscribe_processes` measures it. The paper's sizes go up to 3,200,000 subscriptions; ours up to 800,000, where the
Python objects of the workload alone take a gigabyte, and up to 3,200,000 in a full run (`--full`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache, partial

from gtopss.attributes import MATCHERS
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import (
    TIMED_INSERTIONS,
    fixed_events,
    measure_matchers,
    measurement_as_y,
)
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.statement_checks import (
    MUCH,
    ahead,
    alike_at,
    alike_at_end,
    exponent_below,
    factor_at,
    factor_at_end,
    falls,
    logarithmic,
    smaller_measurement,
)
from gtopss.experiments.workloads.attribute_workloads import LeSubscribeWorkload

NAIVE, FAIR, PREFERRED, QUARANTINING = "naive", "fair-predicate", "equality-preferred", "quarantining"
EVENTS_PER_RUN = 20
MAX_NAIVE_SUBSCRIPTIONS = 400_000
"""Naive is omitted above this size, for which the paper compares it with quarantining."""
ALMOST_TEN_THOUSAND = (9_000, 10_000)


def _measure(
    workload: LeSubscribeWorkload, names: Sequence[str], size: int, x: float, settings: ExperimentSettings
) -> list[Point]:
    subscriptions = list(workload.subscriptions(size, random.Random(settings.seed)))
    events = fixed_events(workload, EVENTS_PER_RUN, settings.seed)
    schema = workload.schema()
    makers = {name: partial(MATCHERS[name], schema) for name in names}
    return measure_matchers(makers, subscriptions, events, x, settings.repeats)


@cache
def _by_size(x: float, settings: ExperimentSettings) -> list[Point]:
    names = [FAIR, PREFERRED, QUARANTINING, *([NAIVE] if x <= MAX_NAIVE_SUBSCRIPTIONS else [])]
    return _measure(LeSubscribeWorkload(), names, int(x), x, settings)


def sizes(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()
    usual = (25_000, 50_000, 100_000, 200_000, 400_000, 800_000)
    return settings.choose((1_000, 10_000), usual, full=(1_600_000, 3_200_000))


def _fewer_sums(curves: Curves) -> Finding:
    """Quarantining makes at most half the additions of equality-preferred, at every size."""
    pairs = curves.pairs(QUARANTINING, PREFERRED)
    if not pairs:
        return Finding(None, "")
    times = [theirs.measurements["additions"] / max(ours.measurements["additions"], 1) for ours, theirs in pairs]
    return Finding(min(times) >= MUCH, f"{min(times):,.0f} to {max(times):,.0f} times as many with equality-preferred")


def _evaluations(curves: Curves) -> Finding:
    pairs = curves.pairs(FAIR, NAIVE)
    if not pairs:
        return Finding(None, "")
    ours, theirs = pairs[-1]
    times = theirs.measurements["predicates"] / ours.measurements["predicates"]
    return Finding(times > 100, f"{times:,.0f} times as many as fair predicate at {ours.x:,.12g}")


_ORDER = (
    Check("quarantining takes less than equality-preferred at every size", ahead(QUARANTINING, PREFERRED)),
    Check("equality-preferred takes less than fair predicate at every size", ahead(PREFERRED, FAIR)),
    Check("quarantining is far ahead of naive at the largest size of both", factor_at_end(QUARANTINING, NAIVE, 10)),
    Check(
        f"naive takes almost ten thousand times as long as quarantining at {MAX_NAIVE_SUBSCRIPTIONS:,}",
        factor_at(QUARANTINING, NAIVE, *ALMOST_TEN_THOUSAND, MAX_NAIVE_SUBSCRIPTIONS),
    ),
)

FIGURE_9_WORK = Experiment(
    name="le-subscribe-9-work",
    paper=citations.LE_SUBSCRIBE,
    figure="Figure 9",
    title="Work by number of subscriptions, p = 0.5",
    paper_says="the nonequality quarantining algorithm performs better because it reduces largely the number of sums "
    "made",
    x_label="subscriptions",
    y_label="predicates, additions, comparisons and clusters per event",
    curves=(NAIVE, FAIR, PREFERRED, QUARANTINING),
    xs=sizes,
    measure=lambda x, settings: measurement_as_y(_by_size(x, settings), "work"),
    parameters=asdict(LeSubscribeWorkload()) | {"events": EVENTS_PER_RUN},
    checks=(
        *_ORDER[:2],
        Check("quarantining reduces largely the number of sums made", _fewer_sums),
        Check(
            "naive evaluates far more predicates than fair predicate (all of its work is of the expensive kind)",
            _evaluations,
        ),
    ),
    shown_measurements=("predicates",),
    method=f"counted, the mean of {EVENTS_PER_RUN} events",
)


FIGURE_9 = Experiment(
    name="le-subscribe-9",
    paper=citations.LE_SUBSCRIBE,
    figure="Figure 9",
    title="Time by number of subscriptions, p = 0.5",
    paper_says="The equality-preferred and nonequality quarantining algorithms are the best ones, as expected. ... for "
    "400000 subscriptions, the naive algorithm spends almost ten thousand times more ... than the ... quarantining",
    x_label="subscriptions",
    y_label="ms per event",
    curves=(NAIVE, FAIR, PREFERRED, QUARANTINING),
    xs=sizes,
    measure=_by_size,
    parameters=asdict(LeSubscribeWorkload()) | {"events": EVENTS_PER_RUN},
    checks=(
        *_ORDER,
        *(
            Check(
                f"fair predicate takes less space than {name} at every size (section 5)",
                smaller_measurement(FAIR, name, "bytes"),
            )
            for name in (PREFERRED, QUARANTINING)
        ),
    ),
    shown_measurements=("bytes",),
)

INSERTION = Experiment(
    name="le-subscribe-insertion",
    paper=citations.LE_SUBSCRIBE,
    figure="Section 4",
    title="Time to add one subscription",
    paper_says="Equality-preferred algorithm spends a similar time to update its internal subscription representation "
    "while fair-predicate algorithm is faster (32.2 ms for quarantining with 3200000 subscriptions)",
    x_label="subscriptions",
    y_label="µs per insertion",
    curves=(FAIR, PREFERRED, QUARANTINING),
    xs=sizes,
    measure=lambda x, settings: [
        each
        for each in measurement_as_y(_by_size(x, settings), "insert_us")
        if each.curve in (FAIR, PREFERRED, QUARANTINING)
    ],
    parameters=asdict(LeSubscribeWorkload()),
    checks=(
        Check("fair predicate is faster than equality-preferred", ahead(FAIR, PREFERRED)),
        Check("fair predicate is faster than quarantining", ahead(FAIR, QUARANTINING)),
        Check(
            "equality-preferred takes a similar time as quarantining at the largest size",
            alike_at_end(QUARANTINING, PREFERRED, 0.25),
        ),
    ),
    scale="linear",
    method=f"processor time of the last {TIMED_INSERTIONS:,} insertions, once",
)

FIGURE_10_SIZE = 800_000


def _by_equality(x: float, settings: ExperimentSettings) -> list[Point]:
    size = 5_000 if settings.quick else FIGURE_10_SIZE
    return _measure(LeSubscribeWorkload(equality=x), (FAIR, PREFERRED, QUARANTINING), size, x, settings)


def _same_work_without_nonequalities(curves: Curves) -> Finding:
    pairs = curves.pairs(QUARANTINING, PREFERRED)
    if not pairs or pairs[-1][0].x != 1:
        return Finding(None, "")
    ours, theirs = (each.measurements["predicates"] + each.measurements["additions"] for each in pairs[-1])
    return Finding(ours == theirs, f"{ours:,.0f} and {theirs:,.0f} predicates and additions per event")


FIGURE_10 = Experiment(
    name="le-subscribe-10",
    paper=citations.LE_SUBSCRIBE,
    figure="Figure 10",
    title="Time by share of equality predicates",
    paper_says="The equality-preferred and nonequality quarantining algorithms have the same performance when there is "
    "no nonequality predicate ... The lower this ratio is, the better the performance is.",
    x_label="p, the share of equalities in predicates on numbers",
    y_label="ms per event",
    curves=(FAIR, PREFERRED, QUARANTINING),
    xs=lambda settings: () if settings.data == "real" else settings.choose((0, 0.5, 1), (0, 0.25, 0.5, 0.75, 1)),
    measure=_by_equality,
    parameters=asdict(LeSubscribeWorkload()) | {"subscriptions": FIGURE_10_SIZE, "events": EVENTS_PER_RUN},
    checks=(
        Check("the fewer nonequality predicates, the faster fair predicate", falls(FAIR)),
        Check("the fewer nonequality predicates, the faster equality-preferred", falls(PREFERRED)),
        Check("the fewer nonequality predicates, the faster quarantining", falls(QUARANTINING)),
        Check(
            "without nonequality predicates, equality-preferred and quarantining take the same time",
            alike_at(QUARANTINING, PREFERRED, 0.1, 1),
        ),
        Check(
            "without nonequality predicates, equality-preferred and quarantining do the same work",
            _same_work_without_nonequalities,
        ),
    ),
    shown_measurements=("work",),
)


def _equalities_only(x: float, settings: ExperimentSettings) -> list[Point]:
    return _measure(LeSubscribeWorkload(equality=1), (PREFERRED, QUARANTINING), int(x), x, settings)


FIGURE_11 = Experiment(
    name="le-subscribe-11",
    paper=citations.LE_SUBSCRIBE,
    figure="Figure 11",
    title="Time by number of subscriptions, equalities only",
    paper_says="once this threshold value is achieved, the processing time of the algorithm increases slightly with "
    "the number of subscriptions, showing a logarithmic aspect",
    x_label="subscriptions",
    y_label="ms per event",
    curves=(PREFERRED, QUARANTINING),
    xs=lambda settings: (
        ()
        if settings.data == "real"
        else settings.choose((100, 1_000), (100, 1_000, 10_000, 100_000, 800_000), full=(3_200_000,))
    ),
    measure=_equalities_only,
    parameters=asdict(LeSubscribeWorkload(equality=1)) | {"events": EVENTS_PER_RUN},
    checks=(
        Check("quarantining grows far slower than the number of subscriptions", exponent_below(QUARANTINING, 0.5)),
        Check("equality-preferred grows far slower than the number of subscriptions", exponent_below(PREFERRED, 0.5)),
        Check("quarantining grows logarithmically", logarithmic(QUARANTINING)),
        Check("equality-preferred grows logarithmically", logarithmic(PREFERRED)),
    ),
    scale="log-x",
    shown_measurements=("work", "matches"),
)

NOT_SELECTIVE = LeSubscribeWorkload(equality=0, present=1)
NOT_SELECTIVE_SIZE = 100_000


def _by_texts(x: float, settings: ExperimentSettings) -> list[Point]:
    size = 5_000 if settings.quick else NOT_SELECTIVE_SIZE
    return _measure(replace(NOT_SELECTIVE, texts=int(x)), (FAIR, PREFERRED, QUARANTINING), size, x, settings)


def _reversed(curves: Curves) -> Finding:
    """Equality-preferred is ahead where equalities select little, quarantining where they select much."""
    pairs = curves.pairs(QUARANTINING, PREFERRED)
    if len(pairs) < 2:
        return Finding(None, "")
    behind = [theirs.x for ours, theirs in pairs if ours.y > theirs.y]
    first, last = pairs[0], pairs[-1]
    few, many = (ours.y / theirs.y for ours, theirs in (first, last))
    reversed_there = first[0].x in behind and last[0].x not in behind
    numbers = f"quarantining takes {few:.2g} times the time of equality-preferred at {first[0].x:g}"
    return Finding(reversed_there, f"{numbers}, {many:.2g} times at {last[0].x:g}")


def _evaluation_cost(curves: Curves) -> Finding:
    """The counters show the reversal if an evaluation of a predicate costs at least a number of additions below three.

    With so many, the work of both algorithms is the same where equalities select least.
    """
    pairs = curves.pairs(QUARANTINING, PREFERRED)
    if not pairs:
        return Finding(None, "")
    ours, theirs = (each.measurements for each in pairs[0])
    sums = theirs["additions"] + theirs["comparisons"] - ours["additions"] - ours["comparisons"]
    more_predicates = ours["predicates"] - theirs["predicates"]
    if more_predicates <= 0:
        return Finding(False, "quarantining evaluates no more predicates than equality-preferred")
    cost = sums / more_predicates
    return Finding(cost < 3, f"an evaluation must cost {cost:.2f} additions or more")


SELECTIVITY = Experiment(
    name="le-subscribe-selectivity",
    paper=citations.LE_SUBSCRIBE,
    figure="Section 4",
    title="Equalities that are not selective, 100,000 subscriptions",
    paper_says="if the equality predicates are not very selective, the number of partially verified subscriptions may "
    "be large and in this case the performance of the nonequality quarantining algorithm is worst than the "
    "performance of the equality-preferred algorithm",
    x_label="values of an attribute with equalities",
    y_label="ms per event",
    curves=(FAIR, PREFERRED, QUARANTINING),
    xs=lambda settings: () if settings.data == "real" else settings.choose((1, 5, 200), (1, 2, 5, 20, 200)),
    measure=_by_texts,
    parameters=asdict(NOT_SELECTIVE) | {"subscriptions": NOT_SELECTIVE_SIZE, "events": EVENTS_PER_RUN},
    checks=(
        Check("equality-preferred is ahead of quarantining where equalities select little", _reversed),
        Check("ours: the counters show the reversal if an evaluation costs a few additions", _evaluation_cost),
    ),
    shown_measurements=("predicates",),
)


LE_SUBSCRIBE = (FIGURE_9_WORK, FIGURE_9, INSERTION, FIGURE_10, FIGURE_11, SELECTIVITY)
