"""The plan: what is known of the predicates, and the order of the conjunctions where the strategy has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from gtopss.operators import kernels
from gtopss.operators.arrays import Integers, Reals
from gtopss.operators.board import Board, Problem
from gtopss.operators.chains import ranks
from gtopss.operators.costs import Node, chain_cost, sorted_chain
from gtopss.operators.registered import Key, Registered
from gtopss.operators.sheet import Sheet
from gtopss.operators.strategies import Strategy


@dataclass(frozen=True, slots=True)
class PlannedPredicate:
    """A predicate, and what its place in the order comes from."""

    predicate: str
    subscriptions: int
    selectivity: float
    cost: float
    settles: float
    """Subscriptions that asking it first is expected to settle, per cost."""
    drifted_from: float | None = None
    """Its selectivity before it changed, if it did lately."""


@dataclass(frozen=True, slots=True)
class PlannedChain:
    """A conjunction's predicates in the order in which the strategy would ask them if it were alone."""

    key: Key
    predicates: tuple[str, ...]
    expected_cost: float
    expected_matches: float | None = None
    """Set with `matches` where these differ from independence beyond chance: its predicates depend on one another."""
    matches: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """For people and for JSON."""

    strategy: str
    asks: str
    """What the strategy asks next."""
    predicates: tuple[PlannedPredicate, ...]
    """In the order within a chain; for a strategy that ranks them by what they settle, in that one."""
    chains: tuple[PlannedChain, ...]
    """In the order in which they would be walked; of registration, for a strategy that decides as it goes."""

    def to_json(self) -> dict[str, Any]:
        return {
            "strategy": self.strategy,
            "asks": self.asks,
            "predicates": [
                {
                    "predicate": each.predicate,
                    "subscriptions": each.subscriptions,
                    "selectivity": each.selectivity,
                    "cost": each.cost,
                    "settles": each.settles,
                    "drifted_from": each.drifted_from,
                }
                for each in self.predicates
            ],
            "chains": [
                {
                    "subscription": each.key[0],
                    "branch": each.key[1],
                    "predicates": list(each.predicates),
                    "expected_cost": each.expected_cost,
                    "expected_matches": each.expected_matches,
                    "matches": each.matches,
                }
                for each in self.chains
            ],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Templates:
    """All that is registered as one problem, inputs without values: what a strategy plans over."""

    problem: Problem
    predicates: Integers
    conjunctions: Integers
    order: Integers | None


class Planner:
    """Keeps a strategy's plan, and makes it anew when what it was made of has changed much."""

    def __init__(self, strategy: Strategy, second: float) -> None:
        self._strategy, self._second = strategy, second
        self._rank = numpy.empty(0, numpy.int64)
        self._changes = self._seen = -1
        self._last: tuple[Sheet, Integers] | None = None

    def plan(self, registered: Registered) -> Templates:
        conjunctions = numpy.fromiter(registered, numpy.int32, len(registered))
        scratch = numpy.full(len(registered.predicates), -1, numpy.int32)
        start, flat, predicates = kernels.gather(
            registered.begin, registered.end, registered.flat, conjunctions, scratch
        )
        statistics = registered.statistics
        cost: Reals = statistics.cost(predicates, self._second)
        problem = Problem.flat(start, flat, statistics.selectivity(predicates), cost=cost)
        return Templates(problem, predicates, conjunctions, self._strategy.plan(problem))

    def order(self, registered: Registered, sheet: Sheet) -> Integers | None:
        """The plan's order over a sheet's units. What was registered since the plan was made goes last."""
        if not self._strategy.plans:
            return None
        observations = registered.statistics.observations
        if self._changes < 0 or registered.version > 1.1 * self._changes or observations > 8 * self._seen:
            made = self.plan(registered)
            assert made.order is not None
            self._rank = numpy.full(len(registered.conjunctions), len(made.order), numpy.int64)
            self._rank[made.conjunctions[made.order]] = numpy.arange(len(made.order))
            self._changes, self._seen = registered.version, max(observations, 1024)
            self._last = None
        if self._last is not None and self._last[0] is sheet:
            return self._last[1]
        rank = numpy.full(len(registered.conjunctions), len(self._rank), numpy.int64)
        rank[: len(self._rank)] = self._rank
        order = numpy.argsort(rank[sheet.conjunctions], kind="stable").astype(numpy.int32)
        self._last = sheet, order
        return order


def describe(registered: Registered, name: str, strategy: Strategy, made: Templates) -> Plan:
    """The plan in words and numbers."""
    problem = made.problem
    board = Board(problem)
    settles = (1.0 - problem.selectivity) * board.demand + problem.selectivity * board.final
    settles /= problem.cost
    place = ranks(problem.selectivity, problem.cost, numpy.diff(problem.predicate_start))
    numbers = made.predicates.tolist()
    drifts = {drift.predicate: drift.before for drift in registered.statistics.drifts}
    dependent = {each.conjunction: each for each in registered.statistics.dependent(made.conjunctions.tolist())}
    order = made.order.tolist() if made.order is not None else range(problem.units)
    chains = []
    for unit in order:
        number = int(made.conjunctions[unit])
        nodes = [Node(each, problem.selectivity[each], problem.cost[each]) for each in problem.of_unit(unit)]
        chain = [Node(int(place[node.key]), node.selectivity, node.cost) for node in nodes]
        if strategy.sorts:
            chain = sorted_chain(chain)
        names = {int(place[node.key]): str(registered.predicate(numbers[node.key])) for node in nodes}
        odd = dependent.get(number)
        chains.append(
            PlannedChain(
                registered.key(number),
                tuple(names[node.key] for node in chain),
                float(chain_cost(chain)),
                None if odd is None else odd.expected,
                None if odd is None else odd.matched,
            )
        )
    best_first = numpy.lexsort((place, -settles)) if strategy.sorts and not strategy.plans else numpy.argsort(place)
    return Plan(
        name,
        strategy.asks,
        tuple(
            PlannedPredicate(
                str(registered.predicate(numbers[each])),
                registered.users(numbers[each]),
                float(problem.selectivity[each]),
                float(problem.cost[each]),
                float(settles[each]),
                drifts.get(numbers[each]),
            )
            for each in best_first.tolist()
        ),
        tuple(chains),
    )
