"""Reports that create their parts on first use."""

from __future__ import annotations

import dataclasses
import pickle

from support.index_publications import P, ring

from gtopss import Engine, MatchReport, Subscription
from gtopss.model.expressions import contains


def test_both_kinds_of_report_have_the_same_fields() -> None:
    engine = Engine()
    engine.add(Subscription("s", [("?x", P, "?y")]))
    facts = engine.match(ring(3), bindings=False)
    for field in dataclasses.fields(MatchReport):
        getattr(facts, field.name)
    assert facts == engine.match(ring(3), bindings=False)
    assert len({*engine.match(ring(3)), *engine.match(ring(3))}) == 1
    assert repr(facts) == repr(facts.to_report()) == "<MatchReport of 'ring': 1 match ('s')>"


def test_reports_and_matches_travel_between_processes() -> None:
    engine = Engine()
    engine.add(Subscription("s", [("?x", P, "?y", [], [contains("y", "n")])]))
    for bindings in (True, False):
        report = engine.match(ring(3), bindings=bindings)
        copied = pickle.loads(pickle.dumps(report))
        assert copied.subscription_ids == report.subscription_ids
        assert [match.rows for match in copied] == [match.rows for match in report]
