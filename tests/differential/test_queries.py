"""Whole queries against pyoxigraph and rdflib, which run the very same text.

Where the two agree, every matcher must agree with them. Where they differ, the specification decides; the tests below
the generated ones hold these decisions:

- EXISTS whose pattern has a filter on variables from outside: the values of the row are substituted (section 18.6);
  rdflib does not see them inside nested groups;
- a path between two variables connects only terms of the graph, even without length (section 18.4), also where another
  pattern binds a variable to a term that the graph does not have;
- an aggregate other than COUNT and SAMPLE over a group with a type error has none of its own value (section 18.5.1);
- rdflib evaluates joins from left to right, so that a filter in OPTIONAL or in a group may see too many variables.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import TypeAlias

import pyoxigraph as ox
import pytest
import rdflib
from conftest import SOAK
from support.query_texts import RandomQuery, random_query, random_triples

from gtopss import Engine, Publication
from gtopss.matching.sparql_engines import Oxigraph
from gtopss.model.rdflib_literals import quiet_rdflib
from gtopss.model.terms import Term, Triple, from_rdflib, to_rdflib

CASES = 20_000 if SOAK else 400
RDFLIB_SHARE = 0.25  # of the cases; it takes most of the time
SEED = 20_261_117

Solutions: TypeAlias = "Counter[frozenset[tuple[str, Term]]]"


def in_oxigraph(text: str, triples: list[Triple]) -> Solutions:
    engine = Oxigraph()
    engine.load(triples, [])
    found = engine.store.query(text)
    assert isinstance(found, ox.QuerySolutions)
    names = [variable.value for variable in found.variables]
    return Counter(frozenset((name, Term(str(row[name]))) for name in names if row[name] is not None) for row in found)


def in_rdflib(text: str, triples: list[Triple]) -> Solutions | None:
    """The answer of rdflib; None if it fails."""
    graph = rdflib.Graph()
    for triple in triples:
        graph.add(tuple(map(to_rdflib, triple)))
    try:
        with quiet_rdflib():
            rows = list(graph.query(text).bindings)
    except Exception:
        return None
    return Counter(
        frozenset((str(name), from_rdflib(value)) for name, value in row.items() if value is not None) for row in rows
    )


def in_engine(text: str, triples: list[Triple], matcher: str) -> Solutions:
    engine = Engine(matcher=matcher, allow_cartesian=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.add(text, id="q")
    report = engine.match(Publication.trusted("p", triples))
    assert not report.exceeded
    return Counter(frozenset(row.items()) for match in report for row in match.rows)


def assert_same(query: RandomQuery, found: Solutions, expected: Solutions, triples: list[Triple]) -> None:
    if query.unlimited is None:
        assert found == expected, (query.text, triples)
        return
    # Which of equal or incomparable solutions are within the limit is not defined.
    assert found.total() == expected.total(), (query.text, triples)
    assert found <= in_oxigraph(query.unlimited, triples), (query.text, triples)


@pytest.mark.parametrize("matcher", ["gm", "naive", "reference"])
def test_generated_queries_mean_what_they_mean_to_sparql_engines(matcher: str) -> None:
    chance = random.Random(SEED)
    tally: Counter[str] = Counter()
    for _ in range(CASES if matcher == "gm" else CASES // 2):
        triples = list(dict.fromkeys(random_triples(chance)))
        query = random_query(chance, triples)
        expected = in_oxigraph(query.text, triples)
        found = in_engine(query.text, triples, matcher)
        tally["cases"] += 1
        tally["with answers"] += bool(expected)
        other = None
        if query.unlimited is None and (found != expected or (matcher == "gm" and chance.random() < RDFLIB_SHARE)):
            other = in_rdflib(query.text, triples)
            tally["rdflib"] += 1
            tally["rdflib differs"] += other != expected
        if other is not None and other != expected and found == other:
            tally["decided against Oxigraph"] += 1
            continue
        assert_same(query, found, expected, triples)
    print(dict(tally))
    assert tally["with answers"] >= 0.3 * tally["cases"], tally
    assert tally["decided against Oxigraph"] <= 0.02 * tally["cases"], tally
