"""Compare mappings of variables to stars, which the G-ToPSS paper leaves open (section 4.1): "Mapping of variables from
subscriptions to star labels is arbitrary for the sake of simplicity, even though some mappings are better than others
since they can results in a sparser GM. In the future, we are going to investigate how much can be gained, in terms of
matching performance, by having a more sophisticated mapping."

There are three mappings: arbitrary; canonical, in which a variable's star depends only on its edges, so that equal
edges of different subscriptions tend to coincide; and greedy, which tries all permutations of a subscription's stars
and takes the one with most edges already in GM. The reference matcher numbers stars in the order in which a branch
lists its variables, so a branch that lists them in another order is all that is needed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import permutations
from typing import TypeAlias

from gtopss.experiments.answer_agreement import require_equal_answers
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.gtopss_parameter_sweeps import table_for_settings, workload_for_settings
from gtopss.experiments.papers.matcher_comparison import answers
from gtopss.experiments.timing import time_interleaved
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1
from gtopss.matching.reference import ReferenceMatcher
from gtopss.model import Branch, Subscription, Term, Triple
from gtopss.model.terms import is_variable

Order: TypeAlias = tuple[Term, ...]


class OrderedBranch(Branch):
    """A branch that lists its variables in a given order, which determines which is *1, which *2, and so on."""

    __slots__ = ("order",)
    order: Order

    def __init__(self, branch: Branch, order: Order) -> None:
        super().__init__(branch.tuples, branch.where, branch.binds)
        object.__setattr__(self, "order", order)

    def variables(self) -> Order:
        return self.order


def arbitrary(branches: Sequence[Branch], generator: random.Random) -> Iterator[Order]:
    for branch in branches:
        names = list(branch.variables())
        generator.shuffle(names)
        yield tuple(names)


def canonical(branches: Sequence[Branch], _: random.Random) -> Iterator[Order]:
    """Yield variables sorted by their edges: which end, which label, and what is at the other end."""
    for branch in branches:
        edges = branch.edges()
        yield tuple(sorted(branch.variables(), key=lambda name: _surroundings(name, edges)))


def _surroundings(name: Term, edges: Sequence[Triple]) -> list[tuple[str, ...]]:
    return sorted(tuple("*" if is_variable(part) else part for part in edge) for edge in edges if name in edge)


def greedy(branches: Sequence[Branch], generator: random.Random) -> Iterator[Order]:
    """Yield, for each branch, the order that adds the fewest edges to the GM of the branches before it."""
    known: set[tuple[str, ...]] = set()
    for branch, first in zip(branches, canonical(branches, generator), strict=True):
        edges = branch.edges()
        best = min(permutations(first), key=lambda order: len(_starred(edges, order) - known))
        known |= _starred(edges, best)
        yield best


def _starred(edges: Sequence[Triple], order: Sequence[Term]) -> set[tuple[str, ...]]:
    stars = {name: f"*{number}" for number, name in enumerate(order, start=1)}
    return {tuple(stars.get(part, part) for part in edge) for edge in edges}


MAPPINGS: dict[str, Callable[[Sequence[Branch], random.Random], Iterator[Order]]] = {
    "arbitrary": arbitrary,
    "canonical": canonical,
    "greedy": greedy,
}


def _stars(settings: ExperimentSettings) -> Sequence[float]:
    return settings.choose((1, 2, 3), (1, 2, 3, 4, 5))


def _measure(x: float, settings: ExperimentSettings) -> list[Point]:
    table = table_for_settings(settings)
    workload = workload_for_settings(replace(table, stars=int(x), subscriptions=table.subscriptions // 3), settings)
    publication, subscriptions = workload.first_publication, list(workload.subscriptions())
    branches = [subscription.branches[0] for subscription in subscriptions]
    matchers = {}
    for name, mapping in MAPPINGS.items():
        matchers[name] = ReferenceMatcher(workload.taxonomy)
        for subscription, order in zip(subscriptions, mapping(branches, random.Random(settings.seed)), strict=True):
            ordered = OrderedBranch(subscription.branches[0], order)
            matchers[name].add(Subscription(subscription.id, branches=[ordered], select=subscription.select))
    reports = {name: matcher.match(publication) for name, matcher in matchers.items()}
    require_equal_answers({name: answers(report) for name, report in reports.items()}, f"{x:g} stars")
    tasks = {name: partial(matcher.match, publication) for name, matcher in matchers.items()}
    return [
        Point(
            name,
            x,
            matchers[name].edge_count,
            {"ms": 1e3 * each.minimum, "edges fired": reports[name].counters.edges_fired},
        )
        for name, each in time_interleaved(tasks, settings.repeats).items()
    ]


def _sparser(mapping: str) -> Callable[[Curves], Finding]:
    """GM has fewer edges with the mapping than with the arbitrary one, by more than 1% at every x above 1."""

    def holds(curves: Curves) -> Finding:
        pairs = [pair for pair in curves.pairs("arbitrary", mapping) if pair[0].x > 1]  # one star leaves no choice
        if not pairs:
            return Finding(None, "")
        fewer = [1 - better.y / before.y for before, better in pairs]
        return Finding(min(fewer) > 0.01, f"{min(fewer):.0%} to {max(fewer):.0%} fewer edges")

    return holds


def _faster(mapping: str) -> Callable[[Curves], Finding]:
    """Matching takes less time with the mapping than with the arbitrary one, at every x above 1."""

    def holds(curves: Curves) -> Finding:
        pairs = [pair for pair in curves.pairs("arbitrary", mapping) if pair[0].x > 1]
        if not pairs:
            return Finding(None, "")
        spared = [1 - better.measurements["ms"] / before.measurements["ms"] for before, better in pairs]
        return Finding(min(spared) > 0, f"{min(spared):.0%} to {max(spared):.0%} less time")

    return holds


STARS = Experiment(
    name="gtopss-stars",
    paper=citations.GTOPSS,
    figure="Section 4.1",
    title="edges of GM by mapping of stars",
    paper_says="some mappings are better than others since they can results in a sparser GM.",
    x_label="variables in a subscription",
    y_label="edges of GM",
    scale="linear",
    shown_measurements=("ms",),
    curves=tuple(MAPPINGS),
    xs=_stars,
    measure=_measure,
    parameters=asdict(GtopssTable1()) | {"subscriptions": "a third"},
    checks=(
        Check("a canonical mapping makes GM sparser: more than 1% fewer edges", _sparser("canonical")),
        Check("a greedy mapping makes GM sparser: more than 1% fewer edges", _sparser("greedy")),
        Check("ours: matching takes less time with the canonical mapping", _faster("canonical")),
        Check("ours: matching takes less time with the greedy mapping", _faster("greedy")),
    ),
)
