"""Repeat what Le Subscribe measures or proposes with several processes: the communication of Figure 9, and section 5.

"The first process sends a set of events to match to the second process. This one executes the matching algorithm and
sends the result back". The paper's processing time (Figure 9(a)) includes sending the events, and its execution time
(Figure 9(b)) also the result. Section 5 proposes to spread the clusters of an algorithm over processors. All times
here are wall-clock, because they are spent in several processes.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing.connection import Connection

from gtopss.attributes import MATCHERS, AttributeMatcher, Event
from gtopss.attributes.matchers.distributed import DistributedAlgorithm, DistributedMatcher
from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.attribute_matcher_runs import fixed_events, match_all
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.le_subscribe import EVENTS_PER_RUN, FAIR, PREFERRED, QUARANTINING, sizes
from gtopss.experiments.papers.statement_checks import ahead, gap_grows, grows_by, times_ahead
from gtopss.experiments.workloads.attribute_workloads import LeSubscribeWorkload

ALGORITHMS = (FAIR, PREFERRED, QUARANTINING)
PROCESSING = {name: f"{name}, processing" for name in ALGORITHMS}
EXECUTION = {name: f"{name}, execution" for name in ALGORITHMS}
DISTRIBUTED: dict[DistributedAlgorithm, str] = {
    "fair-predicate": "fair-predicate, distributed",
    "equality-preferred": "equality-preferred, distributed",
    "quarantining": "quarantining, distributed",
}
PROCESSOR_SUBSCRIPTIONS = 400_000
SLIGHTLY = 0.1
"""Share of the processing time below which the communication time is said to grow slightly."""

Answers = list[frozenset[str]]
Ask = Callable[[Sequence[Event]], tuple[float, float, Answers]]
"""Sends events to a matching process; returns the seconds until it has matched them, until its result has arrived, and
the result."""


def _serve(connection: Connection, name: str, size: int, seed: int) -> None:
    """Run the second process: make a matcher, then match every list of events that arrives, until an empty one does.

    It generates the subscriptions itself, because sending them would take longer than generating them.
    """
    workload = LeSubscribeWorkload()
    matcher = MATCHERS[name](workload.schema())
    for each in workload.subscriptions(size, random.Random(seed)):
        matcher.insert(each)
    connection.send("ready")
    while events := connection.recv():
        answers = [matcher.match(event).subscription_ids for event in events]
        connection.send("matched")
        connection.send(answers)


@contextmanager
def matching_process(name: str, size: int, seed: int) -> Iterator[Ask]:
    """Start a process with a matcher and its subscriptions; it ends with the context."""
    context = multiprocessing.get_context("spawn")
    connection, other = context.Pipe()
    process = context.Process(target=_serve, args=(other, name, size, seed), daemon=True)
    process.start()
    other.close()  # the end of the process is then the end of the connection

    def ask(events: Sequence[Event]) -> tuple[float, float, Answers]:
        started = time.perf_counter()
        connection.send(list(events))
        connection.recv()
        matched = time.perf_counter()
        answers = connection.recv()
        return matched - started, time.perf_counter() - started, answers

    try:
        connection.recv()
        yield ask
        connection.send([])
    finally:
        connection.close()
        process.join()


def _communication(x: float, settings: ExperimentSettings) -> list[Point]:
    events = fixed_events(LeSubscribeWorkload(), EVENTS_PER_RUN, settings.seed)
    points, answers = [], {}
    for name in ALGORITHMS:  # one after the other: two cores have no room for more than one pair of processes
        with matching_process(name, int(x), settings.seed) as ask:
            runs = [ask(events) for _ in range(settings.repeats + 1)][1:]
        answers[name] = runs[0][2]
        matches = {"matches": sum(map(len, answers[name])) / len(events)}
        points.append(Point(PROCESSING[name], x, 1e3 * min(run[0] for run in runs) / len(events), matches))
        points.append(Point(EXECUTION[name], x, 1e3 * min(run[1] for run in runs) / len(events), matches))
    require_equal_answers(answers, f"{x:g} subscriptions")
    return points


COMMUNICATION = Experiment(
    name="le-subscribe-9-processes",
    paper=citations.LE_SUBSCRIBE,
    figure="Figure 9(a) and (b)",
    title="Processing and execution time in two processes, p = 0.5",
    paper_says="The execution time is the sum of the processing and the communication time spent to send the matching "
    "result. ... This communication time increases slightly with the number of subscriptions",
    x_label="subscriptions",
    y_label="ms per event, wall-clock",
    curves=(*PROCESSING.values(), *EXECUTION.values()),
    xs=sizes,
    measure=_communication,
    parameters=asdict(LeSubscribeWorkload()) | {"events": EVENTS_PER_RUN},
    checks=(
        *(
            Check(
                f"sending the result of {name} takes slightly longer, the more subscriptions: by less than "
                f"{SLIGHTLY:.0%} of the processing time",
                gap_grows(PROCESSING[name], EXECUTION[name], SLIGHTLY),
            )
            for name in ALGORITHMS
        ),
        *(
            Check(f"{shown} time: {fast} takes less than {slow} at every size", ahead(curves[fast], curves[slow]))
            for shown, curves in (("processing", PROCESSING), ("execution", EXECUTION))
            for fast, slow in ((QUARANTINING, PREFERRED), (PREFERRED, FAIR))
        ),
    ),
    shown_measurements=("matches",),
    method="minimum of {repeats} rounds of 20 events",
)


def _processors(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the wall-clock milliseconds per event, since the work is spread over processes."""
    workload, size = LeSubscribeWorkload(), 2_000 if settings.quick else PROCESSOR_SUBSCRIPTIONS
    subscriptions = list(workload.subscriptions(size, random.Random(settings.seed)))
    events = fixed_events(workload, EVENTS_PER_RUN, settings.seed)
    points = []
    for name, distributed in DISTRIBUTED.items():
        alone = MATCHERS[name](workload.schema())
        spread = DistributedMatcher(workload.schema(), name, workers=int(x), processes=True)
        try:
            for each in subscriptions:
                alone.insert(each)
                spread.insert(each)
            matchers: dict[str, AttributeMatcher] = {name: alone, distributed: spread}
            points += _wall_clock_points(matchers, events, x, settings.repeats)
        finally:
            spread.close()
    return points


def _wall_clock_points(
    matchers: Mapping[str, AttributeMatcher], events: Sequence[Event], x: float, repeats: int
) -> list[Point]:
    answers = {name: [matcher.match(event).subscription_ids for event in events] for name, matcher in matchers.items()}
    require_equal_answers(answers, f"{x:g} workers")
    times: dict[str, list[float]] = {name: [] for name in matchers}
    for _ in range(repeats):
        for name, matcher in matchers.items():
            started = time.perf_counter()
            match_all(matcher, events)
            times[name].append(1e3 * (time.perf_counter() - started) / len(events))
    return [Point(name, x, min(each)) for name, each in times.items()]


PROCESSORS = Experiment(
    name="le-subscribe-processors",
    paper=citations.LE_SUBSCRIBE,
    figure="Section 5",
    title="The three algorithms on several processors, 400,000 subscriptions",
    paper_says="The three algorithms can be easily adapted to be executed in a multi-processor environment for "
    "performance enhancement.",
    x_label="worker processes",
    y_label="ms per event, wall-clock",
    curves=tuple(curve for pair in DISTRIBUTED.items() for curve in pair),
    xs=lambda settings: () if settings.data == "real" else settings.choose((1, 2), (1, 2, 4)),
    measure=_processors,
    parameters=asdict(LeSubscribeWorkload()) | {"events": EVENTS_PER_RUN, "subscriptions": PROCESSOR_SUBSCRIPTIONS},
    checks=(
        *(
            Check(f"ours: {name}: two workers take less time than one", grows_by(curve, 1, 2, 0, 0.999))
            for name, curve in DISTRIBUTED.items()
        ),
        *(
            Check(
                f"{name}: two workers take less time than the algorithm in one process",
                times_ahead(curve, name, 1.001, 2),
            )
            for name, curve in DISTRIBUTED.items()
        ),
    ),
    scale="linear",
    method="minimum of {repeats} rounds; the machine has two cores",
)

LE_SUBSCRIBE_PROCESSES = (COMMUNICATION, PROCESSORS)
