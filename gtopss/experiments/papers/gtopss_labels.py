"""Vary the number of property labels in Figure 9(g), which the G-ToPSS paper does not give.

OPS may map any node to any node, and only labels distinguish edges: the fewer labels, the more useless mappings it
tries. G-ToPSS looks up nodes by name, so labels hardly affect it. The distance between the two depends on this number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Experiment, ExperimentSettings
from gtopss.experiments.papers.gtopss_parameter_sweeps import sweep_times
from gtopss.experiments.papers.matcher_comparison import batch_curve, timed_curves
from gtopss.experiments.papers.statement_checks import ahead, grows_by, times_ahead
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1


def _labels(settings: ExperimentSettings) -> Sequence[float]:
    if settings.data == "real":
        return ()  # the labels of real graphs cannot be varied
    return settings.choose((5, 20, 100), (2, 5, 10, 20, 50, 100, 200))


def _by_labels(table: GtopssTable1, x: float) -> GtopssTable1:
    return replace(table, labels=int(x), subscriptions=table.subscriptions // 3)


LABELS = Experiment(
    name="gtopss-labels",
    paper=citations.GTOPSS,
    figure="Section 5",
    title="G-ToPSS and OPS by number of labels",
    paper_says="(the paper does not say how many labels there are; it says why OPS is slow: any node of a publication "
    "can match with any other node in the subscription graph)",
    x_label="property labels",
    y_label="ms per publication",
    curves=timed_curves("reference", "gm", "ops", "ops-indexed"),
    xs=_labels,
    measure=sweep_times(("reference", "gm", "ops", "ops-indexed"), _by_labels),
    parameters=asdict(GtopssTable1()) | {"subscriptions": "a third"},
    checks=(
        Check("G-ToPSS is ahead of OPS for every number of labels", ahead("reference", "ops")),
        Check("ours: OPS takes at least twice as long with 5 labels as with 20", grows_by("ops", 20, 5, 2, 1e9)),
        Check("ours: G-ToPSS is also ahead of OPS with an indexed publication", ahead("reference", "ops-indexed")),
        Check("ours: gm is 1,000 times ahead of OPS with 5 labels", times_ahead("gm", "ops", 1_000, 5)),
        Check(
            "ours: gm in batches is 1,000 times ahead of OPS with 5 labels",
            times_ahead(batch_curve("gm"), "ops", 1_000, 5),
        ),
    ),
)
