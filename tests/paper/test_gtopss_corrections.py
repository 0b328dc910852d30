"""Corrections of the paper's printed pseudo-code, one test each; `gtopss.matching.reference` lists their numbers."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from gtopss import Engine, Publication, Subscription
from gtopss.matching.reference import ReferenceMatcher
from gtopss.model.expressions import Call, compare, directly_a, is_a
from gtopss.model.terms import iri
from ontology import Taxonomy

A, B, C, D = (iri(f"urn:{name}") for name in "ABCD")
p, q = iri("urn:p"), iri("urn:q")


@pytest.fixture
def engine() -> Engine:
    return Engine(matcher="reference")


def ids(engine: Engine, *triples: tuple[str, str, object]) -> set[str]:
    return set(engine.match(triples).subscription_ids)


def test_1_counts_are_reset_between_publications(engine: Engine) -> None:
    engine.add(Subscription("s", [(A, p, B), (A, q, B)]))
    for _ in range(2):  # as printed, the second time would complete the count
        report = engine.match([(A, p, B)])
        assert report.matches == ()
        assert report.counters.candidates == 0


def test_2_binding_tables_are_emptied_between_publications(engine: Engine) -> None:
    engine.add(Subscription("s", [("?x", p, B), ("?x", q, "?y")]))
    assert ids(engine, (A, p, B), (A, q, C)) == {"s"}
    assert ids(engine, (D, p, B), (A, q, C)) == set()  # as printed, A p B is still in the table
    (match,) = engine.match([(D, p, B), (D, q, C)])
    assert [row["x"].n3() for row in match.bindings] == [D]


def test_2_several_threads_may_match_at_once() -> None:
    gm = ReferenceMatcher(Taxonomy())
    gm.add(Subscription("s", [("?x", p, "?y"), ("?y", q, "?z")]))
    events = [
        Publication(f"p{n}", [(A, p, iri(f"urn:{n}:{i}")) for i in range(30)] + [(iri(f"urn:{n}:{n}"), q, n)])
        for n in range(20)
    ]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            for event, report in zip(events * 20, pool.map(gm.match, events * 20), strict=True):
                (match,) = report.matches
                (solution,) = match.solutions
                assert solution.triples() == (event.triples[int(event.id[1:])], event.triples[-1])
    finally:
        sys.setswitchinterval(before)


def test_3_an_edge_hit_often_counts_once(engine: Engine) -> None:
    engine.add(Subscription("s", [(A, p, "?x"), (A, q, "?y")]))
    report = engine.match([(A, p, B), (A, p, C), (A, p, D)])  # as printed, three hits of one edge pass for two edges
    assert report.matches == ()
    assert report.counters.candidates == 0
    assert report.counters.edges_fired == 1


def test_4_edges_are_not_matched_backwards(engine: Engine) -> None:
    engine.add(Subscription("s", [(B, p, A)]))
    engine.add(Subscription("t", [(B, p, "?x")]))
    assert ids(engine, (A, p, B)) == set()
    assert ids(engine, (B, p, A)) == {"s", "t"}


@pytest.mark.parametrize(
    ("constraint", "holds"), [(compare("y", "<", 5), True), (compare("y", ">", 5), False)], ids=["holds", "fails"]
)
def test_5_every_constraint_is_checked(engine: Engine, constraint: Call, holds: bool) -> None:
    engine.add(Subscription("s", [("?x", p, "?y", [is_a("x", A)], [compare("y", ">", 0), constraint])]))
    assert ids(engine, (A, p, 3)) == ({"s"} if holds else set())


def test_6_direct_means_child_not_equal() -> None:
    engine = Engine(matcher="reference", taxonomy=Taxonomy([("urn:B", "urn:A"), ("urn:C", "urn:B")]))
    engine.add(Subscription("s", [("?x", p, D, [directly_a("x", A)], [])]))
    assert ids(engine, (A, p, D)) == set()  # as printed, `A.equals(A)`
    assert ids(engine, (B, p, D)) == {"s"}
    assert ids(engine, (C, p, D)) == set()  # a grandchild is not a child


def test_7_a_variable_used_twice_matches_only_self_loops(engine: Engine) -> None:
    engine.add(Subscription("loop", [("?x", p, "?x")]))
    engine.add(Subscription("pair", [("?x", p, "?y")]))
    engine.add(Subscription("constant", [(A, p, A)]))
    assert ids(engine, (A, p, B)) == {"pair"}
    assert ids(engine, (B, p, B)) == {"loop", "pair"}
    assert ids(engine, (A, p, A)) == {"loop", "pair", "constant"}


def test_8_a_repeated_edge_has_the_constraints_of_both_tuples(engine: Engine) -> None:
    engine.add(Subscription("s", [("?x", p, B), ("?x", p, B, [is_a("x", A)], [])]))
    assert ids(engine, (A, p, B)) == {"s"}
    assert ids(engine, (C, p, B)) == set()  # both 5-tuples' constraints count


def test_a_property_variable_has_one_value_per_row(engine: Engine) -> None:
    engine.add(Subscription("any", [(A, "?p", B)]))
    engine.add(Subscription("both", [("?x", "?p", B), (B, "?p", "?x")]))
    engine.add(Subscription("own", [("?p", "?p", "?y")]))
    assert ids(engine, (A, q, B)) == {"any"}
    assert ids(engine, (A, q, B), (B, p, A)) == {"any"}
    assert ids(engine, (A, q, B), (B, q, A)) == {"any", "both"}
    assert ids(engine, (p, p, C)) == {"own"}


def test_the_cost_of_many_variables_is_linear() -> None:
    gm = ReferenceMatcher(Taxonomy())
    gm.add(Subscription("long", [(f"?v{i}", q, f"?v{i + 1}") for i in range(200)]))
    assert gm.match(Publication("p", [(A, p, B)])).counters.edges_probed == 201


def test_a_row_limit_limits_the_joined_rows() -> None:
    engine = Engine(matcher="reference", row_limit=10)
    engine.add(Subscription("s", [("?x", p, f"?v{i}") for i in range(6)]))
    event = [(A, p, i) for i in range(30)]  # 30 to the power of 6 rows
    assert engine.match(event, bindings=False).counters.joined == 1
    report = engine.match(event)
    assert report[0].truncated
    assert report.counters.joined == 11


def test_removal_restores_gm() -> None:
    gm = ReferenceMatcher(Taxonomy())
    gm.add(Subscription("kept", [(A, p, "?x")]))
    before = gm.table()
    gm.add(Subscription("s", [(A, p, "?x"), ("?x", "?y", "?z"), ("?x", q, "?x")]))
    gm.remove("s")
    assert gm.table() == before
    report = gm.match(Publication("p", [(A, p, B)]))
    assert report.counters.edges_probed == 2  # (A, B) and (A, *1): no other star pair is left
