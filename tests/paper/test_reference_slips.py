"""The slips of the paper's printed pseudo-code, one test each; the numbers are those of `gtopss.gm.reference`."""

from __future__ import annotations

import pytest

from gtopss import Engine, Publication, Subscription
from gtopss.gm.reference import ReferenceMatcher
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


def test_1_a_count_does_not_outlive_its_publication(engine: Engine) -> None:
    engine.add(Subscription("s", [(A, p, B), (A, q, B)]))
    assert ids(engine, (A, p, B)) == set()
    assert ids(engine, (A, p, B)) == set()  # as printed, the second half would complete the count


def test_2_binding_tables_are_emptied_between_publications(engine: Engine) -> None:
    engine.add(Subscription("s", [("?x", p, B), ("?x", q, "?y")]))
    assert ids(engine, (A, p, B), (A, q, C)) == {"s"}
    assert ids(engine, (D, p, B), (A, q, C)) == set()  # as printed, A p B is still in the table
    (match,) = engine.match([(D, p, B), (D, q, C)])
    assert [row["x"].n3() for row in match.bindings] == [D]


def test_2_also_when_matching_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    gm = ReferenceMatcher(Taxonomy())
    gm.add(Subscription("s", [("?x", p, "?y"), ("?y", q, "?x")]))

    def broken(*_: object) -> bool:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("gtopss.gm.reference.Scope", broken)
        with pytest.raises(RuntimeError):
            gm.match(Publication("p1", [(A, p, B), (B, q, A)]))
    assert gm.match(Publication("p2", [(A, p, B)])).matches == ()
    assert gm.match(Publication("p3", [(C, q, D)])).matches == ()


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


def test_7_self_loops(engine: Engine) -> None:
    engine.add(Subscription("loop", [("?x", p, "?x")]))
    engine.add(Subscription("pair", [("?x", p, "?y")]))
    engine.add(Subscription("constant", [(A, p, A)]))
    assert ids(engine, (A, p, B)) == {"pair"}
    assert ids(engine, (B, p, B)) == {"loop", "pair"}
    assert ids(engine, (A, p, A)) == {"loop", "pair", "constant"}


def test_8_the_same_edge_twice(engine: Engine) -> None:
    engine.add(Subscription("s", [("?x", p, B), ("?x", p, B, [is_a("x", A)], [])]))
    assert ids(engine, (A, p, B)) == {"s"}
    assert ids(engine, (C, p, B)) == set()  # both 5-tuples' constraints count


def test_property_variables(engine: Engine) -> None:
    engine.add(Subscription("any", [(A, "?p", B)]))
    engine.add(Subscription("both", [("?x", "?p", B), (B, "?p", "?x")]))
    engine.add(Subscription("own", [("?p", "?p", "?y")]))
    assert ids(engine, (A, q, B)) == {"any"}
    assert ids(engine, (A, q, B), (B, p, A)) == {"any"}
    assert ids(engine, (A, q, B), (B, q, A)) == {"any", "both"}
    assert ids(engine, (p, p, C)) == {"own"}


def test_removal_leaves_gm_as_if_it_never_was() -> None:
    gm = ReferenceMatcher(Taxonomy())
    gm.add(Subscription("kept", [(A, p, "?x")]))
    before = gm.table()
    gm.add(Subscription("s", [(A, p, "?x"), ("?x", "?y", "?z"), ("?x", q, "?x")]))
    gm.remove("s")
    assert gm.table() == before
    report = gm.match(Publication("p", [(A, p, B)]))
    assert report.counters.edges_probed == 4  # one star is left, so one edge probes 2 x 2 pairs
