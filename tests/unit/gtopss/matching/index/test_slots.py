"""Slots are reused after removal."""

from __future__ import annotations

from support.index_publications import P, node, ring

from gtopss import Subscription
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
