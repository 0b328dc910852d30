from __future__ import annotations

import pytest
from support.explanations import A, P, X

from gtopss.explain import explain
from gtopss.explain.class_labels import shown_steps
from gtopss.explain.limits import MAX_NEEDLE_CHARACTERS, MAX_PATH_STEPS_SHOWN
from gtopss.explain.text import branch_reason
from gtopss.model import Publication, Subscription, Term
from gtopss.model.expressions import is_a
from gtopss.model.terms import iri
from ontology import Taxonomy

PREFIXES = {"t": "urn:t:"}
HEALTH, VACCINE = iri("urn:t:07"), iri("urn:t:20")


def topics() -> Taxonomy:
    made = Taxonomy(subclasses=[("urn:t:20", "urn:t:07"), ("urn:t:OpenSource", "urn:t:13")])
    made.add_label("urn:t:07", "health", "en")
    made.add_label("urn:t:07", "Gesundheit", "de")
    made.add_label("urn:t:20", "vaccine\x1b", "en")
    made.add_label("urn:t:OpenSource", "Open source", "en")
    return made


def reasons(value: Term, cls: Term, taxonomy: Taxonomy) -> tuple[str, str]:
    """Return the reason as SPARQL's readers get it, and as those of the short form do."""
    subscription = Subscription("s", [(A, P, X)], where=[is_a("x", cls)])
    made = explain(subscription, Publication("p", [(A, P, value)]), taxonomy)
    assert made.to_json()["branches"]
    return (
        branch_reason(made.branches[0], PREFIXES),
        branch_reason(made.branches[0], PREFIXES, labels_only=True),
    )


@pytest.mark.parametrize(
    ("value", "cls", "with_iris", "labels_only"),
    [
        (VACCINE, HEALTH, '"vaccine\\u001B" (t:20) → "health" (t:07)', '"vaccine\\u001B" → "health"'),
        (HEALTH, HEALTH, '"health" (t:07) is the class itself', '"health" is the class itself'),
        (HEALTH, VACCINE, '"health" (t:07) is not a "vaccine\\u001B" (t:20)', '"health" is not a "vaccine\\u001B"'),
        (iri("urn:t:OpenSource"), iri("urn:t:13"), "t:OpenSource → t:13", "t:OpenSource → t:13"),
    ],
)
def test_classes_are_named_by_their_labels(value: Term, cls: Term, with_iris: str, labels_only: str) -> None:
    first, second = reasons(value, cls, topics())
    assert first.startswith(with_iris)
    assert second.startswith(labels_only)


def test_a_long_label_is_shortened() -> None:
    taxonomy = topics()
    taxonomy.add_label("urn:t:9", "long " * 1_000, "en")
    assert len(reasons(iri("urn:t:9"), iri("urn:t:9"), taxonomy)[1]) < MAX_NEEDLE_CHARACTERS + 50


def test_a_label_that_is_no_unicode_is_written_as_json() -> None:
    taxonomy = topics()
    taxonomy.add_label("urn:t:9", "bad \ud800")
    assert reasons(iri("urn:t:9"), iri("urn:t:9"), taxonomy)[1] == '"bad ?" is the class itself'


def test_the_middle_of_a_long_path_is_not_shown() -> None:
    path = tuple(iri(f"urn:t:{number}") for number in range(100))
    shown = shown_steps(path)
    assert len(shown) == MAX_PATH_STEPS_SHOWN
    assert (shown[0], shown[-1]) == (path[0], path[-1])
    assert shown_steps(path[:3]) == path[:3]
