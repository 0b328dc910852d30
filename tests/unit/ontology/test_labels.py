from __future__ import annotations

from ontology.labels import LABEL_PROPERTIES, Labels

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
