"""Adding and removing subscriptions, taxonomy edits and limits of size."""

from __future__ import annotations

import pytest
from support.index_publications import P, node, ring

from gtopss import Branch, Engine, Publication, Subscription
from gtopss.errors import UnsupportedSubscription
from gtopss.matching.index import merging
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.expressions import ancestor_of, compare, is_a
from gtopss.model.terms import iri
from ontology import Taxonomy


def test_a_publication_leaves_no_trace() -> None:
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("s", [("?x", P, node(0))]))
    matcher.match(ring(3))
    terms = len(matcher._writer.dictionary)
    matcher.match(ring(1000))
    assert len(matcher._writer.dictionary) == terms


def test_what_is_removed_with_its_bounds_is_not_compared() -> None:
    """Nobody asks for values any longer, so none are read: the entry is still in its segment, and must not look."""
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("plain", [("?x", P, "?y")]))
    for number in range(40):
        matcher.add(Subscription(f"s{number}", [("?x", P, "?y", [], [compare("y", "<", number)])]))
    publication = Publication("p", [(node(0), P, 5)])
    assert len(matcher.match(publication)) == 1 + 34
    for number in range(40):
        matcher.remove(f"s{number}")
    report = matcher.match(publication)
    assert report.subscription_ids == ("plain",)
    assert report.counters.constraints_tested == 0


def test_a_taxonomy_edit_takes_effect_and_names_the_affected_subscriptions() -> None:
    zoo = Taxonomy([("urn:Cat", "urn:Animal")])
    engine = Engine(taxonomy=zoo)
    for name in ("Animal", "Cat", "Plant"):
        engine.add(Subscription(name, [("?x", P, "?y", [is_a("x", iri(f"urn:{name}"))])]))
    tom = [(iri("urn:tom"), P, 1)]
    assert engine.match(tom).subscription_ids == ()
    assert engine.affected_by_taxonomy() == ()
    zoo.add_instance("urn:tom", "urn:Cat")
    assert set(engine.match(tom).subscription_ids) == {"Animal", "Cat"}
    zoo.remove_instance("urn:tom", "urn:Cat")
    assert engine.match(tom).subscription_ids == ()
    assert set(engine.affected_by_taxonomy()) == {"Animal", "Cat"}
    zoo.add_subclass("urn:tom", "urn:Animal")
    assert engine.affected_by_taxonomy() == ("Animal",)
    assert engine.affected_by_taxonomy() == ()


def test_taxonomy_edits_are_remembered_until_the_affected_are_read() -> None:
    zoo = Taxonomy([("urn:Cat", "urn:Animal")])
    engine = Engine(taxonomy=zoo)
    engine.add(Subscription("animal", [("?x", P, "?y", [is_a("x", iri("urn:Animal"))])]))
    engine.add(Subscription("above", [("?x", P, "?y", [ancestor_of("x", iri("urn:Cat"))])]))
    zoo.add_instance("urn:tom", "urn:Cat")
    engine.match([(iri("urn:tom"), P, 1)])
    assert set(engine.affected_by_taxonomy()) == {"animal", "above"}
    zoo.add_instance("urn:rock", "urn:Thing")
    assert engine.affected_by_taxonomy() == ("above",)
    assert engine.affected_by_taxonomy() == ()


def test_a_flush_that_fails_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    for number in range(5):
        engine.add(Subscription(f"s{number}", [("?x", P, node(0))]))

    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(merging, "merge_index_segments", fail)
        with pytest.raises(KeyboardInterrupt):
            engine.match([(node(1), P, node(0))])
    assert len(engine.match([(node(1), P, node(0))])) == 5


def test_what_is_too_large_for_the_index_is_refused() -> None:
    hub = Subscription("hub", [(node(0), P, f"?v{i}") for i in range(30_001)])
    with pytest.raises(UnsupportedSubscription, match="30001 variables"):
        Engine(allow_cartesian=True).add(hub)
    branches = Subscription("many", branches=[Branch([("?x", P, node(i))]) for i in range(30_001)])
    with pytest.raises(UnsupportedSubscription, match="30001 branches"):
        Engine().add(branches)
