"""`words` in many languages: every matcher, the SPARQL engines included, against the definition by substring."""

from __future__ import annotations

import random

import pytest
from conftest import SOAK
from support.matchers import every_matcher

from gtopss import Engine, Publication
from gtopss.model.terms import literal
from gtopss.semantics.words import words_needle, words_text

TEXTS = [
    "Open-Source: NASA's 3.14 and 1,000 words", "OPEN source straße STRASSE", "Le Cafe\u0301 de l’été à 10.5 €",
    "Москва открытый исходный код", "ΟΔΟΣ ανοιχτός κώδικας", "İstanbul ISPARTA ısı", "東京都の天気は晴れ open",
    "ภาษาไทย open source", "한국어 오픈 소스", "हिन्दी में समाचार", "می‌خواهم مصر", "👍🏽 open 👨‍👩‍👧 source",
    "עברית ושלום",
    "<p>Open <b>sour</b>ce</p> AT&amp;T", "List<String> open &lt;b&gt;", "", "<script>open source</script>",
]  # fmt: skip


def needles(chance: random.Random, count: int) -> list[str]:
    """Needles of one to three words that stand in some text, in another case or as prefixes, and others."""
    made = []
    while len(made) < count:
        found = words_text(chance.choice(TEXTS)).split("\x1f")[1:-1]
        if not found:
            continue
        start = chance.randrange(len(found))
        phrase = chance.choice([" ", "-", ", "]).join(found[start : start + chance.randint(1, 3)])
        made.append(
            chance.choice([phrase, phrase.upper(), phrase + "*", phrase[:2].strip(" -,.") + "*", phrase + " never"])
        )
    return [each for each in made if "'" not in each and "\\" not in each]


@pytest.mark.parametrize("matcher", every_matcher("language"))
def test_every_matcher_finds_the_same_words(matcher: str) -> None:
    chance = random.Random(17)
    for _ in range(100 if SOAK else 2):
        engine = Engine(matcher=matcher)
        chosen = {f"s{number}": needle for number, needle in enumerate(needles(chance, 60))}
        for name, needle in chosen.items():
            test = chance.choice([f"words(?t, '{needle}')", f"(words(?t, '{needle}') && !words(?t, 'never'))"])
            engine.add(f"SELECT ?t {{ ?x <urn:p> ?t FILTER {test} }}", id=name)
        matching = 0
        for text in TEXTS:
            terms = [literal(text), literal(text, language="en")]
            publication = Publication("p", [("<urn:x>", "<urn:p>", term) for term in terms])
            found = {match.subscription_id: {row["t"] for row in match.rows} for match in engine.match(publication)}
            expected = {name for name, needle in chosen.items() if words_needle(needle) in words_text(text)}
            assert found == {name: set(terms) for name in expected}
            matching += bool(expected)
        assert matching > 0.2 * len(TEXTS)
