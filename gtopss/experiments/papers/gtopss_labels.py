"""How Figure 9(g) depends on the number of property labels, which the G-ToPSS paper does not give.

OPS may map any node to any node, and only labels tell edges apart: the fewer there are, the more it maps in vain.
G-ToPSS looks up names of nodes, and hardly minds. So the distance between the two is a matter of this one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from gtopss.experiments.papers.contenders import in_batches, timed_curves
from gtopss.experiments.papers.experiment import Check, Experiment, Scale
from gtopss.experiments.papers.statements import ahead, grows_by, times_ahead
from gtopss.experiments.papers.table1 import PAPER, times
from gtopss.experiments.workloads.table1_generator import Table1


def _labels(scale: Scale) -> Sequence[float]:
    if scale.data == "real":
        return ()  # real graphs have the labels that they have
    return scale.choose((5, 20, 100), (2, 5, 10, 20, 50, 100, 200))


def _by_labels(table: Table1, x: float) -> Table1:
    return replace(table, labels=int(x), subscriptions=table.subscriptions // 3)


LABELS = Experiment(
    name="gtopss-labels",
    paper=PAPER,
    figure="Section 5",
    title="G-ToPSS and OPS by number of labels",
    says="(the paper does not say how many labels there are; it says why OPS is slow: any node of a publication can "
    "match with any other node in the subscription graph)",
    x_label="property labels",
    y_label="ms a publication",
    curves=timed_curves("reference", "gm", "ops", "ops-indexed"),
    xs=_labels,
    measure=times(("reference", "gm", "ops", "ops-indexed"), _by_labels),
    parameters=asdict(Table1()) | {"subscriptions": "a third"},
    checks=(
        Check("G-ToPSS is ahead of OPS whatever the number of labels", ahead("reference", "ops")),
        Check("ours: OPS takes twice as long, or longer, with 5 labels as with 20", grows_by("ops", 20, 5, 2, 1e9)),
        Check("ours: G-ToPSS is ahead even of OPS with an indexed publication", ahead("reference", "ops-indexed")),
        Check("ours: gm is 1,000 times ahead of OPS with 5 labels", times_ahead("gm", "ops", 1_000, 5)),
        Check("ours: so it is in batches", times_ahead(in_batches("gm"), "ops", 1_000, 5)),
    ),
)
