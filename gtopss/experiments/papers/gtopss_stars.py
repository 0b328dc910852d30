"""The experiment that the G-ToPSS paper leaves open (section 4.1): "Mapping of variables from subscriptions to star
labels is arbitrary for the sake of simplicity, even though some mappings are better than others since they can results
in a sparser GM. In the future, we are going to investigate how much can be gained, in terms of matching performance, by
having a more sophisticated mapping."

Three mappings: arbitrary; canonical, in which a variable's star depends only on the edges that it stands in, so that
equal edges of different subscriptions tend to meet; and greedy, which tries all permutations of a subscription's stars
and takes the one with most edges in GM already. The matcher is the reference as it is: it numbers stars in the order in
which a branch lists its variables, so that a branch that lists them in another order is all that is needed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import permutations
from typing import TypeAlias

from gtopss.experiments.papers.agreement import agree, take_turns
from gtopss.experiments.papers.contenders import answers
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, Finding, Point, Scale
from gtopss.experiments.papers.table1 import PAPER, table_of, workload_of
from gtopss.experiments.workloads.table1_generator import Table1
from gtopss.matching.reference import ReferenceMatcher
from gtopss.model import Branch, Subscription, Term, Triple
from gtopss.model.terms import is_variable

Order: TypeAlias = tuple[Term, ...]


class NamedBranch(Branch):
    """A branch that lists its variables in a chosen order, and so says which is *1, which *2, and so on."""

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
    """By where a variable stands: which end, which label, and what is at the other end."""
    for branch in branches:
        edges = branch.edges()
        yield tuple(sorted(branch.variables(), key=lambda name: _surroundings(name, edges)))


def _surroundings(name: Term, edges: Sequence[Triple]) -> list[tuple[str, ...]]:
    return sorted(tuple("*" if is_variable(part) else part for part in edge) for edge in edges if name in edge)


def greedy(branches: Sequence[Branch], generator: random.Random) -> Iterator[Order]:
    """The order that adds the fewest edges to GM, as it is when the subscription arrives."""
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


def _stars(scale: Scale) -> Sequence[float]:
    return scale.choose((1, 2, 3), (1, 2, 3, 4, 5))


def _measure(x: float, scale: Scale) -> list[Point]:
    table = table_of(scale)
    workload = workload_of(replace(table, stars=int(x), subscriptions=table.subscriptions // 3), scale)
    branches = [subscription.branches[0] for subscription in workload.subscriptions]
    matchers = {}
    for name, mapping in MAPPINGS.items():
        matchers[name] = ReferenceMatcher(workload.taxonomy)
        for subscription, order in zip(
            workload.subscriptions, mapping(branches, random.Random(scale.seed)), strict=True
        ):
            named = NamedBranch(subscription.branches[0], order)
            matchers[name].add(Subscription(subscription.id, branches=[named], select=subscription.select))
    reports = {name: matcher.match(workload.publication) for name, matcher in matchers.items()}
    agree({name: answers(report) for name, report in reports.items()}, f"{x:g} stars")
    tasks = {name: partial(matcher.match, workload.publication) for name, matcher in matchers.items()}
    return [
        Point(
            name,
            x,
            matchers[name].edge_count,
            {"ms": 1e3 * each.least, "edges fired": reports[name].counters.edges_fired},
        )
        for name, each in take_turns(tasks, scale.repeats).items()
    ]


def _gain(mapping: str) -> Callable[[Curves], Finding]:
    """How much sparser and faster than arbitrary a mapping is; it agrees with the paper's hope if it is both."""

    def holds(curves: Curves) -> Finding:
        pairs = [pair for pair in curves.pairs("arbitrary", mapping) if pair[0].x > 1]  # one star leaves no choice
        if not pairs:
            return Finding(None, "")
        edges = max(1 - better.y / before.y for before, better in pairs)
        spared = max(1 - better.facts["ms"] / before.facts["ms"] for before, better in pairs)
        return Finding(edges > 0.01 and spared > 0.01, f"at best {edges:.0%} fewer edges and {spared:.0%} less time")

    return holds


STARS = Experiment(
    name="gtopss-stars",
    paper=PAPER,
    figure="Section 4.1",
    title="edges of GM by mapping of stars",
    says="some mappings are better than others since they can results in a sparser GM.",
    x_label="variables in a subscription",
    y_label="edges of GM",
    log=False,
    also=("ms",),
    curves=tuple(MAPPINGS),
    xs=_stars,
    measure=_measure,
    parameters=asdict(Table1()) | {"subscriptions": "a third"},
    checks=(
        Check("a canonical mapping makes GM sparser and matching faster", _gain("canonical")),
        Check("a greedy mapping makes GM sparser and matching faster", _gain("greedy")),
    ),
)
