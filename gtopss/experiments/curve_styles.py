"""The colour, marker and dash of every curve, so that a system looks the same in every plot of every page.

Variants of a system share its colour and differ in marker and dash. A name that is not listed gets a style that no
other curve of its plot has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C8C")
"""The palette of Okabe and Ito, which is distinguishable under every common colour blindness."""
MARKERS = "os^Dv*Px"
DASHES = ("-", "--", "-.", ":")


class CurveStyle(NamedTuple):
    """How a curve is drawn."""

    colour: str
    marker: str
    dash: str


_NAMES_BY_COLOUR: tuple[tuple[str, ...], ...] = (
    (
        "reference", "reference, with subscriptions", "reference, structure", "reference, constraints",
        "reference, more nodes", "sequential", "sequential, the paper's count", "fair-predicate",
        "fair-predicate, distributed", "plain", "table, small", "table, medium", "table, big", "table, mix",
        "insertion as printed", "analysis, insertion as printed", "gm-literal", "reference, stage 1",
        "fair-predicate, processing", "fair-predicate, execution", "sequential, equal", "sequential, uniform",
        "sequential, skewed", "reference, without constraints",
    ),
    (
        "gm", "gm, 64 at a time", "sub_order", "sub_order, c/(1-p)", "sub_order, the paper's count",
        "equality-preferred", "collapsed", "list, small", "list, medium", "list, big", "list, mix",
        "insertion in order", "analysis, insertion in order", "gm, all rows", "equality-preferred, distributed",
        "equality-preferred, processing", "equality-preferred, execution", "sub_order, equal",
        "sub_order, equal, by popularity", "sub_order, uniform", "sub_order, skewed",
    ),
    (
        "ops", "ops-indexed", "linked_gain_order", "gain_order", "quarantining", "collapsed, successors", "byte matrix",
        "+ access edges", "quarantining, distributed", "the hubs push to the broker", "quarantining, processing",
        "quarantining, execution",
    ),
    ("naive", "naive, the paper's count", "collapsed, refined successors", "+ bound ends", "with sharing, estimated",
     "with sharing, estimated, ids", "each reader polls (Figure 2)"),
    ("vf2", "adaptive", "collapsed, factored", "bit matrix", "one test, 5 values",
     "Theorem 1, one test, 5 values", "+ sorted labels", "the broker polls (Figure 3)"),
    ("arbitrary", "no strategy expects less", "all", "lists", "lists and deletion table",
     "lists, constant re-allocation", "one or two tests, 5 values",
     "Theorem 1, one or two tests, 5 values", "+ shared patterns"),
    ("canonical", "fewest, from above", "fewest, from below", "sequential search, SQLite", "sequential search, DuckDB",
     "+ backtracking", "one test, 2 values", "Theorem 1, one test, 2 values"),
    ("greedy", "disjoint subscriptions", "predicates in use", "bound of Theorem 1", "predicate grouping, SQLite",
     "predicate grouping, DuckDB", "each pattern by itself", "each pattern by itself, ids",
     "one subscription, 5 values", "Theorem 1, one subscription, 5 values"),
)  # fmt: skip

CURVE_STYLES: dict[str, CurveStyle] = {
    name: CurveStyle(
        COLOURS[colour], MARKERS[(colour + place) % len(MARKERS)], DASHES[(place + place // 8) % len(DASHES)]
    )
    for colour, names in enumerate(_NAMES_BY_COLOUR)
    for place, name in enumerate(names)
}


def styles_of(names: Iterable[str]) -> dict[str, CurveStyle]:
    """Return the style of each curve of one plot."""
    chosen = list(names)
    taken = {CURVE_STYLES[name] for name in chosen if name in CURVE_STYLES}
    free = (
        style
        for shift in range(len(MARKERS))
        for place, colour in enumerate(COLOURS)
        if (style := CurveStyle(colour, MARKERS[(place + shift) % len(MARKERS)], DASHES[shift % len(DASHES)]))
        not in taken
    )
    return {name: CURVE_STYLES.get(name) or next(free) for name in chosen}
