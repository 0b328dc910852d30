"""Patterns and access edges of segments."""

from __future__ import annotations

import random

import numpy as np
from support.answers import answers
from support.index_publications import P, Q, node, ring

from gtopss import Engine, Subscription
from gtopss.matching.index.kernels.layout import EDGE_END_CHILD, EDGE_END_LISTED, EDGE_FIRST_CHILD, EDGE_FIRST_LISTED
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.terms import Term
from ontology import Taxonomy


def listed_under(engine: Engine, property: str) -> int:
    """How many patterns are reached by an edge with this property, alone or first of two."""
    matcher = engine._core.matcher
    (segment,) = matcher._writer.merger.segments
    graph, access = segment.arrays.graph, segment.arrays.access
    edges = np.flatnonzero(graph.labels == matcher._writer.dictionary.number(Term(property)))
    first, last = access.edges[edges, EDGE_FIRST_CHILD], access.edges[edges, EDGE_END_CHILD]
    children = np.concatenate([np.arange(*ends) for ends in zip(first, last, strict=True)])
    by_two = np.diff(access.child_starts)[children].sum()
    by_one = access.edges[edges, EDGE_END_LISTED] - access.edges[edges, EDGE_FIRST_LISTED]
    return int(by_two + by_one.sum())


def test_equal_structures_share_a_pattern_whatever_their_variables_are_called() -> None:
    matcher = IndexMatcher(Taxonomy())
    chain = [("?a", P, "?b"), ("?b", Q, "?c"), ("?c", P, node(1))]
    for number in range(50):
        names = random.Random(number).sample(["?x", "?y", "?z"], 3)
        renamed = dict(zip(["?a", "?b", "?c"], names, strict=True))
        edges = [(renamed[s], p, renamed.get(o, o)) for s, p, o in chain]
        random.Random(number).shuffle(edges)
        matcher.add(Subscription(f"s{number}", edges))
    matcher.optimise()
    (segment,) = matcher._writer.merger.segments
    assert len(segment) == 50
    assert len(segment.arrays.patterns.about) == 2


def test_a_long_list_is_split_by_a_second_edge() -> None:
    """A hundred subscriptions that share their first edge: only those within reach of a second one are looked at."""
    engine = Engine()
    for number in range(100):
        engine.add(Subscription(f"s{number}", [("?x", P, node(0)), ("?x", Q, node(number))]))
    report = engine.match([(node(200), P, node(0)), (node(200), Q, node(7))])
    assert report.subscription_ids == ("s7",)
    assert report.counters.candidates == 1


def test_traffic_chooses_the_access_edge_anew() -> None:
    """An edge that few subscribe to but all publish is a bad way in; after some traffic a merge knows."""
    engine = Engine()
    for number in range(300):
        engine.add(Subscription(f"s{number}", [("?x", P, node(number % 3)), ("?x", Q, node(1000 + number))]))
    for number in range(300):
        engine.add(Subscription(f"t{number}", [("?x", Q, node(1000))]))
    often = [(node(9), Q, node(1000 + i)) for i in range(1, 300)] + [(node(9), P, node(77))]
    engine.optimise()
    assert listed_under(engine, Q) == 301
    for _ in range(40):
        engine.match(often, bindings=False)
    engine.optimise()
    assert listed_under(engine, P) == 299  # all whose other edge is published often


def test_a_self_loop_a_property_variable_and_a_repeated_variable() -> None:
    engine = Engine(allow_cartesian=True)
    engine.add(Subscription("loop", [("?x", "?p", "?x")]))
    engine.add(Subscription("named", [("?x", Q, "?x"), ("?x", P, "?y")]))
    engine.add(Subscription("own", [("?x", "?x", "?y")]))
    found = answers(engine.match(ring(4)))
    assert len(found["loop"]) == len(found["named"]) == 4
    assert "own" not in found
    assert answers(engine.match([(P, P, P)]))["own"]


def test_a_large_publication_is_joined_by_its_ends_not_by_its_tables() -> None:
    """A path of three over a ring of 20,000: with tables alone it would be 10^8 steps."""
    engine = Engine(row_limit=100_000)
    engine.add(Subscription("path", [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d")]))
    (match,) = engine.match(ring(20_000))
    assert len(match.solutions) == 20_000
    assert engine.costs()["path"] < 200_000
