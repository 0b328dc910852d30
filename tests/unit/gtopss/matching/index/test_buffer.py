"""Additions stay in the buffer until a publication may match them."""

from __future__ import annotations

from support.index_publications import P, node, ring

from gtopss import Publication, Subscription
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.expressions import is_a
from gtopss.model.terms import RDF_TYPE, iri
from ontology import Taxonomy


def test_what_is_added_waits_until_it_may_match() -> None:
    """A publication that lacks one of its constants makes no segment of it; the first that has them all does."""
    matcher = IndexMatcher(Taxonomy([("urn:c1", "urn:c0")]))
    matcher.add(Subscription("old", [("?x", P, node(0))]))
    assert matcher.match(ring(3)).subscription_ids == ("old",)
    assert matcher.segments() == [1]
    far = Subscription("far", [("?x", P, node(0)), ("?x", P, node(9)), ("?x", "?q", "?y")])
    wide = Subscription("wide", [("?x", P, node(number)) for number in range(1_000)])
    matcher.add(far)
    matcher.add(wide)
    assert matcher.match(ring(3)).subscription_ids == ("old",)
    assert matcher.segments() == [1]
    star = Publication("p", [(node(5), P, node(0)), (node(5), P, node(9))])
    assert set(matcher.match(star).subscription_ids) == {"old", "far"}
    assert sum(matcher.segments()) == 3
    everything = Publication("p", [(node(5), P, node(number)) for number in range(1_000)])
    assert set(matcher.match(everything).subscription_ids) == {"old", "far", "wide"}
    matcher.add(Subscription("class", [("?x", P, "?y", [is_a("x", iri("urn:c0"))])]))
    typed = Publication("p", [(node(7), RDF_TYPE, iri("urn:c1")), (node(7), P, node(8))])
    assert matcher.match(typed).subscription_ids == ("class",)
    matcher.add(Subscription("any", [("?x", "?q", "?y")]))
    assert matcher.match(Publication("p", [(node(1), node(2), node(3))])).subscription_ids == ("any",)


def test_what_is_removed_while_it_waits_is_gone() -> None:
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("old", [("?x", P, node(0))]))
    matcher.match(ring(3))
    for number in range(200):
        matcher.add(Subscription("s", [("?x", P, node(number))]))
        matcher.remove("s")
    assert matcher.match(Publication("p", [(node(5), P, node(199))])).subscription_ids == ()
    assert len(matcher._writer.slots.encoded) < 200
