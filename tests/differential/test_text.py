"""Text constraints on every matcher against naive, and naive against Oxigraph, on texts of many scripts."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import pytest
from conftest import SOAK
from support.answers import answers, ask, ask_directly
from support.matchers import every_matcher
from support.text_cases import text_batch, text_case

from gtopss import MATCHERS, Engine
from gtopss.errors import NeverMatches
from ontology import Taxonomy

BATCHES, BATCH_SIZE = 400 if SOAK else 8, 50


def compare(matcher: str, cases: int, ask: Any = ask) -> None:
    """The matcher gives naive's answers on so many generated cases, a fifth or more of which match something."""
    matching, cases = 0, cases * (50 if SOAK else 1)
    for seed in range(cases):
        case = text_case(Random(seed))
        expected = ask_directly("naive", case.taxonomy, case.subscriptions, case.publication)
        assert ask(matcher, case.taxonomy, case.subscriptions, case.publication) == expected, f"seed {seed}"
        matching += bool(expected)
    assert matching >= 0.2 * cases


@pytest.mark.parametrize("matcher", every_matcher("agreement"))
def test_agrees_with_naive(matcher: str) -> None:
    compare(matcher, 1_000)


def test_oxigraph_agrees_with_naive() -> None:
    compare("sparql", 500, ask_directly)


def test_many_needles_in_many_documents() -> None:
    """Each text is read from N-Triples with odd escapes, in a batch, for the needles of all others too."""
    pairs = related = 0
    for seed in range(BATCHES):
        subscriptions, publications, documents = text_batch(Random(seed), BATCH_SIZE)
        naive, engine = MATCHERS["naive"](Taxonomy()), Engine()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            for subscription in subscriptions:
                naive.add(subscription)
                engine.add(subscription)
        reports = engine.match_many(documents, "nt")
        for number, (publication, report) in enumerate(zip(publications, reports, strict=True)):
            expected = answers(naive.match(publication))
            assert answers(report) == expected, f"seed {seed}, publication {number}"
            related += f"s{number}" in expected
        pairs += len(subscriptions) * len(documents)
    assert pairs == BATCHES * BATCH_SIZE**2
    assert related >= 0.2 * BATCHES * BATCH_SIZE


def test_is_a_and_text_constraints_go_together() -> None:
    """A batch with is-a edges and without needles, with both, and with neither."""
    engine = Engine(taxonomy=Taxonomy([("urn:flood", "urn:weather")]))
    engine.add("SELECT ?x { ?x <urn:about> ?c FILTER(isA(?c, <urn:weather>)) }", id="class")
    engine.add('SELECT ?x { ?x <urn:title> ?t FILTER(words(?t, "rain")) }', id="words")
    documents = ["<urn:a> <urn:about> <urn:flood> .", '<urn:a> <urn:title> "Rain." .', '<urn:a> <urn:title> "Sun" .']
    found = [[match.subscription_id for match in report] for report in engine.match_many(documents, format="ntriples")]
    assert found == [["class"], ["words"], []]
    assert [[match.subscription_id for match in engine.match(each, format="ntriples")] for each in documents] == found
