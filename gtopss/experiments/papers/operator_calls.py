"""Repeat the experiments of DEBS 2007, section 5.3: operator calls per event, by strategy (Figures 4 to 8).

Each figure is run once for each assumption about selectivities (`workloads.operator_calls`), since the paper does not
state its own. Counts are means over seeds and events, and deterministic; nothing is timed.

Where the paper's text states counts, they are shown beside ours as its claims. Two of them are impossible with its
generator, whatever the selectivities. With 80,000 subscriptions over 40,000 predicates of uniform popularity,
subscriptions that share no predicate need a call each, which is more than its Sub-Order makes; its Sequential makes
about as many, which is implausible but not impossible. With 30,000 predicates by Zipf's law, fewer predicates are in
use than its naive evaluates. Both bounds are curves.

| curve                      | meaning                                                                              |
|----------------------------|--------------------------------------------------------------------------------------|
| the strategies             | calls per event, selectivities known; `sub_order` is the paper's, with at most       |
|                            | `MAX_COMPARED_PAIRS`, `linked_gain_order` our variant of it, `gain_order` the same   |
|                            | without pairs, as a control                                                          |
| `fewest, from above`       | upper bound of the fewest calls in hindsight, found greedily                         |
| `fewest, from below`       | lower bound of the fewest calls in hindsight: matching and disjoint failing ones     |
| `no strategy expects less` | lower bound for every strategy that does not know the answers, see `call_bounds`     |
| `disjoint subscriptions`   | lower bound for every order and all selectivities                                    |
| `predicates in use`        | upper bound for every strategy                                                       |
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy

from gtopss.experiments.kernels.operator_calls import count_disjoint
from gtopss.experiments.line_plots import Scale
from gtopss.experiments.papers import citations
from gtopss.experiments.papers.experiment import Check, Curves, Experiment, ExperimentSettings, Finding, Point
from gtopss.experiments.papers.operator_evaluation import calls_made, plan_strategies
from gtopss.experiments.papers.statement_checks import (
    MUCH,
    NOT_MEASURED,
    SUBLINEAR_EXPONENT,
    Statement,
    ahead,
    below_by_share,
    count_falls,
    count_rises,
    exponent_below,
    grows_by,
    grows_much_slower,
    linear_count,
    much_ahead,
    saves_share_at,
    saves_share_at_best,
    share_shrinks,
    stays_between,
)
from gtopss.experiments.workloads.operator_calls import (
    SELECTIVITIES,
    OperatorTable1,
    Selectivity,
    common_parameters,
    random_events,
    random_predicate_graph,
)
from gtopss.operators.call_bounds import call_bounds, expected_cost_lower_bound
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES

SEEDS, QUICK_SEEDS = 20, 3  # generated workloads per x
EVENTS_PER_SEED, QUICK_EVENTS_PER_SEED = 50, 5  # with 20 seeds the 1,000 events of the paper
TARGET_SAVING = 0.10  # share of calls that adaptive should save against the best planned order
CLAIMED_SAVING = 0.75  # "almost 80%" and "up to 80%" of naive's calls; Figure 6: 3267 calls against 16251, 80%
CLAIMED_SAVING_OF_SUB_ORDER = 0.85  # Figure 6: 1977 calls against 16251, 88%
NEARLY_ALL = 0.9  # share of the unique predicates from which naive evaluates "almost all"

PREDICATES = OperatorTable1().predicates  # the paper's N_p in Figure 7
GREEDY, NEEDED = "fewest, from above", "fewest, from below"
EXPECTED = "no strategy expects less"
DISJOINT, IN_USE = "disjoint subscriptions", "predicates in use"
CLAIMS = {name: f"{name}, the paper's count" for name in ("naive", "sequential", "sub_order")}


def disjoint(graph: PredicateGraph) -> int:
    """Count subscriptions that share no predicate, chosen greedily with the least popular predicates first."""
    popularity = numpy.diff(graph.predicate_start)
    order = numpy.argsort(
        numpy.add.reduceat(popularity[graph.instance_predicates], graph.instance_start[:-1]), kind="stable"
    )
    return count_disjoint(graph.instance_start, graph.instance_predicates, graph.predicate_count, order)


def measure(
    x: float, settings: ExperimentSettings, *, table_at: Callable[[float], OperatorTable1], claims: Mapping[str, float]
) -> list[Point]:
    """Measure every curve at one x; `claims` are the paper's counts there, by curve."""
    table = table_at(x)
    seen: dict[str, list[float]] = {name: [] for name in (*STRATEGIES, EXPECTED, GREEDY, NEEDED, DISJOINT, IN_USE)}
    for seed in range(QUICK_SEEDS if settings.quick else SEEDS):
        generator = numpy.random.default_rng([settings.seed, seed])
        graph = random_predicate_graph(table, generator)
        planned = plan_strategies(graph, STRATEGIES)
        seen[DISJOINT].append(disjoint(graph))
        seen[IN_USE].append(int(numpy.count_nonzero(numpy.diff(graph.predicate_start))))
        events = QUICK_EVENTS_PER_SEED if settings.quick else EVENTS_PER_SEED
        for truth in random_events(graph, events, generator):
            for name, called in calls_made(graph, truth, planned).items():
                seen[name].append(int(numpy.count_nonzero(called)))
            least, most = call_bounds(graph, truth)
            seen[NEEDED].append(least)
            seen[GREEDY].append(most)
            seen[EXPECTED].append(expected_cost_lower_bound(graph, truth))
    points = [Point(name, x, statistics.fmean(each)) for name, each in seen.items()]
    return [*points, *(Point(curve, x, y) for curve, y in claims.items())]


def possible_count(claim: str, *, above: str | None = None, under: str | None = None) -> Statement:
    """The count that the paper claims is possible: not below the bound `above`, or not above the bound `under`."""

    def holds(curves: Curves) -> Finding:
        bound = above or under
        assert bound is not None
        pairs = curves.pairs(claim, bound)
        if not pairs:
            return NOT_MEASURED
        stated, limit = pairs[-1]
        possible = stated.y >= limit.y if above else stated.y <= limit.y
        return Finding(possible, f"{stated.y:,.0f} against {limit.y:,.0f}")

    return holds


def reaches_share(curve: str, share: float, total: float) -> Statement:
    """At every x, the curve is at least this share of `total`."""

    def holds(curves: Curves) -> Finding:
        shares = [point.y / total for point in curves.get(curve, ())]
        return Finding(min(shares) >= share, f"{min(shares):.0%} to {max(shares):.0%}") if shares else NOT_MEASURED

    return holds


def within_half_the_guarantee(curve: str) -> Statement:
    """At every x, which is d, the curve is at most d/2 times the lower bound of the fewest calls."""

    def holds(curves: Curves) -> Finding:
        pairs = curves.pairs(curve, NEEDED)
        if not pairs:
            return NOT_MEASURED
        times = [made.y / fewest.y for made, fewest in pairs]
        half = all(made.y <= made.x / 2 * fewest.y for made, fewest in pairs)
        return Finding(half, f"{min(times):.2f} to {max(times):.2f} times the fewest")

    return holds


PAPERS_STRATEGIES = {"Sequential": "sequential", "Sub-Order": "sub_order"}


def much_fewer_than_naive() -> tuple[Check, ...]:
    """Section 5.3.1: "both perform much better than the naive algorithm in all scenarios"."""
    return tuple(
        Check(f"{shown} makes much fewer calls than naive at every x", much_ahead(name, "naive"))
        for shown, name in PAPERS_STRATEGIES.items()
    )


def greatest_saving() -> tuple[Check, ...]:
    """Abstract: "up to 80%". It is one claim about all figures; the greatest saving is in Figure 8."""
    return tuple(
        Check(
            f"abstract: {shown} saves up to 80% of naive's calls, in the figure where it saves most",
            saves_share_at_best(name, "naive", CLAIMED_SAVING),
        )
        for shown, name in PAPERS_STRATEGIES.items()
    )


def sublinear_in_subscriptions() -> tuple[Check, ...]:
    """Section 1: "an average evaluation cost sublinear to the number of subscriptions"."""
    return tuple(
        Check(f"{shown} grows less than the number of subscriptions", exponent_below(name, SUBLINEAR_EXPONENT))
        for shown, name in PAPERS_STRATEGIES.items()
    )


ORDER = (
    Check("Sequential makes fewer calls than naive at every x", ahead("sequential", "naive")),
    Check("Sub-Order makes fewer calls than Sequential at every x", ahead("sub_order", "sequential")),
    Check(
        "ours: linked_gain_order makes fewer calls than Sequential at every x", ahead("linked_gain_order", "sequential")
    ),
    Check(
        "ours: linked_gain_order makes fewer calls than Sub-Order at every x", ahead("linked_gain_order", "sub_order")
    ),
    Check(
        "ours: the pairs help, linked_gain_order makes fewer calls than gain_order at every x",
        ahead("linked_gain_order", "gain_order"),
    ),
    Check(
        "our target: adaptive makes on average at least 10% fewer calls than linked_gain_order",
        below_by_share("adaptive", "linked_gain_order", TARGET_SAVING),
    ),
    Check(
        "our target is not ruled out: the lower bound for every strategy is on average at least 10% below "
        "linked_gain_order",
        below_by_share(EXPECTED, "linked_gain_order", TARGET_SAVING),
    ),
)


@dataclass(frozen=True, slots=True)
class _CallFigure:
    """A figure of the paper, from which an experiment is made for each assumption about selectivities."""

    number: int
    title: str
    paper_says: str
    x_label: str
    quick_xs: tuple[float, ...]
    full_xs: tuple[float, ...]
    table_at: Callable[[OperatorTable1, float], OperatorTable1]
    checks: tuple[Check, ...]
    claims: Mapping[float, Mapping[str, float]] = field(default_factory=dict)  # the paper's counts: x, strategy, count
    scale: Scale = "linear"
    variant: str = ""  # of a figure that the paper repeats with another popularity: part of the experiment's name

    def experiment(self, selectivity: Selectivity) -> Experiment:
        table = OperatorTable1(selectivity=selectivity)

        def measure_at(x: float, settings: ExperimentSettings) -> list[Point]:
            claims = {CLAIMS[name]: count for name, count in self.claims.get(x, {}).items()}
            return measure(x, settings, table_at=partial(self.table_at, table), claims=claims)

        claimed = dict.fromkeys(CLAIMS[name] for each in self.claims.values() for name in each)
        return Experiment(
            name=f"operators-figure{self.number}{self.variant}-{selectivity}",
            paper=citations.EXPENSIVE_OPERATORS,
            figure=f"Figure {self.number}{', uniform popularity' if self.variant else ''}",
            title=f"{self.title}, selectivities {selectivity}",
            paper_says=self.paper_says,
            x_label=self.x_label,
            y_label="operator calls per event",
            curves=(*STRATEGIES, EXPECTED, GREEDY, NEEDED, DISJOINT, IN_USE, *claimed),
            xs=lambda settings: settings.choose(self.quick_xs, self.full_xs),
            measure=measure_at,
            checks=(*ORDER, *self.checks),
            parameters=common_parameters(self.table_at(table, x) for x in self.full_xs)
            | {"seeds": SEEDS, "events of each": EVENTS_PER_SEED},
            scale=self.scale,
            method=f"means over {SEEDS} seeds with {EVENTS_PER_SEED} events each; the counts are deterministic",
        )


def _table_by_exponent(table: OperatorTable1, x: float) -> OperatorTable1:
    return replace(table, popularity="uniform") if x == 0 else replace(table, exponent=x)


GROWTH_WITH_PREDICATES = (
    Check("Sequential grows with the predicates", count_rises("sequential")),
    Check("Sub-Order grows with the predicates", count_rises("sub_order")),
    Check("Sequential grows much more slowly than naive", grows_much_slower("sequential", "naive")),
    Check("Sub-Order grows much more slowly than naive", grows_much_slower("sub_order", "naive")),
    *much_fewer_than_naive(),
)

FIGURES = (
    _CallFigure(
        number=4,
        title="calls by subscriptions, uniform popularity, 40,000 predicates",
        paper_says="the evaluation cost of naive algorithm increases linearly as the number of subscriptions grows, "
        "while the evaluation cost of Sequential and Sub-Order algorithms increases much slower.",
        x_label="subscriptions",
        quick_xs=(2_000, 5_000, 10_000),
        full_xs=(2_000, 5_000, 10_000, 20_000, 40_000, 80_000),
        table_at=lambda table, x: replace(table, subscriptions=int(x), predicates=40_000, popularity="uniform"),
        claims={80_000: {"sequential": 7761, "sub_order": 7037}},
        checks=(
            Check("naive grows linearly with the subscriptions", linear_count("naive", "calls", "subscription")),
            Check("Sequential grows much more slowly than naive", grows_much_slower("sequential", "naive")),
            Check("Sub-Order grows much more slowly than naive", grows_much_slower("sub_order", "naive")),
            *sublinear_in_subscriptions(),
            *much_fewer_than_naive(),
            Check(
                "Sequential saves almost 80% of naive's calls at 80,000 subscriptions",
                saves_share_at("sequential", "naive", CLAIMED_SAVING, 80_000),
            ),
            Check(
                "Sub-Order saves almost 80% of naive's calls at 80,000 subscriptions",
                saves_share_at("sub_order", "naive", CLAIMED_SAVING, 80_000),
            ),
            Check("the paper's count of Sub-Order is possible", possible_count(CLAIMS["sub_order"], above=DISJOINT)),
        ),
    ),
    _CallFigure(
        number=5,
        title="calls by subscriptions, Zipf popularity, 40,000 predicates",
        paper_says="exhibits exactly the same trend as in Figure 4; Sequential and Sub-Order perform even better in "
        "the Zipf-distribution cases.",
        x_label="subscriptions",
        quick_xs=(2_000, 5_000, 10_000),
        full_xs=(2_000, 5_000, 10_000, 20_000, 40_000, 80_000),
        table_at=lambda table, x: replace(table, subscriptions=int(x), predicates=40_000),
        checks=(
            Check("naive grows linearly with the subscriptions", linear_count("naive", "calls", "subscription")),
            Check("Sequential grows much more slowly than naive", grows_much_slower("sequential", "naive")),
            Check("Sub-Order grows much more slowly than naive", grows_much_slower("sub_order", "naive")),
            *sublinear_in_subscriptions(),
            *much_fewer_than_naive(),
        ),
    ),
    _CallFigure(
        number=6,
        title="calls by predicates, Zipf popularity, 20,000 subscriptions",
        paper_says="as more predicates appear in the system, the evaluation cost of our Sequential and Sub-Order "
        "algorithms increases much slower than the naive algorithm.",
        x_label="predicates",
        quick_xs=(2_000, 5_000, 10_000),
        full_xs=(2_000, 5_000, 10_000, 20_000, 30_000),
        table_at=lambda table, x: replace(table, predicates=int(x)),
        claims={30_000: {"naive": 16251, "sequential": 3267, "sub_order": 1977}},
        checks=(
            *GROWTH_WITH_PREDICATES,
            Check(
                "Sequential saves 80% of naive's calls at 30,000 predicates",
                saves_share_at("sequential", "naive", CLAIMED_SAVING, 30_000),
            ),
            Check(
                "Sub-Order saves 88% of naive's calls at 30,000 predicates",
                saves_share_at("sub_order", "naive", CLAIMED_SAVING_OF_SUB_ORDER, 30_000),
            ),
            Check("the paper's count of naive is possible", possible_count(CLAIMS["naive"], under=IN_USE)),
        ),
    ),
    _CallFigure(
        number=6,
        variant="-popularity",
        title="calls by predicates, uniform popularity, 20,000 subscriptions",
        paper_says="We also experimented with the uniform distribution and the results are similar.",
        x_label="predicates",
        quick_xs=(2_000, 5_000, 10_000),
        full_xs=(2_000, 5_000, 10_000, 20_000, 30_000),
        table_at=lambda table, x: replace(table, predicates=int(x), popularity="uniform"),
        checks=GROWTH_WITH_PREDICATES,
    ),
    _CallFigure(
        number=7,
        title="calls by the longest subscription, Zipf popularity",
        paper_says="Surprisingly, the performance of Sequential is not sensitive to the subscription length. The "
        "performance gap between Sequential and Sub-Order shrinks as the subscriptions become longer.",
        x_label="predicates in a subscription, at most",
        quick_xs=(5, 8, 11),
        full_xs=(5, 7, 9, 11),
        table_at=lambda table, x: replace(table, longest=int(x)),
        claims={5: {"sequential": 1593}, 11: {"sequential": 1784}},
        checks=(
            Check("Sequential hardly grows with the length", grows_by("sequential", 5, 11, 0.9, 1.2)),
            *much_fewer_than_naive(),
            Check("naive does not grow with the length", grows_by("naive", 5, 11, 0.9, 1.1)),
            Check(
                f"naive evaluates almost all of the {PREDICATES:,} predicates, 90% or more, at every x",
                reaches_share("naive", NEARLY_ALL, PREDICATES),
            ),
            Check(
                "Sequential performs much better than its guarantee: at most d/2 times the fewest calls at every x",
                within_half_the_guarantee("sequential"),
            ),
            Check("Sub-Order's advantage over Sequential shrinks", share_shrinks("sub_order", "sequential")),
        ),
    ),
    _CallFigure(
        number=8,
        title="calls by popularity distribution",
        paper_says="Sequential and Sub-Order perform much better in the Zipf-distribution cases than in the "
        "uniform-distribution case; with an increasing exponent they continue to improve.",
        x_label="exponent of Zipf's law; 0 stands for uniform weights",
        quick_xs=(0, 0.8, 1.0, 1.2),
        full_xs=(0, 0.8, 1.0, 1.2),
        table_at=_table_by_exponent,
        checks=(
            *much_fewer_than_naive(),
            *greatest_saving(),
            Check(
                "Sequential makes much fewer calls with Zipf popularity than with uniform, at every exponent",
                stays_between("sequential", 0, 0, 1 / MUCH),
            ),
            Check(
                "Sub-Order makes much fewer calls with Zipf popularity than with uniform, at every exponent",
                stays_between("sub_order", 0, 0, 1 / MUCH),
            ),
            Check(
                "naive cannot benefit from Zipf popularity: as many calls as with uniform, at every exponent",
                stays_between("naive", 0, 0.9, 1.1),
            ),
            Check("Sequential makes fewer calls, the more skewed popularity is", count_falls("sequential")),
            Check("Sub-Order makes fewer calls, the more skewed popularity is", count_falls("sub_order")),
        ),
    ),
)

OPERATOR_CALLS: tuple[Experiment, ...] = tuple(
    figure.experiment(selectivity) for figure in FIGURES for selectivity in SELECTIVITIES
)
