"""The rules in their order, for matching and for explanations."""

from __future__ import annotations

import pytest
from rdflib import RDF
from support.language import EX, PREFIX, edges, only_branch, read

from gtopss import Engine
from gtopss.errors import NeverMatches
from gtopss.language.rewrite import RULES, apply_rules, rewrite_subscription


def test_the_order_of_the_rules() -> None:
    assert [rule.__name__ for rule in RULES] == ["expand_members", "push_constants", "merge_variables"]


def test_the_rules_are_applied_until_none_changes_the_branch() -> None:
    branch = only_branch("SELECT * { ?x :p ?y . ?y :q ?z . ?w :r ?v FILTER(?z = ?w && ?v = ?y && ?v = :a) }")
    assert edges(apply_rules(branch, RULES)) == [
        "?x <urn:ex:p> <urn:ex:a>",
        "<urn:ex:a> <urn:ex:q> ?z",
        "?z <urn:ex:r> <urn:ex:a>",
    ]


def test_a_subscription_with_nothing_to_rewrite_is_returned_itself() -> None:
    for text in ("SELECT * { ?x :p ?y }", "SELECT * { ?x :p ?y FILTER(?y > 5) }"):
        subscription = read(text)
        assert rewrite_subscription(subscription).subscription is subscription


def test_explanations_speak_of_what_was_written() -> None:
    engine = Engine()
    engine.add(PREFIX + "ASK { ?list rdfs:member ?m . ?m :p ?z }", id="members")
    engine.add(PREFIX + "ASK { ?s :p ?y VALUES ?s { :s9 } }", id="values")
    with pytest.warns(NeverMatches):
        engine.add(PREFIX + "ASK { ?s :p ?y { ?t :q ?y FILTER(?s > 1) } }", id="scope")
    with pytest.warns(NeverMatches):
        engine.add(PREFIX + "ASK { ?s :p ?y FILTER(?y > 2000 && ?y < 1990) }", id="never")
    event = [(EX.a, EX.p, EX.b), (EX.c, EX.q, EX.b)]
    members = engine.explain(event, "members")
    assert "✘ ?list  rdfs:member  ?m" in str(members)
    assert [each.edge[1] for each in members.branches[0].matched_edges] == [f"<{EX.p}>"]
    assert engine.explain([*event, (EX.l, RDF._3, EX.a)], "members").matched
    assert "✘ :s9  :p  ?y" in str(engine.explain(event, "values"))
    assert "?s (not bound) > 1" in str(engine.explain(event, "scope"))
    assert "no publication can satisfy it" in str(engine.explain([(EX.a, EX.p, 2005)], "never"))
    assert engine.explain(event, "never").to_json()["impossible"]
