"""The operators' compiled tables and strategies in plain Python, which recomputes everything from sets."""

from __future__ import annotations

from hypothesis import strategies as st

from gtopss.operators.chain_order import rank_predicates
from gtopss.operators.evaluation_tables import FALSE, EvaluationTables
from gtopss.operators.predicate_graph import PredicateGraph
from gtopss.operators.strategies import STRATEGIES


@st.composite
def graphs(draw: st.DrawFn, predicates: int = 8) -> tuple[PredicateGraph, list[int]]:
    """A graph with different costs, and the truth of its predicates."""
    size = draw(st.integers(1, predicates))
    instance = st.lists(st.integers(0, size - 1), min_size=1, max_size=5, unique=True)
    instances = draw(st.lists(instance, min_size=1, max_size=10))
    chances = st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.5, 0.9, 1.0])
    selectivity = draw(st.lists(chances, min_size=size, max_size=size))
    cost = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 10.0]), min_size=size, max_size=size))
    truth = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    return PredicateGraph.from_lists(instances, selectivity, cost=cost), truth


class PlainTables:
    """The paper's two tables as dicts, and the strategies as the paper describes them."""

    def __init__(self, graph: PredicateGraph) -> None:
        self.graph = graph
        self.instances = {instance: graph.predicates_of(instance) for instance in range(graph.instance_count)}
        self.undecided = set(self.instances)
        self.known: dict[int, int] = {}

    def answer(self, predicate: int, truth: int) -> list[int]:
        self.known[predicate] = truth
        complete = []
        for instance in sorted(self.undecided):
            truths = [self.known.get(each) for each in self.instances[instance]]
            if FALSE in truths:
                self.undecided.discard(instance)
            elif None not in truths:
                self.undecided.discard(instance)
                complete.append(instance)
        return complete

    def demand(self, predicate: int) -> float:
        return float(sum(predicate in self.instances[instance] for instance in self.undecided))

    def final(self, predicate: int) -> float:
        lacking = ([each for each in self.instances[instance] if each not in self.known] for instance in self.undecided)
        return float(sum(each == [predicate] for each in lacking))

    def run(self, name: str, truth: list[int]) -> list[int]:
        """Return the predicates in the order in which the strategy evaluates them."""
        calls: list[int] = []

        def make_call(predicate: int) -> None:
            calls.append(predicate)
            self.answer(predicate, truth[predicate])

        if name == "naive":
            for instance in self.instances.values():
                for predicate in instance:
                    if predicate not in self.known:
                        make_call(predicate)
                    if not truth[predicate]:
                        break
        elif name == "sequential":
            for instance, predicates in self.instances.items():
                if instance in self.undecided:
                    for predicate in predicates:
                        if predicate not in self.known and self.demand(predicate) > 0:
                            make_call(predicate)
        elif (strategy := STRATEGIES[name]()).has_planned_order:
            rank = rank_predicates(self.graph, strategy.cost_rule).tolist()
            for instance in strategy.plan(self.graph).tolist():  # type: ignore[union-attr]
                for predicate in sorted(self.instances[instance], key=lambda each: rank[each]):
                    if instance in self.undecided and predicate not in self.known:
                        make_call(predicate)
        else:
            while self.undecided:
                candidates = [
                    each for each in range(self.graph.predicate_count) if self.demand(each) and each not in self.known
                ]
                make_call(max(candidates, key=lambda each: (self.gain(each), -each)))
        return calls

    def gain(self, predicate: int) -> float:
        chance, cost = self.graph.selectivity[predicate], self.graph.cost[predicate]
        return float(((1 - chance) * self.demand(predicate) + chance * self.final(predicate)) / cost)


def rank_list(graph: PredicateGraph) -> list[int]:
    """Return each predicate's position in the common order of all chains."""
    made: list[int] = rank_predicates(graph).tolist()
    return made


def evaluate(name: str, graph: PredicateGraph, truth: list[int]) -> tuple[list[int], set[int]]:
    """Return the predicates that a strategy evaluates, in order, and the instances all of whose predicates hold."""
    tables, strategy = EvaluationTables(graph), STRATEGIES[name]()
    selector = strategy.start(tables, strategy.plan(graph))
    calls, holding = [], set()
    while (predicate := selector.next_predicate()) >= 0:
        calls.append(predicate)
        holding.update(tables.enter_answer(predicate, truth[predicate]))
    assert not tables.undecided.any()
    return calls, holding


def true_instances(graph: PredicateGraph, truth: list[int]) -> set[int]:
    """Return the instances all of whose predicates hold."""
    return {each for each in range(graph.instance_count) if all(truth[other] for other in graph.predicates_of(each))}
