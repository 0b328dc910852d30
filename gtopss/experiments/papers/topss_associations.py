"""Repeat ToPSS, Figures 3 and 4: associations of predicates with subscriptions, in time and memory (section 5).

The association is a byte matrix, a bit matrix or lists. Its programs were written in C++, ours in Python with numpy.
"""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache, partial
from typing import Literal

from gtopss.attributes import AttributeCounters
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.topss import CountingMatcher, TableCountingMatcher
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import mean_counters, measurement_as_y
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.statement_checks import ahead, factor_at_end, no_worse
from gtopss.experiments.timing import time_interleaved
from gtopss.experiments.workloads.attribute_workloads import W4

BYTES, BITS, LISTS, WITH_DELETION = "byte matrix", "bit matrix", "lists", "lists and deletion table"
EVENTS_PER_RUN = 10
_ASSOCIATIONS: dict[str, Literal["bytes", "bits", "lists"]] = {BYTES: "bytes", BITS: "bits", LISTS: "lists"}


@cache
def _associations(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the milliseconds of stage 2 alone.

    A sixth of all subscriptions match under this workload. Returning their ids takes the same time for all
    associations, and would be most of the total.
    """
    generator = random.Random(settings.seed)
    subscriptions = list(W4.subscriptions(int(x), generator))
    events = list(W4.events(EVENTS_PER_RUN, generator))
    schema = W4.schema()
    matchers: dict[str, CountingMatcher] = {}
    for name, association in _ASSOCIATIONS.items():
        matchers[name] = TableCountingMatcher(schema, association)
        for each in subscriptions:
            matchers[name].insert(each)
    reports = {name: [matcher.match(event) for event in events] for name, matcher in matchers.items()}
    require_equal_answers({name: [each.subscription_ids for each in made] for name, made in reports.items()}, f"{x:g}")
    tasks: dict[str, Callable[[], object]] = {}
    for name, matcher in matchers.items():
        satisfied = [matcher.satisfied(event, AttributeCounters()) for event in events]
        tasks[name] = partial(_stage_2, matcher, satisfied)
    times = time_interleaved(tasks, settings.repeats)
    points = [
        Point(
            name,
            x,
            1e3 * times[name].minimum / EVENTS_PER_RUN,
            mean_counters(made) | {"bytes": matchers[name].structure_bytes()},
        )
        for name, made in reports.items()
    ]
    deletion_table = sum(sys.getsizeof(array("i", range(len(each.predicates)))) for each in subscriptions)
    (lists,) = (each for each in points if each.curve == LISTS)
    return [
        *points,
        Point(WITH_DELETION, x, lists.y, {**lists.measurements, "bytes": lists.measurements["bytes"] + deletion_table}),
    ]


def _stage_2(matcher: CountingMatcher, satisfied: Sequence[Satisfied]) -> None:
    counters = AttributeCounters()
    for each in satisfied:
        matcher.matched_slots(each, counters)


def _sizes(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()
    return settings.choose((1_000, 5_000), (1_000, 5_000, 10_000, 50_000, 100_000, 500_000))


FIGURE_3 = Experiment(
    name="topss-3",
    paper=citations.TOPSS,
    figure="Figure 3",
    title="Subscription matching by association",
    paper_says="The subscription matching time is smallest for the list-based counting algorithm, and highest for the "
    "regular matching algorithm. Bit-wise matching outperforms regular matching by about a factor of 3.",
    x_label="subscriptions",
    y_label="ms per event, stage 2",
    curves=(BYTES, BITS, LISTS),
    xs=_sizes,
    measure=lambda x, settings: [each for each in _associations(x, settings) if each.curve != WITH_DELETION],
    parameters=asdict(W4) | {"events": EVENTS_PER_RUN},
    checks=(
        Check("lists are ahead of the bit matrix", ahead(LISTS, BITS)),
        Check("the bit matrix is ahead of the byte matrix", no_worse(BITS, BYTES, 10_000)),
        Check("the bit matrix is ahead of the byte matrix by about a factor of 3", factor_at_end(BITS, BYTES, 2, 5)),
    ),
    shown_measurements=("additions",),
)

FIGURE_4 = Experiment(
    name="topss-4",
    paper=citations.TOPSS,
    figure="Figure 4",
    title="Memory by association",
    paper_says="pure list-based matching outperforms all other schemes. However, this is not the case, if we also "
    "count the data structure required to support efficient deletion ... In this case, bit-wise management "
    "outperforms",
    x_label="subscriptions",
    y_label="megabytes",
    curves=(BYTES, BITS, LISTS, WITH_DELETION),
    xs=_sizes,
    measure=lambda x, settings: measurement_as_y(_associations(x, settings), "bytes", 1e-6),
    parameters=asdict(W4),
    checks=(
        Check("lists are smaller than the bit matrix", no_worse(LISTS, BITS, 10_000)),
        Check("lists with the deletion table are larger than the bit matrix", no_worse(BITS, WITH_DELETION, 10_000)),
        Check("the byte matrix is larger than the bit matrix", no_worse(BITS, BYTES, 10_000)),
    ),
)

TOPSS_ASSOCIATIONS = (FIGURE_3, FIGURE_4)
