"""Slots are reused after removal."""

from __future__ import annotations

import pytest
from support.index_publications import P, node, ring

from gtopss import Subscription
from gtopss.matching.index import merging, slots
from gtopss.matching.index.matcher import IndexMatcher
from ontology import Taxonomy


def test_slots_are_used_again() -> None:
    matcher = IndexMatcher(Taxonomy())
    for number in range(2_000):
        matcher.add(Subscription("s", [("?x", P, node(number % 7))]))
        assert matcher.match(ring(7)).subscription_ids == ("s",)
        matcher.remove("s")
        assert not matcher.match(ring(7))
    assert len(matcher._writer.slots.encoded) < 200


def test_removed_entries_are_merged_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "MIN_DEAD_TO_MERGE", 20)
    monkeypatch.setattr(merging, "MAX_FLUSH_ENTRIES", 1)
    matcher = IndexMatcher(Taxonomy())
    for number in range(100):
        matcher.add(Subscription(f"s{number}", [("?x", P, node(number))]))
    matcher.match(ring(3))
    assert sum(matcher.segments()) == 100
    for number in range(99):
        matcher.remove(f"s{number}")
    matcher._writer.merger.wait()
    assert sum(matcher.segments()) < 50
