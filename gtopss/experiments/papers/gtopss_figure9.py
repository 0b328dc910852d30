"""Repeat the G-ToPSS paper's Figure 9, (a) to (h), on the workload of its Table 1 (Petrovic, Liu, Jacobsen, WWW 2005,
section 5). "For each experiment, we vary one parameter and fix others to their default values."

Our text of the paper has its sentences but not its plots. Bytes are those of the Python structures and times those of
this machine, so the shapes of the curves are compared, not their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings, Point
from gtopss.experiments.papers.gtopss_parameter_sweeps import (
    REFERENCE_WITH_SUBSCRIPTIONS,
    sweep_memory,
    sweep_times,
    table_for_settings,
    workload_for_settings,
)
from gtopss.experiments.papers.gtopss_phases import (
    CONSTRAINTS,
    STAGE_1,
    STRUCTURE,
    WITHOUT_CONSTRAINTS,
    bindings_grow_most,
    measure_phases,
    measure_stage_1,
    phases_add_up,
)
from gtopss.experiments.papers.matcher_comparison import available_matchers, batch_curve, timed_curves
from gtopss.experiments.papers.statement_checks import (
    ahead,
    alike,
    at_most_share,
    falls,
    gap_grows,
    grows_by,
    grows_much_slower,
    linear,
    measurement_rises,
    much_ahead,
    rises,
    rises_through,
    times_ahead,
)
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1

SUBSCRIPTIONS, EDGES = "subscriptions", "edges per subscription"
TIME, MEMORY = "ms per publication", "MiB"
REFERENCE_MORE_NODES = "reference, more nodes"


def _counts(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((1_000, 2_000, 3_000), (5_000, 10_000, 15_000, 20_000, 25_000, 30_000))


def _powers(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((100, 300, 1_000, 3_000), (100, 300, 1_000, 3_000, 10_000, 30_000))


def _overlaps(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((0, 50, 99), (0, 20, 40, 60, 80, 99))


def _sizes(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((4, 8, 12), (4, 5, 6, 7, 8, 10, 12))


def _ratios(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((0.1, 5, 50), (0.1, 1, 5, 10, 25, 50))


def _by_subscriptions(table: GtopssTable1, x: float) -> GtopssTable1:
    return replace(table, subscriptions=int(x))


def _by_overlap(table: GtopssTable1, x: float) -> GtopssTable1:
    return replace(table, overlap=x / 100)


def _by_edges(table: GtopssTable1, x: float) -> GtopssTable1:
    """Add edges between Table 1's 5 nodes."""
    return replace(table, subscription_edges=int(x), subscription_nodes=5)


def _by_edges_and_nodes(table: GtopssTable1, x: float) -> GtopssTable1:
    """Connect as many nodes as the edges can: a tree."""
    return replace(table, subscription_edges=int(x), subscription_nodes=int(x) + 1)


def _by_matching(table: GtopssTable1, x: float) -> GtopssTable1:
    return replace(table, matching=x / 100)


def _times_by_matching(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the matchers, and stage 1 of the reference alone."""
    workload = workload_for_settings(_by_matching(table_for_settings(settings), x), settings)
    points = sweep_times(("reference", "gm", "ops"), _by_matching)(x, settings)
    return [*points, measure_stage_1(workload, x, settings.repeats)]


def _times_by_size(x: float, settings: ExperimentSettings) -> list[Point]:
    """Measure the matchers, and the reference a second time with the same number of edges between more nodes."""
    more = sweep_times(("reference",), _by_edges_and_nodes, "{}, more nodes")
    return sweep_times(("reference", "gm", "ops"), _by_edges)(x, settings) + more(x, settings)


PARAMETERS = asdict(GtopssTable1())
MEMORY_CURVES = ("reference", REFERENCE_WITH_SUBSCRIPTIONS, *available_matchers("gm", "ops"))
MEMORY_NAMES = ("reference", "gm", "ops")

FIGURE_9 = (
    Experiment(
        name="gtopss-9a",
        paper=citations.GTOPSS,
        figure="Figure 9(a)",
        title="memory by number of subscriptions",
        paper_says="the memory size grows linearly as the number of subscriptions increase.",
        x_label=SUBSCRIPTIONS,
        y_label=MEMORY,
        scale="linear",
        curves=MEMORY_CURVES,
        xs=_counts,
        measure=sweep_memory(MEMORY_NAMES, _by_subscriptions),
        parameters=PARAMETERS,
        checks=(
            Check("GM grows linearly with the subscriptions", linear("reference", "MiB", "subscription")),
            Check(
                "GM with the subscriptions themselves grows linearly too",
                linear(REFERENCE_WITH_SUBSCRIPTIONS, "MiB", "subscription"),
            ),
            Check("ours: the index of gm grows linearly too", linear("gm", "MiB", "subscription")),
        ),
    ),
    Experiment(
        name="gtopss-9b",
        paper=citations.GTOPSS,
        figure="Figure 9(b)",
        title="matching time by number of subscriptions",
        paper_says="As the number of subscriptions increase, both of these times increase by a fixed amount "
        "[structure matching and constraint evaluation].",
        x_label=SUBSCRIPTIONS,
        y_label=TIME,
        scale="linear",
        curves=("reference", STRUCTURE, CONSTRAINTS, WITHOUT_CONSTRAINTS, *available_matchers("gm")),
        xs=_counts,
        measure=measure_phases,
        parameters=PARAMETERS | {"constrained": 1.0},
        checks=(
            Check("time increases with the subscriptions", rises("reference")),
            Check(
                "the structure phase grows by a fixed amount per subscription", linear(STRUCTURE, "ms", "subscription")
            ),
            Check(
                "the constraint phase grows by a fixed amount per subscription",
                linear(CONSTRAINTS, "ms", "subscription"),
            ),
            Check("the number of matches increases with the subscriptions", measurement_rises("reference", "rows")),
            Check(
                "section 6: constraints do not unduly affect the matching rate: matching takes at most a quarter "
                "longer than without them",
                at_most_share("reference", WITHOUT_CONSTRAINTS, 1.25),
            ),
            Check("ours: the measured phases add up to the whole, within 20%", phases_add_up),
        ),
    ),
    Experiment(
        name="gtopss-9c",
        paper=citations.GTOPSS,
        figure="Figure 9(c)",
        title="memory by overlap of subscriptions",
        paper_says="the space used by the subscriptions decreases as the overlap between them increases.",
        x_label="% of subscriptions that overlap",
        y_label=MEMORY,
        scale="linear",
        curves=MEMORY_CURVES,
        xs=_overlaps,
        measure=sweep_memory(MEMORY_NAMES, _by_overlap),
        parameters=PARAMETERS,
        checks=(
            Check("the matrix space (GM) decreases with overlap", falls("reference")),
            Check("the whole memory decreases with overlap", falls(REFERENCE_WITH_SUBSCRIPTIONS)),
            Check("ours: the index of gm decreases with overlap", falls("gm")),
        ),
    ),
    Experiment(
        name="gtopss-9d",
        paper=citations.GTOPSS,
        figure="Figure 9(d)",
        title="memory by size of subscriptions",
        paper_says="(the text has only the caption of this figure: memory vs. subscription size)",
        x_label=EDGES,
        y_label=MEMORY,
        scale="linear",
        curves=MEMORY_CURVES,
        xs=_sizes,
        measure=sweep_memory(MEMORY_NAMES, _by_edges),
        parameters=PARAMETERS,
        checks=(
            Check(
                "section 4.3: GM grows with the number of unique edges, so with the size of subscriptions",
                rises("reference"),
            ),
            Check("ours: GM grows linearly with the size of subscriptions", linear("reference", "MiB", "edge")),
        ),
    ),
    Experiment(
        name="gtopss-9e",
        paper=citations.GTOPSS,
        figure="Figure 9(e)",
        title="matching time by size of subscriptions",
        paper_says="the time increases more rapidly as the number of edges increases (eg, from 4 to 8), the time "
        "almost doubles. On the other hand, as the increase in number of edges decrease, so does the increase in "
        "matching time. [...] the matching time is not affected by the number of nodes, but by the number of edges in "
        "the subscription.",
        x_label=EDGES,
        y_label=TIME,
        curves=(*timed_curves("reference", "gm", "ops"), REFERENCE_MORE_NODES),
        xs=_sizes,
        measure=_times_by_size,
        parameters=PARAMETERS,
        checks=(
            Check("time increases with the number of edges", rises("reference")),
            Check("section 2: G-ToPSS always outperforms OPS", ahead("reference", "ops")),
            Check(
                "time almost doubles from 4 to 8 edges: it grows by a factor of 1.6 to 2.4",
                grows_by("reference", 4, 8, 1.6, 2.4),
            ),
            Check(
                "the smaller the increase in edges, the smaller the increase in time: from 4 edges to 8, to 6 and to 5",
                rises_through("reference", (4, 5, 6, 8)),
            ),
            Check(
                "time is not affected by the number of nodes: by at most 25%",
                alike("reference", REFERENCE_MORE_NODES, 0.25),
            ),
        ),
    ),
    Experiment(
        name="gtopss-9f",
        paper=citations.GTOPSS,
        figure="Figure 9(f)",
        title="matching time by share of matching subscriptions",
        paper_says="As this number grows, the time to match grows very quickly. This is mainly due to increased time "
        "to calculate all the bindings for each subscription.",
        x_label="% of subscriptions that match",
        y_label=TIME,
        curves=(*timed_curves("reference", "gm", "ops"), STAGE_1),
        xs=_ratios,
        measure=_times_by_matching,
        parameters=PARAMETERS,
        checks=(
            Check("time grows with the share that matches", rises("reference")),
            Check("section 2: G-ToPSS always outperforms OPS", ahead("reference", "ops")),
            Check(
                "section 4.3: time is linear in the number of subscriptions that match", linear("reference", "ms", "%")
            ),
            Check("this is mainly due to the bindings: more than half of the growth is theirs", bindings_grow_most),
            Check("it grows very quickly: tenfold or more from 0.1% to 50%", grows_by("reference", 0.1, 50, 10, 1e9)),
        ),
    ),
    Experiment(
        name="gtopss-9g",
        paper=citations.GTOPSS,
        figure="Figure 9(g)",
        title="G-ToPSS and OPS",
        paper_says="OPS matching time increases very quickly with the number of subscriptions. (Section 2:) G-ToPSS "
        "always outperforms OPS.",
        x_label=SUBSCRIPTIONS,
        y_label=TIME,
        curves=timed_curves("reference", "gm", "ops", "ops-indexed"),
        xs=_powers,
        measure=sweep_times(("reference", "gm", "ops", "ops-indexed"), _by_subscriptions),
        parameters=PARAMETERS,
        checks=(
            Check(
                "OPS time increases very quickly: tenfold or more from 100 to 30,000 subscriptions",
                grows_by("ops", 100, 30_000, 10, 1e9),
            ),
            Check("section 2: G-ToPSS always outperforms OPS", ahead("reference", "ops")),
            Check(
                "ours: OPS time increases much more than that of G-ToPSS, in milliseconds",
                grows_much_slower("reference", "ops"),
            ),
            Check("ours: the gap, in milliseconds, grows", gap_grows("reference", "ops")),
            Check("ours: G-ToPSS is also ahead of OPS with an indexed publication", ahead("reference", "ops-indexed")),
            Check("ours: gm is 1,000 times ahead of OPS at 10,000", times_ahead("gm", "ops", 1_000, 10_000)),
            Check(
                "ours: gm in batches is 1,000 times ahead of OPS at 10,000",
                times_ahead(batch_curve("gm"), "ops", 1_000, 10_000),
            ),
        ),
    ),
    Experiment(
        name="gtopss-9h",
        paper=citations.GTOPSS,
        figure="Figure 9(h)",
        title="OPS and naive",
        paper_says="even though OPS is less scalable than G-ToPSS, it is still far better then a naive approach which "
        "sequentially checks all subscriptions to find the matching ones.",
        x_label=SUBSCRIPTIONS,
        y_label=TIME,
        curves=timed_curves("reference", "gm", "ops", "vf2", "naive"),
        xs=_powers,
        measure=sweep_times(("reference", "gm", "ops", "vf2", "naive"), _by_subscriptions),
        parameters=PARAMETERS,
        checks=(
            Check(
                "OPS is far ahead of the naive test of every subscription, all nodes variables",
                much_ahead("ops", "vf2"),
            ),
            Check("ours: the gap, in milliseconds, grows", gap_grows("ops", "vf2")),
            Check("ours: OPS is ahead of naive backtracking that uses the constants", ahead("ops", "naive")),
        ),
    ),
)
