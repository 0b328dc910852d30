"""ToPSS: inference in predicate tables (section 3.2), recycled ids (3), and the order of the associations (5.1.2)."""

from __future__ import annotations

import math
import operator
import random
from typing import get_args

import numpy

from gtopss.attributes import (
    MATCHERS,
    AttributeCounters,
    AttributeSubscription,
    Event,
    HierarchicalDomain,
    NumericDomain,
    Operator,
    Predicate,
    Schema,
)
from gtopss.attributes.matchers.associations import BitMatrix
from gtopss.attributes.matchers.predicate_lists import PredicateLists
from gtopss.attributes.matchers.predicate_tables import PredicateTables
from gtopss.attributes.matchers.topss import AssociationName, TableCountingMatcher
from gtopss.experiments.workloads.attribute_workloads import W4, TopssWorkload
from ontology import Taxonomy


def schema() -> Schema:
    made = Schema()
    made.create_domain(NumericDomain("digits", 0, 9, whole=True))
    made.create_attribute("a", "digits")
    zoo = Taxonomy([("cat", "mammal"), ("mammal", "animal"), ("bat", "mammal"), ("bat", "flier")])
    made.create_domain(HierarchicalDomain("zoo", zoo))
    made.create_attribute("kind", "zoo")
    return made


def test_section_3_2_a_value_above_7_satisfies_all_smaller_bounds() -> None:
    tables = PredicateTables(schema())
    numbers = {value: tables.insert(Predicate("a", ">", value)) for value in (3, 7, 8)}
    counters = AttributeCounters()
    ((found,),) = tables.satisfied(Event({"a": 8}), counters)
    assert sorted(found) == sorted([numbers[3], numbers[7]])
    assert counters.nodes == 8  # one walk over the slots before the value
    assert counters.predicates == 0  # no predicate was evaluated


def test_figure_1_the_value_determines_the_satisfied_cells_of_each_operator() -> None:
    """The table has an array for each operator; no predicate is evaluated, and every cell holds one predicate."""
    lower, upper, value = 0, 9, 6
    cells = {
        ">": range(lower, value),  # array[>][l..v - 1]
        "<": range(value + 1, upper + 1),  # array[<][v + 1..u]
        "=": (value,),
        "!=": [each for each in range(lower, upper + 1) if each != value],
    }
    for sign, satisfied in cells.items():
        tables = PredicateTables(schema())
        numbers = {each: tables.insert(Predicate("a", sign, each)) for each in range(lower, upper + 1)}
        counters = AttributeCounters()
        ((found,),) = tables.satisfied(Event({"a": value}), counters)
        assert sorted(found) == sorted(numbers[each] for each in satisfied), sign
        assert (counters.nodes, counters.predicates) == (len(satisfied), 0), sign


def test_section_3_1_a_search_visits_at_most_every_cell_of_the_lists_of_its_attribute() -> None:
    """O(n x number of operators), and no cell of another attribute."""
    lists = PredicateLists()
    for sign in ("=", "!=", "<", ">"):
        for value in range(10):
            lists.insert(Predicate("a", sign, value))
            lists.insert(Predicate("b", sign, value))
    counters = AttributeCounters()
    lists.satisfied(Event({"a": 9}), counters)
    assert counters.nodes == 4 * 10


def test_section_3_2_predicates_over_an_ontology_share_a_table() -> None:
    tables = PredicateTables(schema())
    numbers = {cls: tables.insert(Predicate("kind", "is-a", cls)) for cls in ("cat", "mammal", "animal", "flier")}
    counters = AttributeCounters()
    ((found,),) = tables.satisfied(Event({"kind": "bat"}), counters)
    assert sorted(found) == sorted(numbers[cls] for cls in ("mammal", "animal", "flier"))
    assert counters.nodes == 4  # bat and what is above it


def test_section_3_2_an_insertion_or_a_deletion_changes_one_cell() -> None:
    """O(1), whatever the size of the domain and the number of predicates."""
    tables = PredicateTables(schema())
    for value in (1, 3, 8):
        tables.insert(Predicate("a", ">", value))
    before = tables._tables["a"].row(Operator.ABOVE).copy()
    number = tables.insert(Predicate("a", ">", 5))
    after = tables._tables["a"].row(Operator.ABOVE)
    assert numpy.flatnonzero(before != after).tolist() == [5]
    assert after[5] == number
    tables.remove(Predicate("a", ">", 5))
    assert numpy.array_equal(before, tables._tables["a"].row(Operator.ABOVE))


def test_section_3_predicate_numbers_are_reused() -> None:
    for index in (PredicateTables(schema()), PredicateLists()):
        first = [index.insert(Predicate("a", "=", value)) for value in range(3)]
        assert index.insert(Predicate("a", "=", 1)) == first[1]  # the same predicate has the same number
        index.remove(Predicate("a", "=", 1))
        index.remove(Predicate("a", "=", 1))
        assert index.insert(Predicate("a", "<", 5)) == first[1]


def test_section_3_slots_of_removed_subscriptions_are_reused() -> None:
    for name in ("topss-table-bytes", "topss-table-bits", "topss-table-lists", "topss-table-lists-constant"):
        matcher = MATCHERS[name](schema())
        for number in range(200):
            matcher.insert(AttributeSubscription(f"s{number}", [Predicate("a", "=", number % 10)]))
        before = matcher.structure_bytes()
        for turn in range(10):
            for number in range(200):
                matcher.remove(f"s{200 * turn + number}")
                matcher.insert(AttributeSubscription(f"s{200 * (turn + 1) + number}", [Predicate("a", "=", turn)]))
        assert matcher.structure_bytes() < 2 * before


def test_section_3_a_bit_vector_passes_the_satisfied_predicates_to_stage_2() -> None:
    matcher = TableCountingMatcher(schema(), "bits")
    matcher.insert(AttributeSubscription("s", [Predicate("a", ">", 3), Predicate("a", "<", 5)]))
    matcher.insert(AttributeSubscription("t", [Predicate("a", ">", 7)]))
    bits = matcher.satisfied(Event({"a": 4}), AttributeCounters())
    assert bits.common.dtype == numpy.uint8
    assert bits.common.tolist() == [0b011]  # predicates 0 and 1 of three
    assert matcher.matched_slots(bits, AttributeCounters()).tolist() == [0]


def test_section_3_3_more_predicates_than_a_byte_counts() -> None:
    """The paper assumes at most 256 predicates for each subscription: "this assumption may be easily relaxed"."""
    wide = Schema()
    wide.create_domain(NumericDomain("numbers", 0, 999, whole=True))
    wide.create_attribute("a", "numbers")
    for association in get_args(AssociationName):
        matcher = TableCountingMatcher(wide, association)
        matcher.insert(AttributeSubscription("one", [Predicate("a", ">", 2)]))
        matcher.insert(AttributeSubscription("many", [Predicate("a", ">", value) for value in range(512)]))
        assert matcher.match(Event({"a": 900})).subscription_ids == {"one", "many"}
        assert matcher.match(Event({"a": 511})).subscription_ids == {"one"}
        assert matcher.match(Event({"a": 2})).subscription_ids == set()
        matcher.remove("one")
        assert matcher.match(Event({"a": 900})).subscription_ids == {"many"}


def additions(workload: TopssWorkload, names: list[str], subscriptions: int) -> dict[str, int]:
    generator = random.Random(2002)
    registered = list(workload.subscriptions(subscriptions, generator))
    events = list(workload.events(5, generator))
    counted = {}
    for name in names:
        matcher = MATCHERS[name](workload.schema())
        for each in registered:
            matcher.insert(each)
        counted[name] = sum(matcher.match(event).counters.additions for event in events)
    return counted


def test_section_5_1_2_the_byte_matrix_makes_the_most_additions() -> None:
    """Cells added, words added, hits added. A word holds 64 subscriptions: in operations bits are ahead of lists."""
    work = additions(W4, ["topss-table-bytes", "topss-table-lists", "topss-table-bits"], 3_000)
    assert work["topss-table-bytes"] > 60 * work["topss-table-bits"]
    assert work["topss-table-bytes"] > work["topss-table-lists"]


def test_section_3_3_costs_of_the_bit_matrix_and_of_lists() -> None:
    """The matrix has n x m bits, and adds a row of n bits for each satisfied predicate, 64 at a time.

    Lists add only the entries of the satisfied predicates.
    """
    generator = random.Random(2002)
    registered = list(W4.subscriptions(1_000, generator))
    (event,) = W4.events(1, generator)
    matrix, lists = TableCountingMatcher(W4.schema(), "bits"), TableCountingMatcher(W4.schema(), "lists")
    for each in registered:
        matrix.insert(each)
        lists.insert(each)
    association = matrix._association
    assert isinstance(association, BitMatrix)
    predicates = {predicate for each in registered for predicate in each.predicates}
    assert association._words.nbytes * 8 >= len(registered) * len(predicates)
    satisfied = {each for each in predicates if MATCHED[each.operator](*event.values[each.attribute], each.value)}
    assert matrix.match(event).counters.additions == len(satisfied) * math.ceil(len(registered) / 64)
    entries = sum(len(satisfied.intersection(each.predicates)) for each in registered)
    assert lists.match(event).counters.additions == entries


MATCHED = {
    Operator.EQUAL: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.BELOW: operator.lt,
    Operator.ABOVE: operator.gt,
}


def test_figure_4_memory_of_the_associations() -> None:
    """Lists are smallest, the byte matrix is largest; a deletion table adds to the lists."""
    registered = list(W4.subscriptions(5_000, random.Random(2002)))
    taken = {}
    for association in get_args(AssociationName):
        matcher = TableCountingMatcher(W4.schema(), association)
        for each in registered:
            matcher.insert(each)
        taken[association] = matcher.structure_bytes()
    assert taken["lists-without-deletion-table"] < taken["lists"]
    assert taken["lists-without-deletion-table"] < taken["bits"] < taken["bytes"]


def test_section_5_1_1_few_predicates_favour_lists_and_many_tables() -> None:
    """Figure 2(3) by counters, slots against cells: tables cost the same however many predicates there are.

    Counted alike, the crossover is where about two thirds of the slots are taken; a cell costs more than a slot, so
    that in time it comes earlier.
    """
    workload = TopssWorkload(10, ((1, 50),), 1)
    visited = set()
    for share, table_is_ahead in ((0.25, False), (0.6, False), (0.75, True), (1, True)):
        slots, cells = slots_and_cells(workload, round(share * workload.distinct_predicates()))
        assert (slots < cells) is table_is_ahead, share
        visited.add(slots)
    assert len(visited) == 1


def slots_and_cells(workload: TopssWorkload, predicates: int) -> tuple[int, ...]:
    generator = random.Random(2002)
    events = list(workload.events(10, generator))
    indices = (PredicateTables(workload.schema()), PredicateLists())
    counted = []
    for predicate in workload.predicates(predicates, generator):
        for index in indices:
            index.insert(predicate)
    for index in indices:
        counters = AttributeCounters()
        for event in events:
            index.satisfied(event, counters)
        counted.append(counters.nodes)
    return tuple(counted)
