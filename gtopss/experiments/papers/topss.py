"""ToPSS, section 5: Figures 2 to 4 and Tables 1 and 2.

Workloads W0 to W4 are the paper's; the operators, which it does not name, are those of its queries. Its programs were
C++ and the in-memory database Kdb; ours are Python with numpy for tables and matrices, and SQLite and DuckDB in memory.
A linked list is Python objects here, as a table is numpy: a cell of a list costs several hundred times what a slot of a
table does, where in C++ it may have been five. So what is visited is shown beside the times of Figure 2.
"""

from __future__ import annotations

import random
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache, partial
from typing import Literal

from gtopss.attributes import MATCHERS, AttributeCounters, AttributeMatcher, AttributeSubscription, Event
from gtopss.attributes.matchers.predicate_clusters import Satisfied
from gtopss.attributes.matchers.predicate_grouping import PredicateGroupingMatcher
from gtopss.attributes.matchers.predicate_lists import PredicateLists
from gtopss.attributes.matchers.predicate_tables import PredicateTables
from gtopss.attributes.matchers.sequential_search import SequentialSearchMatcher
from gtopss.attributes.matchers.topss import CountingMatcher, PredicateIndex, TableCountingMatcher
from gtopss.deep_size import deep_size
from gtopss.experiments.papers.agreement import agree, take_turns
from gtopss.experiments.papers.attribute_runs import counted, crosses, no_worse, showing
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, Finding, Point, Scale
from gtopss.experiments.papers.statements import Statement, ahead, alike
from gtopss.experiments.workloads.attribute_events import W0, W1, W2, W3, W4

PAPER = "Ashayer, Leung, Jacobsen: Predicate Matching and Subscription Matching in Publish/Subscribe Systems, 2002"
PREDICATE_WORKLOADS = {"small": W0, "medium": W1, "big": W2, "mix": W3}
TABLE, LIST = "table", "list"
EVENTS = 10


# --- Figure 2: predicates alone --------------------------------------------------------------------------------


@cache
def _predicates(x: float, scale: Scale) -> list[Point]:
    """Tables and lists with so many predicates, under each workload; curves are named `table, small` and so on."""
    points = []
    for name, workload in PREDICATE_WORKLOADS.items():
        generator = random.Random(scale.seed)
        schema = workload.schema()
        drawn = {workload.predicate(generator) for _ in range(int(x))}
        chosen = sorted(drawn, key=lambda each: (each.value, str(each)), reverse=True)  # lists then grow at their heads
        events = list(workload.events(EVENTS, generator))
        indices: dict[str, PredicateIndex] = {TABLE: PredicateTables(schema), LIST: PredicateLists()}
        numbers: dict[str, dict[int, str]] = {TABLE: {}, LIST: {}}
        for kind, index in indices.items():
            for predicate in chosen:
                numbers[kind][index.insert(predicate)] = str(predicate)
        agree({kind: _named(index, events, numbers[kind]) for kind, index in indices.items()}, f"{name}, {x:g}")
        times = take_turns({kind: partial(_satisfy, index, events) for kind, index in indices.items()}, scale.repeats)
        for kind, index in indices.items():
            counters = AttributeCounters()
            for event in events:
                index.satisfied(event, counters)
            facts = {
                "visited": counters.nodes / EVENTS,
                "bytes": deep_size(index, without=(schema, *schema.domains)),
                "distinct": len(chosen),
            }
            points.append(Point(f"{kind}, {name}", x, 1e3 * times[kind].least / EVENTS, facts))
    return points


def _satisfy(index: PredicateIndex, events: Sequence[Event]) -> None:
    counters = AttributeCounters()
    for event in events:
        index.satisfied(event, counters)


def _named(index: PredicateIndex, events: Sequence[Event], names: dict[int, str]) -> list[set[str]]:
    counters = AttributeCounters()
    return [
        {names[number] for group in index.satisfied(event, counters) for numbers in group for number in numbers}
        for event in events
    ]


def _of_kind(kind: str, *workloads: str) -> tuple[str, ...]:
    return tuple(f"{kind}, {name}" for name in workloads or PREDICATE_WORKLOADS)


def _only(curves: Sequence[str], points: Sequence[Point]) -> list[Point]:
    return [each for each in points if each.curve in curves]


def _counts(scale: Scale) -> Sequence[float]:
    if scale.data == "real":
        return ()
    return scale.choose((500, 5_000), (1_000, 10_000, 50_000, 100_000, 200_000, 500_000, 1_000_000))


def _figure_2(
    letter: int, title: str, says: str, curves: tuple[str, ...], checks: tuple[Check, ...], fact: str = ""
) -> Experiment:
    unit, scale_by = ("megabytes", 1e-6) if fact == "bytes" else ("ms an event", 1.0)
    return Experiment(
        name=f"topss-2-{letter}",
        paper=PAPER,
        figure=f"Figure 2({letter})",
        title=title,
        says=says,
        x_label="predicates",
        y_label=unit,
        curves=curves,
        xs=_counts,
        measure=lambda x, scale: _only(
            curves, showing(_predicates(x, scale), fact, scale_by) if fact else _predicates(x, scale)
        ),
        parameters={name: asdict(PREDICATE_WORKLOADS[name]) for name in PREDICATE_WORKLOADS} | {"events": EVENTS},
        checks=checks,
        also=("visited",) if not fact else (),
    )


FIGURE_2 = (
    _figure_2(
        1,
        "Table-based predicate evaluation",
        "the matching time, depends on the predicate domain type size, it increases with increasing domain type size",
        _of_kind(TABLE),
        (
            Check("medium domains take more than small ones", ahead("table, small", "table, medium")),
            Check("big domains take more than medium ones", ahead("table, medium", "table, big")),
        ),
    ),
    _figure_2(
        2,
        "List-based predicate evaluation",
        "the matching time is nearly independent of the domain type size",
        _of_kind(LIST),
        (Check("medium and big domains take the same", alike("list, medium", "list, big", 0.15)),),
    ),
    _figure_2(
        3,
        "Tables and lists, mixed domains",
        "for fewer number of predicates, the linked-list-based matching exhibits better performance, but for larger "
        "number of predicates the table-based predicate evaluation scheme is more efficient",
        (*_of_kind(TABLE, "mix"), *_of_kind(LIST, "mix")),
        (Check("lists are ahead for few predicates, tables for many", crosses("table, mix", "list, mix")),),
    ),
    _figure_2(
        4,
        "Memory of tables",
        "memory use, not only depends on the number of predicate types (number of tables), but is also significantly "
        "influenced by the domain type size",
        _of_kind(TABLE),
        (
            Check("medium domains take more than small ones", ahead("table, small", "table, medium")),
            Check("big domains take more than medium ones", ahead("table, medium", "table, big")),
        ),
        "bytes",
    ),
    _figure_2(
        5,
        "Memory of lists",
        "for the linked-list-based evaluation memory use only depends on the number of predicates stored",
        _of_kind(LIST),
        (Check("medium and big domains take the same", alike("list, medium", "list, big", 0.1)),),
        "bytes",
    ),
    _figure_2(
        6,
        "Memory of tables and lists, mixed domains",
        "for fewer predicates, it is less expensive to use the linked-list-based table, however, for more predicates "
        "it is of greater advantage to resort to the table-based evaluation scheme",
        (*_of_kind(TABLE, "mix"), *_of_kind(LIST, "mix")),
        (Check("lists are smaller for few predicates, tables for many", crosses("table, mix", "list, mix")),),
        "bytes",
    ),
)

# --- Figures 3 and 4: associations -----------------------------------------------------------------------------

BYTES, BITS, LISTS, WITH_DELETION = "byte matrix", "bit matrix", "lists", "lists and deletion table"
_ASSOCIATIONS: dict[str, Literal["bytes", "bits", "lists"]] = {BYTES: "bytes", BITS: "bits", LISTS: "lists"}


@cache
def _associations(x: float, scale: Scale) -> list[Point]:
    """Milliseconds of stage 2 alone: with these workloads a sixth of all subscriptions match, and naming them, which is
    the same for all, would be most of the whole."""
    generator = random.Random(scale.seed)
    subscriptions = list(W4.subscriptions(int(x), generator))
    events = list(W4.events(EVENTS, generator))
    schema = W4.schema()
    matchers: dict[str, CountingMatcher] = {}
    for name, association in _ASSOCIATIONS.items():
        matchers[name] = TableCountingMatcher(schema, association)
        for each in subscriptions:
            matchers[name].insert(each)
    reports = {name: [matcher.match(event) for event in events] for name, matcher in matchers.items()}
    agree({name: [each.subscription_ids for each in made] for name, made in reports.items()}, f"{x:g}")
    tasks: dict[str, Callable[[], object]] = {}
    for name, matcher in matchers.items():
        satisfied = [matcher.satisfied(event, AttributeCounters()) for event in events]
        tasks[name] = partial(_stage_2, matcher, satisfied)
    times = take_turns(tasks, scale.repeats)
    points = [
        Point(name, x, 1e3 * times[name].least / EVENTS, counted(made) | {"bytes": matchers[name].structure_bytes()})
        for name, made in reports.items()
    ]
    pairs = sum(sys.getsizeof(array("i", range(len(each.predicates)))) for each in subscriptions)
    (lists,) = _only((LISTS,), points)
    return [*points, Point(WITH_DELETION, x, lists.y, {**lists.facts, "bytes": lists.facts["bytes"] + pairs})]


def _stage_2(matcher: CountingMatcher, satisfied: Sequence[Satisfied]) -> None:
    counters = AttributeCounters()
    for each in satisfied:
        matcher.matched_slots(each, counters)


def _sizes(scale: Scale) -> Sequence[float]:
    if scale.data == "real":
        return ()
    return scale.choose((1_000, 5_000), (1_000, 5_000, 10_000, 50_000, 100_000, 500_000))


def _factor(one: str, other: str, least: float, most: float) -> Statement:
    """At the largest x, `other` takes so many times what `one` does."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(one, other)
        if not pairs:
            return Finding(None, "")
        times = pairs[-1][1].y / pairs[-1][0].y
        return Finding(least <= times <= most, f"{times:.2g} times at {pairs[-1][0].x:,g}")

    return holds


FIGURE_3 = Experiment(
    name="topss-3",
    paper=PAPER,
    figure="Figure 3",
    title="Subscription matching by association",
    says="The subscription matching time is smallest for the list-based counting algorithm, and highest for the "
    "regular matching algorithm. Bit-wise matching outperforms regular matching by about a factor of 3.",
    x_label="subscriptions",
    y_label="ms an event, stage 2",
    curves=(BYTES, BITS, LISTS),
    xs=_sizes,
    measure=lambda x, scale: _only((BYTES, BITS, LISTS), _associations(x, scale)),
    parameters=asdict(W4) | {"events": EVENTS},
    checks=(
        Check("lists are ahead of the bit matrix", ahead(LISTS, BITS)),
        Check("the bit matrix is ahead of the byte matrix", no_worse(BITS, BYTES, 10_000)),
        Check("by about a factor of 3", _factor(BITS, BYTES, 2, 5)),
    ),
    also=("additions",),
)

FIGURE_4 = Experiment(
    name="topss-4",
    paper=PAPER,
    figure="Figure 4",
    title="Memory by association",
    says="pure list-based matching outperforms all other schemes. However, this is not the case, if we also count the "
    "data structure required to support efficient deletion ... In this case, bit-wise management outperforms",
    x_label="subscriptions",
    y_label="megabytes",
    curves=(BYTES, BITS, LISTS, WITH_DELETION),
    xs=_sizes,
    measure=lambda x, scale: showing(_associations(x, scale), "bytes", 1e-6),
    parameters=asdict(W4),
    checks=(
        Check("lists are smaller than the bit matrix", no_worse(LISTS, BITS, 10_000)),
        Check("with the deletion table they are larger", no_worse(BITS, WITH_DELETION, 10_000)),
        Check("the byte matrix is the largest", no_worse(BITS, BYTES, 10_000)),
    ),
)

# --- Tables 1 and 2: against databases -------------------------------------------------------------------------

_DATABASES = {
    "sequential search, SQLite": "sequential-sqlite",
    "sequential search, DuckDB": "sequential-duckdb",
    "predicate grouping, SQLite": "grouping-sqlite",
    "predicate grouping, DuckDB": "grouping-duckdb",
}
_TABLE_CURVES = (*_DATABASES, BITS, LISTS)


@cache
def _databases(x: float, scale: Scale) -> list[Point]:
    """Milliseconds an event; the fact `load_ms` is for all subscriptions at once."""
    generator = random.Random(scale.seed)
    subscriptions = list(W4.subscriptions(int(x), generator))
    events = list(W4.events(3, generator))
    schema = W4.schema()
    matchers: dict[str, AttributeMatcher] = {}
    loads = {}
    for name, key in (_DATABASES | {BITS: "topss-table-bits", LISTS: "topss-table-lists"}).items():
        matchers[name] = MATCHERS[key](schema)
        started = time.process_time()
        _load(matchers[name], subscriptions)
        loads[name] = 1e3 * (time.process_time() - started)
    answers = {name: [each.match(event).subscription_ids for event in events] for name, each in matchers.items()}
    agree(answers, f"{x:g} subscriptions")
    tasks: dict[str, Callable[[], object]] = {
        name: partial(_match_all, matcher, events) for name, matcher in matchers.items()
    }
    times = take_turns(tasks, 1 if x >= 50_000 else scale.repeats)
    return [
        Point(
            name,
            x,
            1e3 * times[name].least / len(events),
            {"load_ms": loads[name], "bytes": matchers[name].structure_bytes()},
        )
        for name in matchers
    ]


def _load(matcher: AttributeMatcher, subscriptions: Sequence[AttributeSubscription]) -> None:
    if isinstance(matcher, (SequentialSearchMatcher, PredicateGroupingMatcher)):
        matcher.load(subscriptions)
    else:
        for each in subscriptions:
            matcher.insert(each)


def _match_all(matcher: AttributeMatcher, events: Sequence[Event]) -> None:
    for event in events:
        matcher.match(event)


def _table_sizes(scale: Scale) -> Sequence[float]:
    if scale.data == "real":
        return ()
    return scale.choose((1_000, 3_000), (1_000, 5_000, 10_000, 50_000, 100_000))


TABLE_1 = Experiment(
    name="topss-table-1",
    paper=PAPER,
    figure="Table 1",
    title="Databases and special structures",
    says="The Kdb solution clearly requires more time to process publications regardless of the number of "
    "subscriptions (at 100000: Kdb 3451.2 ms, bit-wise 40.4, list-based 8.10)",
    x_label="subscriptions",
    y_label="ms an event",
    curves=_TABLE_CURVES,
    xs=_table_sizes,
    measure=_databases,
    parameters=asdict(W4) | {"events": 3},
    checks=(
        *(Check(f"bit matrix is ahead of {name}", ahead(BITS, name)) for name in _DATABASES),
        Check("lists are ahead of the bit matrix", no_worse(LISTS, BITS, 0)),
        Check(
            "ours: grouping predicates is ahead of sequential search in SQLite",
            no_worse("predicate grouping, SQLite", "sequential search, SQLite", 10_000),
        ),
        Check(
            "ours: grouping predicates is ahead of sequential search in DuckDB",
            no_worse("predicate grouping, DuckDB", "sequential search, DuckDB", 10_000),
        ),
    ),
)

TABLE_2 = Experiment(
    name="topss-table-2",
    paper=PAPER,
    figure="Table 2",
    title="Bulk loading",
    says="the DBMS-based solution outperforms the list-based matching algorithm for large number of subscriptions. "
    "Bulk loading the bit-wise data structures performs best.",
    x_label="subscriptions",
    y_label="ms for all of them",
    curves=_TABLE_CURVES,
    xs=_table_sizes,
    measure=lambda x, scale: showing(_databases(x, scale), "load_ms"),
    parameters=asdict(W4),
    checks=(
        Check("the bit matrix loads faster than lists", no_worse(BITS, LISTS, 10_000)),
        *(Check(f"the bit matrix loads faster than {name}", no_worse(BITS, name, 10_000)) for name in _DATABASES),
        *(Check(f"{name} loads faster than lists, for many", no_worse(name, LISTS, 100_000)) for name in _DATABASES),
    ),
    also=("bytes",),
)

TOPSS = (*FIGURE_2, FIGURE_3, FIGURE_4, TABLE_1, TABLE_2)
