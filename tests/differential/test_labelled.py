"""`labelled` over real ontologies: every matcher, the SPARQL engines included, against a plain search of all labels."""

from __future__ import annotations

import random
import unicodedata
from functools import lru_cache

import pytest
from conftest import ROOT, SOAK
from support.matchers import every_matcher

from gtopss import Engine, Publication
from gtopss.model.terms import literal
from ontology import Taxonomy, load

ONTOLOGIES = ("iptc-mediatopics-en-GB.ttl", "univ-bench.owl")


@lru_cache
def taxonomy(name: str) -> Taxonomy:
    return load(ROOT / "data" / "ontologies" / name)


def texts(chance: random.Random, labels: list[str], count: int) -> list[str]:
    """Labels in another case, with other white space or in another form of Unicode; and texts that are no labels."""
    changes = [
        str,
        str.upper,
        str.title,
        lambda text: f" {text}\n",
        lambda text: text.replace(" ", "\u00a0 "),
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text + "s",
        lambda text: text.replace(" ", "-") + "-",
        lambda text: text[1:],
    ]
    return [chance.choice(changes)(chance.choice(labels)) for _ in range(count)]


def labels_below(given: Taxonomy, cls: str) -> set[str]:
    terms = {cls, *given.descendants(cls)}
    return {_folded(text) for term, _, text, _ in given.labels.statements() if term in terms} - {""}


def _folded(text: str) -> str:
    """Fold a text by Unicode's definition D145 of caseless matching."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", " ".join(text.split())).casefold())


@pytest.mark.parametrize("matcher", every_matcher("language"))
@pytest.mark.parametrize("ontology", ONTOLOGIES)
def test_every_matcher_finds_the_same_labels(matcher: str, ontology: str) -> None:
    chance, given = random.Random(19), taxonomy(ontology)
    named = sorted({term for term, _, _, _ in given.labels.statements()} & given.classes)
    above = sorted({name for each in named for name in given.ancestors(each)})
    # The slow engines walk all labels below a class for each subscription.
    few = "sparql" in matcher and not SOAK
    for _ in range(50 if SOAK else 1):
        drawn = chance.sample(named, 5 if few else 30) + chance.sample(above, 3 if few else 10) + ["urn:unknown"]
        classes = list(dict.fromkeys(drawn))
        below = {cls: labels_below(given, cls) for cls in classes}
        engine = Engine(matcher=matcher, taxonomy=given)
        for cls in classes:
            test = chance.choice([f"labelled(?t, <{cls}>)", f"(labelled(?t, <{cls}>) && !words(?t, 'never'))"])
            engine.add(f"SELECT ?t {{ ?x <urn:p> ?t FILTER {test} }}", id=cls)
        likely = [text for term, _, text, _ in given.labels.statements() if any(given.is_a(term, c) for c in classes)]
        tried = texts(chance, likely, 8 if few else 60)
        matching = 0
        for text in tried:
            terms = [literal(text), literal(text, language="en")]
            triples = [("<urn:x>", "<urn:p>", term) for term in (*terms, "<urn:other>", literal("5", "urn:type"))]
            found = {
                each.subscription_id: {row["t"] for row in each.rows}
                for each in engine.match(Publication("p", triples))
            }
            expected = {cls for cls in classes if _folded(text) in below[cls]}
            assert found == {cls: set(terms) for cls in expected}
            matching += bool(expected)
        assert matching > 0.2 * len(tried)
