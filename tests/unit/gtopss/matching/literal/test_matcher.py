"""The printed structure in arrays, and each departure from it: the same answers as naive."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

import pytest
from hypothesis import given, settings
from support.answers import answers
from support.strategies import LITERALS, Case, cases

from gtopss import Publication, Subscription
from gtopss.matching.literal.kernels.match import MAX_PATTERN_VALUES
from gtopss.matching.literal.matcher import LiteralMatcher
from gtopss.matching.literal.merged_graph import GraphDepartures
from gtopss.matching.matcher import Capabilities
from gtopss.matching.naive import NaiveMatcher
from gtopss.model.expressions import compare
from ontology import Taxonomy

SINGLE = {each.name: GraphDepartures(**{each.name: True}) for each in fields(GraphDepartures)}
VARIANTS = {"printed": GraphDepartures(), **SINGLE, "all": GraphDepartures(**dict.fromkeys(SINGLE, True))}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_agrees_with_naive(name: str) -> None:
    tally: Counter[str] = Counter()

    @settings(max_examples=100)
    @given(cases(LITERALS))
    def agrees(case: Case) -> None:
        literal, naive = LiteralMatcher(case.taxonomy, departures=VARIANTS[name]), NaiveMatcher(case.taxonomy)
        for subscription in case.subscriptions:
            literal.add(subscription)
            naive.add(subscription)
        expected = answers(naive.match(case.publication))
        assert answers(literal.match(case.publication)) == expected
        tally["cases"] += 1
        tally["matching"] += bool(expected)

    agrees()
    assert tally["matching"] >= 0.2 * tally["cases"], tally


def grid(count: int) -> Publication:
    triples = [(f"<urn:x{i}>", "<urn:p>", f"<urn:y{k}>") for i in range(count) for k in range(count)]
    return Publication("grid", triples)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_join_with_more_rows_than_a_block_is_whole(name: str) -> None:
    """Every pair of edges that meet: 20 * 20 * 20 rows, which are made in many blocks."""
    matcher = LiteralMatcher(Taxonomy(), departures=VARIANTS[name])
    matcher.add(Subscription("s", [("?x", "<urn:p>", "?y"), ("?z", "<urn:p>", "?y")]))
    assert MAX_PATTERN_VALUES < 3 * 20**3
    (match,) = matcher.match(grid(20))
    assert len(set(match.solutions)) == len(match.solutions) == 20**3
    (match,) = matcher.match(grid(20), row_limit=7)
    assert len(match.solutions) == 7
    assert match.truncated


@pytest.mark.parametrize("name", VARIANTS)
def test_the_publication_before_leaves_nothing_behind(name: str) -> None:
    matcher = LiteralMatcher(Taxonomy(), departures=VARIANTS[name])
    matcher.add(Subscription("s", [("?x", "<urn:p>", "?y"), ("?y", "<urn:q>", "?z")]))
    half = Publication("half", [("<urn:a>", "<urn:p>", "<urn:b>")])
    rest = Publication("rest", [("<urn:b>", "<urn:q>", "<urn:c>")])
    assert not matcher.match(half)
    assert not matcher.match(rest)
    assert len(matcher.match(Publication("both", half.triples + rest.triples))) == 1
    assert not matcher.match(half)


@pytest.mark.parametrize("name", VARIANTS)
def test_edges_that_share_a_table_are_joined_each_by_its_own_columns(name: str) -> None:
    """A cycle of three edges without a constant: without numbered stars, all three are one edge of GM."""
    cycle = Subscription("s", [("?x", "?p", "?y"), ("?y", "?q", "?z"), ("?z", "?r", "?x")])
    triples = [(f"<urn:{n}>", f"<urn:p{n % 5}>", f"<urn:{n * k % 17}>") for n in range(17) for k in (3, 5)]
    literal, naive = LiteralMatcher(Taxonomy(), departures=VARIANTS[name]), NaiveMatcher(Taxonomy())
    literal.add(cycle)
    naive.add(cycle)
    event = Publication("p", triples)
    assert answers(literal.match(event)) == answers(naive.match(event)) != {}


def test_subscriptions_of_equal_structure_are_one_pattern() -> None:
    matcher = LiteralMatcher(Taxonomy(), departures=SINGLE["shared_patterns"])
    for number, (x, y) in enumerate([("?x", "?y"), ("?b", "?a")]):
        tests = [compare(y, ">", number)]
        matcher.add(Subscription(f"s{number}", [("<urn:a>", "<urn:q>", x), (x, "<urn:p>", y, [], tests)]))
    event = Publication("p", [("<urn:a>", "<urn:q>", "<urn:b>"), ("<urn:b>", "<urn:p>", 1)])
    report = matcher.match(event)
    assert [each.subscription_id for each in report] == ["s0"]
    assert report.counters.candidates == 1


def test_edges_are_counted_once_however_many_triples_reach_them() -> None:
    """Mistake 3 of the printed pseudo-code: two triples on one edge are not two edges."""
    matcher = LiteralMatcher(Taxonomy())
    matcher.add(Subscription("s", [("?x", "<urn:p>", "?y"), ("?x", "<urn:q>", "?y")]))
    report = matcher.match(Publication("p", [("<urn:a>", "<urn:p>", 1), ("<urn:a>", "<urn:p>", 2)]))
    assert report.counters.candidates == 0
    assert report.counters.edges_fired == 1


def test_it_matches_and_does_nothing_else() -> None:
    assert LiteralMatcher.capabilities == Capabilities()


def test_the_size_of_its_arrays() -> None:
    matcher = LiteralMatcher(Taxonomy())
    empty = matcher.graph().nbytes()
    matcher.add(Subscription("s", [("?x", "<urn:p>", "?y")]))
    assert matcher.graph().nbytes() > empty
