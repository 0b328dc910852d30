"""The G-ToPSS paper's Figure 9, (a) to (h), on the workload of its Table 1 (Petrovic, Liu, Jacobsen, WWW 2005,
section 5). "For each experiment, we vary one parameter and fix others to their default values."

The text that we have has the paper's sentences and not its plots. Bytes are those of the structures in Python, times
those of this machine: what is compared are shapes, not values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from gtopss.experiments.papers.contenders import in_batches, present, timed_curves
from gtopss.experiments.papers.experiment import Check, Experiment, Point, Scale
from gtopss.experiments.papers.phases import CONSTRAINTS, STRUCTURE, phases, phases_add_up
from gtopss.experiments.papers.statements import ahead, alike, falls, gap_grows, grows_by, linear, rises, times_ahead
from gtopss.experiments.papers.table1 import PAPER, WHOLE, memory, times
from gtopss.experiments.workloads.table1_generator import Table1

SUBSCRIPTIONS, EDGES = "subscriptions", "edges of a subscription"
TIME, MEMORY = "ms a publication", "MiB"
MORE_NODES = "reference, more nodes"


def _counts(scale: Scale) -> Sequence[float]:
    return scale.choose((1_000, 2_000, 3_000), (5_000, 10_000, 15_000, 20_000, 25_000, 30_000))


def _powers(scale: Scale) -> Sequence[float]:
    return scale.choose((100, 300, 1_000, 3_000), (100, 300, 1_000, 3_000, 10_000, 30_000))


def _overlaps(scale: Scale) -> Sequence[float]:
    return scale.choose((0, 50, 99), (0, 20, 40, 60, 80, 99))


def _sizes(scale: Scale) -> Sequence[float]:
    return scale.choose((4, 8, 12), (4, 5, 6, 7, 8, 10, 12))


def _ratios(scale: Scale) -> Sequence[float]:
    return scale.choose((0.1, 5, 50), (0.1, 1, 5, 10, 25, 50))


def _by_subscriptions(table: Table1, x: float) -> Table1:
    return replace(table, subscriptions=int(x))


def _by_overlap(table: Table1, x: float) -> Table1:
    return replace(table, overlap=x / 100)


def _by_edges(table: Table1, x: float) -> Table1:
    """More edges between Table 1's 5 nodes."""
    return replace(table, subscription_edges=int(x), subscription_nodes=5)


def _by_edges_and_nodes(table: Table1, x: float) -> Table1:
    """As many edges without a circle: the most nodes that they can connect."""
    return replace(table, subscription_edges=int(x), subscription_nodes=int(x) + 1)


def _by_matching(table: Table1, x: float) -> Table1:
    return replace(table, matching=x / 100)


def _times_by_size(x: float, scale: Scale) -> list[Point]:
    """The matchers, and the reference once more with as many edges between more nodes."""
    more = times(("reference",), _by_edges_and_nodes, "{}, more nodes")
    return times(("reference", "gm", "ops"), _by_edges)(x, scale) + more(x, scale)


PARAMETERS = asdict(Table1())
MEMORY_CURVES = ("reference", WHOLE, *present("gm", "ops"))
MEMORY_NAMES = ("reference", "gm", "ops")

FIGURE_9 = (
    Experiment(
        name="gtopss-9a",
        paper=PAPER,
        figure="Figure 9(a)",
        title="memory by number of subscriptions",
        says="the memory size grows linearly as the number of subscriptions increase.",
        x_label=SUBSCRIPTIONS,
        y_label=MEMORY,
        log=False,
        curves=MEMORY_CURVES,
        xs=_counts,
        measure=memory(MEMORY_NAMES, _by_subscriptions),
        parameters=PARAMETERS,
        checks=(
            Check("GM grows linearly with the subscriptions", linear("reference", "MiB", "subscription")),
            Check("and so does GM with the subscriptions themselves", linear(WHOLE, "MiB", "subscription")),
            Check("ours: so does the index of gm", linear("gm", "MiB", "subscription")),
        ),
    ),
    Experiment(
        name="gtopss-9b",
        paper=PAPER,
        figure="Figure 9(b)",
        title="matching time by number of subscriptions",
        says="As the number of subscriptions increase, both of these times increase by a fixed amount "
        "[structure matching and constraint evaluation].",
        x_label=SUBSCRIPTIONS,
        y_label=TIME,
        curves=("reference", STRUCTURE, CONSTRAINTS, *present("gm")),
        xs=_counts,
        measure=phases,
        parameters=PARAMETERS | {"constrained": 1.0},
        checks=(
            Check("time increases with the subscriptions", rises("reference")),
            Check("the structure phase by a fixed amount", linear(STRUCTURE, "ms", "subscription")),
            Check("the constraint phase by a fixed amount", linear(CONSTRAINTS, "ms", "subscription")),
            Check("ours: the phases as measured make up the whole", phases_add_up),
        ),
    ),
    Experiment(
        name="gtopss-9c",
        paper=PAPER,
        figure="Figure 9(c)",
        title="memory by overlap of subscriptions",
        says="the space used by the subscriptions decreases as the overlap between them increases.",
        x_label="% of subscriptions that overlap",
        y_label=MEMORY,
        log=False,
        curves=MEMORY_CURVES,
        xs=_overlaps,
        measure=memory(MEMORY_NAMES, _by_overlap),
        parameters=PARAMETERS,
        checks=(
            Check("the matrix space (GM) decreases with overlap", falls("reference")),
            Check("the whole memory decreases with overlap", falls(WHOLE)),
            Check("ours: the index of gm decreases with overlap", falls("gm")),
        ),
    ),
    Experiment(
        name="gtopss-9d",
        paper=PAPER,
        figure="Figure 9(d)",
        title="memory by size of subscriptions",
        says="(the text says nothing of this figure but its caption: memory vs. subscription size)",
        x_label=EDGES,
        y_label=MEMORY,
        log=False,
        curves=MEMORY_CURVES,
        xs=_sizes,
        measure=memory(MEMORY_NAMES, _by_edges),
        parameters=PARAMETERS,
        checks=(
            Check("section 4.3: GM grows with the unique edges, so with a subscription's size", rises("reference")),
            Check("and linearly", linear("reference", "MiB", "edge")),
        ),
    ),
    Experiment(
        name="gtopss-9e",
        paper=PAPER,
        figure="Figure 9(e)",
        title="matching time by size of subscriptions",
        says="as the number of edges increases (eg, from 4 to 8), the time almost doubles. [...] the matching time is "
        "not affected by the number of nodes, but by the number of edges in the subscription.",
        x_label=EDGES,
        y_label=TIME,
        curves=(*timed_curves("reference", "gm", "ops"), MORE_NODES),
        xs=_sizes,
        measure=_times_by_size,
        parameters=PARAMETERS,
        checks=(
            Check("time increases with the number of edges", rises("reference")),
            Check("it almost doubles from 4 to 8 edges", grows_by("reference", 4, 8, 1.6, 2.4)),
            Check("it is not affected by the number of nodes", alike("reference", MORE_NODES, 0.25)),
        ),
    ),
    Experiment(
        name="gtopss-9f",
        paper=PAPER,
        figure="Figure 9(f)",
        title="matching time by share that matches",
        says="As this number grows, the time to match grows very quickly. This is mainly due to increased time to "
        "calculate all the bindings for each subscription.",
        x_label="% of subscriptions that match",
        y_label=TIME,
        curves=timed_curves("reference", "gm", "ops"),
        xs=_ratios,
        measure=times(("reference", "gm", "ops"), _by_matching),
        parameters=PARAMETERS,
        checks=(
            Check("time grows with the share that matches", rises("reference")),
            Check("section 4.3: it is linear in the subscriptions that match", linear("reference", "ms", "%")),
            Check("very quickly: tenfold or more from 0.1% to 50%", grows_by("reference", 0.1, 50, 10, 1e9)),
        ),
    ),
    Experiment(
        name="gtopss-9g",
        paper=PAPER,
        figure="Figure 9(g)",
        title="G-ToPSS and OPS",
        says="OPS matching time increases very quickly with the number of subscriptions. [...] G-ToPSS always "
        "outperforms OPS.",
        x_label=SUBSCRIPTIONS,
        y_label=TIME,
        curves=timed_curves("reference", "gm", "ops", "ops-indexed"),
        xs=_powers,
        measure=times(("reference", "gm", "ops", "ops-indexed"), _by_subscriptions),
        parameters=PARAMETERS,
        checks=(
            Check("OPS time increases with the subscriptions", rises("ops")),
            Check("G-ToPSS is ahead of OPS at every size", ahead("reference", "ops")),
            Check("the gap, in milliseconds, grows", gap_grows("reference", "ops")),
            Check("ours: even of OPS with an indexed publication", ahead("reference", "ops-indexed")),
            Check("ours: gm is 1,000 times ahead of OPS at 10,000", times_ahead("gm", "ops", 1_000, 10_000)),
            Check("ours: so it is in batches", times_ahead(in_batches("gm"), "ops", 1_000, 10_000)),
        ),
    ),
    Experiment(
        name="gtopss-9h",
        paper=PAPER,
        figure="Figure 9(h)",
        title="OPS and naive",
        says="even though OPS is less scalable than G-ToPSS, it is still far better then a naive approach which "
        "sequentially checks all subscriptions to find the matching ones.",
        x_label=SUBSCRIPTIONS,
        y_label=TIME,
        curves=timed_curves("reference", "gm", "ops", "vf2", "naive"),
        xs=_powers,
        measure=times(("reference", "gm", "ops", "vf2", "naive"), _by_subscriptions),
        parameters=PARAMETERS,
        checks=(
            Check("OPS is ahead of the naive test of every subscription, all nodes variables", ahead("ops", "vf2")),
            Check("the gap, in milliseconds, grows", gap_grows("ops", "vf2")),
            Check("ours: also of naive backtracking that uses the constants", ahead("ops", "naive")),
        ),
    ),
)
