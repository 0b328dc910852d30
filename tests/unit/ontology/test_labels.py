from __future__ import annotations

from ontology.labels import LABEL_PROPERTIES, MAX_LABEL_CHARACTERS, Labels, label_key

PREFERRED, RDFS, *_, ALTERNATIVE, _HIDDEN = LABEL_PROPERTIES
LABELS = Labels(
    [
        ("urn:health", PREFERRED, "Gesundheit", "de"),
        ("urn:health", PREFERRED, "health", "en-GB"),
        ("urn:health", ALTERNATIVE, "wellbeing", "en"),
        ("urn:insurance", RDFS, "Health  Insurance", None),
        ("urn:insurance", "urn:comment", "money", None),
        ("urn:money", RDFS, "money", None),
        ("urn:cash", ALTERNATIVE, "Money", "en"),
    ]
)


def test_a_label_is_found_in_any_language_and_case() -> None:
    assert LABELS.named("GESUNDHEIT") == LABELS.named("Health") == LABELS.named("wellbeing") == ("urn:health",)
    assert LABELS.named("health-insurance") == LABELS.named("health_insurance") == ("urn:insurance",)
    assert LABELS.named("money") == ("urn:money", "urn:cash")
    assert LABELS.named("") == ()


def test_equal_labels_come_first_then_longer_ones_then_other_spellings() -> None:
    assert LABELS.search("health") == ["urn:health", "urn:insurance"]
    assert LABELS.search("insurance") == ["urn:insurance"]
    assert LABELS.search("helth") == ["urn:health"]
    assert LABELS.search("football") == []
    assert LABELS.search(" ") == []


def test_the_label_that_is_shown() -> None:
    assert LABELS.preferred("urn:health") == "health"
    assert LABELS.preferred("urn:health", "de") == "Gesundheit"
    assert LABELS.preferred("urn:nothing") is None
    assert [label.text for label in LABELS.of("urn:health")] == ["Gesundheit", "health", "wellbeing"]
    assert len(LABELS) == 4


def test_a_text_is_a_label_but_for_case_and_white_space() -> None:
    assert LABELS.with_label(" health\tINSURANCE ") == ("urn:insurance",)
    assert LABELS.with_label("health-insurance") == ()
    assert LABELS.with_label("Money") == ("urn:money", "urn:cash")
    assert LABELS.with_label("") == LABELS.with_label(" ") == ()


def test_equivalent_forms_of_a_text_have_the_same_key() -> None:
    assert label_key("\u00c9T\u00c9") == label_key("e\u0301te\u0301") == label_key("\u00e9t\u00e9")
    assert label_key("Straße") == label_key("STRASSE")
    assert label_key("\u1fb3\u0301") == label_key("\u03b1\u0301\u0345")  # marks that folding takes apart
    assert label_key("é") != label_key("e")
    assert label_key("x" * MAX_LABEL_CHARACTERS)
    assert label_key("x " * MAX_LABEL_CHARACTERS) == ""


def test_labels_are_added_and_removed() -> None:
    labels = Labels()
    assert labels.add("urn:a", "One", "en")
    assert not labels.add("urn:a", "One", "en")
    assert not labels.add("urn:a", "two", None, "urn:comment")
    assert labels.with_label("one") == labels.named("one") == ("urn:a",)
    assert labels.add("urn:b", "one", None, ALTERNATIVE)
    assert labels.with_label("one") == ("urn:a", "urn:b")
    assert Labels(labels.statements()).named("one") == ("urn:a", "urn:b")
    assert not labels.remove("urn:a", "One")  # in another language
    assert labels.remove("urn:a", "One", "en")
    assert labels.with_label("one") == labels.named("one") == ("urn:b",)
    assert labels.remove("urn:b", "one")
    assert (len(labels), labels.with_label("one"), [*labels.statements()]) == (0, (), [])
