"""Measure what each departure of the default matcher from the printed structure of G-ToPSS gains (section 4).

`gm-literal` is the printed structure in flat arrays and compiled loops. One printed part after the other is replaced by
what the default matcher has in its place, and the default matcher itself is the last curve. All curves are the search
alone: publications are encoded as numbers before, and the result is the ids of the matching subscriptions in arrays.
The workloads have no constraints, which the printed algorithm tests after the joins and the default matcher looks up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise

from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.gtopss_parameter_sweeps import table_for_settings, workload_for_settings
from gtopss.experiments.papers.matcher_comparison import answers
from gtopss.experiments.papers.statement_checks import ahead
from gtopss.experiments.timing import time_interleaved
from gtopss.experiments.workloads import WORKLOADS, Workload
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.literal.matcher import LiteralMatcher
from gtopss.matching.literal.merged_graph import GraphDepartures
from gtopss.matching.matcher import DEFAULT_ROW_LIMIT, Matcher

PUBLICATIONS = 64
"""Publications that one search gets at a time."""
COMPARED_PUBLICATIONS = 3
"""Publications whose answers, bindings included, are compared before anything is timed."""

LITERAL, GM, GM_ROWS = "gm-literal", "gm", "gm, all rows"
_STEPS = {
    "+ bound ends": "bound_ends",
    "+ sorted labels": "sorted_labels",
    "+ access edges": "access_edges",
    "+ shared patterns": "shared_patterns",
    "+ backtracking": "backtracking",
}


def departures_by_curve() -> dict[str, GraphDepartures]:
    """Return what departs from the printed structure in each curve: always one part more."""
    curves, made = {LITERAL: GraphDepartures()}, GraphDepartures()
    for curve, name in _STEPS.items():
        made = replace(made, **{name: True})
        curves[curve] = made
    return curves


def measure_workload(workload: Workload, x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure all curves on one workload, in microseconds per publication."""
    literal = {
        curve: LiteralMatcher(workload.taxonomy, departures=departures)
        for curve, departures in departures_by_curve().items()
    }
    index = IndexMatcher(workload.taxonomy)
    for subscription in workload.subscriptions():
        for matcher in (index, *literal.values()):
            matcher.add(subscription)
    index.optimise()
    publications = workload.publications(PUBLICATIONS)
    matchers: dict[str, Matcher] = {**literal, GM: index}
    for publication in publications[:COMPARED_PUBLICATIONS]:
        found = {curve: answers(matcher.match(publication)) for curve, matcher in matchers.items()}
        require_equal_answers(found, f"{workload.size} subscriptions")
    tasks: dict[str, Callable[[], object]] = {
        curve: matcher.encoded_search(publications) for curve, matcher in literal.items()
    }
    tasks[GM] = index.encoded_search(publications, 0)
    tasks[GM_ROWS] = index.encoded_search(publications, DEFAULT_ROW_LIMIT)
    sizes = {curve: matcher.graph().nbytes() for curve, matcher in literal.items()}
    sizes[GM] = sizes[GM_ROWS] = index.index_bytes()
    return [
        Point(
            curve, x, 1e6 * each.minimum / len(publications), {"bytes per subscription": sizes[curve] / workload.size}
        )
        for curve, each in time_interleaved(tasks, settings.repeats).items()
    ]


def _times_faster(slow: str, fast: str, times: float) -> Callable[[Curves], Finding]:
    """The second curve takes at most one `times`-th of the time of the first at the largest x."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(slow, fast)
        if not pairs:
            return Finding(None, "")
        ratios = [before.y / after.y for before, after in pairs]
        shown = ", ".join(
            f"{ratio:.3g} times at {before.x:,.12g}" for ratio, (before, _) in zip(ratios, pairs, strict=True)
        )
        return Finding(ratios[-1] >= times, shown)

    return holds


def _never_slower(slow: str, fast: str) -> Callable[[Curves], Finding]:
    """The second curve is not slower than the first at any x, but for a tenth."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(slow, fast)
        if not pairs:
            return Finding(None, "")
        ratios = [before.y / after.y for before, after in pairs]
        return Finding(min(ratios) >= 0.9, f"{min(ratios):.3g} to {max(ratios):.3g} times as fast")

    return holds


def _checks() -> tuple[Check, ...]:
    steps = [LITERAL, *_STEPS]
    return (
        Check("ours: gm is at least twice as fast as gm-literal at the largest size", _times_faster(LITERAL, GM, 2)),
        Check("ours: gm-literal is nowhere faster than gm", ahead(GM, LITERAL)),
        *(
            Check(
                f"ours: the search is at most a tenth slower with {after.removeprefix('+ ')}",
                _never_slower(before, after),
            )
            for before, after in pairwise(steps)
        ),
        Check(
            "ours: gm is at most a tenth slower than the literal structure with all departures",
            _never_slower(steps[-1], GM),
        ),
    )


def _measure_letter(letter: str, x: float, settings: ExperimentSettings) -> list[Point]:
    return measure_workload(WORKLOADS[letter](int(x)), x, settings)


def _measure_table(
    change: Callable[[GtopssTable1, float], GtopssTable1], x: float, settings: ExperimentSettings
) -> list[Point]:
    return measure_workload(workload_for_settings(change(table_for_settings(settings), x), settings), x, settings)


def _by_edges(table: GtopssTable1, x: float) -> GtopssTable1:
    return replace(table, subscription_edges=int(x), subscription_nodes=5)


def _by_matching(table: GtopssTable1, x: float) -> GtopssTable1:
    return replace(table, matching=x / 100)


def _synthetic(quick: Sequence[float], usual: Sequence[float], settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose(quick, usual) if settings.data == "synthetic" else ()


_SMALL, _USUAL = (300, 1_000), (1_000, 10_000)
_LETTERS: dict[str, tuple[str, Sequence[float]]] = {
    "a": ("few shapes", (*_USUAL, 100_000)),
    "b": ("one shape per subscription", _USUAL),
    "c": ("the paper's Table 1", (*_USUAL, 30_000)),
    "f": ("broad patterns", _USUAL),
    "g": ("many matches", _USUAL),
}
_COMMON = {
    "paper": citations.GTOPSS,
    "figure": "Sections 4.1 and 4.2",
    "y_label": "µs per publication, search alone",
    "curves": (*departures_by_curve(), GM, GM_ROWS),
    "checks": _checks(),
    "shown_measurements": ("bytes per subscription",),
}

DEPARTURES = (
    *(
        Experiment(
            name=f"gtopss-departures-{letter}",
            title=f"the printed structure and each departure from it: {title}",
            paper_says="we use two level hash tables to represent GM [...] we join all the binding tables [...]",
            x_label="subscriptions",
            xs=partial(_synthetic, _SMALL, sizes),
            measure=partial(_measure_letter, letter),
            parameters={"workload": letter, "publications": PUBLICATIONS},
            **_COMMON,  # type: ignore[arg-type]
        )
        for letter, (title, sizes) in _LETTERS.items()
    ),
    Experiment(
        name="gtopss-departures-9e",
        title="the printed structure and each departure from it: Figure 9(e), size of subscriptions",
        paper_says="the matching time is not affected by the number of nodes, but by the number of edges [...]",
        x_label="edges per subscription",
        xs=partial(_synthetic, (4, 8), (4, 8, 12)),
        measure=partial(_measure_table, _by_edges),
        parameters=asdict(GtopssTable1()) | {"publications": PUBLICATIONS},
        **_COMMON,  # type: ignore[arg-type]
    ),
    Experiment(
        name="gtopss-departures-9f",
        title="the printed structure and each departure from it: Figure 9(f), share that matches",
        paper_says="As this number grows, the time to match grows very quickly.",
        x_label="% of subscriptions that match",
        xs=partial(_synthetic, (0.1, 50), (0.1, 5, 50)),
        measure=partial(_measure_table, _by_matching),
        parameters=asdict(GtopssTable1()) | {"publications": PUBLICATIONS},
        **_COMMON,  # type: ignore[arg-type]
    ),
)
