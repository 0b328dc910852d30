"""What the names of curves mean, in a few words, for the captions of plots and tables.

A curve that is not listed says by its name what it is, or is a variant of one that is: "reference, more nodes".
"""

from __future__ import annotations

from collections.abc import Iterable

CURVE_DESCRIPTIONS = {
    "reference": "G-ToPSS as the paper prints it",
    "gm": "G-ToPSS in flat arrays and compiled loops, the default engine",
    "gm, 64 at a time": "its time per publication in batches of 64",
    "gm-literal": "the printed structure in flat arrays and compiled loops",
    "ops": "OPS, with which the paper compares G-ToPSS",
    "ops-indexed": "OPS with an index of the publication's edges",
    "vf2": "one subgraph test per subscription",
    "naive": "one subscription after the other",
    "sequential": "Sequential of DEBS 2007",
    "sub_order": "Sub-Order of DEBS 2007",
    "linked_gain_order": "our variant of Sub-Order",
    "gain_order": "the same without the paper's pairs",
    "adaptive": "our default strategy, which chooses anew after each answer",
    "fair-predicate": "Figure 2 of Le Subscribe",
    "equality-preferred": "Figure 4 of Le Subscribe",
    "quarantining": "Figure 5 of Le Subscribe",
    "plain": "the matching tree without optimisations",
    "collapsed": "chains of *-edges are one edge",
    "collapsed, successors": "also precomputed successor nodes",
    "collapsed, refined successors": "also without those that cannot succeed",
    "collapsed, factored": "a tree for each value of two attributes",
    "all": "all optimisations",
    "one test, 5 values": "all subscriptions with one test, over attributes with 5 values",
    "one or two tests, 5 values": "all subscriptions with one or two tests",
    "one subscription, 5 values": "a test of the last attribute",
    "table, small": "an array over a domain of 250 values",
    "table, medium": "of 9,751 values",
    "table, big": "of 90,001 values",
    "table, mix": "over domains of all three sizes",
    "list, small": "linked lists over a domain of 250 values",
    "list, medium": "of 9,751 values",
    "list, big": "of 90,001 values",
    "list, mix": "over domains of all three sizes",
    "byte matrix": "a byte for each predicate and subscription",
    "bit matrix": "a bit for each predicate and subscription",
    "lists": "the subscriptions of each predicate",
    "lists and deletion table": "also the predicates of each subscription",
    "+ bound ends": "with each +, one more printed part is replaced by that of gm",
    "arbitrary": "variables are numbered as they occur",
    "canonical": "by their edges",
    "greedy": "so that most edges are already in GM",
}


def describe_curves(names: Iterable[str]) -> str:
    """Return how to read a plot or a table with these curves, all of which show costs, and what their names mean."""
    meanings = [f"{name}: {CURVE_DESCRIPTIONS[name]}" for name in names if name in CURVE_DESCRIPTIONS]
    return " ".join(["Lower is better.", *([f"{'; '.join(meanings)}."] if meanings else [])])
