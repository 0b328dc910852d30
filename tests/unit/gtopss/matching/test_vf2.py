"""The paper's naive: one test for each subscription, all nodes variables."""

from __future__ import annotations

from dataclasses import replace

from support.answers import answers, ask_directly

from gtopss import Publication, Subscription
from gtopss.experiments.workloads.gtopss_table1 import GtopssTable1, synthetic_table1
from gtopss.matching.vf2 import Vf2Matcher
from ontology import Taxonomy

A, B, C, P, Q = (f"<urn:{name}>" for name in "abcpq")


def test_answers_on_table_1() -> None:
    workload = synthetic_table1(replace(GtopssTable1(), subscriptions=200, matching=0.1, labels=10))
    expected = ask_directly("naive", workload.taxonomy, list(workload.subscriptions()), workload.first_publication)
    assert len(expected) >= 20
    assert (
        ask_directly("vf2", workload.taxonomy, list(workload.subscriptions()), workload.first_publication) == expected
    )


def test_two_variables_may_have_one_value() -> None:
    """Why networkx's VF2, which is injective, would not do."""
    matcher = Vf2Matcher(Taxonomy())
    matcher.add(Subscription("s", [(A, P, "?x"), (A, P, "?y")]))
    found = answers(matcher.match(Publication("p", [(A, P, B), (A, P, C)])))
    assert sum(found["s"].values()) == 4


def test_a_property_that_is_a_node_too() -> None:
    matcher = Vf2Matcher(Taxonomy())
    matcher.add(Subscription("s", [(A, P, "?x"), (P, Q, "?y")]))
    matcher.add(Subscription("t", [("?x", "?r", "?y"), ("?r", Q, C)]))
    found = answers(matcher.match(Publication("p", [(A, P, B), (P, Q, C), (B, Q, C)])))
    assert {id: sum(rows.values()) for id, rows in found.items()} == {"s": 1, "t": 1}


def test_every_mapping_is_tried_before_names_are_looked_at() -> None:
    matcher = Vf2Matcher(Taxonomy())
    matcher.add(Subscription("s", [(A, P, B)]))
    report = matcher.match(Publication("p", [(C, P, B), (B, P, C)]))
    assert report.counters.joined == 2
    assert not report.matches
