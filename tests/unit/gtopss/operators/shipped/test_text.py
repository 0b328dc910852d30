"""The text operators."""

from __future__ import annotations

import pytest
from support.operator_stages import evaluate_call

from gtopss.model import Publication
from gtopss.model.expressions import call
from gtopss.model.terms import Term, literal
from gtopss.operators import REGISTRY, InvalidPredicate, OperatorStage


@pytest.mark.parametrize(
    ("name", "arguments", "holds"),
    [
        ("hasWords", ("A storm hit the coast", "storm", "COAST"), True),
        ("hasWords", ("A storm hit the coast", "hit the"), True),
        ("hasWords", ("A storm hit the coast", "hit coast"), False),
        ("hasWords", ("brainstorm", "storm"), False),
        ("matchesText", ("flight LH 403", r"\b[A-Z]{2} ?\d{3}\b"), True),
        ("matchesText", ("flight 403", "^LH"), False),
    ],
)
def test_words_and_patterns(name: str, arguments: tuple[str, ...], holds: bool) -> None:
    assert bool(evaluate_call(REGISTRY, name, *map(literal, arguments))) is holds


def test_mentions_looks_at_all_literals() -> None:
    words = [("<urn:title>", literal("Flood")), ("<urn:text>", literal("in Bonn"))]
    news = Publication("p", [("<urn:a>", property, value) for property, value in words])
    assert evaluate_call(REGISTRY, "mentions", literal("flood"), literal("bonn"), publication=news)
    assert not evaluate_call(REGISTRY, "mentions", literal("flood in"), publication=news)


def test_the_language_of_a_text_is_found() -> None:
    found = evaluate_call(REGISTRY, "languageOf", literal("Die Feuerwehr war die ganze Nacht im Einsatz."), "?language")
    assert found == ({Term("?language"): literal("de")},)
    assert evaluate_call(REGISTRY, "languageOf", literal("The fire brigade was out all night."), literal("en"))
    address = "https://www.example.org/the-title-of-this-page-and-what-it-has-to-say"
    html = f'<a href="{address}" title="this is the title of the page">ici</a> La brigade est sortie toute la nuit.'
    assert evaluate_call(REGISTRY, "languageOf", literal(html), literal("fr"))  # the markup alone would be English
    assert evaluate_call(REGISTRY, "languageOf", literal("Bob"), "?language") is None


def test_invalid_constants_are_refused_at_registration() -> None:
    stage = OperatorStage(REGISTRY)
    for calls, reason in [
        (call("matchesText", literal("a"), literal("(")), "missing"),
        (call("hasWords", literal("a"), literal("!")), "no word"),
    ]:
        with pytest.raises(InvalidPredicate, match=reason):
            stage.add(("s", 0), [calls])
