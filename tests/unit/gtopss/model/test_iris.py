from __future__ import annotations

import re

import pytest

from gtopss.model.iris import IRI_REFERENCE, is_absolute_iri

VALID = ["urn:a", "http://a.example/b?c#d", "mailto:a@b", "x+y-z.1:é", "urn:%zz"]
INVALID = [
    "",
    "a",
    "urn:",
    ":a",
    "1a:b",
    "urn:a b",
    "urn:<a>",
    "urn:a\n",
    "urn:\ud800",
    "urn:a\\b",
    'urn:"',
    "urn:\x00",
]


@pytest.mark.parametrize("text", VALID)
def test_an_absolute_iri_has_a_scheme_and_allowed_characters(text: str) -> None:
    assert is_absolute_iri(text)
    assert re.fullmatch(IRI_REFERENCE, f"<{text}>")


@pytest.mark.parametrize("text", INVALID, ids=ascii)
def test_other_texts_are_no_absolute_iris(text: str) -> None:
    assert not is_absolute_iri(text)


def test_a_reference_may_be_relative() -> None:
    assert re.fullmatch(IRI_REFERENCE, "<#a>")
    assert not re.fullmatch(IRI_REFERENCE, "<a b>")
