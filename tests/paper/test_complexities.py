"""What the papers say about the cost of their algorithms, counted: no clock and no experiment is needed for these."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import product
from math import comb
from typing import Any

import pytest

from gtopss import Publication, Subscription
from gtopss.attributes import (
    MATCHERS,
    AttributeCounters,
    AttributeSubscription,
    Event,
    NumericDomain,
    Predicate,
    Schema,
)
from gtopss.attributes.matchers.equality_tree import EqualityTree
from gtopss.attributes.matchers.equality_tree_matcher import EqualityTreeMatcher
from gtopss.attributes.matchers.interval_tree import Interval, IntervalTree
from gtopss.experiments.workloads import Workload
from gtopss.experiments.workloads.attribute_workloads import GryphonWorkload, LeSubscribeWorkload
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, synthetic_table1
from gtopss.matching.reference import Label, ReferenceMatcher
from gtopss.model import Counters
from gtopss.model.terms import iri
from ontology import Taxonomy

# --- G-ToPSS, sections 4.1, 4.3 and 6 ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table_1() -> Workload:
    return synthetic_table1(GtopssTable1(subscriptions=300))


def loaded(workload: Workload) -> tuple[ReferenceMatcher, list[Subscription]]:
    gm, subscriptions = ReferenceMatcher(workload.taxonomy), list(workload.subscriptions())
    for each in subscriptions:
        gm.add(each)
    return gm, subscriptions


def test_gtopss_4_1_there_are_as_many_stars_as_the_subscription_with_the_most_variables_has() -> None:
    gm, nodes = ReferenceMatcher(Taxonomy()), [iri(f"urn:{name}") for name in "pqr"]
    for number, variables in enumerate((1, 3, 2)):
        gm.add(Subscription(f"s{number}", [(f"?v{i}", nodes[0], nodes[1]) for i in range(variables)]))
    stars = {vertex for pair in gm.table() for vertex in pair if vertex.startswith("*")}
    assert stars == {"*1", "*2", "*3"}


def test_gtopss_4_3_space_is_the_unique_edges_and_an_entry_for_each_subscription_on_them(
    table_1: Workload,
) -> None:
    gm, subscriptions = loaded(table_1)
    entries = [ids for second_level in gm.table().values() for ids in second_level.values()]
    assert len(entries) == gm.edge_count < sum(len(each.branches[0].tuples) for each in subscriptions)
    assert sum(map(len, entries)) == sum(len(set(each.branches[0].edges())) for each in subscriptions)


def test_gtopss_4_3_stage_1_probes_at_most_m_times_k_plus_1_squared_pairs(table_1: Workload) -> None:
    gm, subscriptions = loaded(table_1)
    stars = max(len(each.branches[0].variables()) for each in subscriptions)
    (publication,) = table_1.publications(1)
    probed = gm.match(publication).counters.edges_probed
    assert len(publication.triples) < probed <= len(publication.triples) * (stars + 1) ** 2


def test_gtopss_4_3_subset_is_much_larger_than_the_set_of_matching_subscriptions() -> None:
    """The paper's overall formula assumes that "n is around the number of matched subscriptions", where n is |SubSet|.

    With Table 1, half of the subscriptions overlap with one graph, and a subscription is in SubSet if one edge fires.
    """
    workload = synthetic_table1(GtopssTable1(subscriptions=3_000))
    gm, _ = loaded(workload)
    (publication,) = workload.publications(1)
    subset = gm.count_edges(gm.fire(publication, Counters()))
    assert len(subset) > 50 * len(list(gm.match(publication))) > 0


def test_gtopss_4_3_insertion_looks_up_each_edge_once_however_many_subscriptions_there_are(table_1: Workload) -> None:
    class CountingTable(dict[tuple[Label, Label], dict[Label, object]]):
        looked_up = 0

        def setdefault(self, *arguments: Any) -> Any:
            self.looked_up += 1
            return super().setdefault(*arguments)

    gm, _ = loaded(table_1)
    table = CountingTable(gm._first_level)
    gm._first_level = table  # type: ignore[assignment]
    gm.add(Subscription("new", [("?x", "<urn:p>", "?y"), ("?y", "<urn:q>", "?z"), ("?x", "<urn:r>", "?z")]))
    assert table.looked_up == 3


def test_gtopss_6_a_property_variable_is_one_more_star(table_1: Workload) -> None:
    """Stage 1 still probes at most m times k + 1 squared pairs. Under each, it looks up every star label too."""
    (publication,) = table_1.publications(1)
    gm, stars = ReferenceMatcher(table_1.taxonomy), 0
    for each in table_1.subscriptions():
        replaced = Subscription(each.id, [(s, "?property", o) for s, _, o in each.branches[0].edges()])
        stars = max(stars, len(replaced.branches[0].variables()))
        gm.add(replaced)
    assert gm.match(publication).counters.edges_probed <= len(publication.triples) * (stars + 1) ** 2


# --- Le Subscribe, section 3 ------------------------------------------------------------------------------------


def test_le_subscribe_3_1_fair_predicate_tests_a_predicate_once_and_compares_every_subscription() -> None:
    workload, generator = LeSubscribeWorkload(), random.Random(1)
    matcher = MATCHERS["fair-predicate"](workload.schema())
    subscriptions = list(workload.subscriptions(500, generator))
    for each in subscriptions:
        matcher.insert(each)
    distinct = {predicate for each in subscriptions for predicate in each.predicates}
    for event in workload.events(20, generator):
        counters = matcher.match(event).counters
        assert counters.comparisons == len(subscriptions)
        assert counters.predicates < len(distinct)


def numbers(attributes: int) -> Schema:
    made = Schema()
    made.create_domain(NumericDomain("digits", 0, 9, whole=True))
    for number in range(attributes):
        made.create_attribute(f"a{number}", "digits")
    return made


def test_le_subscribe_3_1_gough_follows_one_path_and_stores_a_predicate_combinatorially_often() -> None:
    """Each subscription tests one attribute: other trees have a path for each, the paths of Gough multiply."""
    sizes: dict[str, list[int]] = {"gough": [], "matching-tree": [], "fair-predicate": []}
    for attributes in (2, 4, 6):
        for name, measured in sizes.items():
            matcher = MATCHERS[name](numbers(attributes))
            for number, value in product(range(attributes), range(3)):
                matcher.insert(AttributeSubscription(f"{number} {value}", [Predicate(f"a{number}", "=", value)]))
            report = matcher.match(Event({f"a{number}": 1 for number in range(attributes)}))
            assert report.subscription_ids == {f"{number} 1" for number in range(attributes)}
            if name == "gough":
                assert report.counters.nodes == attributes + 1  # one path
            measured.append(matcher.structure_bytes())
    growth = {name: after / before for name, (_, before, after) in sizes.items()}
    assert growth["gough"] > 10
    assert growth["matching-tree"] < 3
    assert growth["fair-predicate"] < 3


def test_le_subscribe_3_1_gough_does_less_work_than_fair_predicate() -> None:
    """And at most a binary search on each level: O(attributes x log subscriptions)."""
    attributes, values = 4, 8
    subscriptions = [
        AttributeSubscription(f"{number} {value}", [Predicate(f"a{number}", ">", value)])
        for number, value in product(range(attributes), range(values))
    ]
    event = Event({f"a{number}": 4 for number in range(attributes)})
    counters = {}
    for name in ("gough", "fair-predicate"):
        matcher = MATCHERS[name](numbers(attributes))
        for each in subscriptions:
            matcher.insert(each)
        counters[name] = matcher.match(event).counters
    assert counters["gough"].work < counters["fair-predicate"].work
    assert counters["gough"].predicates <= attributes * math.log2(len(subscriptions))


def test_le_subscribe_3_1_a_search_of_hansons_tree_visits_a_logarithmic_number_of_nodes() -> None:
    """O(log N + L): the nodes of one path, and the L intervals that contain the value."""
    for size in (100, 1_000, 10_000):
        generator, tree = random.Random(size), IntervalTree()
        intervals = {
            f"s{number}": Interval(low := generator.random(), True, low + 10 / size, True) for number in range(size)
        }
        for name, interval in intervals.items():
            tree.insert(name, interval)
        values, counters = [generator.random() for _ in range(100)], AttributeCounters()
        for value in values:
            found = list(tree.containing(value, counters))
            assert sorted(found) == sorted(name for name, each in intervals.items() if value in each)
        assert counters.nodes / len(values) < 2 * math.log2(2 * size)


def test_le_subscribe_3_1_equality_preferred_looks_into_at_most_2_to_the_n_clusters() -> None:
    workload, generator = LeSubscribeWorkload(equality=1), random.Random(2)
    for name in ("equality-preferred", "quarantining"):
        matcher = MATCHERS[name](workload.schema())
        for each in workload.subscriptions(2_000, generator):
            matcher.insert(each)
        for event in workload.events(20, generator):
            assert matcher.match(event).counters.predicates <= 2 ** len(event.values)


def test_le_subscribe_4_few_subscriptions_have_all_combinations_of_equality_clusters() -> None:
    """Figure 11: six attributes have 63 combinations, which 1,000 of up to 3,200,000 subscriptions have."""
    workload, generator = LeSubscribeWorkload(equality=1), random.Random(4)
    matcher = MATCHERS["quarantining"](workload.schema())
    for each in workload.subscriptions(1_000, generator):
        matcher.insert(each)
    (event,) = workload.events(1, generator)
    assert matcher.match(event).counters.nodes == 2**6 - 1


# --- Gryphon, section 4 -----------------------------------------------------------------------------------------


def test_gryphon_4_space_is_at_most_a_node_for_each_attribute_and_a_leaf() -> None:
    workload = GryphonWorkload()
    tree = EqualityTree(workload.attributes, collapse=False)
    subscriptions = list(workload.subscriptions(500, random.Random(3)))
    for each in subscriptions:
        tree.insert(each.id, {workload.names.index(test.attribute): test.value for test in each.predicates})
    assert sum(1 for _ in tree.nodes()) <= len(subscriptions) * (workload.attributes + 1)


@pytest.mark.parametrize("values", [1, 3])
def test_gryphon_4_the_worst_event_visits_the_whole_tree_of_its_value(values: int) -> None:
    """Every subset of 6 attributes tested for the value 0: an event of zeros visits 1 + 2 + ... + 2^6 nodes."""
    levels = 6
    matcher = EqualityTreeMatcher(numbers(levels), order=[f"a{level}" for level in range(levels)])
    for number, choice in enumerate(product((None, *range(values)), repeat=levels)):
        tests = [Predicate(f"a{level}", "=", value) for level, value in enumerate(choice) if value is not None]
        if tests:
            matcher.insert(AttributeSubscription(f"s{number}", tests))
    visited = matcher.match(Event({f"a{level}": 0 for level in range(levels)})).counters.nodes
    assert visited == 2 ** (levels + 1) - 2  # no subscription tests nothing: one leaf is missing


def test_gryphon_4_lemma_1_bounds_the_nodes_with_j_values_on_their_path() -> None:
    """At most sum over the lengths i of C(i, j) V^j: the positions of the values, and the values.

    The corollary is a weaker bound without binomial coefficients.
    """
    levels, values = 4, 3
    tree = EqualityTree(levels, collapse=False)
    for number, choice in enumerate(product((None, *range(values)), repeat=levels)):
        tree.insert(f"s{number}", {level: value for level, value in enumerate(choice) if value is not None})
    found: Counter[int] = Counter()
    stack = [(tree.root, 0)]
    while stack:
        node, tested = stack.pop()
        assert node is not None
        found[tested] += 1
        stack += [(child, tested + 1) for child in node.edges.values()]
        stack += [(node.star, tested)] if node.star is not None else []
    for tested, count in found.items():
        bound = sum(comb(length, tested) for length in range(levels + 1)) * values**tested
        assert count <= bound <= (levels + 1) * ((levels + 1) * values) ** tested


def test_publications_are_sets_of_triples() -> None:
    """G-ToPSS, section 2: no two edges between two nodes have the same label."""
    a, p, b = (iri(f"urn:{name}") for name in "apb")
    assert len(Publication("p", [(a, p, b), (a, p, b)]).triples) == 1
