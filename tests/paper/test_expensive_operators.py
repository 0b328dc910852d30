"""The worked examples and formulas of Liu, Parthasarathy, Ranganathan, Yang: "Scalable Event Matching for Overlapping
Subscriptions in Pub/Sub Systems", DEBS 2007; the formulas as corrected in `gtopss.operators.chain_costs`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gtopss.model import Publication
from gtopss.model.expressions import call, compare
from gtopss.model.terms import XSD, literal
from gtopss.operators import STRATEGIES, OperatorStage, Registry
from gtopss.operators.chain_costs import CostRule, Node, chain_cost, cost_difference, pair_cost, sorted_chain
from gtopss.operators.chain_order import COMPARED_NEIGHBOURS, order_as_printed, rank_predicates
from gtopss.operators.kernels import chain_order as kernels
from gtopss.operators.predicate_graph import PredicateGraph

# Section 2.1: UAVs over a city. Each operator is simulated by what it would have seen in the image.


class City:
    """One snapshot, and how often each recogniser looked at it."""

    def __init__(self, **seen: object) -> None:
        self.seen = seen
        self.looks: list[str] = []
        self.registry = Registry()
        for name in ("locIn", "trafficPattern"):
            self.registry.operator(name, arity=1, timeout=None)(self._test(name))
        self.registry.operator("locWithin", arity=2, timeout=None)(self._test("locWithin"))
        self.registry.operator("chasePattern", arity=2, timeout=None, cost=20)(self._test("chasePattern"))
        for name in ("mobPattern", "pedestrianCount", "policeCarCount", "tourBoatCount", "coastGuardBoatCount"):
            self.registry.operator(name, binds=0, timeout=None, cost=10)(self._count(name))
        self.registry.operator("distanceFrom", arity=2, binds=1, timeout=None)(self._distance)

    def _test(self, name: str):  # type: ignore[no-untyped-def]
        def test(publication: Publication, *arguments: str) -> bool:
            self.looks.append(name)
            return arguments in self.seen.get(name, ())  # type: ignore[operator]

        return test

    def _count(self, name: str):  # type: ignore[no-untyped-def]
        def count(publication: Publication) -> list[int]:
            self.looks.append(name)
            return [self.seen[name]] if name in self.seen else []  # type: ignore[list-item]

        return count

    def _distance(self, publication: Publication, place: str) -> list[int]:
        self.looks.append("distanceFrom")
        return [self.seen["distanceFrom"]] if "distanceFrom" in self.seen else []  # type: ignore[list-item]


def surveillance(city: City, strategy: str) -> OperatorStage:
    """S1 to S5 as the paper prints them; metres are numbers."""
    bronx, square = call("locIn", '"Bronx"'), call("locWithin", '"TimesSquare"', 5000)
    congestion, accident = call("trafficPattern", '"congestion"'), call("trafficPattern", '"accident"')
    stage = OperatorStage(city.registry, strategy=strategy)
    stage.add(("S1", 0), [bronx, call("chasePattern", '"policeCar"', '"anyCar"')])
    stage.add(("S2", 0), [bronx, call("mobPattern", "?people")], where=[compare("people", ">", 50)])
    stage.add(("S3", 0), [square, congestion, call("pedestrianCount", "?ped")], where=[compare("ped", ">", 250)])
    stage.add(("S4", 0), [bronx, congestion, accident, call("policeCarCount", "?pol")], where=[compare("pol", "<", 2)])
    stage.add(
        ("S5", 0),
        [
            call("distanceFrom", '"StatueOfLiberty"', "?x"),
            call("tourBoatCount", "?y"),
            call("coastGuardBoatCount", "?z"),
        ],
        where=[compare("x", "<", 1000), compare("y", ">", call("*", 2, "?z"))],
    )
    return stage


def congested_square(pedestrians: int) -> City:
    near = {('"TimesSquare"', literal("5000", XSD + "integer"))}
    return City(locWithin=near, trafficPattern={('"congestion"',)}, pedestrianCount=pedestrians)


SCENES = [
    (City(locIn={('"Bronx"',)}, mobPattern=60), {"S2"}),
    (City(locIn={('"Bronx"',)}, mobPattern=50), set()),
    (City(locIn={('"Bronx"',)}, chasePattern={('"policeCar"', '"anyCar"')}), {"S1"}),
    (
        City(
            locIn={('"Bronx"',)},
            trafficPattern={('"congestion"',), ('"accident"',)},
            policeCarCount=1,
            chasePattern={('"policeCar"', '"anyCar"')},
        ),
        {"S1", "S4"},
    ),
    (congested_square(pedestrians=251), {"S3"}),
    (congested_square(pedestrians=250), set()),
    (City(distanceFrom=500, tourBoatCount=5, coastGuardBoatCount=2), {"S5"}),
    (City(distanceFrom=500, tourBoatCount=4, coastGuardBoatCount=2), set()),
    (City(), set()),
]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("city", "matching"), SCENES)
def test_uav_surveillance(strategy: str, city: City, matching: set[str]) -> None:
    stage = surveillance(city, strategy)
    everything = {(name, 0): [{}] for name in ("S1", "S2", "S3", "S4", "S5")}
    city.looks.clear()
    report = stage.evaluate(Publication("snapshot", []), everything)
    assert {key[0] for key in report.matched} == matching
    assert not report.undecided
    assert report.calls == len(city.looks)
    repeatable = [look for look in city.looks if look != "trafficPattern"]
    assert len(repeatable) == len(set(repeatable)), "a predicate was asked twice"
    assert city.looks.count("trafficPattern") <= 2


def test_one_answer_decides_all_subscriptions_that_share_the_predicate() -> None:
    """Section 1: where the UAV is not over the Bronx, one spatial test answers for three subscriptions."""
    city = City()
    stage = surveillance(city, "adaptive")
    stage.evaluate(Publication("snapshot", []), {(name, 0): [{}] for name in ("S1", "S2", "S4")})
    assert city.looks == ["locIn"]


# Section 4.2.3 and 4.2.4: expected costs, beside enumeration of all outcomes.

chances = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5, 0.8, 1.0])
prices = st.sampled_from([1.0, 1.0, 2.0, 7.0])


@st.composite
def two_chains(draw: st.DrawFn) -> tuple[list[Node], list[Node]]:
    """Two sorted chains over six predicates, with any number of links."""
    nodes = [Node(key, draw(chances), draw(prices)) for key in range(6)]
    sides = st.lists(st.sampled_from(nodes), min_size=1, max_size=4, unique=True)
    return sorted_chain(draw(sides)), sorted_chain(draw(sides))


def enumerated(*order: Sequence[Node]) -> float:
    """The expected cost of walking chains one after the other, answers shared: the sum over all outcomes."""
    nodes = sorted({node for chain in order for node in chain})
    total = 0.0
    for outcome in product((False, True), repeat=len(nodes)):
        truth = {node.key: holds for node, holds in zip(nodes, outcome, strict=True)}
        chance = 1.0
        for node in nodes:
            chance *= node.selectivity if truth[node.key] else 1.0 - node.selectivity
        known: set[int] = set()
        cost = 0.0
        for chain in order:
            if any(node.key in known and not truth[node.key] for node in chain):
                continue  # a shared node that failed cuts the chain
            for node in chain:
                if node.key not in known:
                    cost += node.cost
                    known.add(node.key)
                if not truth[node.key]:
                    break
        total += chance * cost
    return total


@given(two_chains())
@settings(max_examples=120, deadline=None)
def test_expected_costs_equal_enumeration(made: tuple[list[Node], list[Node]]) -> None:
    one, other = made
    assert chain_cost(one) == pytest.approx(enumerated(one))
    assert pair_cost(one, other) == pytest.approx(enumerated(one, other))
    assert cost_difference(one, other) == pytest.approx(enumerated(one, other) - enumerated(other, one), abs=1e-9)


@given(two_chains())
@settings(max_examples=80, deadline=None)
def test_the_compiled_difference_is_the_plain_one(made: tuple[list[Node], list[Node]]) -> None:
    one, other = made
    nodes = {node.key: node for node in (*one, *other)}
    rank = numpy.zeros(6, numpy.int32)
    for place, node in enumerate(sorted_chain(list(nodes.values()))):
        rank[node.key] = place
    selectivity = numpy.array([nodes[key].selectivity if key in nodes else 0.0 for key in range(6)])
    cost = numpy.array([nodes[key].cost if key in nodes else 1.0 for key in range(6)])
    arrays = [numpy.array([node.key for node in chain], numpy.int32) for chain in (one, other)]
    compiled = kernels.cost_difference(*arrays, rank, selectivity, (selectivity, cost))
    assert compiled == pytest.approx(cost_difference(one, other), abs=1e-9)


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True), min_size=2, max_size=5),
    st.lists(chances, min_size=6, max_size=6),
    st.lists(prices, min_size=6, max_size=6),
)
@settings(max_examples=80, deadline=None)
def test_all_pairs_that_share_are_compared_when_there_are_few(
    units: list[list[int]], selectivity: list[float], cost: list[float]
) -> None:
    graph = PredicateGraph.from_lists(units, selectivity, cost=cost)
    rank = rank_predicates(graph)
    nodes = kernels.sort_chains(graph.instance_start, graph.instance_predicates, rank)
    weights = graph.selectivity, graph.cost
    before, after, saved = kernels.pair_savings(graph, nodes, rank, weights, COMPARED_NEIGHBOURS)
    found = {(one, other): saving for one, other, saving in zip(before.tolist(), after.tolist(), saved, strict=True)}
    sorted_units = [
        [Node(int(rank[each]), selectivity[each], cost[each]) for each in sorted(unit, key=lambda each: rank[each])]
        for unit in units
    ]
    for one, other in combinations(range(len(units)), 2):
        exact = enumerated(sorted_units[one], sorted_units[other]) - enumerated(sorted_units[other], sorted_units[one])
        first, second = (one, other) if exact < 0 else (other, one)
        assert found.get((first, second), 0.0) == pytest.approx(abs(exact), abs=1e-9)


@given(two_chains())
@settings(max_examples=60, deadline=None)
def test_no_other_order_within_a_chain_is_cheaper(made: tuple[list[Node], list[Node]]) -> None:
    """Slip 4: by c / (1 - p), not by p."""
    chain = made[0]
    cheapest = chain_cost(chain)
    for place in range(len(chain) - 1):
        swapped = [*chain[:place], chain[place + 1], chain[place], *chain[place + 2 :]]
        assert cheapest <= chain_cost(swapped) + 1e-9


def test_correction_1_nothing_is_above_a_top_node() -> None:
    """With C = 1 for a = 1, as printed, chains that share their top nodes' place unevenly would be misjudged."""
    shared = Node(1, 0.5)
    one, other = [shared, Node(2, 0.9)], [Node(3, 0.25), shared]
    exact = enumerated(one, other) - enumerated(other, one)
    assert cost_difference(one, other) == pytest.approx(exact)
    printed = (1 - 0.5) * (0.25 * 1.0 - 1.0 * 1.0)  # P2 * C1 - P1 * C2 with C1 = 1
    assert printed != pytest.approx(exact)


def test_correction_1_a_removed_top_node_costs_nothing() -> None:
    """C1 as printed counts node b of the second chain if b = 1, though the first chain has evaluated it."""
    shared = Node(1, 0.25)
    one, other = [shared, Node(2, 0.5)], [shared, Node(3, 0.75)]
    assert pair_cost(one, other) == pytest.approx(enumerated(one, other))
    assert chain_cost(other[1:]) == 1
    printed = chain_cost(one) + 0.25 * (1 + 1) + (1 - 1) * chain_cost(other)  # the bracket is 1 + the term i = 1
    assert printed != pytest.approx(pair_cost(one, other))


@pytest.mark.parametrize("cost_rule", ["printed", "expected"])
def test_correction_2_a_chain_has_its_least_likely_predicate_on_top(cost_rule: CostRule) -> None:
    likely, unlikely = Node(1, 0.75), Node(2, 0.25)
    assert sorted_chain([likely, unlikely], cost_rule) == [unlikely, likely]
    assert chain_cost([unlikely, likely]) < chain_cost([likely, unlikely])


def test_with_several_links_reach_includes_shared_nodes_and_cost_excludes_them() -> None:
    first, second = Node(1, 0.3), Node(2, 0.6)
    one, other = [first, Node(3, 0.5), second], [Node(4, 0.2), first, second]
    one, other = sorted_chain(one), sorted_chain(other)
    exact = enumerated(one, other) - enumerated(other, one)
    assert cost_difference(one, other) == pytest.approx(exact)
    # P without the shared node above: p(1) is dropped from both reaches of the second link
    terms = (1 - 0.3) * (0.2 * 0.0 - 1.0 * 1.0) + (1 - 0.6) * (0.2 * 1.0 - 0.5 * 1.0)
    assert terms != pytest.approx(exact)


def test_correction_3_costs_are_not_multiplied() -> None:
    """Section 4.3 as printed replaces p by p times cost, so that a costly node would count again for all below it."""
    chain = [Node(1, 0.5, 10.0), Node(2, 0.5, 3.0), Node(3, 0.5, 3.0)]
    assert chain_cost(chain) == pytest.approx(enumerated(chain)) == 10 + 0.5 * 3 + 0.25 * 3
    printed = 1 + 0.5 * 10 + 0.5 * 10 * 0.5 * 3
    assert printed != pytest.approx(chain_cost(chain))


def test_correction_5_ties_are_broken_alike_in_all_chains() -> None:
    tied = [Node(2, 0.5), Node(1, 0.5)]
    assert sorted_chain(tied) == sorted_chain(tied[::-1])


def test_correction_5_only_our_orders_prefer_popular_predicates_among_equals() -> None:
    """The paper sorts by selectivity alone; popularity would be an addition that makes fewer calls."""
    graph = PredicateGraph.from_lists([[0, 1], [1, 2], [1, 3]], [0.5] * 4)
    assert rank_predicates(graph, "printed").tolist() == [0, 1, 2, 3]
    assert rank_predicates(graph, "expected").tolist() == [1, 0, 2, 3]


def test_the_largest_saving_is_taken_first() -> None:
    """Section 4.2.5 as printed would start from the least. Three chains, two pairs compete for one successor."""
    before, after = numpy.array([0, 0], numpy.int32), numpy.array([1, 2], numpy.int32)
    saved = numpy.array([0.1, 0.9])
    successor, predecessor = kernels.link_chains(3, before, after, numpy.argsort(-saved, kind="stable"))
    assert successor.tolist() == [2, -1, -1]
    assert predecessor.tolist() == [-1, -1, 0]


def test_links_form_no_cycle() -> None:
    before, after = numpy.array([0, 1, 2], numpy.int32), numpy.array([1, 2, 0], numpy.int32)
    successor, _ = kernels.link_chains(3, before, after, numpy.arange(3))
    assert successor.tolist() == [1, 2, -1]


# Section 4.2.5: the order of all chains.

graphs_of_chains = st.builds(
    lambda units, selectivity, cost: PredicateGraph.from_lists(units, selectivity, cost=cost),
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True), min_size=1, max_size=6),
    st.lists(chances, min_size=6, max_size=6),
    st.lists(prices, min_size=6, max_size=6),
)


def kruskal_order(graph: PredicateGraph, cost_rule: CostRule) -> list[int]:
    """Section 4.2.5 in plain Python on the complete graph; `chain_order` names the changes."""
    rank = rank_predicates(graph, cost_rule)
    chains = [
        [
            Node(each, graph.selectivity[each], graph.cost[each])
            for each in sorted(graph.predicates_of(chain), key=lambda each: rank[each])
        ]
        for chain in range(graph.instance_count)
    ]
    size = len(chains)
    edges = []
    for u, v in combinations(range(size), 2):
        difference = round(cost_difference(chains[u], chains[v], cost_rule), 12)
        edges += [(max(-difference, 0.0), u, v), (max(difference, 0.0), v, u)]
    successor: dict[int, int] = {}
    for _, u, v in sorted(edges, key=lambda edge: (-edge[0], edge[1:])):
        if u in successor or v in successor.values() or u in _path_from(v, successor):
            continue
        successor[u] = v
    (first,) = set(range(size)) - set(successor.values())
    return _path_from(first, successor)


def _path_from(chain: int, successor: dict[int, int]) -> list[int]:
    path = [chain]
    while path[-1] in successor:
        path.append(successor[path[-1]])
    return path


@pytest.mark.parametrize("cost_rule", ["printed", "expected"])
@given(graph=graphs_of_chains)
@settings(max_examples=80, deadline=None)
def test_sub_order_is_kruskal_on_the_complete_graph(cost_rule: CostRule, graph: PredicateGraph) -> None:
    rank = rank_predicates(graph, cost_rule)
    nodes = kernels.sort_chains(graph.instance_start, graph.instance_predicates, rank)
    weights = (graph.selectivity, graph.cost)
    if cost_rule == "printed":
        weights = (graph.selectivity * graph.cost, numpy.ones(graph.predicate_count))
    saved = kernels.pair_savings(graph, nodes, rank, weights, graph.instance_count)[2]
    distinct = numpy.unique(saved.round(9))
    assume(len(distinct) == len(saved) and (distinct > 1e-6).all())  # ties are broken by the order of comparison
    assert order_as_printed(graph, cost_rule=cost_rule).tolist() == kruskal_order(graph, cost_rule)


@given(two_chains())
@settings(max_examples=60, deadline=None)
def test_section_4_3_as_printed_is_the_same_only_without_costs(made: tuple[list[Node], list[Node]]) -> None:
    free = [[Node(node.key, node.selectivity) for node in chain] for chain in made]
    one, other = (sorted_chain(chain, "printed") for chain in free)
    assert cost_difference(one, other, "printed") == cost_difference(one, other, "expected")


def test_section_4_3_as_printed_multiplies_probabilities_by_costs() -> None:
    shared = Node(1, 0.5, 3.0)
    one, other = [Node(2, 0.2, 10.0), shared], [Node(3, 0.4, 1.0), Node(4, 0.45, 2.0), shared]
    printed = (1 - 0.5) * (0.4 * 0.45 * 2.0 * 1.0 - 0.2 * 10.0 * (1.0 + 0.4))
    assert cost_difference(one, other, "printed") == pytest.approx(printed)
