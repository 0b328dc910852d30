"""The `labelled` parts of constraints: which label of which term, and the path up to the class."""

from __future__ import annotations

import pytest
from support.explanations import A, P, X

from gtopss.explain import LabelCheck, explain
from gtopss.model import Publication, Subscription, Term
from gtopss.model.expressions import call, labelled, words
from gtopss.model.terms import iri, literal
from ontology import Taxonomy

TOPICS = Taxonomy([("urn:Vaccine", "urn:Medicine"), ("urn:Medicine", "urn:Health"), ("urn:Football", "urn:Sport")])
TOPICS.add_label("urn:Vaccine", "Impfung", "de")
TOPICS.add_label("urn:Health", "health", "en")
TOPICS.add_label("urn:Football", "Football")
TOPICS.add_label("urn:Sport", "bad \ud800", "??")
HEALTH, VACCINE, MEDICINE, FOOTBALL = (iri(f"urn:{each}") for each in ("Health", "Vaccine", "Medicine", "Football"))
PREFIXES = {"t": "urn:"}


def check_of(value: Term, cls: Term = HEALTH) -> tuple[LabelCheck, str]:
    publication = Publication("p", [(A, P, value)])
    made = explain(Subscription("s", [(A, P, X)], where=[labelled("x", cls)]), publication, TOPICS)
    (check,) = made.branches[0].checks()
    (label,) = check.label_checks
    assert label.answer is check.holds is made.matched
    assert made.to_json()["branches"]
    return label, made.text(PREFIXES)


def test_a_match_shows_the_label_and_the_path_up() -> None:
    check, text = check_of(literal(" IMPFUNG"))
    assert check.label == literal("Impfung", language="de")
    assert check.path == (VACCINE, MEDICINE, HEALTH)
    assert '" IMPFUNG" is the label "Impfung"@de of t:Vaccine → t:Medicine → t:Health' in text
    _, text = check_of(literal("health"))
    assert '"health" is the label of t:Health, the class itself' in text


@pytest.mark.parametrize(
    ("value", "cls", "expected"),
    [
        (literal("football"), HEALTH, '"football" is a label of t:Football, which is not a t:Health'),
        (
            literal("helth"),
            HEALTH,
            '"helth" is no label of t:Health or of anything below it; t:Health is called "health"@en',
        ),
        (literal("helth"), MEDICINE, '"helth" is no label of t:Medicine or of anything below it'),
        (literal("helth"), iri("urn:Sport"), "t:Sport is called"),
        (VACCINE, HEALTH, "t:Vaccine is not a text"),
        (literal("health"), literal("health"), '"health" is no label of "health"'),
    ],
)
def test_a_miss_shows_what_is_called_so_instead(value: Term, cls: Term, expected: str) -> None:
    check, text = check_of(value, cls)
    assert check.label is None
    assert expected in text


def test_alternatives_show_labels_beside_words() -> None:
    test = call("||", words("x", "flood"), labelled("x", HEALTH))
    subscription = Subscription("s", [(A, P, X)], where=[test])
    found = explain(subscription, Publication("p", [(A, P, literal("Impfung"))]), TOPICS)
    assert '"Impfung" is the label of t:Vaccine → t:Medicine → t:Health' in found.text(PREFIXES)
    missed = explain(subscription, Publication("p", [(A, P, literal("Football"))]), TOPICS).text(PREFIXES)
    assert (
        '"Football" is a label of t:Football, which is not a t:Health; the words "flood" not found in "Football"'
        in missed
    )
