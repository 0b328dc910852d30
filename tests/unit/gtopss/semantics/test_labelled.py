from __future__ import annotations

import pytest

from gtopss import Engine, Publication
from gtopss.model.terms import RDF_TYPE, XSD, Term, iri, literal
from gtopss.semantics import BudgetExceeded, EvaluationContext, EvaluationLimits
from gtopss.semantics.labelled import is_labelled
from gtopss.semantics.values import value_of
from ontology import Axioms, Taxonomy
from ontology.labels import LABEL_PROPERTIES, MAX_LABEL_CHARACTERS

PREFERRED, RDFS, *_, ALTERNATIVE, HIDDEN = LABEL_PROPERTIES
TAXONOMY = Taxonomy.from_axioms(
    Axioms(
        subclasses=(("urn:Vaccine", "urn:Health"), ("urn:Health", "urn:Topic"), ("urn:Sport", "urn:Topic")),
        instances=(("urn:bcg", "urn:Vaccine"),),
        equivalent_classes=(("urn:Sport", "urn:Games"),),
        labels=(
            ("urn:Health", PREFERRED, "Public  health", "en"),
            ("urn:Health", PREFERRED, "Gesundheit", "de"),
            ("urn:Vaccine", ALTERNATIVE, "Straßen-Impfung", "de"),
            ("urn:bcg", RDFS, "BCG", ""),
            ("urn:Sport", HIDDEN, "caf\u00e9", "fr"),
            ("urn:Sport", PREFERRED, "both", ""),
            ("urn:Vaccine", PREFERRED, "both", ""),
            ("urn:Lone", RDFS, "lone", ""),
            ("urn:Topic", PREFERRED, "x" * (MAX_LABEL_CHARACTERS + 1), ""),
            ("urn:Topic", PREFERRED, " ", ""),
        ),
    )
)
CONTEXT = EvaluationContext(Publication("p", [("<urn:Sport>", RDF_TYPE, "<urn:Health>")]), TAXONOMY)


def holds(text: Term, cls: Term) -> bool:
    return is_labelled(value_of(text), value_of(cls), CONTEXT)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("Public health", "Health Topic"),
        (" PUBLIC\n\tHealth\u00a0", "Health Topic"),
        ("gesundheit", "Health Topic"),
        ("public-health", ""),
        ("health", ""),
        ("STRASSEN-IMPFUNG", "Vaccine Health Topic"),
        ("bcg", "bcg Vaccine Health Topic"),
        ("Cafe\u0301", "Sport Games Topic"),  # é as two characters
        ("cafe", ""),
        ("both", "Sport Games Vaccine Health Topic"),
        ("lone", "Lone"),  # a term of no class is below itself, as for isA
        ("x" * (MAX_LABEL_CHARACTERS + 1), ""),
        ("", ""),
        (" ", ""),
    ],
)
def test_a_text_is_the_label_of_a_class_or_of_what_is_below_it(text: str, classes: str) -> None:
    names = ("bcg", "Vaccine", "Health", "Topic", "Sport", "Games", "Lone", "Unknown")
    for term in (literal(text), literal(text, language="tlh")):
        assert {name for name in names if holds(term, iri(f"urn:{name}"))} == set(classes.split())


def test_what_is_no_text_or_no_class_is_false_and_no_error() -> None:
    for text in (iri("urn:Health"), literal("5", XSD + "integer"), literal("BCG", "urn:other"), Term("_:b")):
        assert not holds(text, iri("urn:Vaccine"))
    for cls in (literal("urn:Vaccine"), Term("_:b")):
        assert not holds(literal("BCG"), cls)


def test_long_texts_are_charged_by_their_characters() -> None:
    context = EvaluationContext(Publication("p", []), TAXONOMY, EvaluationLimits(work=1_000))
    assert not is_labelled(value_of(literal("x" * 300)), value_of(iri("urn:Topic")), context)
    with pytest.raises(BudgetExceeded):
        is_labelled(value_of(literal("x" * 300)), value_of(iri("urn:Topic")), context)


def test_it_is_written_in_any_case_and_printed_as_it_is_written() -> None:
    engine = Engine(taxonomy=TAXONOMY, matcher="naive")
    engine.add("ASK { ?x <urn:p> ?t FILTER(LabelLed(?t, <urn:Health>) && !labelled('sport', <urn:Health>)) }", id="s")
    assert engine.match(Publication("p", [("<urn:x>", "<urn:p>", '"bcg"')])).subscription_ids == ("s",)
    assert not engine.match(Publication("p", [("<urn:x>", "<urn:p>", '"bcgs"')]))
