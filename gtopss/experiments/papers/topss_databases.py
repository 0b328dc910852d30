"""Repeat ToPSS, Tables 1 and 2: matching in a database against special data structures (sections 4 and 5).

The paper compares its structures with the in-memory database Kdb; here, Python with numpy is compared with SQLite and
DuckDB in memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache, partial

from gtopss.attributes import MATCHERS, AttributeMatcher, AttributeSubscription
from gtopss.attributes.matchers.predicate_grouping import PredicateGroupingMatcher
from gtopss.attributes.matchers.sequential_search import SequentialSearchMatcher
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import fixed_events, insert_all, match_all, measurement_as_y
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.statement_checks import ahead, much_ahead, no_worse, smaller_measurement
from gtopss.experiments.papers.topss_associations import BITS, CONSTANT, WITH_DELETION
from gtopss.experiments.timing import processor_seconds, time_interleaved
from gtopss.experiments.workloads.attribute_workloads import W4

EVENTS_PER_RUN = 3
LARGE_MATCH = 50_000
"""Subscriptions from which the events are matched in one round only, unless the round is short."""
LOADS = 3
LARGE_LOAD = 100_000
"""Subscriptions from which they are loaded only once."""
MANY_SUBSCRIPTIONS = 500_000  # from this size on, lists load more slowly than the database in the paper's Table 2

_DATABASES = {
    "sequential search, SQLite": "sequential-sqlite",
    "sequential search, DuckDB": "sequential-duckdb",
    "predicate grouping, SQLite": "grouping-sqlite",
    "predicate grouping, DuckDB": "grouping-duckdb",
}
_STRUCTURES = {
    BITS: "topss-table-bits",
    WITH_DELETION: "topss-table-lists",
    CONSTANT: "topss-table-lists-constant",
}
_TABLE_CURVES = (*_DATABASES, *_STRUCTURES)


@cache
def _databases(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the milliseconds per event; the measurement `load_ms` is the time to load all subscriptions."""
    subscriptions = list(W4.subscriptions(int(x), random.Random(settings.seed)))
    events = fixed_events(W4, EVENTS_PER_RUN, settings.seed)
    schema = W4.schema()
    matchers: dict[str, AttributeMatcher] = {}
    loads = {}
    for name, key in (_DATABASES | _STRUCTURES).items():
        seconds = []
        for _ in range(LOADS if x < LARGE_LOAD else 1):
            matchers[name] = MATCHERS[key](schema)
            seconds.append(processor_seconds(partial(_load, matchers[name], subscriptions)))
        loads[name] = 1e3 * min(seconds)
    answers = {name: [each.match(event).subscription_ids for event in events] for name, each in matchers.items()}
    require_equal_answers(answers, f"{x:g} subscriptions")
    tasks: dict[str, Callable[[], object]] = {
        name: partial(match_all, matcher, events) for name, matcher in matchers.items()
    }
    times = time_interleaved(tasks, 1 if x >= LARGE_MATCH else settings.repeats)
    return [
        Point(
            name,
            x,
            1e3 * times[name].minimum / len(events),
            {"load_ms": loads[name], "bytes": matchers[name].structure_bytes()},
        )
        for name in matchers
    ]


def _load(matcher: AttributeMatcher, subscriptions: Sequence[AttributeSubscription]) -> None:
    if isinstance(matcher, (SequentialSearchMatcher, PredicateGroupingMatcher)):
        matcher.load(subscriptions)
    else:
        insert_all(matcher, subscriptions)


def _table_sizes(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()
    usual = (1_000, 5_000, 10_000, 50_000, 100_000, 500_000)
    return settings.choose((1_000, 3_000), usual, full=(1_000_000, 5_000_000))


TABLE_1 = Experiment(
    name="topss-table-1",
    paper=citations.TOPSS,
    figure="Table 1",
    title="Databases and special structures",
    paper_says="The Kdb solution clearly requires more time to process publications regardless of the number of "
    "subscriptions (at 100000: Kdb 3451.2 ms, bit-wise 40.4, list-based 8.10)",
    x_label="subscriptions",
    y_label="ms per event",
    curves=_TABLE_CURVES,
    xs=_table_sizes,
    measure=_databases,
    parameters=asdict(W4) | {"events": EVENTS_PER_RUN},
    checks=(
        *(Check(f"the bit matrix is clearly ahead of {name}", much_ahead(BITS, name)) for name in _DATABASES),
        Check("lists are ahead of the bit matrix", ahead(WITH_DELETION, BITS)),
        Check(
            "ours: predicate grouping is ahead of sequential search in SQLite",
            ahead("predicate grouping, SQLite", "sequential search, SQLite"),
        ),
        Check(
            "ours: predicate grouping is ahead of sequential search in DuckDB",
            ahead("predicate grouping, DuckDB", "sequential search, DuckDB"),
        ),
    ),
    method=f"minimum of {{repeats}} or more rounds, of one or more from {LARGE_MATCH:,} on",
)

TABLE_2 = Experiment(
    name="topss-table-2",
    paper=citations.TOPSS,
    figure="Table 2",
    title="Bulk loading",
    paper_says="the DBMS-based solution outperforms the list-based matching algorithm for large number of "
    "subscriptions. Bulk loading the bit-wise data structures performs best.",
    x_label="subscriptions",
    y_label="ms for all subscriptions",
    curves=_TABLE_CURVES,
    xs=_table_sizes,
    measure=lambda x, settings: measurement_as_y(_databases(x, settings), "load_ms"),
    parameters=asdict(W4),
    checks=(
        Check("the bit matrix loads at least as fast as lists at every size", no_worse(BITS, CONSTANT)),
        *(Check(f"the bit matrix loads faster than {name} at every size", ahead(BITS, name)) for name in _DATABASES),
        *(
            Check(
                f"{name} loads {MANY_SUBSCRIPTIONS:,} or more faster than lists that grow by a constant amount",
                no_worse(name, CONSTANT, MANY_SUBSCRIPTIONS),
            )
            for name in _DATABASES
        ),
        *(
            Check(f"the bit matrix takes less memory than {name}", smaller_measurement(BITS, name, "bytes"))
            for name in _DATABASES
        ),
        Check(
            "ours: doubling lists load faster than lists that grow by a constant amount, from 50,000 on",
            no_worse(WITH_DELETION, CONSTANT, 50_000),
        ),
    ),
    shown_measurements=("bytes",),
    method=f"processor time, the minimum of {LOADS} loads, one load from {LARGE_LOAD:,} on",
)

TOPSS_DATABASES = (TABLE_1, TABLE_2)
