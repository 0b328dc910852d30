"""Figures 5 and 6 of the G-ToPSS paper: two subscriptions, a taxonomy and an event that satisfies both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rdflib import Literal, Namespace
from support.matchers import every_matcher

from gtopss import Engine, Subscription
from gtopss.matching.reference import ReferenceMatcher
from ontology import Taxonomy, load

BIB = Namespace("http://example.org/bib#")


@pytest.fixture
def subscriptions(data: Path) -> list[Subscription]:
    lines = (data / "figure5" / "subscriptions.jsonl").read_text().splitlines()
    return [Subscription.from_json(json.loads(line)) for line in lines]


@pytest.fixture
def event(data: Path) -> bytes:
    return (data / "figure5" / "event.ttl").read_bytes()


@pytest.fixture
def taxonomy(data: Path) -> Taxonomy:
    return load(data / "ontologies" / "bibliography.ttl")


@pytest.mark.parametrize("matcher", every_matcher("paper"))
def test_the_event_matches_s1_and_s2(
    matcher: str, subscriptions: list[Subscription], event: bytes, taxonomy: Taxonomy
) -> None:
    engine = Engine(matcher=matcher, taxonomy=taxonomy)
    assert engine.add_many(subscriptions) == []
    found = {match.subscription_id: match.bindings for match in engine.match(event, "turtle")}
    assert found == {"S1": ({"z": Literal(2001)},), "S2": ({"y": BIB.ArnosPaper17, "x": Literal(2001)},)}


@pytest.mark.parametrize("matcher", every_matcher("paper"))
def test_the_event_as_printed_matches_with_lenient_literals(
    matcher: str, subscriptions: list[Subscription], event: bytes, taxonomy: Taxonomy
) -> None:
    """Figure 5(c) prints "2001", a plain literal."""
    printed = event.decode().replace("year       2001", 'year       "2001"')
    assert printed != event.decode()
    for literals in ("sparql", "lenient"):
        engine = Engine(matcher=matcher, taxonomy=taxonomy, literals=literals)
        assert engine.add_many(subscriptions) == []
        found = {match.subscription_id: match.bindings for match in engine.match(printed, "turtle")}
        if literals == "sparql":
            assert found == {}
            continue
        assert found == {"S1": ({"z": Literal("2001")},), "S2": ({"y": BIB.ArnosPaper17, "x": Literal("2001")},)}
        assert engine.explain(printed, "S1", "turtle").matched


@pytest.mark.parametrize("matcher", every_matcher("paper"))
@pytest.mark.parametrize(
    ("change", "left"),
    [
        (("year       2001", "year       2000"), {"S2"}),  # S1 wants a year after 2000
        (("year       2001", 'year       "2001"'), set()),  # a plain string never compares as a number
        (("year       2001", "year       1999"), set()),
        (('"Arno Jacobsen"', '"Somebody Else"'), set()),
        (("ArnosPaper17 bib:author", "Paper18 bib:author"), set()),  # in no class, and the edges come apart
        (("location", "place"), {"S1", "S2"}),  # nobody asked about the location
    ],
)
def test_only_changes_of_tested_edges_end_a_match(
    matcher: str, change: tuple[str, str], left: set[str], subscriptions: list[Subscription], event: bytes,
    taxonomy: Taxonomy,
) -> None:  # fmt: skip
    changed = event.decode().replace(*change)
    assert changed != event.decode()
    engine = Engine(matcher=matcher, taxonomy=taxonomy)
    engine.add_many(subscriptions)
    assert set(engine.match(changed, "turtle").subscription_ids) == left


def test_gm_has_the_edges_of_figure_5d(subscriptions: list[Subscription]) -> None:
    """S1 and S2 share (SIGMOD, year, *1); S2's paper is *2."""
    gm = ReferenceMatcher(Taxonomy())
    for subscription in subscriptions:
        gm.add(subscription)
    sigmod, year, author, conference = (f"<{BIB[name]}>" for name in ("SIGMOD", "year", "author", "conference"))
    table = gm.table()
    assert table[sigmod, "*1"] == {year: {"S1", "S2"}}
    assert table["*2", sigmod] == {conference: {"S2"}}
    assert table["*2", '"Arno Jacobsen"'] == {author: {"S2"}}
    assert gm.edge_count == 5
    gm.remove("S2")
    assert gm.edge_count == 3


@pytest.mark.parametrize(
    ("term", "cls", "expected"),
    [
        (BIB.ArnosPaper17, BIB.Publication, True),
        (BIB.ArnosPaper17, BIB.JacobsensPublication, True),
        (BIB.ArnosPaper17, BIB.SIGMODProceedings, True),
        (BIB.ArnosPaper17, BIB.Journal, False),
        (BIB.TechnicalReport, BIB.Publication, True),
        (BIB.TechnicalReport, BIB.DepartmentPublication, True),
        (BIB.TechnicalReport, BIB.JacobsensPublication, True),
        (BIB.TKDE, BIB.ConferenceProceedings, False),
    ],
)
def test_is_a_follows_the_taxonomy_of_figure_6(taxonomy: Taxonomy, term: str, cls: str, expected: bool) -> None:
    assert taxonomy.is_a(term, cls) is expected
    assert taxonomy.ancestor_of(cls, term) is expected


def test_direct_classes_of_figure_6(taxonomy: Taxonomy) -> None:
    assert taxonomy.directly_a(BIB.ArnosPaper17, BIB.SIGMODProceedings)
    assert not taxonomy.directly_a(BIB.ArnosPaper17, BIB.ConferenceProceedings)
