"""Repeat ToPSS, Figure 2: predicate evaluation by tables and by lists (section 5).

Workloads W0 to W3 are the paper's; it does not name the operators, which are those of its queries. Single predicates
are drawn here, in the paper subscriptions of 1 to 20. x is the number of distinct predicates, and a curve ends where
its domain has no more: "For W^0 the number of distinct predicates is limited, data can therefore only be provided for
the first few thousand predicates".

Tables are numpy arrays here, and a linked list is made of Python objects: a list cell costs a hundred times what a
table cell costs, or more. The number of visited cells is therefore shown beside the times.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache, partial

from gtopss.attributes import AttributeCounters, Event
from gtopss.attributes.matchers.predicate_bits import PredicateBits
from gtopss.attributes.matchers.predicate_lists import PredicateLists
from gtopss.attributes.matchers.predicate_tables import PredicateTables
from gtopss.attributes.matchers.topss import PredicateIndex
from gtopss.deep_size import deep_size
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import fixed_events, measurement_as_y
from gtopss.experiments.papers.experiment import TIMED_IN_ROUNDS, Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.statement_checks import ahead, alike, crosses, much_ahead
from gtopss.experiments.timing import time_interleaved
from gtopss.experiments.workloads.attribute_workloads import W0, W1, W2, W3, TopssWorkload

PREDICATE_WORKLOADS = {"small": W0, "medium": W1, "big": W2, "mix": W3}
TABLE, LIST = "table", "list"
EVENTS_PER_RUN = 10


@cache
def _predicates(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure tables and lists of so many distinct predicates under each workload that has as many.

    A curve is named `table, small` and so on.
    """
    return [
        point
        for name, workload in PREDICATE_WORKLOADS.items()
        if x <= workload.distinct_predicates()
        for point in _one_workload(name, workload, x, settings)
    ]


def _one_workload(name: str, workload: TopssWorkload, x: float, settings: ExperimentSettings) -> list[Point]:
    schema = workload.schema()
    drawn = workload.predicates(int(x), random.Random(settings.seed))
    chosen = sorted(drawn, key=lambda each: (each.value, str(each)), reverse=True)  # lists then grow at their heads
    events = fixed_events(workload, EVENTS_PER_RUN, settings.seed)
    indices: dict[str, PredicateIndex] = {TABLE: PredicateTables(schema), LIST: PredicateLists()}
    numbers: dict[str, dict[int, str]] = {TABLE: {}, LIST: {}}
    for kind, index in indices.items():
        for predicate in chosen:
            numbers[kind][index.insert(predicate)] = str(predicate)
    found = {kind: _satisfied_predicates(index, events, numbers[kind]) for kind, index in indices.items()}
    require_equal_answers(found, f"{name}, {x:g}")
    tasks = {kind: partial(_evaluate, index, events) for kind, index in indices.items()}
    times = time_interleaved(tasks, settings.repeats)
    points = []
    for kind, index in indices.items():
        measurements = {
            "visited": _evaluate(index, events).nodes / EVENTS_PER_RUN,
            "bytes": deep_size(index, without=(schema, *schema.domains)),
        }
        points.append(Point(f"{kind}, {name}", x, 1e3 * times[kind].minimum / EVENTS_PER_RUN, measurements))
    return points


def _evaluate(index: PredicateIndex, events: Sequence[Event]) -> AttributeCounters:
    """Find the satisfied predicates of all events and set their bits (stage 1); return the total counters."""
    counters = AttributeCounters()
    for event in events:
        PredicateBits.of(index.satisfied(event, counters), len(index))
    return counters


def _satisfied_predicates(index: PredicateIndex, events: Sequence[Event], names: dict[int, str]) -> list[set[str]]:
    counters = AttributeCounters()
    return [
        {names[number] for group in index.satisfied(event, counters) for numbers in group for number in numbers}
        for event in events
    ]


def _curves(kind: str, *workloads: str) -> tuple[str, ...]:
    return tuple(f"{kind}, {name}" for name in workloads or PREDICATE_WORKLOADS)


def _counts(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()
    return settings.choose(
        (500, 5_000), (1_000, 10_000, 50_000, 100_000, 200_000, 500_000, 1_000_000), full=(2_000_000, 5_000_000)
    )


def _figure_2(
    number: int, title: str, paper_says: str, curves: tuple[str, ...], checks: tuple[Check, ...], measurement: str = ""
) -> Experiment:
    unit, factor = ("megabytes", 1e-6) if measurement == "bytes" else ("ms per event", 1.0)

    def measure(x: float, settings: ExperimentSettings) -> list[Point]:
        points = _predicates(x, settings)
        return [
            each
            for each in (measurement_as_y(points, measurement, factor) if measurement else points)
            if each.curve in curves
        ]

    return Experiment(
        name=f"topss-2-{number}",
        paper=citations.TOPSS,
        figure=f"Figure 2({number})",
        title=title,
        paper_says=paper_says,
        x_label="distinct predicates",
        y_label=unit,
        curves=curves,
        xs=_counts,
        measure=measure,
        parameters={name: asdict(PREDICATE_WORKLOADS[name]) for name in PREDICATE_WORKLOADS}
        | {"events": EVENTS_PER_RUN},
        checks=checks,
        shown_measurements=("visited",) if not measurement else (),
        method="bytes of the structures, once" if measurement else TIMED_IN_ROUNDS,
    )


def _alike_domains(tolerance: float) -> tuple[Check, ...]:
    """Lists do not depend on the size of the domain."""
    return tuple(
        Check(f"{name} and big domains take the same at every size", alike(f"list, {name}", "list, big", tolerance))
        for name in ("medium", "small")
    )


TOPSS_PREDICATES = (
    _figure_2(
        1,
        "Table-based predicate evaluation",
        "the matching time, depends on the predicate domain type size, it increases with increasing domain type size",
        _curves(TABLE),
        (
            Check("medium domains take more than small ones", ahead("table, small", "table, medium")),
            Check("big domains take more than medium ones", ahead("table, medium", "table, big")),
        ),
    ),
    _figure_2(
        2,
        "List-based predicate evaluation",
        "the matching time is nearly independent of the domain type size",
        _curves(LIST),
        _alike_domains(0.15),
    ),
    _figure_2(
        3,
        "Tables and lists, mixed domains",
        "for fewer number of predicates, the linked-list-based matching exhibits better performance, but for larger "
        "number of predicates the table-based predicate evaluation scheme is more efficient",
        (*_curves(TABLE, "mix"), *_curves(LIST, "mix")),
        (Check("lists are ahead for few predicates, tables for many", crosses("table, mix", "list, mix")),),
    ),
    _figure_2(
        4,
        "Memory of tables",
        "memory use, not only depends on the number of predicate types (number of tables), but is also significantly "
        "influenced by the domain type size",
        _curves(TABLE),
        (
            Check("medium domains take much more than small ones", much_ahead("table, small", "table, medium")),
            Check("big domains take much more than medium ones", much_ahead("table, medium", "table, big")),
        ),
        "bytes",
    ),
    _figure_2(
        5,
        "Memory of lists",
        "for the linked-list-based evaluation memory use only depends on the number of predicates stored",
        _curves(LIST),
        _alike_domains(0.1),
        "bytes",
    ),
    _figure_2(
        6,
        "Memory of tables and lists, mixed domains",
        "for fewer predicates, it is less expensive to use the linked-list-based table, however, for more predicates "
        "it is of greater advantage to resort to the table-based evaluation scheme",
        (*_curves(TABLE, "mix"), *_curves(LIST, "mix")),
        (Check("lists are smaller for few predicates, tables for many", crosses("table, mix", "list, mix")),),
        "bytes",
    ),
)
