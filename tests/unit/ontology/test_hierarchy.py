from __future__ import annotations

import json

import pytest

from ontology import CyclicTaxonomy
from ontology.hierarchy import Hierarchy

CHAIN = [("c", "b"), ("b", "a")]


def test_names_are_below_themselves_and_all_that_is_above() -> None:
    made = Hierarchy(CHAIN, nodes=["alone"])
    assert {(x, y) for x in "abc" for y in "abc" if made.is_below(x, y)} == {
        ("a", "a"), ("b", "b"), ("c", "c"), ("b", "a"), ("c", "b"), ("c", "a"),
    }  # fmt: skip
    assert made.downward("b") == {"b", "c"}
    assert made.upward(["c", "unknown"]) == {"a", "b", "c"}
    assert made.downward("alone") == {"alone"}


def test_a_new_leaf_is_found_before_the_graph_is_labelled_again() -> None:
    made = Hierarchy(CHAIN)
    assert made.is_below("c", "a")  # labels the graph
    assert made.add("leaf", "b")
    assert (made.is_below("leaf", "a"), made.is_below("leaf", "c")) == (True, False)
    assert made.downward("a") == {"a", "b", "c", "leaf"}
    assert made.remove("leaf", "b")
    assert not made.is_below("leaf", "a")
    assert "leaf" in made


def test_an_edge_that_closes_a_cycle_is_refused_and_leaves_no_trace() -> None:
    made = Hierarchy(CHAIN)
    with pytest.raises(CyclicTaxonomy) as caught:
        made.add("a", "c")
    assert set(caught.value.cycle) == {"a", "b", "c"}
    assert set(made.edges()) == set(CHAIN)


def test_condensed_names_are_equivalent() -> None:
    made = Hierarchy([*CHAIN, ("a", "c")], cycles="condense")
    assert made.equivalents("b") == ("a", "b", "c")
    assert made.is_below("a", "c")
    assert made.downward("a") == {"a", "b", "c"}


def test_a_stated_equivalence_is_no_cycle() -> None:
    made = Hierarchy(CHAIN, equivalent=[("a", "x")])
    assert made.equivalents("a") == ("a", "x")
    assert made.is_below("c", "x")


def test_an_inferred_edge_stays_when_the_asserted_one_is_removed() -> None:
    made = Hierarchy([("b", "a")], [("b", "a"), ("c", "a")])
    assert made.remove("b", "a")
    assert not made.remove("b", "a")
    assert made.is_below("b", "a")
    assert list(made.edges(asserted_only=True)) == []
    assert list(made.asserted_children("a")) == []


def test_a_path_is_shortest_and_goes_through_a_first_step() -> None:
    made = Hierarchy([("d", "c"), ("c", "b"), ("b", "a"), ("d", "b")])
    assert made.shortest_path("d", made.parents("d"), "a") == ("d", "b", "a")
    assert made.shortest_path("d", ["c"], "a") == ("d", "c", "b", "a")
    assert made.shortest_path("a", made.parents("a"), "d") == ()


def test_a_self_loop_only_declares_the_name() -> None:
    made = Hierarchy([("a", "a")])
    assert (set(made), list(made.edges())) == ({"a"}, [])
    assert (made.add("a", "a"), made.add("b", "b")) == (False, True)


def test_json_gives_back_the_hierarchy() -> None:
    made = Hierarchy(CHAIN, [("d", "a")], equivalent=[("a", "x")], nodes=["alone"])
    again = Hierarchy.from_json(json.loads(json.dumps(made.to_json())))
    assert again.to_json() == made.to_json()
    assert again.is_below("c", "x")


def test_an_unknown_cycle_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="condense"):
        Hierarchy(cycles="ignore")  # type: ignore[arg-type]
