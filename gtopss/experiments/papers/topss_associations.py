"""Repeat ToPSS, Figures 3 and 4: associations of predicates with subscriptions, in time and memory (section 5).

The association is a byte matrix, a bit matrix or lists, with and without a deletion table. Our text of the paper does
not name its programming language; ours is Python with numpy. The paper names the time of insertions and deletions among
its metrics, but has no figure of it: `topss-updates` is ours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache, partial

from gtopss.attributes import AttributeCounters, AttributeSubscription
from gtopss.attributes.matchers.predicate_bits import PredicateBits
from gtopss.attributes.matchers.topss import AssociationName, CountingMatcher, TableCountingMatcher
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import fixed_events, insert_all, mean_counters, measurement_as_y
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.statement_checks import ahead, factor_within, much_ahead
from gtopss.experiments.timing import processor_seconds, time_interleaved
from gtopss.experiments.workloads.attribute_workloads import W4

BYTES, BITS, LISTS, WITH_DELETION = "byte matrix", "bit matrix", "lists", "lists and deletion table"
CONSTANT = "lists, constant re-allocation"
EVENTS_PER_RUN = 10
TIMED_REMOVALS = 1_000
MAX_BYTE_MATRIX_SUBSCRIPTIONS = 500_000  # 0.3 GB; the paper could not run it "over the entire data set" either
_ASSOCIATIONS: dict[str, AssociationName] = {
    BYTES: "bytes",
    BITS: "bits",
    LISTS: "lists-without-deletion-table",
    WITH_DELETION: "lists",
}


@cache
def _associations(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the milliseconds of stage 2 alone.

    A sixth of all subscriptions match under this workload. Returning their ids takes the same time for all
    associations, and would be most of the total.
    """
    subscriptions = list(W4.subscriptions(int(x), random.Random(settings.seed)))
    events = fixed_events(W4, EVENTS_PER_RUN, settings.seed)
    matchers = _loaded(subscriptions)
    reports = {name: [matcher.match(event) for event in events] for name, matcher in matchers.items()}
    require_equal_answers({name: [each.subscription_ids for each in made] for name, made in reports.items()}, f"{x:g}")
    tasks: dict[str, Callable[[], object]] = {}
    for name, matcher in matchers.items():
        satisfied = [matcher.satisfied(event, AttributeCounters()) for event in events]
        tasks[name] = partial(_stage_2, matcher, satisfied)
    times = time_interleaved(tasks, settings.repeats)
    return [
        Point(
            name,
            x,
            1e3 * times[name].minimum / EVENTS_PER_RUN,
            mean_counters(made) | {"bytes": matchers[name].structure_bytes()},
        )
        for name, made in reports.items()
    ]


def _loaded(subscriptions: Sequence[AttributeSubscription]) -> dict[str, CountingMatcher]:
    """Return a matcher with all subscriptions for each association."""
    schema = W4.schema()
    matchers: dict[str, CountingMatcher] = {}
    for name, association in _ASSOCIATIONS.items():
        if name != BYTES or len(subscriptions) <= MAX_BYTE_MATRIX_SUBSCRIPTIONS:
            matchers[name] = TableCountingMatcher(schema, association)
            insert_all(matchers[name], subscriptions)
    return matchers


def _updates(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the microseconds of a removal and of an insertion, of subscriptions chosen at random.

    An update is a removal and an insertion.
    """
    generator = random.Random(settings.seed)
    subscriptions = list(W4.subscriptions(int(x), generator))
    changed = generator.sample(subscriptions, min(TIMED_REMOVALS, len(subscriptions)))
    (event,) = fixed_events(W4, 1, settings.seed)
    points, answers = [], {}
    for name, matcher in _loaded(subscriptions).items():
        removal = 1e6 * processor_seconds(partial(_remove_all, matcher, changed)) / len(changed)
        without = matcher.match(event).subscription_ids
        insertion = 1e6 * processor_seconds(partial(insert_all, matcher, changed)) / len(changed)
        answers[name] = (without, matcher.match(event).subscription_ids)
        points.append(Point(name, x, removal, {"insertion": insertion, "update": removal + insertion}))
    require_equal_answers(answers, f"{x:g} subscriptions")
    return points


def _remove_all(matcher: CountingMatcher, subscriptions: Sequence[AttributeSubscription]) -> None:
    for each in subscriptions:
        matcher.remove(each.id)


def _stage_2(matcher: CountingMatcher, satisfied: Sequence[PredicateBits]) -> None:
    counters = AttributeCounters()
    for each in satisfied:
        matcher.matched_slots(each, counters)


def _sizes(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()
    usual = (1_000, 5_000, 10_000, 50_000, 100_000, 500_000)
    return settings.choose((1_000, 5_000), usual, full=(1_000_000, 5_000_000))


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
        Check("lists are ahead of the bit matrix at every size", ahead(LISTS, BITS)),
        Check("the bit matrix is ahead of the byte matrix at every size", ahead(BITS, BYTES)),
        Check(
            "the bit matrix is ahead of the byte matrix by about a factor of 3 at every size",
            factor_within(BITS, BYTES, 2.5, 3.5),
        ),
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
        Check("lists are smaller than the bit matrix at every size", ahead(LISTS, BITS)),
        Check("lists with the deletion table are larger than the bit matrix at every size", ahead(BITS, WITH_DELETION)),
        Check("the byte matrix is larger than the bit matrix at every size", ahead(BITS, BYTES)),
    ),
    method="bytes of the structures, once",
)

UPDATES = Experiment(
    name="topss-updates",
    paper=citations.TOPSS,
    figure="Section 5.1",
    title="Time to remove one subscription",
    paper_says="subscription deletion operations can be performed very efficiently, by setting all column bits of the "
    "subscription to be deleted to zero. ... Subscription deletion operations [with lists] require an additional data "
    "structure.",
    x_label="subscriptions",
    y_label="µs per removal",
    curves=tuple(_ASSOCIATIONS),
    xs=_sizes,
    measure=_updates,
    parameters=asdict(W4) | {"removals": TIMED_REMOVALS},
    checks=(
        Check(
            "ours: a removal from the bit matrix is ahead of lists with a deletion table", ahead(BITS, WITH_DELETION)
        ),
        Check("a deletion table makes a removal from lists much faster", much_ahead(WITH_DELETION, LISTS)),
    ),
    shown_measurements=("insertion", "update"),
    method="processor time of 1,000 removals and insertions of random subscriptions, once",
)

TOPSS_ASSOCIATIONS = (FIGURE_3, FIGURE_4, UPDATES)
